"""Who is asking: the visitor's cookie, the CSRF token that belongs to it, and messages shown once."""

import secrets
import sqlite3
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

from flask import Response, abort, current_app, g, redirect, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from tests.sites.shop import store

COOKIE = "lantern_sid"


def db() -> sqlite3.Connection:
    """This request's connection."""
    if "db" not in g:
        g.db = store.connect(Path(current_app.config["DATABASE"]))
    connection: sqlite3.Connection = g.db
    return connection


def close_db(_: BaseException | None) -> None:
    connection = g.pop("db", None)
    if connection is not None:
        connection.close()


def visitor() -> sqlite3.Row:
    """The visitor's row; someone without a known cookie becomes a new visitor."""
    if "visitor" not in g:
        row = _find(request.cookies.get(COOKIE, ""))
        g.visitor = row if row is not None else _create(account=None)
    row = g.visitor
    assert isinstance(row, sqlite3.Row)
    return row


def _find(sid: str) -> sqlite3.Row | None:
    row: sqlite3.Row | None = db().execute("SELECT * FROM visitor WHERE sid = ?", [sid]).fetchone()
    return row


def _create(account: int | None) -> sqlite3.Row:
    sid = secrets.token_urlsafe(18)
    db().execute("INSERT INTO visitor (sid, csrf, account) VALUES (?, ?, ?)", [sid, secrets.token_urlsafe(18), account])
    db().commit()
    g.new_sid = sid
    row = _find(sid)
    assert row is not None
    return row


def account() -> sqlite3.Row | None:
    row: sqlite3.Row | None = db().execute("SELECT * FROM account WHERE id = ?", [visitor()["account"]]).fetchone()
    return row


def log_in(account_id: int) -> None:
    """Start a new session for this account and take the cart along, so that an old cookie is worth nothing."""
    old = visitor()["sid"]
    g.visitor = _create(account=account_id)
    db().execute("UPDATE cart_line SET sid = ? WHERE sid = ?", [g.visitor["sid"], old])
    db().execute("DELETE FROM visitor WHERE sid = ?", [old])
    db().commit()


def log_out() -> None:
    """End the session; the cart goes with it."""
    sid = visitor()["sid"]
    db().execute("DELETE FROM cart_line WHERE sid = ?", [sid])
    db().execute("DELETE FROM visitor WHERE sid = ?", [sid])
    g.visitor = _create(account=None)


def flash(message: str) -> None:
    """Keep a message for the next page this visitor sees."""
    db().execute("UPDATE visitor SET flash = ? WHERE sid = ?", [message, visitor()["sid"]])
    db().commit()


def take_flash() -> str:
    sid = visitor()["sid"]
    message: str = db().execute("SELECT flash FROM visitor WHERE sid = ?", [sid]).fetchone()[0]
    if message:
        db().execute("UPDATE visitor SET flash = '' WHERE sid = ?", [sid])
        db().commit()
    return message


def check_csrf() -> None:
    """Refuse a form that this visitor was not given."""
    if not secrets.compare_digest(request.form.get("csrf_token", ""), visitor()["csrf"]):
        abort(400, "This form is out of date. Please go back, reload the page and try again.")


def send_cookie(response: Response) -> Response:
    if "new_sid" in g:
        response.set_cookie(COOKIE, g.new_sid, httponly=True, samesite="Lax", path="/")
    return response


def gated[**P](view: Callable[P, Any]) -> Callable[P, Any]:
    """The view for those who are logged in; others are sent to the login form and come back afterwards."""

    @wraps(view)
    def guarded(*args: P.args, **values: P.kwargs) -> Any:
        if account() is None:
            return redirect(url_for("account.login", next=request.path), 302)
        return view(*args, **values)

    return guarded


def safe_next(target: str) -> str:
    """Where to go after login: a path of this shop, never another site."""
    return target if target.startswith("/") and not target.startswith(("//", "/\\")) else url_for("account.home")


def see_other(where: str) -> AnyResponse:
    return redirect(where, 303)
