"""Giving a recorded answer again: its headers, its body, parts of it, and streams."""

import json
import re
import secrets
import sqlite3
import time
from base64 import b64decode
from collections.abc import Iterator
from email.utils import formatdate
from pathlib import Path
from typing import Any

from flask import Response, current_app, request
from werkzeug.datastructures import Headers
from werkzeug.exceptions import RequestedRangeNotSatisfiable

LONGEST_GAP = 2.0
"""Seconds a stream is silent at most, however long it was when recorded."""
JSON = "*[/+]json"
PLAIN = "<!doctype html>\n<html><head><title>404</title></head><body><h1>404</h1></body></html>\n"
HIDDEN = re.compile(r"redacted-[0-9a-f]+.*|\{\{[^{}]*\}\}")
CALLBACK = re.compile(r"[\w$.\[\]]{1,200}", re.ASCII)


def is_document() -> bool:
    """Whether a page is asked for, and not something that a page uses."""
    destination = request.headers.get("Sec-Fetch-Dest", "")
    if destination:
        return destination in ("document", "iframe", "frame")
    return "text/html" in request.headers.get("Accept", "")


def response(
    database: sqlite3.Connection,
    recorded: int,
    place: int,
    token: str,
    names: tuple[str, str],
    frozen: bool,
    feature: str = "",
    *,
    whole: bool = False,
) -> Response:
    """One recorded answer. `token` is a new visitor's; `names` are of the function a script calls.
    A `whole` one is neither cut nor said not to have changed.

    A frozen answer is the same for every visitor who has changed nothing, and is marked so; one
    that was chosen by a `feature` of the request only if it says itself that it varies by that.
    """
    row = database.execute(
        "SELECT status, media, headers, body, body_file, messages FROM site.answer"
        " WHERE request = ? AND place = ?",
        (recorded, place),
    ).fetchone()
    status, media, header_text, blob, file, messages = row
    headers, fresh = given_headers(json.loads(header_text))
    body = blob if file is None else (bodies() / file).read_bytes()
    if names[0] != names[1]:
        body = renamed(body or b"", *names)
    if messages is not None:
        answer = Response(stream(json.loads(messages), media == "text/event-stream"), status=status)
    else:
        answer = Response(body or b"", status=status)
    answer.headers = headers
    if messages is None and status == 200 and request.method in ("GET", "HEAD") and not whole:
        answer = in_part(answer, len(body or b""))
    if token:
        name = current_app.extensions["visitor_cookie"]
        answer.set_cookie(name, token, httponly=True, samesite="Lax", domain=cookie_domain())
    plain = request.method in ("GET", "HEAD") and messages is None and not fresh and not whole
    if frozen and plain and not is_conditional() and says_it_varies(headers, feature):
        request.environ["mirror.frozen"] = True
    return answer


def like(database: sqlite3.Connection, recorded: int, body: bytes) -> Response:
    """An answer with another body, and what the headers of a recorded one say of it left out."""
    status, headers = database.execute(
        "SELECT status, headers FROM site.answer WHERE request = ? AND place = 0", (recorded,)
    ).fetchone()
    answer = Response(body, status=status)
    answer.headers = given_headers(json.loads(headers))[0]
    for name in ("Content-Length", "ETag", "Last-Modified", "Accept-Ranges", "Content-MD5"):
        answer.headers.pop(name, None)
    return answer


def says_it_varies(headers: Headers, feature: str) -> bool:
    """Whether an answer names every header that it was chosen by, so that whoever keeps it can."""
    named = {name.strip().lower() for name in headers.get("Vary", "").split(",")}
    return not feature or set(feature.split("+")) <= named


def cookie_domain() -> str | None:
    """The domain of the visitor's cookie, where the host that is asked belongs to it."""
    domain: str = current_app.extensions["visitor_domain"]
    host = request.host.partition(":")[0]
    return domain if domain and (host == domain or host.endswith("." + domain)) else None


def bodies() -> Path:
    """The folder of the files that answers are made of."""
    folder: Path = current_app.extensions["bodies"]
    return folder


def given_headers(recorded: list[list[str]]) -> tuple[Headers, bool]:
    """The headers as they are sent now, and whether some of them are made anew each time."""
    headers, fresh = Headers(), False
    own = current_app.extensions["visitor_cookie"]
    for name, value in recorded:
        if name.lower() == "set-cookie":
            key, _, rest = value.partition("=")
            text, semicolon, attributes = rest.partition(";")
            if key.strip() == own:
                continue
            if HIDDEN.fullmatch(text.strip()):
                fresh = True
                if key.strip() in request.cookies:
                    continue
                text = secrets.token_hex((len(text) + 1) // 2)[: len(text)]
            value = f"{key}={text}{semicolon}{expiring(attributes)}"
            fresh = fresh or is_short_lived(attributes)
        headers.add(name, value.encode().decode("latin-1"))
    return headers, fresh


def expiring(attributes: str) -> str:
    """The attributes of a cookie, its expiry counted from now."""
    return re.sub(
        r"@([+-]\d+)", lambda at: formatdate(time.time() + int(at[1]), usegmt=True), attributes
    )


def is_short_lived(attributes: str) -> bool:
    """Whether a cookie's expiry has to be counted from the very moment it is set."""
    found = re.search(r"@\+?(-?\d+)", attributes)
    return found is not None and int(found[1]) < 30 * 86400


def is_conditional() -> bool:
    """Whether only a part is asked for, or only if something changed."""
    names = ("Range", "If-None-Match", "If-Modified-Since", "If-Range", "If-Match")
    return any(name in request.headers for name in names)


def in_part(answer: Response, length: int) -> Response:
    """The answer, or "not modified", or the range that is asked for."""
    if not is_conditional():
        return answer
    ranges = answer.headers.get("Accept-Ranges", "") != "none"
    had = "Accept-Ranges" in answer.headers
    try:
        answer.make_conditional(request.environ, accept_ranges=ranges, complete_length=length)
    except RequestedRangeNotSatisfiable as error:
        refused = Response(status=416)
        refused.headers["Content-Range"] = f"bytes */{error.length}"
        return refused
    answer.headers.pop("Date", None)
    if not had and answer.status_code != 206:
        answer.headers.pop("Accept-Ranges", None)
    return answer


def renamed(body: bytes, recorded: str, wanted: str) -> bytes:
    """A script that calls one function, made to call another."""
    if not recorded or not CALLBACK.fullmatch(wanted):
        return body
    name = re.compile(rb"(?<![\w$.])" + re.escape(recorded.encode()) + rb"(?![\w$])")
    head, rest = body[:1000], body[1000:]
    return name.sub(lambda _: wanted.encode(), head) + rest


def stream(messages: list[dict[str, Any]], of_events: bool) -> Iterator[bytes]:
    """Recorded messages of an answer that came bit by bit, with the gaps between them.

    The last event asks the browser not to come back soon: it would hear the same again.
    """
    before = 0.0
    for message in messages:
        at = float(message.get("at_ms", 0)) / 1000
        time.sleep(min(max(at - before, 0.0), LONGEST_GAP))
        before = at
        text = message.get("text")
        data = text.encode() if text is not None else b64decode(message.get("base64", ""))
        yield data.rstrip(b"\r\n") + b"\n\n" if of_events else data
    if of_events:
        yield b"retry: 86400000\n\n"


def preflight(database: sqlite3.Connection, host: int, path: str) -> Response | None:
    """Leave for another site's page to ask, where some answer at this path had given it."""
    origin = request.headers.get("Origin", "")
    method = request.headers.get("Access-Control-Request-Method", "")
    if request.method != "OPTIONS" or not origin or not method:
        return None
    row = database.execute(
        "SELECT 1 FROM site.request r JOIN site.answer a ON a.request = r.id"
        " WHERE r.host = ? AND r.path = ?"
        " AND lower(a.headers) LIKE '%access-control-allow-origin%'",
        (host, path),
    ).fetchone()
    if row is None:
        return None
    answer = Response(status=204)
    answer.headers = Headers(
        {
            "Access-Control-Allow-Origin": origin,
            "Access-Control-Allow-Methods": method,
            "Access-Control-Allow-Headers": request.headers.get(
                "Access-Control-Request-Headers", "*"
            ),
            "Access-Control-Allow-Credentials": "true",
            "Vary": "Origin",
        }
    )
    return answer


def missing(database: sqlite3.Connection, host: int, path: str) -> Response:
    """What the site says where it has nothing: its own "not found", or an error to a script."""
    if wants_page():
        row = database.execute(
            "SELECT request FROM site.not_found WHERE host = ?", (host,)
        ).fetchone()
        if row is None:
            return Response(PLAIN, status=404, content_type="text/html; charset=utf-8")
        answer = response(database, int(row[0]), 0, "", ("", ""), False)
        if answer.status_code < 300 and request.method not in ("GET", "HEAD"):
            answer.status_code = 404
        return answer
    if request.headers.get("Sec-Fetch-Dest", "empty") == "empty":
        error = recorded_error(database, host, path)
        if error is not None:
            answer = response(database, error, 0, "", ("", ""), False)
            answer.headers.pop("Set-Cookie", None)
            return answer
        if accepts_json() and speaks_json(database, host, path):
            return Response("{}", status=404, content_type="application/json")
    nothing = Response(b"", status=404)
    nothing.headers.pop("Content-Type", None)
    return nothing


def wants_page() -> bool:
    """Whether a page is asked for, or the request does not say what for."""
    if "Sec-Fetch-Dest" in request.headers:
        return is_document()
    accepted = request.headers.get("Accept", "").strip()
    return not accepted or accepted.startswith("*/*") or is_document()


def accepts_json() -> bool:
    """Whether the request takes JSON for an answer."""
    accepted = request.headers.get("Accept", "")
    return not accepted or any(name in accepted for name in ("json", "*/*", "application/*"))


def area(path: str) -> tuple[str, str, str]:
    """The first folder of a path, and the bounds between which all paths below it lie."""
    top = "/" + path[1:].partition("/")[0]
    return top, top + "/", top + "0"


def recorded_error(database: sqlite3.Connection, host: int, path: str) -> int | None:
    """A request below the same first folder that was answered with an error in JSON.

    The best has status 404, was asked for by the same method, and by a fresh visitor.
    """
    row = database.execute(
        "SELECT r.id FROM site.request r JOIN site.answer a ON a.request = r.id AND a.place = 0"
        " WHERE r.host = ? AND (r.path = ? OR (r.path > ? AND r.path < ?))"
        " AND a.status >= 400 AND a.media GLOB ? AND a.messages IS NULL"
        " ORDER BY a.status <> 404, a.status >= 500, r.method <> ?, r.node, r.id LIMIT 1",
        (host, *area(path), JSON, request.method),
    ).fetchone()
    return int(row[0]) if row else None


def speaks_json(database: sqlite3.Connection, host: int, path: str) -> bool:
    """Whether answers at this path were mostly JSON; where there are none, those around it."""
    for within in ((path, path, path), area(path)):
        total, json_ones = database.execute(
            "SELECT count(*), coalesce(sum(a.media GLOB ?), 0)"
            " FROM site.request r JOIN site.answer a ON a.request = r.id AND a.place = 0"
            " WHERE r.host = ? AND (r.path = ? OR (r.path > ? AND r.path < ?)) AND a.media <> ''",
            (JSON, host, *within),
        ).fetchone()
        if total:
            return bool(2 * json_ones >= total)
    return False
