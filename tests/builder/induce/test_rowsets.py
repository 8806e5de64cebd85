"""Rows of a table, asked by the code that serves."""

from contextlib import closing

import pytest

from builder.induce.listing import Table
from builder.induce.listquery import Condition, Search
from builder.induce.rowsets import RowSets

TABLE = Table("t", {"/1": {"Name": "Red", "name": "4"}, "/2": {"Name": "blue"}}, {"/1": frozenset({"/x/"})})


def test_rows_that_only_lists_showed_are_rows_without_columns() -> None:
    with closing(RowSets(TABLE, ("/2", "/3"))) as rows:
        assert rows.keys == {"/1", "/2", "/3"}
        assert rows.captured[rows.columns[0]] == "Name"
        assert rows.worth(rows.columns[0], "folded") == {"/1": "red", "/2": "blue", "/3": None}
        assert rows.worth("key", "ident") == {"/1": 1.0, "/2": 2.0, "/3": 3.0}


def test_conditions_searches_and_lists_that_were_seen() -> None:
    with closing(RowSets(TABLE, ())) as rows:
        name = rows.columns[0]
        assert rows.having(Condition("n", "=", name, "folded"), "RED") == {"/1"}
        assert rows.having(Condition("/", "links"), "/x/") == {"/1"}
        assert rows.searched(Search("q", (name,)), "red") == {"/1"}
        seen = Condition("n", "seen", lists="l ")
        assert rows.having(seen, "a") is None
        rows.remember("l a", frozenset({"/2"}))
        rows.remember("l b", frozenset())
        assert (rows.having(seen, "a"), rows.having(seen, "b")) == ({"/2"}, frozenset())


def test_bits_say_how_surprising_it_is() -> None:
    with closing(RowSets(TABLE, ())) as rows:
        assert rows.bits(frozenset({"/1"}), ["/1", "/1"]) == pytest.approx(1)
        assert rows.bits(rows.keys, ["/1"]) == 0
