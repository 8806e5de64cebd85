"""Orders are chains of columns that no row contradicts and that the rows prove."""

import random
from collections.abc import Iterator, Sequence
from contextlib import closing

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builder.induce.listing import Table
from builder.induce.listquery import By, Search
from builder.induce.orders import Columns, Run, Tied, chain, fits, ranking, tie_breaker
from builder.induce.regimes import sorted_by
from builder.induce.rowsets import RowSets
from tests.builder.induce.list_site import rows_of

EMPTY = Run((), "/l/", (), "", ())


@pytest.fixture(scope="module")
def columns() -> Iterator[Columns]:
    with closing(RowSets(Table("t", rows_of(60, 8)), ())) as rows:
        yield Columns(rows, [Search("q", ("title",))])


def run(keys: list[str], text: str = "", rest: tuple[str, ...] = ()) -> Run:
    return Run((), "/l/", (), text, tuple(keys), rest)


CHAINS = st.lists(
    st.builds(By, st.sampled_from(["price", "rating", "added", "title"]), st.just(""), st.booleans()),
    min_size=1, max_size=2, unique_by=lambda by: by.column,
)  # fmt: skip
KINDS = {"price": "number", "rating": "number", "added": "date", "title": "folded"}


@given(chosen=CHAINS)
@settings(max_examples=25, deadline=None)
def test_a_true_order_is_found_and_orders_all_rows_as_it_does(columns: Columns, chosen: list[By]) -> None:
    true = [*(By(by.column, KINDS[by.column], by.descending) for by in chosen), By("key", "ident")]
    keys = sorted_by(columns.rows.rows, true, columns, EMPTY)
    found = chain([run(keys)], columns)[0]
    assert found.by[0].column == true[0].column and found.by[0].descending == true[0].descending
    # ties too few to prove a further key are left open, never decided wrongly
    assert sorted_by(sorted(keys), [*found.by, *true], columns, EMPTY) == keys


def test_chance_is_no_order(columns: Columns) -> None:
    keys = list(columns.rows.rows)
    random.Random(3).shuffle(keys)
    assert chain([run(keys)], columns) == []


def test_rows_set_before_all_others_are_an_order_where_the_rest_proves_it() -> None:
    table = rows_of(40, 5)
    for key in list(table)[7:30:15]:
        table[key]["pinned"] = "yes"
    with closing(RowSets(Table("t", table), ())) as rows:
        own = Columns(rows)
        keys = sorted_by(rows.rows, [By("pinned", "text"), By("added", "date", True), By("key", "ident")], own, EMPTY)
        found = chain([run(keys)], own)[0]
        assert (found.by[0].column, found.by[1]) == ("pinned", By("added", "date", True))


def test_few_rows_prove_nothing_but_the_rows_that_come_later_help(columns: Columns) -> None:
    keys = sorted_by(columns.rows.rows, [By("price", "number")], columns, EMPTY)
    assert chain([run(keys[:4])], columns) == []
    found = chain([run(keys[:4], rest=tuple(keys[4:]))], columns)
    assert found and found[0].by[0].column == "price"


def test_a_column_that_the_address_names_needs_less(columns: Columns) -> None:
    keys = sorted_by(columns.rows.rows, [By("price", "number")], columns, EMPTY)
    assert chain([run(keys[:4])], columns, frozenset({"price"}))[0].by[0] == By("price", "number")


def test_scores_of_a_search_are_an_order_too(columns: Columns) -> None:
    by = By("", "bm25", True)
    text = "red lamp garden table"
    worth = columns.worth(by, run([], text))
    keys = sorted(worth, key=lambda key: (-float(worth[key] or 0), int(key.split("/")[-1])))
    found = chain([run(keys, text)], columns)
    assert any(fit.by[0].kind == "bm25" for fit in found)


def test_rows_without_a_value_are_first_or_last() -> None:
    table = Table("t", {"/x": {"a": "2"}, "/y": {"a": "1"}, "/z": {"b": "-"}, "/w": {"a": "1"}})
    with closing(RowSets(table, ())) as rows:
        columns = Columns(rows)

        def placed(by: By) -> list[str]:
            places = columns.places(by, EMPTY)
            return sorted(rows.rows, key=lambda key: (places[key], key))

        assert placed(By("a", "number")) == ["/w", "/y", "/x", "/z"]
        assert placed(By("a", "number", True)) == ["/x", "/w", "/y", "/z"]
        assert placed(By("a", "number", False, True)) == ["/z", "/w", "/y", "/x"]
        assert columns.places(By("a", "number"), EMPTY)["/w"] == columns.places(By("a", "number"), EMPTY)["/y"]


def test_what_decides_between_equal_rows_is_one_key_for_all(columns: Columns) -> None:
    open_of: dict[tuple[By, ...], Sequence[Tied]] = {}
    for down in (False, True):
        by = By("rating", "number", down)
        keys = sorted_by(columns.rows.rows, [by, By("key", "ident")], columns, EMPTY)
        step = fits([run(keys)], [by], columns)
        assert step is not None
        open_of[(by,)] = step[1]
    assert {(by.column, by.descending) for by in tie_breaker(open_of, columns).values()} == {("key", False)}
    known = (By("key", "ident", True), By("key", "ident"))
    assert set(tie_breaker(open_of, columns, known).values()) == {By("key", "ident")}


def test_a_ranking_agrees_with_all_runs_and_knows_what_it_does_not_know() -> None:
    found = ranking([run(["a", "b"]), run(["b", "c"]), run(["x", "y"])])
    assert found is not None
    order = dict(found)
    assert order["a"] == order["b"] == order["c"] != order["x"] == order["y"]
    assert ranking([run(["a", "b"]), run(["b", "a"])]) is None
