"""Pages of lists that were captured in part, by the rows that were seen to stand one after the other.

Standard library only: a copy of this file is part of every emitted application.
"""

import json
import sqlite3
from collections.abc import Collection, Sequence

from builder.induce.cutting import Answered, after, cut, listed, numbered
from builder.induce.listquery import Asked, Condition, ListQuery
from builder.induce.scores import Sql, quoted


def as_seen(
    database: sqlite3.Connection, query: ListQuery, asked: Asked, name: str, broader: str, kept: Sql | None = None
) -> Answered | None:
    """The page by the rows that were seen one after the other, in the list itself or in a broader one."""
    table, sort = quoted(f"{query.table}:stretches"), json.dumps(asked.sort)
    sql = f"SELECT start, ends, keys FROM {table} WHERE list = ? AND sort = ? ORDER BY rowid"
    total = said_total(database, query.table, name)
    among = None if kept is None else _chosen(database, query.table, kept)
    for start, ends, text in database.execute(sql, [broader or name, sort]).fetchall():
        keys = [str(key) for key in json.loads(text)]
        found = within(database, query, asked, keys, start, bool(ends), total, among)
        if found is not None:
            return found
    return None


def _chosen(database: sqlite3.Connection, table: str, kept: Sql) -> set[str]:
    return {str(row[0]) for row in database.execute(f"SELECT key FROM {quoted(table)} WHERE {kept.text}", kept.values)}


def narrowed(
    database: sqlite3.Connection, query: ListQuery, asked: Asked, name: str, condition: Sql
) -> Answered | None:
    """The page by what was seen of a list that has these rows among others, in the same order."""
    table = quoted(f"{query.table}:stretches")
    sql = f"SELECT DISTINCT list FROM {table} WHERE sort = ? ORDER BY length(list) DESC, list"
    for (broader,) in database.execute(sql, [json.dumps(asked.sort)]).fetchall():
        if broader != name and is_part(query, broader, asked):
            found = as_seen(database, query, asked, name, broader, condition)
            if found is not None:
                return found
    return None


def within(
    database: sqlite3.Connection, query: ListQuery, asked: Asked, keys: Sequence[str], start: int, ends: bool,
    total: int | None, among: Collection[str] | None,
) -> Answered | None:  # fmt: skip
    """The page cut from a stretch of its list; None if it is not all there, or if what it says would be unknown.

    `among` holds the rows that are left of a broader list's stretch.
    """
    by_cursor = query.pages.style == "cursor"
    begins = after(database, query, keys, asked.page) if by_cursor and asked.page else 0
    if among is not None and start > 0:
        start = -1  # how many of the rows before are left is not known
    if begins is None or (start < 0 and not begins):
        return None
    before, rest = keys[:begins], keys[begins:]
    if among is not None:
        before, rest = [key for key in before if key in among], [key for key in rest if key in among]
    if start == 0 and ends and total is None:
        total = len(before) + len(rest)
    if total is None and (query.counted or not by_cursor):
        return None
    told = len(before) + len(rest) if total is None else total
    place = cut(query.pages, asked, told)
    if place is None:
        return None
    page, pages, size, first, end = place
    if by_cursor:
        first, end = 0, size
    else:
        first, end = first - start, min(end, told) - start
    rows = tuple(rest[max(first, 0) : end])
    if first < 0 or (len(rows) < end - first and not ends) or not (rows or (ends and told == 0)):
        return None
    if total is None or start < 0:
        page, follows = 1 + bool(asked.page), not (ends and end >= len(rest))
        return Answered(rows, told, page, page + follows, size, 0, len(rows), "looked up", "looked up")
    place_of = start + len(before) + first
    if by_cursor:
        page, pages = numbered(place_of, size, told)
    return Answered(
        rows, told, page, pages, size, place_of + 1 if rows else 0, place_of + len(rows), "looked up", "looked up"
    )


def is_part(query: ListQuery, whole: str, asked: Asked) -> bool:
    """Whether a list holds some of the rows of one that was seen whole: it is asked for with more conditions."""
    path, _, given = whole.partition(" ")
    broader = json.loads(given)
    wanted = json.loads(listed(query.family, asked.path, asked.given).partition(" ")[2])
    if path != asked.path or any(wanted.count(pair) < broader.count(pair) for pair in broader):
        return False
    more = {pair[0] for pair in wanted if wanted.count(pair) > broader.count(pair)}
    fixed = {pair[0] for pair in broader}
    tests = {test.name: test for test in query.tests}
    searches = {search.name: search for search in query.searches}
    return all(
        (name in tests and _only_takes_away(tests[name], name in fixed))
        or (name in searches and searches[name].blank == "all" and name not in fixed)
        for name in more
    )


def _only_takes_away(test: Condition, again: bool) -> bool:
    """Whether a value leaves some of the rows that are there without it."""
    return test.does != "seen" and not test.default and (not again or test.several == "all")


def said_total(database: sqlite3.Connection, table: str, name: str) -> int | None:
    """How many rows the pages of a list say it has."""
    sql = f"SELECT total FROM {quoted(table + ':totals')} WHERE list = ?"
    row = database.execute(sql, [name]).fetchone()
    return int(row[0]) if row else None
