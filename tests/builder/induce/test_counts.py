"""Counts of what a filter would leave, against the same counted by hand."""

from contextlib import closing

import pytest

from builder.induce.counts import AMONG, Counting, facet, pair_of
from builder.induce.listing import Table
from builder.induce.listquery import By, ListQuery, Order, Pages, Parameter
from builder.induce.tables import filled
from tests.builder.induce.film_lists import COUNTRIES, DATABASE, FILMS, GENRES, QUERY, chosen, listed

ASKED = (("genre", "drama"), ("country", "fr"), ("q", "the"))
WITHOUT = {"list": (), "others": ("genre",), "search": ("genre", "country"), "all": ("genre", "country", "q")}


def _counting(*pairs: tuple[str, str]) -> Counting:
    return Counting(DATABASE, QUERY, "/films", pairs)


@pytest.mark.parametrize("among", AMONG)
def test_a_value_is_counted_among_the_rows_that_a_site_may_mean(among: str) -> None:
    rows = chosen(ASKED, WITHOUT[among])
    for genre in GENRES:
        assert _counting(*ASKED).count("genre", genre, among) == sum(row.get("genre") == genre for row in rows)
    assert _counting(*ASKED).count("genre", "", among) == len(rows)


@pytest.mark.parametrize("among", AMONG)
def test_the_rest_are_the_rows_without_any_value(among: str) -> None:
    rows = chosen(ASKED, WITHOUT[among])
    assert _counting(*ASKED).rest("genre", GENRES, among) == sum("genre" not in row for row in rows)


def test_what_nobody_knows_is_not_counted() -> None:
    assert _counting().count("genre", "opera") == 0
    assert _counting().count("director", "welles") == 0
    assert Counting(DATABASE, QUERY, "/films", (("director", "welles"),)).count("genre", "noir") == 0


def test_a_parameter_that_tests_nothing_leaves_all_rows() -> None:
    query = QUERY.__class__(**{**QUERY.__dict__, "parameters": (*QUERY.parameters, Parameter("kind:of", "nothing"))})
    counting = Counting(DATABASE, query, "/films", (("kind", "of:film"),))
    assert counting.filters == ("genre", "country", "kind:of")
    assert (counting.count("kind:of", "film"), counting.is_given("kind:of")) == (len(FILMS), True)
    assert not counting.is_given("kind:other") and pair_of("kind:of", "film") == ("kind", "of:film")


def _values(zeros: str, *pairs: tuple[str, str], **options: object) -> list[str]:
    items = [{"value": one} for one in ("western", "noir", "drama")]
    rows = facet(_counting(*pairs), "genre", items, zeros=zeros, **options)  # type: ignore[arg-type]
    return [row["value"] for row in rows]


def test_values_without_rows_are_shown_or_not() -> None:
    none = ("q", "winter the")
    assert _values("shown", none) == ["western", "noir", "drama"] and _values("hidden", none) == []
    assert _values("chosen", none, ("genre", "noir")) == ["noir"]
    assert _values("only", ("genre", "noir"), among="others") == ["noir"]
    assert _values("only", among="others") == ["western", "noir", "drama"]


def test_rows_are_put_in_order_and_cut() -> None:
    assert _values("shown", order="count") == ["drama", "noir", "western"]
    assert _values("shown", ("genre", "western"), among="others", order="count", first=True) == [
        "western", "drama", "noir",
    ]  # fmt: skip
    assert _values("shown", order="count", limit=1) == ["drama"]


def test_a_row_says_whether_it_is_asked_for() -> None:
    items = [{"value": one, "label": one.upper()} for one in COUNTRIES]
    counting = listed(("country", "fr")).counting
    assert counting is not None
    rows = facet(counting, "country", items, among="others")
    assert [(row["label"], row["on"], row["given"]) for row in rows] == [
        ("FR", True, True), ("IT", False, True), ("JP", False, True),
    ]  # fmt: skip


def test_a_later_page_is_named_by_the_row_before_it() -> None:
    rows = {f"/shell/{number}": {"size": str(30 - number)} for number in range(6)}
    order = Order((("sort", "size"),), (By("size", "number"),))
    query = ListQuery(
        "/shells", "shell", (Parameter("sort", "order"), Parameter("after", "page")),
        orders=(order, Order((), (By("key", "natural"),))), pages=Pages("cursor", "after", size=2),
    )  # fmt: skip
    with closing(filled(Table("shell", rows), [query])) as database:
        plain, sorted_ = (Counting(database, query, "/shells", pairs) for pairs in ((), (("sort", "size"),)))
        assert [plain.cursor(form) for form in ("key", "sorted", "order,key")] == ["1", "1", "1,1"]
        assert [sorted_.cursor(form) for form in ("key", "sorted", "order,key")] == ["4", "26,4", "26,4"]
        later = Counting(database, query, "/shells", (("after", "3"),))
        assert (later.cursor("key"), later.by_cursor) == ("5", True)
        assert Counting(database, query, "/shells", (("after", "9"),)).cursor("key") == ""
