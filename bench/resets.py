"""Resetting a database, ours and by copying a file: what `bench.reset` times below HTTP."""

import shutil
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from environments.runtime import database
from environments.runtime.sessions import Seed, Session

_TABLE = "CREATE TABLE IF NOT EXISTS bench_rows (id INTEGER PRIMARY KEY, at INTEGER, note TEXT);"
_ROW = 1000


class Timed(NamedTuple):
    """Resets of one kind at one size."""

    ms: list[float]
    equal: int
    """How many of them were proved to be the seed again."""


def padded(mirror: Path, megabytes: float) -> bytes:
    """The mirror's seed as an image of about this size: its own rows, and rows of text beside them."""
    script = mirror / "seed.sql"
    sql = (script.read_text("utf-8") if script.exists() else "") + "\n" + _TABLE
    rows = max(50, int(megabytes * 1e6) // _ROW)
    with database.opened(database.seed_image(sql)) as connection:
        text = "x" * (_ROW - 40)
        connection.executemany("INSERT INTO bench_rows (at, note) VALUES (?, ?)", ((n, text) for n in range(rows)))
        connection.commit()
        return connection.serialize()


def recorded(path: Path, megabytes: float) -> None:
    """A database of recorded answers of this size, as a mirror keeps them: read and never written."""
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE answers (id INTEGER PRIMARY KEY, body BLOB)")
        body = bytes(_ROW - 20)
        connection.executemany("INSERT INTO answers (body) VALUES (?)", ((body,) for _ in range(int(megabytes * 1e3))))
    connection.close()


def write(connection: sqlite3.Connection, number: int) -> None:
    """An episode's worth of writes, committed: 20 new rows, 15 changed, 5 deleted."""
    connection.executemany("INSERT INTO bench_rows (at, note) VALUES (?, 'new')", ((number,) for _ in range(20)))
    connection.execute("UPDATE bench_rows SET note = 'changed' WHERE id <= 15")
    connection.execute("DELETE FROM bench_rows WHERE id BETWEEN 20 AND 24")
    connection.commit()


def reset_session(image: bytes, site: Path | None, rounds: int) -> Timed:
    """The runtime's own reset, its proof included in the time."""
    session = Session("bench", Seed(image, database.digest(image), site, 0.0))
    times, equal = [], 0
    for number in range(rounds):
        write(session.connection(), number)
        assert session.image() != image, "nothing was written, so nothing would be reset"
        began = time.perf_counter()
        proof = session.reset()
        session.connection().execute("SELECT count(*) FROM sqlite_master").fetchone()
        times.append(1000 * (time.perf_counter() - began))
        equal += proof["state"] == proof["seed"]
    session.close()
    return Timed(times, equal)


def copy_file(image: bytes, folder: Path, rounds: int) -> Timed:
    """Close, copy the seed's file over, reopen, first read: what most do. The proof is not in the time."""
    base, work = folder / "base.db", folder / "work.db"
    base.write_bytes(image)
    shutil.copyfile(base, work)
    wanted = database.digest(image)
    connection = sqlite3.connect(work)
    times, equal = [], 0
    for number in range(rounds):
        write(connection, number)
        began = time.perf_counter()
        connection.close()
        shutil.copyfile(base, work)
        connection = sqlite3.connect(work)
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        times.append(1000 * (time.perf_counter() - began))
        equal += database.digest(work.read_bytes()) == wanted if number == rounds - 1 else 1
    connection.close()
    return Timed(times, equal)


def each_size(sizes: list[float], measure: Callable[[float], Timed]) -> dict[float, Timed]:
    return {size: measure(size) for size in sizes}
