"""Addresses answered from tables by a query written by hand."""

from contextlib import closing
from dataclasses import replace

import pytest

from builder.induce import words
from builder.induce.cutting import Answered
from builder.induce.listanswer import answer
from builder.induce.listing import Table
from builder.induce.listquery import By, Condition, ListQuery, Order, Pages, Parameter, Search
from builder.induce.scores import quoted
from builder.induce.tables import columns_of, filled

ROWS = {
    "/i/3": {"title": "Red lamp", "price": "£2.00", "kind": "a", "tags": "new, hot"},
    "/i/10": {"title": "red LAMPS 10", "price": "£10.00", "kind": "b", "tags": "hot"},
    "/i/2": {"title": "Blue chair 9", "price": "£9.50", "kind": "a"},
    "/i/7": {"title": "Crème brûlée", "kind": "c", "tags": "x"},
}
TABLE = Table("item", ROWS, {"/i/3": frozenset({"/t/hot/"}), "/i/10": frozenset({"/t/hot/", "/t/new/"})})
KEYS = {"filter": "kind tags min max".split(), "search": ["q"], "order": ["sort"], "page": ["page"], "size": ["n"]}
QUERY = ListQuery(
    "/items/",
    "item",
    tuple(Parameter(name, does) for does, names in KEYS.items() for name in names),  # type: ignore[arg-type]
    (
        Condition("kind", "=", "kind", idle=("all",), negated="!", separator=","),
        Condition("tags", "has", "tags", "items", several="all"),
        Condition("min", "min", "price", "number"),
        Condition("max", "max", "price", "number"),
    ),
    (Search("q", ("title",), blank="all"),),
    (Order((("sort", "price"),), (By("price", "number"),)), Order((), (By("key", "natural"),))),
    Pages("number", "page", size=2, size_name="n", most=3),
)


def ask(query: ListQuery, path: str, *pairs: tuple[str, str]) -> Answered | None:
    with closing(filled(TABLE, [query])) as database:
        return answer(database, query, path, pairs)


def rows(query: ListQuery, *pairs: tuple[str, str], path: str = "/items/") -> list[str] | None:
    answered = ask(query, path, *pairs)
    return None if answered is None else [key.removeprefix("/i/") for key in answered.rows]


def whole(*pairs: tuple[str, str], query: ListQuery = QUERY) -> list[str] | None:
    return rows(replace(query, pages=Pages()), *pairs)


def test_filters_combine_and_repeat_and_deny() -> None:
    assert whole() == ["2", "3", "7", "10"]
    assert whole(("kind", "a")) == ["2", "3"]
    assert whole(("kind", "a"), ("kind", "c")) == whole(("kind", "a,c")) == ["2", "3", "7"]
    assert whole(("kind", "!a")) == ["7", "10"]
    assert whole(("kind", "all"), ("min", "9.5")) == ["2", "10"]
    assert whole(("min", "3"), ("max", "9.99"), ("kind", "")) == ["2"]
    assert whole(("tags", "hot"), ("tags", "new")) == ["3"]


def test_what_is_not_known_is_not_pretended() -> None:
    assert whole(("colour", "red")) is None
    assert whole(("kind", "z")) is None
    assert whole(("sort", "title")) is None
    assert rows(QUERY, path="/other/") is None
    assert rows(QUERY, ("page", "3")) is None
    assert rows(QUERY, ("page", "x")) is None
    assert rows(QUERY, ("n", "0")) is None
    unknown = replace(QUERY, parameters=(*QUERY.parameters, Parameter("ref", "unknown")))
    assert rows(unknown, ("ref", "1")) is None


def test_a_value_that_no_row_has_gives_an_empty_list_where_that_was_seen() -> None:
    query = replace(
        QUERY, tests=(Condition("kind", "=", "kind", empties=True),), parameters=(Parameter("kind", "filter"),)
    )
    assert whole(("kind", "z"), query=query) == []


def test_rows_without_a_value_stand_where_they_stood() -> None:
    assert whole(("sort", "price")) == ["3", "2", "10", "7"]
    first = replace(QUERY, orders=(Order((("sort", "price"),), (By("price", "number", True, True),)),))
    assert whole(("sort", "price"), query=first) == ["7", "10", "2", "3"]


@pytest.mark.parametrize(
    ("search", "text", "found"),
    [
        (Search("q", ("title",), "word"), "RED", ["3", "10"]),
        (Search("q", ("title",), "word"), "lamp", ["3"]),
        (Search("q", ("title",), "stem"), "lamps", ["3", "10"]),
        (Search("q", ("title",), "prefix"), "la", ["3", "10"]),
        (Search("q", ("title",), "substring"), "hai", ["2"]),
        (Search("q", ("title",), "word"), "creme brulee", ["7"]),
        (Search("q", ("title",), "word"), "red chair", []),
        (Search("q", ("title",), "word", every=False), "red chair", ["2", "3", "10"]),
        (Search("q", ("title",), "phrase"), "lamp red", []),
        (Search("q", ("title",), "literal"), "d lam", ["3", "10"]),
        (Search("q", ("title",), "word", skips=True), "the red", ["3", "10"]),
        (Search("q", ("title", "tags"), "word"), "red hot", ["3", "10"]),
        (Search("q", ("title",), "word"), "%", None),
    ],
)
def test_searches(search: Search, text: str, found: list[str] | None) -> None:
    assert whole(("q", text), query=replace(QUERY, searches=(search,))) == found


def test_a_page_says_where_it_is() -> None:
    answered = ask(QUERY, "/items/", ("page", "2"))
    assert answered is not None
    assert (answered.total, answered.page, answered.pages, answered.size) == (4, 2, 2, 2)
    assert (answered.first, answered.last, answered.rows) == (3, 4, ("/i/7", "/i/10"))


@pytest.mark.parametrize(
    ("pages", "path", "pairs", "found"),
    [
        (Pages("number", "page", size=3), "/items/", [("page", "2")], ["10"]),
        (Pages("number", "page", 0, size=3), "/items/", [("page", "1")], ["10"]),
        (Pages("offset", "page", 0, size=3), "/items/", [("page", "1")], ["3", "7", "10"]),
        (Pages("offset", "page", 1, size=2), "/items/", [("page", "3")], ["7", "10"]),
        (Pages("cursor", "page", size=2), "/items/", [("page", "3")], ["7", "10"]),
        (Pages("cursor", "page", size=2, inclusive=True), "/items/", [("page", "3")], ["3", "7"]),
        (Pages("cursor", "page", size=2, column="kind"), "/items/", [("page", "c")], ["10"]),
        (Pages("cursor", "page", size=2, column="kind"), "/items/", [("page", "a")], None),
        (Pages("path", tail="page-{}.html", head="", size=3), "/items/page-2.html", [], ["10"]),
        (Pages("number", "page", size=3, beyond="empty"), "/items/", [("page", "9")], []),
        (Pages("number", "page", size=3, beyond="last"), "/items/", [("page", "9")], ["10"]),
        (Pages("number", "page", size=3, beyond="first"), "/items/", [("page", "9")], ["2", "3", "7"]),
        (Pages("number", "page", size=2, size_name="n", most=3), "/items/", [("n", "9")], ["2", "3", "7"]),
    ],
)
def test_pages(pages: Pages, path: str, pairs: list[tuple[str, str]], found: list[str] | None) -> None:
    assert rows(replace(QUERY, pages=pages), *pairs, path=path) == found


def test_lists_by_links_and_lists_that_were_seen() -> None:
    linked = replace(QUERY, family="/t/*/", tests=(Condition("/", "links"),), searches=())
    assert rows(linked, path="/t/hot/") == ["3", "10"]
    assert rows(linked, path="/t/old/") is None
    seen = (("s /t/x/", ("/i/7",)), ("s /t/none/", ()))
    known = replace(linked, tests=(Condition("/", "seen", lists="s "),), seen=seen)
    assert rows(known, path="/t/x/") == ["7"]
    assert rows(known, path="/t/none/") == []
    assert rows(known, path="/t/hot/") is None


def test_of_a_ranking_only_what_was_seen_is_said_to_be_known() -> None:
    ranks = (("r", (("/i/7", 0), ("/i/3", 0), ("/i/2", 1))),)
    query = replace(QUERY, orders=(Order(rank="r"),), ranks=ranks, pages=Pages(), searches=())
    seen = ask(query, "/items/", ("tags", "new"))
    assert seen is not None and seen.order == "looked up"
    open_order = ask(query, "/items/", ("kind", "a"))
    assert open_order is not None and open_order.order == "unknown" and open_order.rows == ("/i/3", "/i/2")
    paged = replace(query, pages=Pages("number", "page", size=1))
    assert ask(paged, "/items/", ("kind", "a")) is None


def test_scores_put_the_better_answer_first() -> None:
    def ordered(kind: str, text: str) -> list[str] | None:
        orders = (Order((), (By("title" if kind == "title" else "", kind, True),)),)
        search = Search("q", ("title", "tags"), every=False)
        return whole(("q", text), query=replace(QUERY, orders=orders, searches=(search,)))

    assert ordered("bm25", "hot lamp") == ["3", "10"]
    assert ordered("found", "red lamp chair") == ["3", "10", "2"]
    assert ordered("title", "red lamp") == ["3", "10"]
    assert ordered("hits", "hot red lamp") == ["3", "10"]


HOSTILE = [
    'a"; DROP TABLE item; --',
    "'); DELETE FROM item; --",
    'x" OR "1"="1',
    "?",
    "%_",
    "\x00",
    "key:natural",
    "RowID",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_captured_text_is_never_executed(text: str) -> None:
    table = Table(f"t {text}".replace("\0", ""), {"/1": {text: text, text.upper(): "b"}, f"/{text}": {text: "a"}})
    names = columns_of(table)
    assert len({name.lower() for name in names.values()}) == len(names)
    column = names[text]
    query = ListQuery(
        "/l/", table.name, (Parameter("f", "filter"), Parameter("q", "search")), (Condition("f", "=", column, "folded"),),
        (Search("q", (column,), "literal", blank="all"),), (Order((), (By(column, "natural"),)),),
    )  # fmt: skip
    with closing(filled(table, [query])) as database:
        found = answer(database, query, "/l/", (("f", text), ("q", text)))
        count = database.execute(f"SELECT count(*) FROM {quoted(table.name)}").fetchone()[0]
    assert found is None or set(found.rows) <= set(table.rows)
    assert count == 2


def test_what_a_cursor_may_call_a_row() -> None:
    assert words.names_of("/posts/1234-on-lamps/") == ("/posts/1234-on-lamps/", "1234-on-lamps", "1234")
    assert "42" in words.names_of("/index?id=42")
