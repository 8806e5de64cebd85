"""Actions that nobody recorded: what a handler answers, does to rows, and writes into pages.

An action recorded in the visitor's own situation is answered as it was recorded, and done to the
rows all the same. After any other one the visitor is astray: from then on every part of a page
that is known to follow from rows is written from them.
"""

import json
import re
import sqlite3
from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import acting
import formulas
import handlers
import keys
import patches
import scores
from flask import render_template, request

EVERYBODY = 0
Rows = tuple[dict[str, str], ...]


class Visit(NamedTuple):
    """Who asks, for which page."""

    database: sqlite3.Connection
    visitor: int
    path: str

    @property
    def user(self) -> str:
        """The label of the account that the visitor is signed in with."""
        row = self.database.execute(
            "SELECT user FROM signed_in WHERE visitor = ?", (self.visitor,)
        ).fetchone()
        return str(row[0]) if row else ""


class Handled(NamedTuple):
    """What a handler makes of a request."""

    form: dict[str, Any]
    names: dict[str, str]
    groups: Sequence[dict[str, str]]
    outcome: dict[str, Any]
    location: str


def handled(
    visit: Visit, method: str, pairs: keys.Pairs, leaves: dict[str, str], valid: frozenset[str]
) -> Handled | None:
    """What the handler of the request's form makes of it; None if there is none."""
    for form in handlers.FORMS:
        if form["method"] != method or not re.fullmatch(
            acting.pattern_of(form["family"]), visit.path
        ):
            continue
        fields = {name: value for name, value in leaves.items() if name not in form["hidden"]}
        if acting.fields_of(fields) != set(form["fields"]) or (form["needs_user"] and not visit.user):
            continue
        names = acting.request_names(form["family"], visit.path, fields, pairs)
        known = next((one for value in fields.values() if (one := label_of(value, valid))), "")
        names |= {"referer": referer(), "known": known, "user": visit.user}
        names |= joined(visit.database, form["joins"], names)
        env = formulas.Env(acting.as_address(names), lambda _: ())
        outcome = acting.chosen(form["outcome"], env)
        location = formulas.text_of(outcome["location"], env) if "location" in outcome else ""
        if location is not None and ("location" in outcome or outcome["like"] is not None):
            return Handled(form, names, acting.grouped(fields)[1], outcome, location)
    return None


def label_of(value: str, valid: frozenset[str]) -> str:
    """The account whose password stands for a value, if it came with the right user's name."""
    found = keys.PASSWORD.fullmatch(value)
    return found[1] if found and value in valid else ""


def referer() -> str:
    """Path and query of the page that the request came from."""
    parts = urlsplit(request.headers.get("Referer", ""))
    return keys.path_of(parts.path) + (f"?{parts.query}" if parts.query else "") if parts.path else ""


def joined(
    database: sqlite3.Connection, joins: Sequence[Sequence[str]], names: dict[str, str]
) -> dict[str, str]:
    """What is known of the things that a request names."""
    found: dict[str, str] = {}
    for alias, pool, column, variable in joins:
        row = database.execute(
            "SELECT row FROM site.pool WHERE name = ? AND column = ? AND value = ?",
            (pool, column, names.get(variable, "")),
        ).fetchone()
        if row is not None:
            found |= {f"{alias}.{name}": value for name, value in json.loads(row[0]).items()}
    return found


def can_do(visit: Visit, found: Handled) -> dict[tuple[str, str], Rows] | None:
    """The rows after a request, by view and page; None if a formula speaks of what is missing."""
    after: dict[tuple[str, str], Rows] = {}
    for effect in found.form["effects"]:
        view = effect["view"]
        page = formulas.text_of(effect["page"], formulas.Env(found.names, lambda _: ()))
        if page is None:
            return None
        rows = rows_of(visit, view, page)
        derived = handlers.VIEWS[view]["derived"]
        others = partial(everywhere, visit)
        done = acting.all_acted(effect, derived, rows, found.names, found.groups, others)
        if done is None:
            return None
        if done != rows:
            after[view, page] = done
    return after


def do(visit: Visit, found: Handled, after: dict[tuple[str, str], Rows], *, astray: bool) -> None:
    """Write down what a request does."""
    database, visitor = visit.database, visit.visitor
    env = formulas.Env(acting.as_markup(found.names), lambda _: ())
    with database:
        for (view, page), rows in after.items():
            put_rows(visit, view, page, rows)
        user = acting.chosen(found.form["user"], env)
        if user != "stays":
            database.execute("DELETE FROM signed_in WHERE visitor = ?", (visitor,))
        if user == "known" and found.names["known"]:
            database.execute(
                "INSERT INTO signed_in VALUES (?, ?)", (visitor, found.names["known"])
            )
        database.execute("DELETE FROM message WHERE visitor = ?", (visitor,))
        if not astray:
            return
        database.execute("INSERT OR IGNORE INTO astray VALUES (?)", (visitor,))
        said = acting.chosen(found.form["message"], env)
        text = formulas.text_of(said["new"], env) if said else None
        if text is not None:
            change = patches.Change(tuple(said["place"]), "", ((),), text, said["after"])
            database.execute(
                "INSERT INTO message VALUES (?, ?)", (visitor, patches.text_of(change))
            )


def owner(visit: Visit, view: str) -> int:
    """Whose rows a visitor sees: everybody's, below 0 those of the account, or their own."""
    scope = handlers.VIEWS[view]["scope"]
    if scope == "everybody":
        return EVERYBODY
    row = None
    if scope == "account":
        row = visit.database.execute("SELECT rowid FROM account WHERE label = ?", (visit.user,)).fetchone()
    return -int(row[0]) if row else visit.visitor


def rows_of(visit: Visit, view: str, page: str) -> Rows:
    """The rows of a view on one page, cells by the names that formulas know them by."""
    known, whose = handlers.VIEWS[view], owner(visit, view)
    touched = visit.database.execute(
        "SELECT 1 FROM touched WHERE visitor = ? AND view = ? AND page = ?", (whose, view, page)
    ).fetchone()
    if touched is None:
        start = visit.database.execute(
            "SELECT cells FROM site.start_row WHERE view = ? AND page = ? ORDER BY place",
            (view, page),
        )
        return tuple(json.loads(row[0]) for row in start)
    cells = list(known["columns"])
    names = ", ".join(scores.quoted(known["columns"][cell]) for cell in cells)
    found = visit.database.execute(
        f"SELECT {names} FROM {scores.quoted(known['table'])} WHERE visitor = ? AND page = ?"
        " ORDER BY place",
        (whose, page),
    )
    rows = [{c: v for c, v in zip(cells, row, strict=True) if v is not None} for row in found]
    return tuple(acting.completed(row, known["derived"]) for row in rows)


def everywhere(visit: Visit, view: str) -> Rows:
    """The rows of a view on all pages."""
    whose = owner(visit, view)
    pages = visit.database.execute(
        "SELECT page FROM site.start_row WHERE view = ?1"
        " UNION SELECT page FROM touched WHERE visitor = ?2 AND view = ?1",
        (view, whose),
    ).fetchall()
    return tuple(row for (page,) in pages for row in rows_of(visit, view, page))


def put_rows(visit: Visit, view: str, page: str, rows: Rows) -> None:
    """Keep the rows of a view on one page."""
    known, whose = handlers.VIEWS[view], owner(visit, view)
    table, cells = scores.quoted(known["table"]), list(known["columns"])
    visit.database.execute(
        "INSERT OR IGNORE INTO touched VALUES (?, ?, ?)", (whose, view, page)
    )
    visit.database.execute(
        f"DELETE FROM {table} WHERE visitor = ? AND page = ?", (whose, page)
    )
    marks = ", ".join("?" * (len(cells) + 3))
    visit.database.executemany(
        f"INSERT INTO {table} VALUES ({marks})",
        [(whose, page, place, *map(row.get, cells)) for place, row in enumerate(rows)],
    )


def is_astray(visit: Visit) -> bool:
    """Whether the visitor did what no recorded visitor did."""
    if visit.visitor == EVERYBODY:
        return False
    found = visit.database.execute("SELECT 1 FROM astray WHERE visitor = ?", (visit.visitor,))
    return found.fetchone() is not None


def is_restless(path: str) -> bool:
    """Whether a page shows rows that everybody sees, and so is not the same for ever."""
    shared = any(view["scope"] == "everybody" for view in handlers.VIEWS.values())
    families = [part["family"] for part in handlers.PARTS] if shared else []
    return any(not one or re.fullmatch(acting.pattern_of(one), path) for one in families)


def is_moved(visit: Visit) -> bool:
    """Whether anybody changed what everybody sees."""
    if all(view["scope"] != "everybody" for view in handlers.VIEWS.values()):
        return False
    row = visit.database.execute("SELECT 1 FROM touched WHERE visitor = ? LIMIT 1", (EVERYBODY,)).fetchone()
    return row is not None


def changes(visit: Visit) -> list[patches.Change]:
    """What the rows and the signed-in account make of a page that was recorded at another time."""
    found = [patches.change_of(text) for text in handlers.SAID_ONCE]
    for part in handlers.PARTS:
        if part["family"] and not re.fullmatch(acting.pattern_of(part["family"]), visit.path):
            continue
        change = change_of(visit, part)
        if change is not None:
            found.append(change)
    return found


def change_of(visit: Visit, part: dict[str, Any]) -> patches.Change | None:
    """One part of a page as it is now; None if too little is known of it on this page."""
    base = visit.database.execute(
        "SELECT holes FROM site.part_base WHERE part = ? AND page = ?", (part["name"], visit.path)
    ).fetchone()
    if part["pages"] > 1 and base is None:
        return None
    names = {f"base.{name}": text for name, text in json.loads(base[0] if base else "{}").items()}

    def rows(view: str) -> Rows:
        page = handlers.VIEWS[view]["page"]
        return rows_of(visit, view, visit.path if page is None else page)

    values = acting.filled(part["holes"], formulas.Env({**names, "user": visit.user}, rows), rows)
    if values is None:
        return None
    new: str | None
    if part["template"]:
        new = render_template(part["template"], **values)
    else:
        new = values.get("s0", "") if values["o0"] else None
    olds = tuple(tuple(old) for old in part["olds"])
    return patches.Change(tuple(part["place"]), part["attribute"], olds, new, part["after"])


def message(visit: Visit) -> list[patches.Change]:
    """What is said once, and no longer after that."""
    with visit.database:
        row = visit.database.execute(
            "DELETE FROM message WHERE visitor = ? RETURNING change", (visit.visitor,)
        ).fetchone()
    return [patches.change_of(row[0])] if row else []
