"""What is in a session's database: images, digests, differences and read-only questions.

Everything works on an image, the bytes of a whole database, through a connection of its own, so that nobody's cursors,
row factories or authorizers get in the way of the session.
"""

import base64
import contextlib
import hashlib
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

SQL_SECONDS = 2.0
SQL_ROWS = 10_000
DIFF_ROWS = 1_000

_READING = {
    sqlite3.SQLITE_SELECT,
    sqlite3.SQLITE_READ,
    sqlite3.SQLITE_FUNCTION,
    sqlite3.SQLITE_RECURSIVE,
}


class Table(NamedTuple):
    """One table and how its rows are told apart."""

    name: str
    columns: tuple[str, ...]
    key: tuple[str, ...]
    """Names of its primary key in a table without rowid, else its rowid's name."""


class QueryError(Exception):
    """A read-only question that cannot be answered, in words."""


def seed_image(sql: str) -> bytes:
    """The bytes of the database that a seed script makes. Raises sqlite3.Error if the script is broken."""
    with contextlib.closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("PRAGMA user_version = 0")  # an empty database has no pages and so no image
        connection.executescript(sql)
        connection.commit()
        return connection.serialize()


@contextlib.contextmanager
def opened(image: bytes) -> Iterator[sqlite3.Connection]:
    """A private connection on a copy of the image. Text that is no UTF-8 is kept as surrogates."""
    with contextlib.closing(sqlite3.connect(":memory:", uri=True)) as connection:
        if image:
            connection.deserialize(image)
        connection.text_factory = lambda data: data.decode("utf-8", "surrogateescape")
        yield connection


def quoted(name: str) -> str:
    """An SQL identifier, whatever is in the name."""
    return '"' + name.replace('"', '""') + '"'


def tables(connection: sqlite3.Connection) -> list[Table]:
    """Every ordinary table by name, the shadow tables of virtual ones included."""
    rows = connection.execute(
        "SELECT name, sql FROM main.sqlite_master WHERE type = 'table' ORDER BY name COLLATE BINARY"
    ).fetchall()
    return [_table(connection, name) for name, sql in rows if not str(sql).upper().startswith("CREATE VIRTUAL")]


def _table(connection: sqlite3.Connection, name: str) -> Table:
    listed = connection.execute(f"PRAGMA main.table_info({quoted(name)})").fetchall()
    columns = tuple(row[1] for row in listed)
    taken = {column.lower() for column in columns}
    for alias in ("rowid", "_rowid_", "oid"):
        if alias in taken:
            continue
        try:
            connection.execute(f"SELECT {alias} FROM main.{quoted(name)} LIMIT 0")
        except sqlite3.OperationalError:
            break
        return Table(name, columns, (alias,))
    primary = sorted((row[5], row[1]) for row in listed if row[5])
    return Table(name, columns, tuple(column for _, column in primary) or columns)


def _rows(connection: sqlite3.Connection, table: Table) -> Iterator[tuple[Any, ...]]:
    names = ", ".join(map(quoted, table.columns)) or "NULL"
    key = ", ".join(name if name in ("rowid", "_rowid_", "oid") else quoted(name) for name in table.key)
    return connection.execute(f"SELECT {key}, {names} FROM main.{quoted(table.name)} ORDER BY {key}")


def digest(image: bytes) -> str:
    """The sha256 of everything an image says: schema and all rows in order of their keys, rowids included.

    Rowids count because they decide in which order an unsorted query answers. Free pages and page order do not.
    """
    total = hashlib.sha256()
    with opened(image) as connection:
        for pragma in ("user_version", "application_id"):
            total.update(f"{pragma} {connection.execute(f'PRAGMA main.{pragma}').fetchone()[0]}\n".encode())
        schema = "SELECT type, name, tbl_name, sql FROM main.sqlite_master ORDER BY type, name COLLATE BINARY"
        for row in connection.execute(schema):
            total.update(ascii(row).encode() + b"\n")
        for table in tables(connection):
            total.update(b"table " + ascii(table.name).encode() + b"\n")
            for row in _rows(connection, table):
                # ascii() is the same in every Python and tells 1 from 1.0 and text from blob
                total.update(ascii(row).encode() + b"\n")
    return total.hexdigest()


def difference(before: bytes, after: bytes) -> dict[str, Any]:
    """Rows added, removed and changed from one image to the other, table by table; untouched tables are left out."""
    result: dict[str, Any] = {"tables": {}, "schema": []}
    if before == after:
        return result
    with opened(before) as old, opened(after) as new:
        old_tables = {table.name: table for table in tables(old)}
        new_tables = {table.name: table for table in tables(new)}
        for name in sorted(old_tables.keys() | new_tables.keys()):
            was, now = old_tables.get(name), new_tables.get(name)
            if was != now:
                result["schema"].append(name)
            changes = _compare(_keyed(old, was), _keyed(new, now), was or now)
            if changes:
                result["tables"][name] = changes
    return result


def _keyed(connection: sqlite3.Connection, table: Table | None) -> dict[tuple[Any, ...], dict[str, Any]]:
    if table is None:
        return {}
    width = len(table.key)
    return {row[:width]: dict(zip(table.columns, row[width:], strict=False)) for row in _rows(connection, table)}


def _compare(
    old: dict[tuple[Any, ...], dict[str, Any]], new: dict[tuple[Any, ...], dict[str, Any]], table: Table | None
) -> dict[str, Any]:
    added = [row for key, row in new.items() if key not in old]
    removed = [row for key, row in old.items() if key not in new]
    changed = [{"before": old[key], "after": row} for key, row in new.items() if key in old and old[key] != row]
    if not (added or removed or changed):
        return {}
    return {
        "key": list(table.key) if table else [],
        "counts": {"added": len(added), "removed": len(removed), "changed": len(changed)},
        "added": [_plain_row(row) for row in added[:DIFF_ROWS]],
        "removed": [_plain_row(row) for row in removed[:DIFF_ROWS]],
        "changed": [{side: _plain_row(row) for side, row in pair.items()} for pair in changed[:DIFF_ROWS]],
    }


def _plain_row(row: dict[str, Any]) -> dict[str, Any]:
    return {name: plain(value) for name, value in row.items()}


def plain(value: Any) -> Any:
    """A value JSON can hold: a blob becomes {"base64": ..}, broken text is repaired with replacement characters."""
    if isinstance(value, bytes):
        return {"base64": base64.b64encode(value).decode()}
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode() if not value.isascii() else value
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return repr(value)
    return value


def attach_site(connection: sqlite3.Connection, site: Path) -> None:
    """Make the recorded answers readable as `site`. The file is never locked and never written."""
    connection.execute("ATTACH ? AS site", (f"file:{quote(str(site))}?mode=ro&immutable=1",))
    connection.execute("PRAGMA site.mmap_size = 1073741824")  # mapped pages are shared by all sessions
    connection.execute("PRAGMA site.cache_size = -256")


def counts(image: bytes) -> dict[str, int]:
    """Rows of each table."""
    with opened(image) as connection:
        return {
            table.name: int(connection.execute(f"SELECT count(*) FROM main.{quoted(table.name)}").fetchone()[0])
            for table in tables(connection)
        }


def query(image: bytes, sql: str, *, site: Path | None = None) -> dict[str, Any]:
    """The answer to one SELECT on the image (and on `site`), within limits. Raises QueryError.

    What the statement may do is decided by SQLite's own authorizer, not by looking at its text.
    """
    deadline = time.monotonic() + SQL_SECONDS

    def allow(action: int, first: str | None, second: str | None, *_: str | None) -> int:
        if action not in _READING or "load_extension" in (first, second):
            return sqlite3.SQLITE_DENY
        return sqlite3.SQLITE_OK

    with opened(image) as connection:
        if site is not None and site.exists():
            attach_site(connection, site)
        connection.execute("PRAGMA query_only = 1")
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 64 * 1024 * 1024)
        connection.set_authorizer(allow)
        connection.set_progress_handler(lambda: int(time.monotonic() > deadline), 10_000)
        try:
            cursor = connection.execute(sql)
            rows = cursor.fetchmany(SQL_ROWS + 1)
        except (sqlite3.Error, sqlite3.Warning) as error:
            reason = f"it took longer than {SQL_SECONDS:g} s" if "interrupted" in str(error) else str(error)
            raise QueryError(reason) from error
        return {
            "columns": [column[0] for column in cursor.description or ()],
            "rows": [[plain(value) for value in row] for row in rows[:SQL_ROWS]],
            "truncated": len(rows) > SQL_ROWS,
        }
