"""JSON answers that nobody captured: every convention answers hidden requests as its site does."""

import itertools
import json
import random
from pathlib import Path
from urllib.parse import urlencode

import pytest

from tests.builder.json_sites import GOODS, LISTING, ONE, Capture

REST = "/rest/goods/"


@pytest.fixture
def capture(tmp_path: Path) -> Capture:
    return Capture(tmp_path)


def rest(capture: Capture) -> Capture:
    return capture.get(
        *(REST, f"{REST}?page=2", f"{REST}?page=3", f"{REST}?page=4", f"{REST}?kind=lamp", f"{REST}?kind=chair"),
        *(
            f"{REST}?ordering=price",
            f"{REST}?ordering=-price",
            f"{REST}?ordering=title",
            f"{REST}?kind=lamp&ordering=price",
        ),
        *(f"{REST}{GOODS[0]['id']}/", f"{REST}{GOODS[4]['id']}/", f"{REST}{GOODS[7]['id']}/", f"{REST}999/"),
    )


def test_counted_lists_with_links(capture: Capture) -> None:
    hidden = [
        f"{REST}?ordering=price&page=3",
        f"{REST}?kind=table",
        f"{REST}?kind=chair&ordering=-price",
    ]
    assert rest(capture).differing(*hidden, f"{REST}?ordering=-title") == []


def test_one_thing_and_what_is_not_there(capture: Capture) -> None:
    hidden = [f"{REST}{row['id']}/" for row in GOODS] + [f"{REST}1000/", f"{REST}0/"]
    assert rest(capture).differing(*hidden) == []


def test_a_parameter_that_nobody_saw_is_not_made_up(capture: Capture) -> None:
    mirror = rest(capture).mirror
    assert mirror.get(f"{REST}?colour=red").status_code == 404


def test_bare_arrays_with_links_in_headers(capture: Capture) -> None:
    base = "/bare/goods"
    capture.get(
        base, *(f"{base}?page={n}" for n in (2, 3, 5)), f"{base}?page=4", f"{base}?sort=price", f"{base}?sort=-price"
    )
    capture.get(f"{base}?per_page=5", f"{base}?per_page=5&page=2", f"{base}?sort=price&page=2", f"{base}?per_page=12")
    assert (
        capture.differing(f"{base}?sort=-price&page=3", f"{base}?per_page=5&page=4", f"{base}?sort=price&page=5") == []
    )


def test_resources_with_attributes_and_offsets(capture: Capture) -> None:
    base = "/jsonapi/goods"
    capture.get(
        base, *(f"{base}?page[offset]={n}" for n in (6, 12, 18, 24, 30)), f"{base}?sort=-price", f"{base}?sort=price"
    )
    capture.get(
        f"{base}?filter[kind]=lamp",
        f"{base}?filter[kind]=chair",
        f"{base}/{GOODS[3]['id']}",
        f"{base}/{GOODS[5]['id']}",
        f"{base}/9",
    )
    hidden = [
        f"{base}?sort=-price&page[offset]=12",
        f"{base}?filter[kind]=table",
        *(f"{base}/{row['id']}" for row in GOODS),
    ]
    assert capture.differing(*hidden, f"{base}/8", f"{base}?filter[kind]=lamp&page[offset]=6") == []


def test_rows_as_arrays_in_three_shapes(capture: Capture) -> None:
    base = "/table/goods.json"
    starts = [GOODS[8]["id"], GOODS[17]["id"], GOODS[26]["id"]]
    capture.get(base, *(f"{base}?_next={n}" for n in starts), f"{base}?_shape=array", f"{base}?_shape=object")
    capture.get(
        f"{base}?kind=lamp",
        f"{base}?kind=chair",
        f"{base}?_next={starts[0]}&_shape=array",
        f"{base}?_sort=price",
        f"{base}?_sort=-price",
    )
    hidden = [
        f"{base}?kind=lamp&_shape=array",
        f"{base}?_next={starts[1]}&_shape=object",
        f"{base}?_sort=-price&_shape=array",
    ]
    assert capture.differing(*hidden) == []
    told = capture.mirror.get(f"{base}?kind=table").get_json()
    truth = capture.client.get(f"{base}?kind=table").get_json()
    assert told | {"query_ms": 0} == truth | {"query_ms": 0}
    assert capture.mirror.get(f"{base}?_shape=objects").status_code == 404


def test_cursors_that_name_their_row(capture: Capture) -> None:
    capture.get("/feed")
    after = capture.client.get("/feed").get_json()["pageInfo"]["endCursor"]
    seen = []
    while after:
        capture.get(f"/feed?after={after}")
        seen.append(after)
        after = capture.client.get(f"/feed?after={after}").get_json()["pageInfo"]["endCursor"]
        if len(seen) > 3:
            break
    capture.get("/feed?kind=lamp", "/feed?kind=chair", "/feed?sort=price")
    second = capture.client.get("/feed?sort=price").get_json()["pageInfo"]["endCursor"]
    lamps = capture.client.get("/feed?kind=lamp").get_json()["pageInfo"]["endCursor"]
    assert (
        capture.differing(f"/feed?sort=price&after={second}", f"/feed?kind=lamp&after={lamps}", "/feed?kind=table")
        == []
    )


def test_a_query_document_with_other_variables(capture: Capture) -> None:
    capture.ask(
        LISTING,
        {"first": 10},
        {"first": 35},
        {"first": 5},
        {"kind": "lamp", "first": 10},
        {"kind": "chair", "first": 10},
    )
    end = capture.client.post("/graphql", json={"query": LISTING, "variables": {"first": 10}}).get_json()
    after = end["data"]["goods"]["pageInfo"]["endCursor"]
    more = capture.client.post(
        "/graphql", json={"query": LISTING, "variables": {"first": 10, "after": after}}
    ).get_json()
    later = more["data"]["goods"]["pageInfo"]["endCursor"]
    capture.ask(LISTING, {"first": 10, "after": after}, {"first": 10, "after": later})
    capture.ask(ONE, {"id": str(GOODS[0]["id"])}, {"id": str(GOODS[1]["id"])}, {"id": "5"})
    hidden = [{"kind": "table", "first": 10}, {"first": 7}, {"first": 4, "after": after}, {"kind": "lamp", "first": 3}]
    assert capture.differing_questions(LISTING, *hidden) == []


def test_what_is_known_is_in_the_contract(capture: Capture) -> None:
    contract, mirror = rest(capture).world.build()
    names = {one.name: one for one in contract.behaviours}
    assert names["answer list GET /rest/goods/"].status in ("observed", "inferred")
    assert "missing: computed" in names["answer one GET /rest/goods/*/"].variants
    assert [(one.table, one.rows) for one in contract.entities] == [("goods", len(GOODS))]
    assert mirror.claims["endpoints"] == 2
    spec = json.loads((capture.world.folder / "mirror" / "apis" / "rest_goods.json").read_text())
    assert spec["table"] == "goods"


def test_a_thing_known_from_lists_only_is_not_said_to_be_missing(capture: Capture) -> None:
    capture.ask(LISTING, {"first": 35}, {"first": 5}, {"first": 9})
    capture.ask(ONE, {"id": str(GOODS[0]["id"])}, {"id": str(GOODS[1]["id"])}, {"id": "5"})
    known = {"query": ONE, "variables": {"id": str(GOODS[8]["id"])}}
    assert capture.mirror.post("/graphql", json=known).status_code == 404
    assert capture.differing_questions(ONE, {"id": "6"}) == []


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("base", ["/rest/goods/", "/bare/goods", "/jsonapi/goods", "/table/goods.json"])
def test_whatever_was_captured_what_is_answered_is_right(capture: Capture, base: str, seed: int) -> None:
    """Half of the addresses with one parameter and a few others are captured; the rest is answered rightly or not."""
    chance = random.Random(f"{base} {seed}")
    order, kind, page = {"/rest/goods/": ("ordering", "kind", "page"), "/bare/goods": ("sort", "kind", "page"),
        "/jsonapi/goods": ("sort", "filter[kind]", "page[offset]"), "/table/goods.json": ("_sort", "kind", "_shape")}[base]  # fmt: skip
    pages = {"page": "1234", "page[offset]": ["6", "12", "18", "24"], "_shape": ["array", "object", "arrays"]}[page]
    values = itertools.product([None, "price", "-price", "title"], [None, "lamp", "chair", "sofa"], [None, *pages])
    named = [[(n, v) for n, v in zip((order, kind, page), one, strict=True) if v] for one in values]
    asked = [urlencode(sorted(pairs)) for pairs in named]
    few = [query for query in asked if chance.random() < (0.05 if "&" in query else 0.6)]
    capture.get(base, *(f"{base}?{query}" for query in few if query))
    for query in asked:
        told, truth = capture.mirror.get(f"{base}?{query}"), capture.client.get(f"{base}?{query}")
        if told.status_code != 404:
            given, right = told.get_json(), truth.get_json()
            for one in (given, right):
                _ = isinstance(one, dict) and one.pop("query_ms", None)
            assert given == right, query
            assert told.headers.get("Link") == truth.headers.get("Link")
