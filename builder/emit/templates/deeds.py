"""Answering an action by its handler, where nobody recorded it in the visitor's situation."""

import json
import sqlite3
from typing import Any, NamedTuple

import acting
import behaviour
import formulas
import frame
import handlers
import respond
import state
from flask import Response, current_app


class Deed(NamedTuple):
    """What a request does, and the rows after it."""

    found: behaviour.Handled
    after: dict[tuple[str, str], behaviour.Rows]


def of(visit: behaviour.Visit, asked: Any) -> Deed | None:
    """What the handler of a request's form would do; None if there is none."""
    if asked.host != 0 or not any(form["method"] == asked.method for form in handlers.FORMS):
        return None
    found = behaviour.handled(visit, asked.method, asked.pairs, asked.leaves, asked.valid)
    after = behaviour.can_do(visit, found) if found else None
    return Deed(found, after) if found and after is not None else None


def answered(visit: behaviour.Visit, deed: Deed, nodes: list[int]) -> Response:
    """Do it, and answer."""
    database, token = visit.database, ""
    env = formulas.Env(deed.found.names, lambda _: ())
    user = acting.chosen(deed.found.form["user"], env)
    if deed.after or user != "stays" or acting.chosen(deed.found.form["message"], env):
        if visit.visitor == state.NOBODY:
            visitor, token = state.new_visitor(database)
            visit = visit._replace(visitor=visitor)
        behaviour.do(visit, *deed, astray=True)
        if (moved := situations(database, user, deed.found.names["known"], nodes)) != nodes:
            state.enter(database, visit.visitor, moved)
    outcome = deed.found.outcome
    if "location" in outcome:
        answer = Response(b"", status=outcome["status"])
        answer.headers["Location"] = deed.found.location
        answer.headers["Cache-Control"] = "no-store"
    else:
        answer = respond.response(
            database, outcome["like"], 0, "", ("", ""), frozen=False, whole=True
        )
        chain = state.chain(database, nodes)
        sent = {name[3:]: said for name, said in deed.found.names.items() if name.startswith("in.")}
        echoed = frame.retyped(recorded_fields(database, outcome["like"]), sent)
        answer = frame.put(answer, visit, frame.changes(visit, chain, state.NOBODY), echoed)
    if token:
        name = current_app.extensions["visitor_cookie"]
        domain = respond.cookie_domain()
        answer.set_cookie(name, token, httponly=True, samesite="Lax", domain=domain)
    return answer


def recorded_fields(database: sqlite3.Connection, recorded: int) -> dict[str, str]:
    """What the recorded request sent."""
    row = database.execute("SELECT leaves FROM site.request WHERE id = ?", (recorded,)).fetchone()
    return {name: value.removeprefix("=") for name, value in json.loads(row[0]).items()}


def situations(
    database: sqlite3.Connection, user: str, label: str, nodes: list[int]
) -> list[int]:
    """The visitor's situations: after a login also the recorded one, after a logout none."""
    if user == "nobody":
        return []
    row = database.execute("SELECT node FROM site.login WHERE user = ?", (label,)).fetchone()
    if user != "known" or row is None:
        return nodes
    return [node for node in nodes if node != row[0]] + [int(row[0])]
