"""Isolated copies of a mirror's state in one process, each with its own database, lock, clock and event log.

A session's database is the seed image in memory. To reset is to load the image again: no restart, no file.
"""

import collections
import contextlib
import contextvars
import re
import sqlite3
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from environments.runtime import database
from environments.runtime.clock import Clock

DEFAULT = "default"
NAME = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")
EVENTS_KEPT = 2_000
SNAPSHOTS_KEPT = 64
SESSIONS_KEPT = 4_096

_current: contextvars.ContextVar["Session"] = contextvars.ContextVar("session")


class Refused(Exception):
    """Something asked of the sessions that cannot be done; `status` is the HTTP status that says so."""

    def __init__(self, status: int, what: str) -> None:
        super().__init__(what)
        self.status = status


class Seed(NamedTuple):
    """What every session starts from."""

    image: bytes
    digest: str
    site: Path | None
    """Database of recorded answers, attached to every session as `site`."""
    clock: float

    @classmethod
    def of(cls, mirror: Path, clock: float) -> "Seed":
        """The seed of a mirror folder. Raises sqlite3.Error if its seed.sql is broken."""
        script = mirror / "seed.sql"
        image = database.seed_image(script.read_text("utf-8") if script.exists() else "")
        site = mirror / "site.db"
        return cls(image, database.digest(image), site if site.exists() else None, clock)


class Occurrence(NamedTuple):
    """One request as the event log keeps it."""

    number: int
    at: float
    method: str
    url: str
    status: int
    milliseconds: float
    writes: int
    """Rows inserted, changed or deleted while it was answered."""


class Session:
    """One isolated copy of the state. One request at a time: whatever uses the connection takes a `turn()`."""

    def __init__(self, name: str, seed: Seed, *, image: bytes | None = None) -> None:
        self.name = name
        self.seed = seed
        self.clock = Clock(seed.clock)
        self.lock = threading.RLock()
        self.events: collections.deque[Occurrence] = collections.deque(maxlen=EVENTS_KEPT)
        self.requests = 0
        self.writes = 0
        self.snapshots: dict[str, tuple[bytes, float]] = {}
        self._taken = 0
        self._image = seed.image if image is None else image
        """What the database is made of once somebody asks for it."""
        self._connection: sqlite3.Connection | None = None

    def connection(self) -> sqlite3.Connection:
        """The session's database, opened at its first use: a session nobody visits costs next to nothing."""
        if self._connection is None:
            connection = sqlite3.connect(":memory:", check_same_thread=False, uri=True)
            connection.deserialize(self._image)
            if self.seed.site is not None:
                database.attach_site(connection, self.seed.site)
            self._connection = connection
        return self._connection

    @contextlib.contextmanager
    def turn(self) -> Iterator[None]:
        """The right to use the connection. What was not committed is kept when the block ends well, else undone."""
        with self.lock, self.entered():
            try:
                yield
            except BaseException:
                if self._connection is not None and self._connection.in_transaction:
                    self._connection.rollback()
                raise
            if self._connection is not None and self._connection.in_transaction:
                self._connection.commit()

    @contextlib.contextmanager
    def entered(self) -> Iterator[None]:
        """Makes this the session that `current()` names in this thread."""
        token = _current.set(self)
        try:
            yield
        finally:
            _current.reset(token)

    def changes(self) -> int:
        """Rows written through the connection since it was opened."""
        return 0 if self._connection is None else self._connection.total_changes

    def image(self) -> bytes:
        """The bytes of the whole database as it is now."""
        with self.lock:
            if self._connection is None:
                return self._image
            if self._connection.in_transaction:
                self._connection.commit()
            return self._connection.serialize()

    def state(self) -> str:
        """The digest of the database as it is now, read back from it.

        Bytes equal to the seed's, every one of them compared, have the seed's digest; others are digested row by row.
        """
        image = self.image()
        return self.seed.digest if image == self.seed.image else database.digest(image)

    def reset(self, *, clock: float | None = None) -> dict[str, Any]:
        """Back to the seed, in place. `state` is read from the database afterwards."""
        with self.lock:
            started = time.perf_counter()
            self._load(self.seed.image)
            self.clock = Clock(self.seed.clock if clock is None else clock)
            self.events.clear()
            self.requests = self.writes = 0
            state = self.state()
            elapsed = (time.perf_counter() - started) * 1000
        return {"session": self.name, "seed": self.seed.digest, "state": state, "ms": round(elapsed, 3)}

    def _load(self, image: bytes) -> None:
        """Begin again from an image, on a connection of its own.

        SQLite does not survive `deserialize` under a cursor that somebody still holds; `close` ends such cursors.
        """
        self.close()
        self._image = image
        self.connection()

    def snapshot(self) -> str:
        """Keep the state as it is now; the answer names it for `restore`. Outlives resets, not the session."""
        with self.lock:
            if len(self.snapshots) >= SNAPSHOTS_KEPT:
                raise Refused(409, f"a session keeps at most {SNAPSHOTS_KEPT} snapshots")
            self._taken += 1
            name = f"n{self._taken}"
            self.snapshots[name] = (self.image(), self.clock.now())
            return name

    def restore(self, name: str) -> str:
        """Go back to a snapshot; the answer is the state's digest afterwards."""
        with self.lock:
            if name not in self.snapshots:
                raise Refused(404, f"this session has no snapshot {name}")
            image, instant = self.snapshots[name]
            self._load(image)
            self.clock.set(instant)
            return self.state()

    def difference(self) -> dict[str, Any]:
        """Rows added, removed and changed since the seed."""
        return database.difference(self.seed.image, self.image())

    def note(self, method: str, url: str, status: int, milliseconds: float, writes: int) -> None:
        """Add a request to the event log."""
        self.requests += 1
        self.writes += writes
        self.events.append(
            Occurrence(self.requests, self.clock.now(), method, url, status, round(milliseconds, 3), writes)
        )

    def close(self) -> None:
        with self.lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None


class Sessions:
    """All sessions of one environment; `default` is always there."""

    def __init__(self, seed: Seed) -> None:
        self.seed = seed
        self._lock = threading.Lock()
        self._made = 0
        self._sessions = {DEFAULT: Session(DEFAULT, seed)}

    def get(self, name: str | None) -> Session:
        """The session of this name, `default` for None. Raises Refused(404)."""
        session = self._sessions.get(name or DEFAULT)
        if session is None:
            raise Refused(404, f"there is no session {name}")
        return session

    def find(self, name: str) -> Session | None:
        return self._sessions.get(name)

    def names(self) -> list[str]:
        return list(self._sessions)

    def create(self, name: str | None = None, *, like: Session | None = None) -> Session:
        """A new session at the seed, or at the present state of another."""
        image = like.image() if like else None
        with self._lock:
            if len(self._sessions) >= SESSIONS_KEPT:
                raise Refused(429, f"there are {SESSIONS_KEPT} sessions already")
            if name is None:
                name = self._unused()
            elif not NAME.fullmatch(name):
                raise Refused(400, "a session's name is a host name label: a-z, 0-9 and -, at most 63 characters")
            elif name in self._sessions:
                raise Refused(409, f"there is a session {name} already")
            session = Session(name, self.seed, image=image)
            if like:
                session.clock.set(like.clock.now(), running=like.clock.running)
            self._sessions[name] = session
        return session

    def _unused(self) -> str:
        while True:
            self._made += 1
            if (name := f"s{self._made}") not in self._sessions:
                return name

    def delete(self, name: str) -> None:
        """End a session and forget its state. Raises Refused for `default` and for unknown names."""
        if name == DEFAULT:
            raise Refused(409, "the default session cannot be deleted; reset it instead")
        with self._lock:
            session = self._sessions.pop(name, None)
        if session is None:
            raise Refused(404, f"there is no session {name}")
        session.close()

    def close(self) -> None:
        for session in list(self._sessions.values()):
            session.close()


def current() -> Session:
    """The session whose turn it is in this thread. Raises LookupError outside a turn."""
    return _current.get()


def connect() -> sqlite3.Connection:
    """The database of the session whose turn it is: what a mirror's `create_app` is given."""
    return current().connection()
