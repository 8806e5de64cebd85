"""Pages that nobody recorded, made of the rows they show: other pages, orders, filters, searches."""

import json
import sqlite3
from typing import Any, NamedTuple

import counts
import keys
import listanswer
import respond
import scores
import wording
from flask import Response, current_app, render_template, request
from listquery import ListQuery


class View(NamedTuple):
    """How pages of one kind are written."""

    template: str
    has_rows: bool
    paths: frozenset[str]
    """Paths it was seen at."""
    anywhere: bool
    """Whether it holds for paths where nobody looked."""
    like: int
    """The recorded request whose answer has the same headers."""
    charset: str
    parsed: frozenset[str]
    """Columns of rows that hold a list as JSON."""
    about: bool = False
    """Whether it is the page of one row that nobody opened, made of what lists say of the row."""


class ListPages(NamedTuple):
    """A list: which rows its pages show, and how they show them."""

    query: ListQuery
    views: tuple[View, ...]


def page(database: sqlite3.Connection, pages: ListPages, path: str) -> Response | None:
    """The page at the address that is asked for; None if the address says what is not understood."""
    pairs = keys.sent_pairs(request.query_string.decode("latin-1"))
    found = listanswer.answer(database, pages.query, path, pairs)
    if found is None:
        return None
    view = view_of(pages, bool(found.rows), path)
    if view is None:
        return None
    rows = rows_of(database, pages.query.table, found.rows, view.parsed)
    if len(rows) < len(found.rows):
        return None
    numbers = {
        "page": found.page,
        "pages": found.pages,
        "total": found.total,
        "first": found.first,
        "last": found.last,
        "size": found.size,
        "shown": len(rows),
    }
    said = wording.context(path, pairs, Names(database), **numbers)
    counting = counts.Counting(database, pages.query, path, pairs)
    text = render_template(view.template, rows=rows, **said, **counting.names())
    if view.about and (tell := current_app.extensions.get("inferred")) is not None:
        tell(path)
    return respond.like(database, view.like, text.encode(view.charset, "xmlcharrefreplace"))


def view_of(pages: ListPages, has_rows: bool, path: str) -> View | None:
    """The view for a page with or without rows: the one seen at this path, else the commonest."""
    fitting = [view for view in pages.views if view.has_rows == has_rows]
    seen = (view for view in fitting if path in view.paths)
    return next(seen, next((view for view in fitting if view.anywhere), None))


def rows_of(
    database: sqlite3.Connection, table: str, keys: tuple[str, ...], parsed: frozenset[str]
) -> list[dict[str, Any]]:
    """The rows of these keys, in this order; rows of which nothing is known are left out."""
    name = scores.quoted(table)
    found = []
    for key in keys:
        cursor = database.execute(f"SELECT * FROM {name} WHERE key = ?", (key,))
        row = cursor.fetchone()
        if row is not None:
            columns = [column[0] for column in cursor.description]
            values = dict(zip(columns, row, strict=True))
            found.append(
                values | {one: json.loads(values[one]) for one in parsed if values.get(one)}
            )
    return found


class Names(wording.Arguments):
    """What links call the pages that they lead to, by path; empty for one that none leads to."""

    def __init__(self, database: sqlite3.Connection) -> None:
        super().__init__()
        self._database = database

    def __missing__(self, path: str) -> str:
        row = self._database.execute("SELECT text FROM site.name WHERE path = ?", (path,)).fetchone()
        self[path] = row[0] if row else ""
        return self[path]

    def __contains__(self, path: object) -> bool:
        return isinstance(path, str) and self[path] != ""
