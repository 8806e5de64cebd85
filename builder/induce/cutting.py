"""Which page of a list an address asks for: where it begins and ends, and how many there are.

Standard library only: a copy of this file is part of every emitted application.
"""

import json
import re
import sqlite3
from collections.abc import Iterable, Sequence
from typing import NamedTuple
from urllib.parse import parse_qsl

from builder.induce import words
from builder.induce.listquery import Asked, ListQuery, Pages
from builder.induce.scores import quoted


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


def list_named(path: str, given: Iterable[tuple[str, str]]) -> str:
    """The name of a list, all its pages and orders together: its path, and what chooses its rows."""
    return f"{path} {json.dumps(sorted(given))}"


def listed(family: str, path: str, given: Iterable[tuple[str, str]]) -> str:
    """The name of a list of a family, which may say of its addresses what kind of page they lead to."""
    return list_named(path, (*given, *parse_qsl(family.partition("?")[2])))


def cut(pages: Pages, asked: Asked, total: int) -> tuple[int, int, int, int, int] | None:
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
                return *numbered(number, size, total), size, number, number + size
            return None
        page = number + 1
    if page < 1 or (page > count and pages.beyond == "unknown"):
        return None
    if page > count and pages.beyond != "empty":
        page = count if pages.beyond == "last" else 1
    return page, count, size, (page - 1) * size, page * size


def numbered(before: int, size: int, total: int) -> tuple[int, int]:
    """Which page it is that comes after so many rows, and how many there are if later ones follow from there.

    >>> numbered(20, 10, 35), numbered(28, 10, 35), numbered(4, 10, 35)
    ((3, 4), (4, 4), (2, 5))
    """
    page = -(-before // size) + 1
    return page, page + max(0, -(-(total - before - size) // size))


def after(database: sqlite3.Connection, query: ListQuery, keys: Sequence[str], cursor: str) -> int | None:
    """Where the page begins whose cursor names a row of the list."""
    if query.pages.column:
        column, table = quoted(query.pages.column), quoted(query.table)
        named = {str(row[0]) for row in database.execute(f"SELECT key FROM {table} WHERE {column} = ?", [cursor])}
    else:
        named = {key for key in keys if words.points_to(cursor, key)}
    places = [place for place, key in enumerate(keys) if key in named]
    return None if len(places) != 1 else places[0] + (not query.pages.inclusive)
