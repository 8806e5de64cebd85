"""A list page answered from tables: which rows, in what order, which of them on this page.

Standard library only: a copy of this file is part of every emitted application, so that what was checked when the
queries were induced is what answers. Identifiers are quoted and values bound; captured text is never SQL.
"""

import re
import sqlite3
from collections.abc import Sequence
from urllib.parse import parse_qsl, unquote

from builder.induce import words
from builder.induce.cutting import Answered, after, cut, listed, numbered
from builder.induce.listparts import as_seen, is_part, narrowed
from builder.induce.listquery import Asked, Condition, ListQuery, Order, Pages, Pairs, Search
from builder.induce.scores import SCORES, Sql, Values, companion, needles, quoted, score

_COMPARE = {"=": "=", "min": ">=", "max": "<=", "over": ">", "under": "<"}


def answer(database: sqlite3.Connection, query: ListQuery, path: str, pairs: Pairs) -> Answered | None:
    """The page at an address, None if the query does not cover it: another family, or a value of unknown effect.

    What was seen of a list counts before what is computed. Where rows of the table are missing, only lists that were
    seen whole are computed, and those that hold a part of such a list.
    """
    asked = read(query, path, pairs)
    if asked is None:
        return None
    name = listed(query.family, asked.path, asked.given)
    found = as_seen(database, query, asked, name, "")
    if found is not None:
        return found
    condition = where(database, query, asked)
    if condition is None:
        return None
    if query.whole is not None and not any(is_part(query, one, asked) for one in query.whole):
        return narrowed(database, query, asked, name, condition)
    return _computed(database, query, asked, condition) or narrowed(database, query, asked, name, condition)


def _computed(database: sqlite3.Connection, query: ListQuery, asked: Asked, condition: Sql) -> Answered | None:
    """The page by the query's conditions and order, where every row is in the table."""
    order = order_of(query, asked)
    if order is None and asked.sort:
        return None
    by = ordered(database, query, asked, order) if order else Sql("rowid", [])
    among = f"FROM {quoted(query.table)} WHERE {condition.text}"
    total = int(database.execute(f"SELECT count(*) {among}", condition.values).fetchone()[0])
    place = cut(query.pages, asked, total)
    if place is None:
        return None
    page, pages, size, start, end = place
    by_cursor = query.pages.style == "cursor" and bool(asked.page)
    # a cursor and a ranking need the whole list; for the rest the page will do
    most = -1 if by_cursor or order is None or order.rank else end
    values = [*condition.values, *by.values, most]
    keys = [str(row[0]) for row in database.execute(f"SELECT key {among} ORDER BY {by.text} LIMIT ?", values)]
    if by_cursor:
        begins = after(database, query, keys, asked.page)
        if begins is None:
            return None
        start, end, (page, pages) = begins, begins + size, numbered(begins, size, total)
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
        if does is None:
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
