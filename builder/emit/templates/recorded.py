"""Choosing among recorded answers: the same request, then nearly the same, else none.

A request is the same if it differs in nothing but what is known to be volatile. It is nearly the
same if what differs looks like chance or time, or is text for which any text like it did as well.
"""

import json
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import behaviour
import computed
import deeds
import documents
import frame
import keys
import respond
import sockets
import state
from flask import Response, current_app, g, request

FLOOR = 0.4
"""The least share of a request that must agree before another's answer is given to it."""
MOST_COMPARED = 2000
COLUMNS = (
    "SELECT r.id, r.node, r.query, r.leaves, r.typed, r.given, r.answers, r.callback,"
    " r.feature, r.value, e.target"
    " FROM site.request r LEFT JOIN site.edge e ON e.request = r.id WHERE "
)


class Asked(NamedTuple):
    """An incoming request, named as the recorded ones are."""

    host: int
    method: str
    path: str
    pairs: keys.Pairs
    leaves: dict[str, str]
    valid: frozenset[str]
    """Placeholders of passwords that came with the right user name."""


class Found(NamedTuple):
    """A recorded request."""

    id: int
    node: int
    query: str
    leaves: str
    typed: str
    given: str
    answers: int
    callback: str
    feature: str
    value: str
    target: int | None


Alike = Callable[[sqlite3.Connection, Asked], list[Found]]


class Asking(NamedTuple):
    """Who asks, what their actions made of the site, and what this request does to it as far as a handler knows."""

    visit: behaviour.Visit
    nodes: list[int]
    chain: list[int]
    deed: deeds.Deed | None


class Difference(NamedTuple):
    """One part in which a recorded request and an incoming one differ; None where it is missing."""

    key: str
    recorded: str | None
    incoming: str | None


def answer(*pages: computed.ListPages) -> Response:
    """What was recorded for this request, or what the site says where it has nothing.

    Where the address is that of a list among `pages`, a page that nobody recorded is made of the list's rows.
    """
    database: sqlite3.Connection = g.database
    asked = incoming(database)
    if sockets.is_asked_for():
        return sockets.answer(database, asked.host, asked.path, keys.query_of(asked.pairs))
    visitor = state.visitor_of(database, request.cookies.get(current_app.extensions["visitor_cookie"], ""))
    nodes = state.stack(database, visitor)
    chain = state.chain(database, nodes)
    visit = behaviour.Visit(database, visitor, asked.path)
    found = choose(database, asked, chain, exact)
    deed = deeds.of(visit, asked)
    if deed and (found is None or found.node != chain[0] or behaviour.is_astray(visit)):
        return deeds.answered(visit, deed, nodes)
    if found is None and (answered := made(visit, asked, chain, pages)):
        return answered
    found = found or choose(database, asked, chain, nearest)
    if found is not None:
        return given(asked, found, Asking(visit, nodes, chain, deed))
    if allowed := respond.preflight(database, asked.host, asked.path):
        return allowed
    report(database, asked)
    missing = respond.missing(database, asked.host, asked.path)
    return frame.put(missing, visit, frame.changes(visit, chain, state.NOBODY))


def made(
    visit: behaviour.Visit,
    asked: Asked,
    chain: Sequence[int],
    pages: Sequence[computed.ListPages],
) -> Response | None:
    """An answer that nobody recorded: a page of a list, or data of an endpoint."""
    if asked.host == 0 and asked.method in ("GET", "HEAD"):
        pages_of = (computed.page(visit.database, one, asked.path) for one in pages)
        page = next((page for page in pages_of if page is not None), None)
        if page is not None:
            return frame.put(page, visit, frame.changes(visit, chain, state.NOBODY))
    return documents.answer(visit.database, asked.host, asked.method, asked.path, asked.leaves)


def given(asked: Asked, found: Found, asking: Asking) -> Response:
    """A recorded answer, and what it changes for whoever asked."""
    visit, nodes, chain, deed = asking
    database, visitor = visit.database, visit.visitor
    place = 0
    if found.answers > 1:
        place = state.place_of(database, visitor, found.id, found.answers)
        if request.method != "HEAD":
            state.advance(database, visitor, found.id, place)
    token, moved = "", None
    if found.target == found.node and nodes and nodes[-1] == found.node:
        state.enter(database, visitor, nodes)  # it looks as it did on entering: steps begin anew
    elif found.target is not None and found.target != found.node:
        moved = state.after(nodes, state.Move(found.node, found.target))
        if moved and visitor == state.NOBODY:
            visitor, token = state.new_visitor(database)
        if visitor != state.NOBODY:
            state.enter(database, visitor, moved)
    sequences = state.sequences(database, asked.host, asked.path)
    if sequences and respond.is_document():
        state.restart(database, visitor, sequences)
    visit = visit._replace(visitor=visitor)
    if deed and visitor != state.NOBODY:
        behaviour.do(visit, *deed, astray=False)
    changed = frame.changes(visit, chain, found.node) if asked.host == 0 and moved is None else []
    alone = found.answers == 1 and found.target is None and not sequences
    frozen = alone and found.node == state.NOBODY and not behaviour.is_restless(asked.path)
    names = callback_names(found, asked)
    echoes = frame.echoes(keys.pairs_of(found.query), asked.pairs, volatile(database, asked)["back"])
    if request.method == "POST":
        echoes += frame.retyped(json.loads(found.leaves), asked.leaves)
    whole = bool(changed or echoes)
    answered = respond.response(database, found.id, place, token, names, frozen, found.feature, whole=whole)
    return frame.put(answered, visit, changed, echoes)


def incoming(database: sqlite3.Connection) -> Asked:
    """The current request, passwords of accounts replaced by their placeholders."""
    accounts = state.accounts(database)
    query = keys.pairs_of(request.query_string.decode("latin-1"))
    body = request.get_data() if request.method not in ("GET", "HEAD") else b""
    plain = keys.leaves_of(request.headers.get("Content-Type", ""), body)
    leaves = keys.with_placeholders(plain, accounts)
    hidden = keys.with_placeholders({str(n): v for n, (_, v) in enumerate(query)}, accounts)
    pairs = tuple((name, hidden[str(n)]) for n, (name, _) in enumerate(query))
    values = {*plain.values(), *(value for _, value in query)}
    return Asked(
        host_of(database),
        request.method,
        keys.path_of(request.environ.get("PATH_INFO", "/").encode("latin-1").replace(b"%", b"%25")),
        pairs,
        leaves,
        frozenset(f"{{{{password:{label}}}}}" for label, user, _ in accounts if user in values),
    )


def host_of(database: sqlite3.Connection) -> int:
    """The recorded host that is meant; the site's own for a name nothing was recorded of."""
    forwarded = request.headers.get("X-Forwarded-Proto", "").partition(",")[0].strip()
    try:
        parts = urlsplit("//" + request.environ.get("HTTP_HOST", ""))
        name, port = (parts.hostname or "").rstrip("."), parts.port
    except ValueError:
        return 0
    origin = keys.origin_of(forwarded or request.scheme, name, port)
    row = database.execute(
        "SELECT id FROM site.host WHERE name = ? ORDER BY origin <> ?, id LIMIT 1", (name, origin)
    ).fetchone()
    return int(row[0]) if row else 0


def choose(database: sqlite3.Connection, asked: Asked, chain: Sequence[int], alike: Alike) -> Found | None:
    """The recorded request that is answered again, looked for from the latest situation on."""
    changing = asked.method not in ("GET", "HEAD", "OPTIONS", "TRACE")
    methods = ["GET", "HEAD"] if asked.method == "HEAD" else [asked.method]
    for method in methods:
        rows = alike(database, asked._replace(method=method))
        if found := first_in(chain, rows):
            return found
        if changing and (found := any_edge(rows)):
            return found
    return None


def exact(database: sqlite3.Connection, asked: Asked) -> list[Found]:
    """Recorded requests that differ at most in what is volatile; the most alike first."""
    left_out = volatile(database, asked)
    rows = database.execute(
        COLUMNS + "r.host = ? AND r.method = ? AND r.path = ? AND r.steady = ? AND r.body_key = ?"
        " ORDER BY r.query <> ?, r.id",
        (
            asked.host,
            asked.method,
            asked.path,
            keys.query_of(asked.pairs, left_out["query"]),
            keys.body_key(asked.leaves, left_out["body"]),
            keys.query_of(asked.pairs),
        ),
    )
    return [Found(*row) for row in rows]


def volatile(database: sqlite3.Connection, asked: Asked) -> dict[str, set[str]]:
    """The query keys and leaves that decide nothing here; under "back" those that decide little."""
    found: dict[str, set[str]] = {"query": set(), "body": set(), "back": set()}
    for kind, key in database.execute(
        "SELECT kind, key FROM site.volatile WHERE host = ? AND method = ? AND path = ?",
        (asked.host, asked.method, asked.path),
    ):
        found[kind].add(key)
    return found


def first_in(chain: Sequence[int], rows: Iterable[Found]) -> Found | None:
    """The row of the latest situation; of several there, one whose condition the request meets."""
    rows = list(rows)
    for node in chain:
        here = [row for row in rows if row.node == node]
        if here:
            return next((row for row in here if meets(row)), here[0])
    return None


def meets(row: Found) -> bool:
    """Whether the current request says of itself what the recorded one did."""
    if not row.feature:
        return True
    headers = {name.lower(): value for name, value in request.headers.items()}
    if said := headers.get("authorization"):
        headers["authorization"] = keys.credentials(said, state.accounts(g.database))
    return keys.feature_of(row.feature, headers, request.cookies) == row.value


def any_edge(rows: Iterable[Found]) -> Found | None:
    """A changing request of whichever situation."""
    return next((row for row in rows if row.target is not None), None)


def nearest(database: sqlite3.Connection, asked: Asked) -> list[Found]:
    """Recorded requests to the same path that may stand for this one, the most alike first."""
    left_out = volatile(database, asked)
    scored = []
    for row in at_path(database, asked):
        score = likeness(row, asked, left_out)
        if score >= FLOOR:
            scored.append((score, row))
    return [row for _, row in sorted(scored, key=lambda item: (-item[0], item[1].id))]


def at_path(database: sqlite3.Connection, asked: Asked) -> list[Found]:
    """What was recorded under the path of a request, whatever its query and body."""
    rows = database.execute(
        COLUMNS + "r.host = ? AND r.method = ? AND r.path = ? ORDER BY r.id LIMIT ?",
        (asked.host, asked.method, asked.path, MOST_COMPARED),
    )
    return [Found(*row) for row in rows]


def likeness(row: Found, asked: Asked, left_out: dict[str, set[str]]) -> float:
    """How much of two requests agrees, 0 if something differs that may decide."""
    differing, equal = differences(row, asked, left_out)
    typed, given = set(json.loads(row.typed)), set(json.loads(row.given))
    secrets: dict[str, str] = {}
    for one in differing:
        if one.key.startswith("?") and one.key.strip("?&") in left_out["back"]:
            continue
        if not may_differ(one, asked, typed, given, secrets):
            return 0.0
    if len(set(secrets.values())) < len(secrets):
        return 0.0
    total = equal + len(differing)
    absent = 0.05 * sum(one.recorded is None for one in differing)
    return (equal + 0.5 * len(differing) - absent) / total if total else 0.0


def differences(row: Found, asked: Asked, left_out: dict[str, set[str]]) -> tuple[list[Difference], int]:
    """What differs, parts that are volatile left out, and how many parts agree."""
    recorded = parts(keys.pairs_of(row.query), json.loads(row.leaves), left_out)
    offered = parts(asked.pairs, asked.leaves, left_out)
    names = dict.fromkeys([*recorded, *offered])
    differing = [
        Difference(name, recorded.get(name), offered.get(name))
        for name in names
        if recorded.get(name) != offered.get(name)
    ]
    return differing, len(names) - len(differing)


def parts(pairs: keys.Pairs, leaves: dict[str, str], left_out: dict[str, set[str]]) -> dict[str, str]:
    """Query and body as one set of named parts."""
    found: dict[str, str] = {}
    for name, value in pairs:
        if name not in left_out["query"]:
            key = "?" + name
            while key in found:
                key += "&"
            found[key] = value
    found |= {name: value for name, value in leaves.items() if name not in left_out["body"]}
    return found


def may_differ(one: Difference, asked: Asked, typed: set[str], given: set[str], secrets: dict[str, str]) -> bool:
    """Whether this difference decides nothing, as far as can be told from the two values."""
    name = one.key.strip("?&") if one.key.startswith("?") else one.key
    if one.recorded is None or one.incoming is None:
        present = one.recorded or one.incoming or ""
        return name not in given and keys.is_restless(present)
    if keys.SECRET.fullmatch(one.recorded):
        right = one.incoming in asked.valid
        return not right and secrets.setdefault(one.recorded, one.incoming) == one.incoming
    if name in typed and "" not in (one.recorded.strip(), one.incoming.strip()):
        shape = keys.shape_of(one.recorded)
        return shape != "number" and shape == keys.shape_of(one.incoming)
    return name not in given and keys.is_restless(one.recorded) and keys.is_restless(one.incoming)


def callback_names(found: Found, asked: Asked) -> tuple[str, str]:
    """The name a recorded script calls and the one it is to call now; empty if it calls none."""
    if not found.callback:
        return "", ""
    recorded = dict(keys.pairs_of(found.query)).get(found.callback, "")
    return recorded, dict(asked.pairs).get(found.callback, recorded)


def report(database: sqlite3.Connection, asked: Asked) -> None:
    """Tell whoever listens that nothing covers this request."""
    listener: Callable[[dict[str, Any]], None] | None = current_app.extensions.get("unseen")
    if listener is None:
        return
    left_out = volatile(database, asked)
    others = [(differences(row, asked, left_out)[0], row) for row in at_path(database, asked)]
    closest, row = min(others, key=lambda item: (len(item[0]), item[1].id), default=([], None))
    origin = database.execute("SELECT origin FROM site.host WHERE id = ?", (asked.host,)).fetchone()
    listener(
        {
            "method": asked.method,
            "host": origin[0] if origin else "",
            "path": asked.path,
            "query": keys.query_of(asked.pairs),
            "leaves": asked.leaves,
            "destination": request.headers.get("Sec-Fetch-Dest", ""),
            "nearest": None if row is None else {"query": row.query, "leaves": row.leaves},
            "differing": [one.key for one in closest],
        }
    )
