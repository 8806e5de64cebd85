"""What a visitor's actions change: who visits, in which situation, how far along a sequence.

These tables come from seed.sql. What never changes is in site.db, attached as `site`.
"""

import secrets
import sqlite3
import threading
import weakref
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

NOBODY = 0
"""The number of a visitor who has changed nothing yet, and the situation of a fresh one."""


class Move(NamedTuple):
    """A changing request: the situation it was recorded in, and the one it leads to."""

    source: int
    target: int


class Private:
    """A database of its own, made from the seed and kept in memory."""

    def __init__(self, folder: Path) -> None:
        self._database = sqlite3.connect(":memory:", check_same_thread=False, uri=True)
        self._database.executescript((folder / "seed.sql").read_text(encoding="utf-8"))
        site = (folder / "site.db").as_uri() + "?mode=ro&immutable=1"
        self._database.execute("ATTACH DATABASE ? AS site", (site,))
        self._turn = threading.Lock()
        weakref.finalize(self, self._database.close)

    def connection(self) -> sqlite3.Connection:
        """The database, for the one request that is being answered."""
        return self._database

    def one_at_a_time(self, application: Callable[..., Any]) -> Callable[..., Iterable[bytes]]:
        """The application, made to answer one request after the other."""

        def guarded(environ: dict[str, Any], start: Any) -> Iterable[bytes]:
            with self._turn:
                return application(environ, start)  # type: ignore[no-any-return]

        return guarded


def open_private(folder: Path) -> Private:
    """A private copy of what can change, beside the answers that cannot."""
    return Private(folder)


def visitor_of(database: sqlite3.Connection, token: str) -> int:
    """The visitor who holds this token, or NOBODY."""
    if not token:
        return NOBODY
    row = database.execute("SELECT id FROM visitor WHERE token = ?", (token,)).fetchone()
    return int(row[0]) if row else NOBODY


def new_visitor(database: sqlite3.Connection) -> tuple[int, str]:
    """A visitor nobody has been before, and the token they are known by."""
    token = secrets.token_hex(16)
    with database:
        row = database.execute("INSERT INTO visitor (token) VALUES (?) RETURNING id", (token,))
        return int(row.fetchone()[0]), token


def stack(database: sqlite3.Connection, visitor: int) -> list[int]:
    """The visitor's situations, the latest last. Empty for a fresh visitor."""
    rows = database.execute(
        "SELECT node FROM situation WHERE visitor = ? ORDER BY depth", (visitor,)
    )
    return [int(row[0]) for row in rows]


def chain(database: sqlite3.Connection, nodes: Iterable[int]) -> list[int]:
    """Where answers are looked for: each situation from the latest on, then those it came from."""
    found: dict[int, None] = {}
    for node in reversed(list(nodes)):
        while node != NOBODY and node not in found:
            found[node] = None
            row = database.execute("SELECT parent FROM site.node WHERE id = ?", (node,)).fetchone()
            node = int(row[0]) if row and row[0] is not None else NOBODY
    return [*found, NOBODY]


def after(nodes: list[int], move: Move) -> list[int]:
    """The visitor's situations once a changing request was answered."""
    if move.target == move.source:
        return nodes
    if move.target == NOBODY:
        return []
    rest = nodes[:-1] if nodes and nodes[-1] == move.source else nodes
    return [node for node in rest if node != move.target] + [move.target]


def enter(database: sqlite3.Connection, visitor: int, nodes: list[int]) -> None:
    """Put the visitor into these situations; what is told in steps begins anew in the latest."""
    with database:
        database.execute("DELETE FROM situation WHERE visitor = ?", (visitor,))
        database.executemany(
            "INSERT INTO situation (visitor, depth, node) VALUES (?, ?, ?)",
            [(visitor, depth, node) for depth, node in enumerate(nodes)],
        )
        database.execute(
            "DELETE FROM position WHERE visitor = ? AND request IN"
            " (SELECT id FROM site.request WHERE node = ? AND answers > 1)",
            (visitor, nodes[-1] if nodes else NOBODY),
        )


def place_of(database: sqlite3.Connection, visitor: int, request: int, answers: int) -> int:
    """Which of a request's answers is due now; the last one stays due."""
    row = database.execute(
        "SELECT place FROM position WHERE visitor = ? AND request = ?", (visitor, request)
    ).fetchone()
    return min(int(row[0]), answers - 1) if row else 0


def advance(database: sqlite3.Connection, visitor: int, request: int, place: int) -> None:
    """Make the answer after this one the next that is due."""
    with database:
        database.execute(
            "INSERT INTO position (visitor, request, place) VALUES (?, ?, ?)"
            " ON CONFLICT (visitor, request) DO UPDATE SET place = excluded.place",
            (visitor, request, place + 1),
        )


def sequences(database: sqlite3.Connection, host: int, path: str) -> list[int]:
    """The requests whose answers begin anew whenever this document is loaded."""
    rows = database.execute(
        "SELECT id FROM site.request WHERE host = ? AND restarts_with = ?", (host, path)
    )
    return [int(row[0]) for row in rows]


def restart(database: sqlite3.Connection, visitor: int, requests: Iterable[int]) -> None:
    """Begin these sequences anew."""
    with database:
        database.executemany(
            "DELETE FROM position WHERE visitor = ? AND request = ?",
            [(visitor, request) for request in requests],
        )


def accounts(database: sqlite3.Connection) -> list[tuple[str, str, str]]:
    """Label, user and password of each account."""
    return database.execute("SELECT label, user, password FROM account ORDER BY label").fetchall()
