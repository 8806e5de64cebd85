"""Rules that hold for any evidence: the same in gives the same out, nothing is merged, nothing is altered."""

import json
import tempfile
import time
from pathlib import Path
from urllib.parse import urlencode

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from artifacts.events import ignore
from artifacts.evidence import Part
from builder.build import build
from tests.builder.world import World

SLOW = settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
VALUES = st.text(st.characters(codec="utf-8", exclude_characters="\r\n"), max_size=12)
QUERIES = st.lists(st.tuples(st.sampled_from(["a", "b", "id", "q", "_"]), VALUES), max_size=3)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.sampled_from(["", "1", "=1", "true", "x/y", "[0]"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["a", "a.b", "0", "a/b"]), inner),
    max_leaves=5,
)


def sorted_query(pairs: list[tuple[str, str]]) -> str:
    """One spelling for queries that mean the same."""
    return urlencode(sorted(pairs, key=lambda pair: pair[0]))


@SLOW
@given(st.lists(QUERIES, min_size=1, max_size=12, unique_by=sorted_query))
def test_two_recorded_addresses_are_never_merged(queries: list[list[tuple[str, str]]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        world = World(Path(folder))
        world.page("/", "home")
        for number, pairs in enumerate(queries):
            world.page(f"/list?{urlencode(pairs)}", f"answer {number}")
        visitor = world.visitor()
        for number, pairs in enumerate(queries):
            assert visitor.text(f"/list?{urlencode(pairs)}") == f"answer {number}"
            assert visitor.text(f"/list?{sorted_query(pairs)}") == f"answer {number}"


@SLOW
@given(st.lists(JSON, min_size=1, max_size=10, unique_by=lambda value: json.dumps(value, sort_keys=True)))
def test_two_recorded_bodies_are_never_merged(bodies: list[object]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        world = World(Path(folder))
        world.page("/", "home")
        for number, body in enumerate(bodies):
            world.post("/api", body=f"answer {number}", sending=json.dumps(body), visit="p0001.1",
                       sent=[("Content-Type", "application/json")], media="application/json")  # fmt: skip
        visitor = world.visitor()
        for number, body in enumerate(bodies):
            sent = {"data": json.dumps(body), "content_type": "application/json"}
            assert visitor.text("/api", method="POST", **sent) == f"answer {number}"


HOSTILE = [
    b"{{ config }} {% import os %} {# x #}", b"</script><script>alert(1)</script>", b"'\"; DROP TABLE answer; --",
    b"\x00\x01\xff\xfe", b"@TITLE@ @VISITOR_COOKIE@", "\u202e\u0000 naïve 日本".encode(), b'"""\n\\', b"",
]  # fmt: skip


@SLOW
@given(st.lists(st.sampled_from(HOSTILE) | st.binary(max_size=60), min_size=1, max_size=6), st.booleans())
def test_bodies_come_back_byte_for_byte(bodies: list[bytes], as_files: bool) -> None:
    with tempfile.TemporaryDirectory() as folder:
        world = World(Path(folder))
        world.page("/", "home")
        for number, body in enumerate(bodies):
            media = "image/png" if as_files else "text/html"
            world.get(f"/b/{number}", body, visit="p0001.1", media=media, destination="image" if as_files else None)
        visitor = world.visitor()
        assert [visitor.open(f"/b/{number}").data for number in range(len(bodies))] == bodies


def test_hostile_names_reach_the_files_as_text_only(tmp_path: Path) -> None:
    world = World(tmp_path, site="https://shop.test")
    names = [
        '/x"""/{{a}}/',
        "/<int:x>/y",
        "/a%22%0a%5c",
        "/%3Cscript%3E/%00",
        "/class/",
        "/import",
        "/%E2%80%AE/",
        "/1/2",
    ]
    for number, name in enumerate(names):
        world.page(name, f"page {number}")
        world.skips.clear()
    world.post("/do", {'"; --': "'); DROP TABLE account; --"}, "done", visit="e1/0")
    world.step("e1", 0, "/do", behaviour='"""\n# {{ x }} | <b>', safety="write", fill=["'); DROP TABLE account; --"])
    visitor = world.visitor()
    for number, name in enumerate(names):
        assert visitor.text(name) == f"page {number}", name
    assert visitor.text("/do", method="POST", data={'"; --': "'); DROP TABLE account; --"}) == "done"


def lively(folder: Path) -> World:
    """A site with a bit of everything."""
    world = World(folder)
    first = world.page("/", "home 2024-06-10 08:00:00")
    world.page("/", "home 2024-06-10 08:00:09", repeat_of=first)
    for number in range(12):
        state = world.page(f"/item/{number}/", f"item {number}")
        world.get(f"/api?id={number}&_={1718000000000 + number}", "{}", visit=state.visit, media="application/json")
        world.get("/style.css", "a{}", visit=state.visit, media="text/css", destination="style")
    world.post("/add", {"id": "1"}, status=303, media="", headers=[("Location", "/")], visit="e1/0")
    world.get("/", "home, one item", visit="e1/0")
    world.step("e1", 0, "/", safety="session")
    return world


def test_the_same_evidence_gives_the_same_files(tmp_path: Path) -> None:
    trees = set()
    for number in (1, 2):
        world = lively(tmp_path / str(number))
        trees.add(world.build()[1].tree)
        trees.add(world.build("again")[1].tree)
    assert len(trees) == 1


@SLOW
@given(st.randoms(use_true_random=False))
def test_the_order_in_which_evidence_is_listed_does_not_matter(random: object) -> None:
    with tempfile.TemporaryDirectory() as folder:
        world = lively(Path(folder))
        expected = world.build("plain")[1].tree
        part = world.part()
        lists = [list(part.states), list(part.exchanges), list(part.interactions)]
        for one in lists:
            random.shuffle(one)  # type: ignore[attr-defined]
        shuffled = Part(tuple(lists[0]), tuple(lists[1]), tuple(lists[2]), part.skips)
        _, mirror = build(shuffled, world.evidence(), store=world.store, out=Path(folder) / "other", parts="open",
                          emit=ignore)  # fmt: skip
        assert mirror.tree == expected


def test_five_thousand_exchanges_compile_in_seconds(tmp_path: Path) -> None:
    world = World(tmp_path)
    filler = "".join(f"<p class='row r{n}'>Row {n} with some text to fill the page.</p>\n" for n in range(150))
    for number in range(500):
        visit = f"p{number:04}.1"
        world.get(f"/item/{number}/", f"<h1>Item {number}</h1>{filler}", visit=visit)
        world.state(f"/item/{number}/", visit=visit)
        world.get(f"/api/item/{number}?_={1718000000000 + number}", f'{{"id": {number}}}', visit=visit,
                  media="application/json")  # fmt: skip
        for asset in range(7):
            world.get(f"/static/{asset}.css", f"/* {asset} */", visit=visit, media="text/css", destination="style")
        world.post("/beacon", {"t": str(1718000000000 + number)}, status=204, media="", visit=visit)
    started = time.process_time()
    _, mirror = world.build()
    assert mirror.claims["exchanges"] == 5000
    assert time.process_time() - started < 20
