"""How many rows of a list each value of a filter would leave: what a page's facets say.

Standard library only: a copy of this file is part of every emitted application, so that what explained the captured
pages is what counts for others.
"""

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from builder.induce.listanswer import answer, condition, order_of, read, where
from builder.induce.listquery import ListQuery, Pairs
from builder.induce.scores import Sql, quoted
from builder.induce.words import names_of, number_of

AMONG = ("list", "others", "search", "all")
"""The rows that are counted: of the list as it was asked for; of it without the filter itself; of the search, without
any filter; of all that the path leads to."""


class Counting:
    """Counts among the rows of one list, each set of rows asked for once."""

    def __init__(
        self, database: sqlite3.Connection, query: ListQuery, path: str, pairs: Pairs,
        known: dict[tuple[Any, ...], Any] | None = None,
    ) -> None:  # fmt: skip
        """`known` holds sets of rows that others with the same database and query have asked for."""
        self._database, self._query = database, query
        self._asked = read(query, path, pairs)
        self._tests = {test.name: test for test in query.tests if not test.name.startswith("/")}
        self._idle = tuple(one.name for one in query.parameters if one.does == "nothing")
        self._known = {} if known is None else known
        self._edge: dict[str, str] = {}
        self._bases: dict[tuple[str, str], frozenset[str]] = {}
        self._path, self.pairs = path, pairs

    @property
    def by_cursor(self) -> bool:
        """Whether later pages of the list are named by the row before them."""
        return self._query.pages.style == "cursor"

    def cursor(self, form: str) -> str:
        """What a later page may be named by: the end of the last row's key ("key"), what the list is ordered by before
        it ("order,key"), or so only where the request says an order ("sorted"). Empty where there is no row.
        """
        if "cursor" not in self._edge:
            found = answer(self._database, self._query, self._path, self.pairs)
            self._edge["cursor"] = found.rows[-1] if found and found.rows else ""
        key = self._edge["cursor"]
        if not key or self._asked is None:
            return ""
        name = names_of(key)[1]
        order = order_of(self._query, self._asked)
        if form == "key" or (form == "sorted" and not self._asked.sort) or order is None or not order.by:
            return name
        column = order.by[0].column
        if column == "key":
            return f"{name},{name}"
        sql = f"SELECT {quoted(column)} FROM {quoted(self._query.table)} WHERE key = ?"
        row = self._database.execute(sql, [key]).fetchone() if column else None
        return f"{row[0] if row and row[0] is not None else ''},{name}"

    @property
    def filters(self) -> tuple[str, ...]:
        """Names of the parameters whose values can be counted; one that tests nothing leaves every row."""
        return (*self._tests, *(name for name in self._idle if name not in self._tests))

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns of the table as they were captured."""
        found = self._database.execute(f"SELECT * FROM {quoted(self._query.table)} LIMIT 0").description
        return tuple(one[0] for one in found if one[0] != "key" and ":" not in one[0])

    def texts(self, column: str, most: int) -> tuple[str, ...]:
        """The different texts of a column, if they are no more than that."""
        name, table = quoted(column), quoted(self._query.table)
        sql = f"SELECT DISTINCT {name} FROM {table} WHERE {name} IS NOT NULL ORDER BY 1 LIMIT ?"
        found = tuple(str(row[0]) for row in self._database.execute(sql, [most + 1]))
        return found if len(found) <= most else ()

    def values(self, name: str, most: int) -> tuple[str, ...]:
        """Values that a filter may be given, as far as its column tells; none if they are more than that."""
        test = self._tests.get(name)
        return self.texts(test.column, most) if test and test.does == "=" and not test.labels else ()

    def names(self) -> dict[str, Any]:
        """The names that page templates use for counts."""
        return {"facet": partial(facet, self), "count": self.count, "figure": self.figure, "cursor": self.cursor}

    def is_given(self, name: str) -> bool:
        """Whether the request has a value for this parameter."""
        base, head = pair_of(name, "")
        return any(one == base and value != head and value.startswith(head) for one, value in self.pairs)

    def count(self, name: str, value: str, among: str = "list") -> int:
        """Rows that have a value of a filter; all of them if it is empty, none if nobody knows its effect."""
        return len(self._among(name, among) & self._meeting(name, value))

    def rest(self, name: str, values: Iterable[str], among: str = "list") -> int:
        """Rows that have none of these values."""
        return len(self._among(name, among).difference(*(self._meeting(name, value) for value in values)))

    def figure(self, verb: str, column: str, value: str = "") -> str:
        """A figure of the list's rows: "least" or "most" gives the text of the cell with that number, empty if there
        is none; "having" counts the rows whose column is the value, and "different" the texts of the column.
        """
        kept = self._among("", "list")
        cells = [text for key, text in self._cells(column) if key in kept]
        if verb == "having":
            return str(cells.count(value))
        if verb == "different":
            return str(len(set(cells)))
        numbers = [(number, text) for text in cells if (number := number_of(text)) is not None]
        best = min if verb == "least" else max
        return best(numbers, key=lambda pair: pair[0])[1] if numbers else ""

    def _cells(self, column: str) -> Iterable[tuple[str, str]]:
        """Key and text of every row that has one in the column."""
        key = ("cells", column)
        if key not in self._known:
            name = quoted(column)
            sql = f"SELECT key, {name} FROM {quoted(self._query.table)} WHERE {name} IS NOT NULL"
            self._known[key] = tuple((str(one), str(text)) for one, text in self._database.execute(sql))
        found: tuple[tuple[str, str], ...] = self._known[key]
        return found

    def _meeting(self, name: str, value: str) -> frozenset[str]:
        """All rows that have a value of a filter."""
        key = ("value", name, value)
        if key not in self._known:
            test = self._tests.get(name)
            is_any = not value or name in self._idle or (test is not None and value in test.idle)
            part = condition(self._database, self._query.table, test, value) if test and not is_any else None
            self._known[key] = self._rows(Sql("1", []) if is_any else part)
        found: frozenset[str] = self._known[key]
        return found

    def _among(self, name: str, among: str) -> frozenset[str]:
        """The rows that are counted."""
        if (name, among) not in self._bases:
            self._bases[name, among] = self._rows(self._base(name, among))
        return self._bases[name, among]

    def _rows(self, part: Sql | None) -> frozenset[str]:
        if part is None:
            return frozenset()
        key = (part.text, *part.values)
        if key not in self._known:
            sql = f"SELECT key FROM {quoted(self._query.table)} WHERE {part.text}"
            self._known[key] = frozenset(str(row[0]) for row in self._database.execute(sql, part.values))
        found: frozenset[str] = self._known[key]
        return found

    def _base(self, name: str, among: str) -> Sql | None:
        """The condition on the rows that are counted."""
        if self._asked is None:
            return None
        given = self._asked.values
        searches = {search.name for search in self._query.searches}
        keep = {"list": set(given), "others": set(given) - {name}, "search": searches}.get(among, set())
        values = {one: texts for one, texts in given.items() if one in keep or one.startswith("/")}
        return where(self._database, self._query, self._asked._replace(values=values))


def pair_of(name: str, value: str) -> tuple[str, str]:
    """A filter's value as the request says it: what is called "name:field" is written "field:value".

    >>> pair_of("genre", "noir"), pair_of("only:rating", "4")
    (('genre', 'noir'), ('only', 'rating:4'))
    """
    base, mark, field = name.partition(":")
    return (base, f"{field}:{value}") if mark else (name, value)


def facet(
    counting: Counting, name: str, items: Sequence[Mapping[str, Any]], among: str = "list", zeros: str = "hidden",
    order: str = "fixed", first: bool = False, rest: str | None = None, limit: int = 0,
) -> list[dict[str, Any]]:  # fmt: skip
    """The values that a page offers of a filter, as rows with their `count`.

    An item's `value` is what the parameter is given; `on` says whether it is, and `given` whether any value is.
    `zeros` says which values stand there: "shown" (all), "hidden" (those with rows), "chosen" (those with rows, and
    what the request asks for), "only" (what the request asks for; those with rows if it asks for none). `order` is
    "fixed", or "count" for most rows first. `first` puts what is asked for before the others, `rest` is the value for
    rows that have no other one, and `limit` is how many stand there, if not all.
    """
    others = [str(item["value"]) for item in items if item["value"] != rest]
    given = counting.is_given(name)
    rows: list[dict[str, Any]] = []
    for item in items:
        value = str(item["value"])
        count = counting.count(name, value, among) if value != rest else counting.rest(name, others, among)
        rows.append({**item, "count": count, "on": pair_of(name, value) in counting.pairs, "given": given})
    return arranged(rows, zeros, order, first, limit)


def arranged(rows: Iterable[dict[str, Any]], zeros: str, order: str, first: bool, limit: int) -> list[dict[str, Any]]:
    """The counted rows of a facet that stand there, in order."""
    shown = list(_there(rows, zeros))
    if order == "count":
        shown.sort(key=lambda row: -int(row["count"]))
    if first:
        shown.sort(key=lambda row: not row["on"])
    return shown[:limit] if limit else shown


def _there(rows: Iterable[dict[str, Any]], zeros: str) -> Iterator[dict[str, Any]]:
    for row in rows:
        has_rows = row["count"] > 0
        there = {
            "shown": True,
            "hidden": has_rows,
            "chosen": has_rows or row["on"],
            "only": row["on"] if row["given"] else has_rows,
        }
        if there[zeros]:
            yield row
