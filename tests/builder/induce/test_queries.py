"""Lists that nobody captured are answered as the site would have, whatever conventions it has."""

import random
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from contextlib import closing
from dataclasses import replace
from typing import Any

import pytest

from builder.induce.cutting import Answered
from builder.induce.listanswer import answer
from builder.induce.listing import Listing, Pairs, Table
from builder.induce.listquery import ListQuery
from builder.induce.queries import induce_queries
from builder.induce.tables import filled
from tests.builder.induce.list_site import Site, captured, hidden, rows_of

CONVENTIONS: list[dict[str, Any]] = [
    {},
    {"paging": "zero", "sorting": "sign", "newest_first": False},
    {"paging": "offset", "sorting": "two", "totals": False},
    {"paging": "cursor", "sorting": "suffix"},
    {"paging": "path", "categories": "path", "sorting": "two"},
    {"paging": "none", "search": "substring", "sorting": "sign"},
    {"size_name": "limit", "search": "any words"},
    {"open_only": True, "categories": "none"},
    {"search": "substring", "totals": False, "size": 10},
    {"search": "stems", "size": 5},
]


def compared(table: Table, queries: tuple[ListQuery, ...], pages: list[Listing]) -> Counter[str]:
    """How many pages come out exactly, not at all, wrong as was said, or wrong though they are called computed."""
    found: Counter[str] = Counter()
    with closing(filled(table, queries)) as database:
        for page in pages:
            answers = [answer(database, query, page.path, page.pairs) for query in queries]
            one = next((one for one in answers if one is not None), None)
            if one is None:
                found["none"] += 1
            elif one.rows == page.rows:
                found["exact"] += 1
            elif "approximate" in (one.members, one.order):
                found["approximate"] += 1
            else:
                found["set" if set(one.rows) == set(page.rows) else "wrong"] += 1
    return found


@pytest.mark.parametrize("convention", CONVENTIONS, ids=str)
@pytest.mark.parametrize("seed", [1, 2])
def test_pages_that_nobody_captured(convention: dict[str, Any], seed: int) -> None:
    site = Site(rows_of(110, seed), **convention)
    open_pages = captured(site, seed)
    queries = induce_queries(open_pages, site.table())
    assert sum(query.exact for query in queries) == sum(query.checked for query in queries) == len(open_pages)
    seen = {(page.path, tuple(sorted(page.pairs))) for page in open_pages}
    unseen = [page for page in hidden(site, 90) if (page.path, tuple(sorted(page.pairs))) not in seen]
    found = compared(site.table(), queries, unseen)
    assert found["exact"] >= 0.85 * len(unseen), found
    assert found["wrong"] + found["set"] <= 0.03 * len(unseen), found


def test_sort_codes_are_learned_but_not_invented() -> None:
    site = Site(rows_of(90, 4), sorting="codes")
    queries = induce_queries(captured(site), site.table())
    learned = {order.sort for query in queries for order in query.orders if order.sort}
    asked = {pairs for pairs in (page.pairs for page in captured(site)) if pairs and pairs[0][0] == "sort"}
    assert learned == {(pairs[0],) for pairs in asked}
    missing = [sort for sort in site.sorts() if sort and sort not in learned]
    assert missing
    assert compared(site.table(), queries, [site.page("/items/", sort) for sort in missing]) == {"none": len(missing)}


@pytest.mark.parametrize("count", [0, 1, 2, 7])
def test_small_tables_are_answered_as_far_as_they_tell(count: int) -> None:
    site = Site(rows_of(count, 3))
    pages = captured(site)
    queries = induce_queries(pages, site.table())
    found = compared(site.table(), queries, pages)
    assert found["wrong"] + found["set"] == 0
    assert found["exact"] >= (0.8 if count else 0.5) * len(pages)


def test_nothing_gives_nothing() -> None:
    assert induce_queries([], Table("t", {})) == ()


def one(queries: tuple[ListQuery, ...], table: Table, path: str, pairs: Pairs = ()) -> Answered | None:
    with closing(filled(table, queries)) as database:
        return next((found for query in queries if (found := answer(database, query, path, pairs))), None)


def test_a_list_that_nothing_computes_is_looked_up_and_says_so() -> None:
    rows = {f"/{n}": {"name": f"name {n * 37 % 11}"} for n in range(11)}
    featured = ("/3", "/9", "/4")
    pages = [
        Listing("/*/", "/picks/", (), featured),
        Listing("/*/", "/other/", (), ("/8", "/1")),
        Listing("/*/", "/third/", (), ("/7",)),
    ]
    table = Table("t", rows)
    queries = induce_queries(pages, table)
    found = one(queries, table, "/picks/")
    assert found is not None and (found.rows, found.members, found.order) == (featured, "looked up", "looked up")
    assert one(queries, table, "/never/") is None


def test_a_filter_that_no_column_explains_is_looked_up_and_combined() -> None:
    rows = {f"/{n}": {"name": f"n{n:02}", "size": str(n % 3)} for n in range(40)}
    hot = {f"/{n * n % 41 - 1}" for n in range(3, 20)} & set(rows)

    def page(*pairs: tuple[str, str]) -> Listing:
        given = dict(pairs)
        found = [key for key in rows if given.get("size") in (None, rows[key]["size"])]
        found = [key for key in found if "hot" not in given or key in hot]
        return Listing("/l/", "/l/", pairs, tuple(found), frozenset({len(found)}))

    seen = [page(), page(("hot", "1")), page(("size", "1")), page(("size", "2")), page(("hot", "1"), ("size", "2"))]
    queries = induce_queries(seen, Table("t", rows))
    assert queries[0].members.status == "looked up"
    hidden_page = page(("hot", "1"), ("size", "1"))
    found = one(queries, Table("t", rows), "/l/", hidden_page.pairs)
    assert found is not None and found.rows == hidden_page.rows
    assert one(queries, Table("t", rows), "/l/", (("hot", "2"),)) is None


def test_the_same_pages_give_the_same_queries_and_doubts_come_with_an_address() -> None:
    site = Site(rows_of(60, 5))
    pages = captured(site)
    queries = induce_queries(pages, site.table())
    assert queries == induce_queries(pages, site.table())
    addresses = [experiment.address for query in queries for experiment in query.experiments]
    assert addresses and len(set(addresses)) == len(addresses)
    assert "/items/?page=9" in addresses


def test_a_parameter_without_effect_and_one_that_is_not_understood() -> None:
    rows = {f"/{n}": {"name": f"n{n:02}"} for n in range(12)}
    every = tuple(rows)
    pages = [
        Listing("/l/", "/l/", (), every),
        Listing("/l/", "/l/", (("utm", "a"),), every),
        Listing("/l/", "/l/", (("utm", "b"),), every),
        Listing("/l/", "/l/", (("mode", "x"), ("z", "1")), every[3:9][::-1]),
    ]
    table = Table("t", rows)
    queries = induce_queries(pages, table)
    found = one(queries, table, "/l/", (("utm", "c"),))
    assert found is not None and found.rows == every
    assert one(queries, table, "/l/", (("mode", "y"),)) is None


COLOURS = ("red", "blue", "green")
NOUNS = ("lamp", "lantern", "kettle", "kite", "table", "tablet", "chair")


def _things() -> Table:
    rows = {
        f"/thing/{n}": {
            "title": f"{NOUNS[n % 7]} {NOUNS[(n * n + 3) % 7]} {n // 7}",
            "colour": COLOURS[n % 3],
            "weight": f"{(n * 37) % 101} g",
        }
        for n in range(45)
    }
    return Table("thing", rows)


def _found(table: Table, finds: Callable[[str], Collection[str]], *pairs: tuple[str, str]) -> Listing:
    """A page of ten of a search that shows nothing for nothing."""
    given = dict(pairs)
    kept = set(finds(given["q"])) if given.get("q") else set()
    keys = [key for key in table.rows if key in kept and given.get("colour") in (None, table.rows[key]["colour"])]
    if given.get("sort") == "weight":
        keys.sort(key=lambda key: int(table.rows[key]["weight"].split()[0]))
    start = 10 * (int(given.get("page", "1")) - 1)
    links = {("/find/", (*pairs, ("page", str(n)))) for n in range(1, -(-len(keys) // 10) + 1)}
    return Listing("/find/", "/find/", pairs, tuple(keys[start : start + 10]), frozenset({len(keys)}), frozenset(links))


def _searches(table: Table, finds: Callable[[str], Collection[str]], words: Sequence[str]) -> list[Listing]:
    """Every word with its pages; the first also with filters and in another order."""
    asked: list[Pairs] = [(("q", word),) for word in words]
    asked += [(("q", words[0]), ("colour", colour)) for colour in COLOURS]
    asked += [(("q", words[0]), ("sort", "weight")), (("q", words[0]), ("colour", "red"), ("sort", "weight"))]
    found = [_found(table, finds, *pairs) for pairs in asked]
    more = [
        _found(table, finds, *pairs, ("page", str(n)))
        for pairs, one in zip(asked, found, strict=True) for n in range(2, 2 + (min(one.numbers) - 1) // 10)
    ]  # fmt: skip
    return [*found, *more, _found(table, finds, ("q", ""))]


def _holds(table: Table, text: str) -> set[str]:
    return {key for key, row in table.rows.items() if all(word in row["title"].split() for word in text.split())}


def test_few_words_tell_a_search_and_the_filters_that_are_only_given_with_it() -> None:
    table = _things()

    def finds(text: str) -> set[str]:
        return _holds(table, text)

    (query,) = induce_queries(_searches(table, finds, ("lamp", "table", "zzz")), table)
    (search,) = query.searches
    assert (search.columns, search.match, search.blank) == (("title",), "word", "none")
    assert query.exact == query.checked and query.members.status == "computed"
    hidden = [
        (("q", "kite"),), (("q", "lamp kettle"),), (("q", "chair"), ("colour", "blue")), (("q", "tab"),),
        (("q", "table"), ("colour", "red"), ("sort", "weight")), (("q", "lamp"), ("colour", "green"), ("sort", "weight")),
    ]  # fmt: skip
    with closing(filled(table, [query])) as database:
        for pairs in hidden:
            one = answer(database, query, "/find/", pairs)
            assert one is not None and one.rows == _found(table, finds, *pairs).rows, pairs
    asked = [one.text for one in query.experiments if one.text.startswith("search for")]
    assert len(asked) >= 4 and not any("'lamp'" in text or "'table'" in text for text in asked)


def test_one_word_alone_settles_no_search() -> None:
    table = _things()
    (query,) = induce_queries(_searches(table, lambda text: _holds(table, text), ("lamp", "zzz")), table)
    assert query.exact == query.checked and query.members.status == "approximate"


def test_a_search_that_nothing_explains_is_known_for_its_words_with_every_filter() -> None:
    table = _things()

    def finds(text: str) -> list[str]:
        return [key for n, key in enumerate(table.rows) if (n * n + len(text)) % 5 < 2 and text != "zzz"]

    (query,) = induce_queries(_searches(table, finds, ("lamp", "table", "zzz")), table)
    assert query.exact == query.checked and query.members.status == "looked up"
    with closing(filled(table, [query])) as database:
        pairs = (("q", "table"), ("colour", "red"))
        one = answer(database, query, "/find/", pairs)
        assert one is not None and one.rows == _found(table, finds, *pairs).rows
        assert answer(database, query, "/find/", (("q", "chair"),)) is None
        nothing = answer(database, query, "/find/", ())
        assert nothing is not None and nothing.rows == ()


@pytest.mark.parametrize("paging", ["page", "cursor"])
@pytest.mark.parametrize("totals", [True, False])
def test_of_a_table_known_in_part_no_list_is_made_up(paging: str, totals: bool) -> None:
    site = Site(rows_of(110, 5), paging=paging, totals=totals, search="none")
    whole = [page for page in captured(site, 5) if dict(page.pairs).get("category") in ("Travel", "Poetry")]
    first, lists = site.page(), [page for page in whole if "sort" not in dict(page.pairs)]
    shown = [first, *lists]
    known = {key for page in shown for key in page.rows}
    table = Table("item", {key: row for key, row in site.rows.items() if key in known})
    assert 0 < len(known) < len(site.rows)
    queries = induce_queries(shown, table)
    asked: list[Pairs] = [(("category", one),) for one in ("Art", "Home & Garden")]
    asked += [(("page", "2"),), (("sort", "price-asc"),)]
    with closing(filled(table, queries)) as database:
        for pairs in asked:
            assert all(answer(database, query, "/items/", pairs) is None for query in queries)


def test_a_parameter_of_the_family_is_asked_for_and_says_nothing_else() -> None:
    site = Site(rows_of(60, 2), paging="page", search="none")
    shown = [replace(page, family="/items/?title=Things") for page in captured(site, 2)]
    (query,) = induce_queries(shown, site.table())
    page = site.page(pairs=(("sort", "price-desc"), ("page", "2")))
    with closing(filled(site.table(), [query])) as database:
        found = answer(database, query, "/items/", (("title", "Things"), *page.pairs))
        assert found is not None and found.rows == page.rows
        assert answer(database, query, "/items/", page.pairs) is None
        assert answer(database, query, "/items/", (("title", "Others"), *page.pairs)) is None


def test_a_cursor_may_say_first_what_the_list_is_ordered_by() -> None:
    rows = {f"/t/{n}": {"name": f"{n * 37 % 101:03d}"} for n in range(1, 101)}
    order = sorted(rows, key=lambda key: rows[key]["name"])
    pages = {}
    for place in range(0, 100, 10):
        last = order[place - 1]
        pairs = (("after", f"{rows[last]['name']},{last.rpartition('/')[2]}"),) if place else ()
        following = order[place + 9]
        link = (("after", f"{rows[following]['name']},{following.rpartition('/')[2]}"),)
        links = frozenset({("/t", link)} if place < 90 else ())
        pages[place] = Listing("/t", "/t", pairs, tuple(order[place : place + 10]), frozenset({100}), links)
    table = Table("t", rows)
    (query,) = induce_queries([page for place, page in pages.items() if place != 40], table)
    assert (query.pages.style, query.pages.name) == ("cursor", "after")
    with closing(filled(table, [query])) as database:
        found = answer(database, query, "/t", pages[40].pairs)
        assert found is not None and found.rows == pages[40].rows


@pytest.mark.parametrize("convention", CONVENTIONS[:8], ids=str)
def test_of_a_table_known_in_part_what_is_answered_is_right(convention: dict[str, Any]) -> None:
    site = Site(rows_of(110, 1), **convention)
    everything = captured(site, 1)
    few = random.Random(1).sample(everything, len(everything) * 3 // 10)
    keys = {key for page in few for key in page.rows}
    full = site.table()
    rows = {key: row for key, row in full.rows.items() if key in keys}
    table = Table(full.name, rows, {key: paths for key, paths in full.links.items() if key in keys})
    seen = {(page.path, tuple(sorted(page.pairs))) for page in few}
    queries = induce_queries(few, table)
    pages = [*everything, *hidden(site, 60)]
    found = compared(table, queries, [one for one in pages if (one.path, tuple(sorted(one.pairs))) not in seen])
    assert found["wrong"] + found["set"] == 0, found
