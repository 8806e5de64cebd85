"""A list page answered from tables: which rows, in what order, which of them on this page.

Standard library only: a copy of this file is part of every emitted application, so that what was checked when the
queries were induced is what answers. Identifiers are quoted and values bound; captured text is never SQL.
"""

import json
import math
import re
import sqlite3
from collections.abc import Iterable, Sequence
from typing import NamedTuple
from urllib.parse import parse_qsl, unquote

from builder.induce import words
from builder.induce.listquery import By, Condition, ListQuery, Order, Pages, Search

Pairs = tuple[tuple[str, str], ...]
Values = list[str | float | None]
SCORES = frozenset(("bm25", "bm25-stems", "hits", "found", "title"))
_K, _B = 1.2, 0.75
_COMPARE = {"=": "=", "min": ">=", "max": "<=", "over": ">", "under": "<"}


class Answered(NamedTuple):
    """One page of a list."""

    rows: tuple[str, ...]
    """Keys of the rows on this page, in order."""
    total: int
    page: int
    pages: int
    size: int
    first: int
    """Number of the first row on this page in the whole list, from 1; 0 if there is none."""
    last: int
    members: str
    """How the choice of rows is known: computed or looked up."""
    order: str
    """How their order is known: computed, looked up, or unknown where only the choice of rows is right."""


class Asked(NamedTuple):
    """An address, taken apart by what its parameters do."""

    path: str
    """That of the list's first page."""
    values: dict[str, list[str]]
    """What filters and searches are given, and the pieces of the path."""
    sort: Pairs
    page: str
    size: str

    @property
    def given(self) -> Pairs:
        return tuple((name, one) for name, values in self.values.items() if name[0] != "/" for one in values)


class Sql(NamedTuple):
    """A piece of SQL and the values for its question marks."""

    text: str
    values: Values


def answer(database: sqlite3.Connection, query: ListQuery, path: str, pairs: Pairs) -> Answered | None:
    """The page at an address, None if the query does not cover it: another family, or a value of unknown effect."""
    asked = read(query, path, pairs)
    if asked is None or (query.whole is not None and list_named(asked.path, asked.given) not in query.whole):
        return None
    condition = where(database, query, asked)
    if condition is None:
        return None
    order = order_of(query, asked)
    if order is None and asked.sort:
        return None
    by = ordered(database, query, asked, order) if order else Sql("rowid", [])
    among = f"FROM {quoted(query.table)} WHERE {condition.text}"
    total = int(database.execute(f"SELECT count(*) {among}", condition.values).fetchone()[0])
    cut = _cut(query.pages, asked, total)
    if cut is None:
        return None
    page, pages, size, start, end = cut
    by_cursor = query.pages.style == "cursor" and bool(asked.page)
    # a cursor and a ranking need the whole list; for the rest the page will do
    most = -1 if by_cursor or order is None or order.rank else end
    values = [*condition.values, *by.values, most]
    keys = [str(row[0]) for row in database.execute(f"SELECT key {among} ORDER BY {by.text} LIMIT ?", values)]
    if by_cursor:
        place = _after(database, query, keys, asked.page)
        if place is None:
            return None
        start, end, (page, pages) = place, place + size, _numbered(place, size, total)
    known = _known(database, query, order, keys)
    if known == "unknown" and total > size:
        return None
    rows = tuple(keys[start:end])
    first = start + 1 if rows else 0
    return Answered(rows, total, page, pages, size, first, start + len(rows), query.members.status, known)


def read(query: ListQuery, path: str, pairs: Pairs) -> Asked | None:
    """An address taken apart, None if it is of another family or holds a parameter that nothing is known of."""
    family, _, fixed = query.family.partition("?")
    chosen = set(parse_qsl(fixed))
    pairs, given = tuple(pair for pair in pairs if pair not in chosen), set(pairs)
    path, page = _paged(query.pages, path)
    found = re.fullmatch(pattern(family), path)
    if not found or not chosen <= given:
        return None
    roles = {one.name: one.does for one in query.parameters}
    values: dict[str, list[str]] = {"/": [path]}
    values |= {f"/{number}": [unquote(piece)] for number, piece in enumerate(found.groups(), 1)}
    sort: dict[str, str] = {}
    size = ""
    for name, value in pairs:
        if name not in roles and f"{name}:{value.partition(':')[0]}" in roles:
            name, value = f"{name}:{value.partition(':')[0]}", value.partition(":")[2]
        does = roles.get(name)
        if does is not None and (does == "nothing" or not value.strip()):
            continue
        if does is None or does == "unknown":
            return None
        if does == "page":
            page = value
        elif does == "size":
            size = value
        elif does in ("order", "direction"):
            sort[name] = value
        else:
            values.setdefault(name, []).append(value)
    return Asked(path, values, tuple(sorted(sort.items())), page, size)


def list_named(path: str, given: Iterable[tuple[str, str]]) -> str:
    """The name of a list, all its pages and orders together: its path, and what chooses its rows."""
    return f"{path} {json.dumps(sorted(given))}"


def pattern(family: str) -> str:
    """A family of paths as a regular expression, one group for each star."""
    return re.escape(family).replace(r"\*", "([^/]+)")


def _paged(pages: Pages, path: str) -> tuple[str, str]:
    """The path of the list's first page, and the number of the page that the path itself gives."""
    if pages.style == "path":
        found = re.fullmatch("(.*)" + re.escape(pages.tail).replace(r"\{\}", r"(\d+)"), path)
        if found:
            return found[1] + pages.head, found[2]
    return path, ""


def _cut(pages: Pages, asked: Asked, total: int) -> tuple[int, int, int, int, int] | None:
    """Number of the page, how many there are, size, and the slice of the list; None if nobody knows."""
    size = pages.size or max(total, 1)
    if asked.size:
        if not asked.size.isdecimal() or int(asked.size) < 1:
            return None
        size = min(int(asked.size), pages.most or int(asked.size))
    count = max(1, -(-total // size))
    page = 1
    if asked.page and pages.style != "cursor":
        if not re.fullmatch(r"-?\d{1,12}", asked.page):
            return None
        number = int(asked.page) - pages.base
        if pages.style == "offset":
            if number >= 0 and (number < total or pages.beyond == "empty"):
                return *_numbered(number, size, total), size, number, number + size
            return None
        page = number + 1
    if page < 1 or (page > count and pages.beyond == "unknown"):
        return None
    if page > count and pages.beyond != "empty":
        page = count if pages.beyond == "last" else 1
    return page, count, size, (page - 1) * size, page * size


def _numbered(before: int, size: int, total: int) -> tuple[int, int]:
    """Which page it is that comes after so many rows, and how many there are if later ones follow from there.

    >>> _numbered(20, 10, 35), _numbered(28, 10, 35), _numbered(4, 10, 35)
    ((3, 4), (4, 4), (2, 5))
    """
    page = -(-before // size) + 1
    return page, page + max(0, -(-(total - before - size) // size))


def _after(database: sqlite3.Connection, query: ListQuery, keys: Sequence[str], cursor: str) -> int | None:
    """Where the page begins whose cursor names a row of the list."""
    if query.pages.column:
        column, table = quoted(query.pages.column), quoted(query.table)
        named = {str(row[0]) for row in database.execute(f"SELECT key FROM {table} WHERE {column} = ?", [cursor])}
    else:
        named = {key for key in keys if words.points_to(cursor, key)}
    places = [place for place, key in enumerate(keys) if key in named]
    return None if len(places) != 1 else places[0] + (not query.pages.inclusive)


def where(database: sqlite3.Connection, query: ListQuery, asked: Asked) -> Sql | None:
    """The condition that the rows of the list meet, None if a value is given whose effect is not known."""
    tested = {test.name for test in query.tests} | {search.name for search in query.searches}
    if any(name not in tested for name in asked.values if not name.startswith("/")):
        return None
    parts: list[Sql] = []
    for test in query.tests:
        given = asked.values.get(test.name) or ([test.default] if test.default else [])
        if part := _tests(database, query.table, test, given):
            parts.append(part)
        elif part is None:
            return None
    for search in query.searches:
        part = found_by(query, search, " ".join(asked.values.get(search.name, [])))
        if part is None:
            return None
        parts.append(part)
    kept = [part for part in parts if part.text]
    return Sql(" AND ".join(part.text for part in kept) or "1", [value for part in kept for value in part.values])


def _tests(database: sqlite3.Connection, table: str, test: Condition, given: Sequence[str]) -> Sql | None:
    """The condition that all values of one parameter set together."""
    if test.separator:
        given = [piece for value in given for piece in value.split(test.separator) if piece]
    given = [value for value in given if value not in test.idle]
    if test.several == "last":
        given = given[-1:]
    parts = []
    for value in given:
        denied = bool(test.negated) and value.startswith(test.negated)
        part = condition(database, table, test, value.removeprefix(test.negated) if denied else value)
        if part is None:
            return None
        parts.append(Sql(f"NOT coalesce({part.text}, 0)", part.values) if denied else part)
    joined = (" AND " if test.several == "all" else " OR ").join(part.text for part in parts)
    return Sql(f"({joined})" if joined else "", [value for part in parts for value in part.values])


def condition(database: sqlite3.Connection, table: str, test: Condition, value: str) -> Sql | None:
    """The condition that one value sets, None if its effect is not known."""
    if test.does in ("seen", "links"):
        name = quoted(f"{table}:{test.does}")
        which = test.lists + value
        known = database.execute(f"SELECT 1 FROM {name} WHERE list = ? LIMIT 1", [which]).fetchone()
        return Sql(f"key IN (SELECT key FROM {name} WHERE list = ?)", [which]) if known else None
    if test.labels:
        labels = dict(test.labels)
        if value not in labels:
            return None
        value = labels[value]
    column = quoted(companion(test.column, test.kind))
    wanted = words.typed("slug" if test.does == "has" else test.kind, value)
    if wanted is None:
        return Sql("0", [])
    match test.does:
        case "has":
            part = Sql(f"instr({column}, ?) > 0", [f"\x1f{wanted}\x1f"])
        case "contains":
            part = Sql(f"instr({column}, ?) > 0", [wanted])
        case "prefix":
            part = Sql(f"substr({column}, 1, length(?)) = ?", [wanted, wanted])
        case _:
            part = Sql(f"{column} {_COMPARE[test.does]} ?", [wanted])
    if test.does in ("=", "has") and not test.empties:
        # a value that no row has may mean anything: everything, nothing, or no such page
        found = database.execute(f"SELECT 1 FROM {quoted(table)} WHERE {part.text} LIMIT 1", part.values).fetchone()
        return part if found else None
    return part


def needles(search: Search, text: str) -> tuple[str, list[str]]:
    """The kind of companion column that a search looks into, and what it looks for there."""
    if search.match == "literal":
        return "folded", [words.fold(text)] if text.strip() else []
    asked = words.fold(text).split() if search.match == "substring" else words.words(text)
    if search.skips:
        asked = [word for word in asked if word not in words.STOP_WORDS] or asked
    match search.match:
        case "substring":
            return "folded", asked
        case "prefix":
            return "words", [f" {word}" for word in asked]
        case "stem":
            return "stems", [f" {words.stem(word)} " for word in asked]
        case "phrase":
            return "words", ["".join(f" {word} " for word in asked)] if asked else []
        case _:
            return "words", [f" {word} " for word in asked]


def found_by(query: ListQuery, search: Search, text: str) -> Sql | None:
    """The condition that a search sets, None if nobody knows what it finds."""
    kind, wanted = needles(search, text)
    if not wanted:
        blank = {"all": Sql("", []), "none": Sql("0", [])}
        only = not text.strip() and len(query.searches) > 1
        return Sql("", []) if only else blank.get(search.blank)
    columns = [quoted(companion(column, kind)) for column in search.columns]
    one = "(" + " OR ".join(f"instr({column}, ?) > 0" for column in columns) + ")"
    joined = (" AND " if search.every else " OR ").join([one] * len(wanted))
    return Sql(f"({joined})", [needle for needle in wanted for _ in columns])


def order_of(query: ListQuery, asked: Asked) -> Order | None:
    """The order that holds for an address."""
    searching = any(asked.values.get(search.name) for search in query.searches)
    names = {search.name for search in query.searches}
    filters = tuple(sorted(name for name in asked.values if not name.startswith("/") and name not in names))
    for order in query.orders:
        fits = order.sort == asked.sort and order.searching in (None, searching) and order.path in ("", asked.path)
        if fits and order.filters in (None, filters):
            return order
    return None


def ordered(database: sqlite3.Connection, query: ListQuery, asked: Asked, order: Order) -> Sql:
    """What the rows are ordered by, as SQL."""
    parts: list[str] = []
    values: Values = []
    for by in order.by:
        if by.kind in SCORES:
            part = score(database, query, asked, by)
            parts.append(part.text + " DESC")
            values += part.values
        else:
            column = quoted(companion(by.column, by.kind))
            parts.append(f"{column} IS NULL" + (" DESC" if by.missing_first else ""))
            parts.append(column + (" DESC" if by.descending else ""))
    if order.rank:
        ranks, table = quoted(query.table + ":ranks"), quoted(query.table)
        rank = f"(SELECT rank FROM {ranks} r WHERE r.list = ? AND r.key = {table}.key)"
        parts += [f"{rank} IS NULL", rank]
        values += [order.rank, order.rank]
    return Sql(", ".join([*parts, "rowid"]), values)


def score(database: sqlite3.Connection, query: ListQuery, asked: Asked, by: By) -> Sql:
    """How well a row answers the search, as an SQL expression: the more, the better."""
    search = next((one for one in query.searches if asked.values.get(one.name)), None)
    if search is None:
        return Sql("0", [])
    text = " ".join(asked.values[search.name])
    kind = "stems" if by.kind == "bm25-stems" else "words"
    _, wanted = needles(Search(search.name, (), "stem" if kind == "stems" else "word", skips=search.skips), text)
    columns = [by.column] if by.column else list(search.columns)
    bodies = [f"coalesce({quoted(companion(column, kind))}, '')" for column in columns]
    body = "(" + " || ".join(bodies) + ")"
    count = f"((length({body}) - length(replace({body}, ?, ''))) / length(?))"
    has = f"(instr({body}, ?) > 0)"
    if by.kind == "hits":
        return Sql(" + ".join([count] * len(wanted)) or "0", [one for needle in wanted for one in (needle, needle)])
    if by.kind == "found":
        return Sql(" + ".join([has] * len(wanted)) or "0", list(wanted))
    if by.kind == "title":
        every, some = " AND ".join([has] * len(wanted)) or "0", " OR ".join([has] * len(wanted)) or "0"
        cases = f"CASE WHEN {has} THEN 3 WHEN {every} THEN 2 WHEN {some} THEN 1 ELSE 0 END"
        return Sql(cases, ["".join(wanted), *wanted, *wanted])
    return _bm25(database, query.table, body, count, wanted)


def _bm25(database: sqlite3.Connection, table: str, body: str, count: str, wanted: Iterable[str]) -> Sql:
    """The score that most full-text indexes order by."""
    # every word is written with a space on either side
    length = f"((length({body}) - length(replace({body}, ' ', ''))) / 2.0)"
    rows, mean = database.execute(f"SELECT count(*), avg({length}) FROM {quoted(table)}").fetchone()
    parts: list[str] = []
    values: Values = []
    for needle in wanted:
        sql = f"SELECT count(*) FROM {quoted(table)} WHERE instr({body}, ?)"
        holding = database.execute(sql, [needle]).fetchone()[0]
        weight = math.log(1 + (rows - holding + 0.5) / (holding + 0.5))
        parts.append(f"? * {count} * {_K + 1} / ({count} + {_K} * ({1 - _B} + {_B} * {length} / ?))")
        values += [weight, needle, needle, needle, needle, mean or 1.0]
    return Sql("(" + (" + ".join(parts) or "0") + ")", values)


def _known(database: sqlite3.Connection, query: ListQuery, order: Order | None, keys: Sequence[str]) -> str:
    """How the order of the chosen rows is known. A ranking that was seen may leave open which of two rows is first."""
    if order is None:
        return "unknown" if len(keys) > 1 else "computed"
    if not order.rank:
        return order.why.status
    ranks = quoted(query.table + ":ranks")
    runs = dict(database.execute(f"SELECT key, run FROM {ranks} WHERE list = ?", [order.rank]))
    found = {runs.get(key) for key in keys}
    return "looked up" if None not in found and len(found) <= 1 else "unknown"


def companion(column: str, kind: str) -> str:
    """Name of the column that holds what another is worth under a way of comparing."""
    return column if kind == "text" else f"{column}:{kind}"


def quoted(name: str) -> str:
    """A name as SQL writes it."""
    return '"' + name.replace('"', '""') + '"'
