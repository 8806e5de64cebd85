"""What a parameter does shows where pages differ in nothing else."""

from dataclasses import replace

import pytest

from builder.induce.listing import Listing, Pairs, Table
from builder.induce.listquery import Parameter
from builder.induce.roles import Contrasts, as_split, effect, roles_of, sort_parts, split_fields
from builder.induce.rowsets import RowSets

KEYS = tuple(f"/i/{n}" for n in range(30))


def page(pairs: Pairs, rows: tuple[str, ...], links: tuple[Pairs, ...] = ()) -> Listing:
    return Listing("/l/", "/l/", pairs, rows, frozenset(), frozenset(("/l/", one) for one in links))


def role(name: str, pages: list[Listing], bits: float = 0.0) -> Parameter:
    rows = RowSets(Table("t", {key: {"price": "1", "title": "red"} for key in KEYS}), ())
    found = {one.name: one for one in roles_of(Contrasts(pages), rows, lambda _: (bits, "a column"))}
    rows.close()
    return found[name]


PLAIN = page((), KEYS[:10], ((("x", "2"),), (("x", "3"),)))


@pytest.mark.parametrize(
    ("pages", "does"),
    [
        ([PLAIN, page((("x", "2"),), KEYS[10:20]), page((("x", "3"),), KEYS[20:])], "page"),
        ([PLAIN, page((("x", "5"),), KEYS[:5]), page((("x", "20"),), KEYS[:20])], "size"),
        ([page((), KEYS), page((("x", "up"),), KEYS[::-1])], "direction"),
        ([page((), KEYS), page((("x", "n"),), KEYS[::-1])], "order"),
        ([page((), KEYS), page((("x", "price"),), KEYS[::-1])], "order"),
        ([PLAIN, page((("x", "k"),), KEYS[:10]), page((("x", "m"),), KEYS[:10])], "nothing"),
        ([page((), KEYS), page((("x", "a"),), KEYS[3:9]), page((("x", "b"),), KEYS[11:15])], "filter"),
        ([page((), KEYS[:9]), page((("x", "8"),), KEYS[9:18]), page((("x", "17"),), KEYS[18:27])], "page"),
        ([page((("x", "shop"),), KEYS[:3])], "selector"),
        ([PLAIN, page((("y", "a"), ("x", "b")), KEYS[4:6])], "unknown"),
    ],
)
def test_roles_by_contrast(pages: list[Listing], does: str) -> None:
    assert role("x", pages).does == does


def test_a_condition_on_a_column_makes_a_filter_and_says_why() -> None:
    found = role("x", [PLAIN, page((("x", "7"),), KEYS[4:6])], bits=20)
    assert (found.does, found.why.evidence, found.why.because) == ("filter", 20, "a column")


def test_names_serve_where_there_is_no_contrast_and_it_is_said() -> None:
    other = page((("p", "4"), ("z", "1")), KEYS[5:9])
    found = role("p", [PLAIN, other])
    assert found.does == "page" and "name" in found.why.because
    assert role("q", [PLAIN, page((("q", "red"),), KEYS[:4])]).does == "search"


def test_a_search_shows_itself_without_its_name() -> None:
    rows = {f"/{n}": {"title": title} for n, title in enumerate(["red lamp", "blue lamp", "red chair", "old book"])}
    sets = RowSets(Table("t", rows), ())
    found = [("red", ("/0", "/2")), ("lamp", ("/0", "/1")), ("book", ("/3",))]
    pages = [Listing("/l/", "/l/", (("zz", text),), keys) for text, keys in found]
    other = [Listing("/l/", "/l/", (("zz", "blue"), ("v", "1")), ("/1",))]
    roles = {one.name: one.does for one in roles_of(Contrasts(pages + other), sets, lambda _: (0.0, ""))}
    sets.close()
    assert roles["zz"] == "search"


def test_only_one_parameter_turns_the_pages() -> None:
    links = ((("page", "2"),), (("by", "2"),), (("by", "1"),))
    pages = [
        page((), KEYS[:10], links),
        page((("page", "2"),), KEYS[10:20], links),
        page((("by", "1"),), KEYS[20:], links),
        page((("by", "2"),), KEYS[10:20], links),
    ]
    found = role("by", pages)
    assert role("page", pages).does == "page" and found.does != "page"


def test_field_values_are_parameters_of_their_own_but_addresses_and_directions_are_not() -> None:
    def fields(*values: str) -> dict[str, frozenset[str]]:
        return split_fields([page((("f", value),), ()) for value in values])

    assert fields("brand:acme", "size:4") == {"f": frozenset({"brand", "size"})}
    assert fields("https://a.example/", "http://b.example/") == {}
    assert fields("price:asc", "price:desc") == {}
    assert as_split((("f", "brand:acme"), ("g", " ")), {"f": frozenset({"brand"})}) == (("f:brand", "acme"),)


@pytest.mark.parametrize(
    ("value", "parts"),
    [("-price", ("price", "-")), ("price_asc", ("price", "_asc")), ("priceDesc", ("price", "Desc")), ("price", ("price", "")),
     ("name:d", ("name", ":d")), ("created_at", ("created_at", "")), ("-", ("-", "")), ("", ("", ""))],
)  # fmt: skip
def test_a_sort_value_says_by_what_and_which_way(value: str, parts: tuple[str, str]) -> None:
    assert sort_parts(value) == parts


def test_effects_of_a_parameter() -> None:
    whole = page((), KEYS[:4])
    rows = {"same": KEYS[:4], "moved": KEYS[3::-1], "more": KEYS[:6], "apart": KEYS[8:9], "part": KEYS[1:2]}
    assert {name: effect(whole, page((), keys)) for name, keys in rows.items()} == {name: name for name in rows}
    assert effect(whole, page((), KEYS[2:7])) == "mixed"
    assert effect(page((), ()), page((), ())) == "none"


def test_links_that_name_the_last_row_of_their_page_lead_on() -> None:
    def shown(kind: str, at: int, *pairs: tuple[str, str]) -> Listing:
        return page((("kind", kind), *pairs), KEYS[at : at + 5], ((("kind", kind), ("x", str(at + 4))),))

    pages = [shown("a", 0), shown("b", 7), shown("c", 14), shown("d", 21, ("x", "20"))]
    assert role("x", pages).does == "page"
    same = [replace(one, links=frozenset({("/l/", (("x", one.rows[-1][3:]), ("x", "99")))})) for one in pages]
    assert role("x", same).does != "page"
