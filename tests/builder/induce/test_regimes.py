"""Which order holds where."""

from collections.abc import Iterator
from contextlib import closing

import pytest

from builder.induce.listing import Pairs, Table
from builder.induce.listquery import By, Pages
from builder.induce.orders import Columns, Run
from builder.induce.regimes import derived, described, named_columns, pages_differ, regimes_of, sorted_by
from builder.induce.rowsets import RowSets
from tests.builder.induce.list_site import rows_of

PRICE, TITLE, KEY = By("price", "number"), By("title", "natural"), By("key", "ident")


@pytest.fixture(scope="module")
def columns() -> Iterator[Columns]:
    with closing(RowSets(Table("t", rows_of(50, 9)), ())) as rows:
        yield Columns(rows)


def run(columns: Columns, by: list[By], sort: Pairs = (), text: str = "", path: str = "/l/", step: int = 1) -> Run:
    empty = Run((), "", (), "", ())
    return Run(sort, path, (), text, tuple(sorted_by(columns.rows.rows, by, columns, empty)[::step]))


def test_searches_may_have_an_order_of_their_own(columns: Columns) -> None:
    runs = [run(columns, [TITLE, KEY]), run(columns, [PRICE, KEY], text="red")]
    found = {one.order.searching: one.order.by[0].column for one in regimes_of(runs, columns, "/l/")}
    assert found == {False: "title", True: "price"}


def test_an_order_that_one_list_proves_serves_lists_too_short_to_prove_it(columns: Columns) -> None:
    short = Run((("sort", "1"),), "/m/", (), "", run(columns, [PRICE, KEY]).keys[10:14])
    assert [one.order.rank != "" for one in regimes_of([short], columns, "/l/")] == [True]
    found = regimes_of([short], columns, "/l/", [(PRICE, KEY)])
    assert [one.order.by for one in found] == [(PRICE, KEY)]


def test_what_no_column_explains_is_a_ranking_that_is_looked_up(columns: Columns) -> None:
    keys = tuple(sorted(columns.rows.rows, key=lambda key: hash_of(key)))
    found = regimes_of([Run((), "/l/", (), "", keys)], columns, "/l/")
    assert [(one.order.why.status, tuple(key for key, _ in one.ranks)) for one in found] == [("looked up", keys)]


def hash_of(key: str) -> int:
    return int(key.rpartition("/")[2]) * 7919 % 613


def test_an_address_names_a_column(columns: Columns) -> None:
    assert named_columns((("sort", "-price"),), columns.rows) == {"price"}
    assert named_columns((("dir", "asc"), ("order", "added")), columns.rows) == {"added"}
    assert named_columns((("sort", "newest"),), columns.rows) == frozenset()


def test_values_that_were_not_seen_follow_from_those_that_were(columns: Columns) -> None:
    sorts = [(("sort", "price-asc"),), (("sort", "title-desc"),)]
    runs = [run(columns, [PRICE, KEY], sorts[0]), run(columns, [By("title", "natural", True), KEY], sorts[1])]
    found = {order.sort[0][1]: order for order in derived(regimes_of(runs, columns, "/l/"), columns, {})}
    assert found["price-desc"].by[0] == By("price", "number", True)
    assert found["title-asc"].by[0] == TITLE
    assert found["rating-asc"].by[0] == By("rating", "number")
    assert found["price-desc"].why.evidence == 0 and "not" in found["price-desc"].why.because


def test_the_page_on_which_two_orders_differ(columns: Columns) -> None:
    keys = sorted(columns.rows.rows)
    natural, spelled = (By("key", "ident"),), (By("key", "text"),)
    page = pages_differ(natural, spelled, keys, columns, Pages("number", "page", size=10))
    assert 1 <= page <= 5
    assert pages_differ(natural, natural, keys, columns, Pages()) == 0
    assert described((PRICE, By("key", "ident", True))) == "price as number, then key as ident descending"
