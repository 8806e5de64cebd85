"""Pages of lists of which only a part was seen: what is known is answered, the rest is not."""

from contextlib import closing
from dataclasses import replace

import pytest

from builder.induce.cutting import list_named
from builder.induce.listanswer import answer
from builder.induce.listing import Pairs, Table
from builder.induce.listquery import Condition, ListQuery, Pages, Parameter, Stretch
from builder.induce.tables import filled

ROWS = {f"/coin/{number}": {"metal": "gold" if number % 3 == 0 else "silver"} for number in range(12)}
KEYS = tuple(ROWS)
QUERY = ListQuery(
    "/coins", "coin",
    (Parameter("metal", "filter"), Parameter("mint", "filter"), Parameter("by", "order"), Parameter("page", "page"), Parameter("n", "size"), Parameter("wide", "nothing")),
    (Condition("metal", "=", "metal"),), pages=Pages("number", "page", size=4, size_name="n"), whole=(),
    stretches=(Stretch(list_named("/coins", ()), (), 0, False, KEYS[:9]),),
    totals=((list_named("/coins", ()), 50), (list_named("/coins", (("metal", "gold"),)), 17)), counted=True,
)  # fmt: skip


def shown(query: ListQuery, *pairs: tuple[str, str]) -> tuple[tuple[str, ...], int, int] | None:
    with closing(filled(Table("coin", ROWS), [query])) as database:
        found = answer(database, query, "/coins", pairs)
    return None if found is None else (found.rows, found.total, found.pages)


@pytest.mark.parametrize(
    ("pairs", "rows"),
    [
        ((), KEYS[:4]),
        ((("page", "2"),), KEYS[4:8]),
        ((("wide", "1"), ("n", "3"), ("page", "3")), KEYS[6:9]),
        ((("page", "3"),), None),
        ((("page", "13"),), None),
        ((("by", "year"),), None),
        ((("mint", "rome"),), None),
    ],
)
def test_pages_within_a_stretch_are_answered_and_no_others(pairs: Pairs, rows: tuple[str, ...] | None) -> None:
    found = shown(QUERY, *pairs)
    assert (found[0] if found else None) == rows
    assert found is None or found[1] == 50


def test_fewer_rows_of_a_stretch_are_known_where_their_number_is() -> None:
    assert shown(QUERY, ("metal", "gold"), ("n", "3")) == (KEYS[0:9:3], 17, 6)
    assert shown(QUERY, ("metal", "gold")) is None
    assert shown(QUERY, ("metal", "silver"), ("n", "3")) is None
    uncounted = replace(QUERY, totals=(), counted=False)
    assert shown(uncounted, ("metal", "silver"), ("n", "3")) is None


def test_a_list_that_ends_says_its_number_itself() -> None:
    ended = replace(QUERY, stretches=(QUERY.stretches[0]._replace(ends=True),), totals=())
    assert shown(ended, ("page", "3")) == (KEYS[8:9], 9, 3)
    assert shown(ended, ("metal", "silver"), ("page", "2")) == ((KEYS[7], KEYS[8]), 6, 2)


def test_cursors_lead_into_a_stretch_and_past_rows_that_a_filter_takes_away() -> None:
    cursor = replace(QUERY, pages=Pages("cursor", "page", size=3), totals=(), counted=False)
    assert shown(cursor, ("page", "2")) == (KEYS[3:6], 9, 3)
    assert shown(cursor, ("page", "7")) is None
    assert shown(cursor, ("page", "99")) is None
    assert shown(cursor, ("metal", "gold"), ("page", "2"), ("n", "2")) == ((KEYS[3], KEYS[6]), 3, 3)


def test_more_conditions_on_a_list_that_was_seen_whole_are_computed() -> None:
    whole = replace(QUERY, stretches=(), totals=(), whole=(list_named("/coins", ()),))
    assert shown(whole, ("metal", "gold")) == (KEYS[0:12:3], 4, 1)
    other = replace(whole, whole=(list_named("/coins", (("metal", "gold"),)),))
    assert shown(other, ("metal", "silver")) is None
    assert shown(other) is None
    hidden = replace(whole, tests=(Condition("metal", "=", "metal", default="gold"),))
    assert shown(hidden, ("metal", "silver")) is None
