"""site.db: every recorded answer, as a SQLite file whose bytes depend on nothing but the answers."""

import json
import re
import sqlite3
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from builder.behave.patches import text_of
from builder.compile import keys
from builder.compile.answers import Answer
from builder.compile.headers import replayed
from builder.compile.recordings import Read, Recording
from builder.compile.site import Compiled
from builder.emit import behaviour
from builder.emit.apis import fill_api_tables
from builder.emit.behaviour import fill_behaviour
from builder.emit.lists import fill_tables

LARGEST_BLOB = 1_000_000
"""Larger bodies become files."""
_PAGE_LIKE = re.compile(r"^text/(html|plain|xml)$|json|xml$")
_EXTENSIONS = {
    "text/css": "css", "text/javascript": "js", "application/javascript": "js", "application/x-javascript": "js",
    "image/png": "png", "image/jpeg": "jpg", "image/gif": "gif", "image/webp": "webp", "image/avif": "avif",
    "image/svg+xml": "svg", "image/x-icon": "ico", "image/vnd.microsoft.icon": "ico", "font/woff2": "woff2",
    "font/woff": "woff", "font/ttf": "ttf", "application/json": "json", "text/html": "html", "text/plain": "txt",
    "video/mp4": "mp4", "audio/mpeg": "mp3", "application/pdf": "pdf", "application/wasm": "wasm",
}  # fmt: skip

SCHEMA = """
CREATE TABLE host (id INTEGER PRIMARY KEY, origin TEXT NOT NULL, scheme TEXT NOT NULL, name TEXT NOT NULL,
  port INTEGER NOT NULL, own INTEGER NOT NULL);
CREATE TABLE node (id INTEGER PRIMARY KEY, parent INTEGER, note TEXT NOT NULL);
CREATE TABLE request (id INTEGER PRIMARY KEY, node INTEGER NOT NULL, host INTEGER NOT NULL, method TEXT NOT NULL,
  path TEXT NOT NULL, query TEXT NOT NULL, steady TEXT NOT NULL, body_key TEXT NOT NULL, leaves TEXT NOT NULL,
  typed TEXT NOT NULL, given TEXT NOT NULL, callback TEXT NOT NULL, restarts_with TEXT NOT NULL,
  answers INTEGER NOT NULL, feature TEXT NOT NULL, value TEXT NOT NULL);
CREATE TABLE answer (request INTEGER NOT NULL, place INTEGER NOT NULL, status INTEGER NOT NULL, media TEXT NOT NULL,
  headers TEXT NOT NULL, body BLOB, body_file TEXT, messages TEXT, PRIMARY KEY (request, place));
CREATE TABLE edge (request INTEGER PRIMARY KEY, target INTEGER NOT NULL);
CREATE TABLE volatile (host INTEGER NOT NULL, method TEXT NOT NULL, path TEXT NOT NULL, kind TEXT NOT NULL,
  key TEXT NOT NULL, because TEXT NOT NULL, PRIMARY KEY (host, method, path, kind, key)) WITHOUT ROWID;
CREATE TABLE account (label TEXT PRIMARY KEY, user TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE talk (id INTEGER PRIMARY KEY, host INTEGER NOT NULL, path TEXT NOT NULL, query TEXT NOT NULL,
  protocol TEXT NOT NULL, messages TEXT NOT NULL);
CREATE TABLE not_found (host INTEGER PRIMARY KEY, request INTEGER NOT NULL);
CREATE TABLE fragment (node INTEGER NOT NULL, place INTEGER NOT NULL, change TEXT NOT NULL, PRIMARY KEY (node, place))
  WITHOUT ROWID;
CREATE INDEX request_asked ON request (host, path, method, steady, body_key);
CREATE INDEX request_restarts ON request (host, restarts_with) WHERE restarts_with <> '';
CREATE INDEX request_steps ON request (node) WHERE answers > 1;
"""


class Stored(NamedTuple):
    """Where a body lies: in the database, or in a file."""

    blob: bytes | None
    file: str | None


class _Bodies:
    """The bodies that are files, each written once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._names: dict[str, str] = {}

    def stored(self, recording: Recording) -> Stored:
        body = recording.body
        if not body or (len(body) <= LARGEST_BLOB and not recording.is_static and _PAGE_LIKE.search(recording.media)):
            return Stored(body or None, None)
        digest = recording.body_digest
        if digest not in self._names:
            name = f"{digest[:2]}/{digest}.{_extension(recording)}"
            path = self._folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(body)
            self._names[digest] = name
        return Stored(None, self._names[digest])


def write_database(folder: Path, compiled: Compiled, read: Read) -> None:
    """Write site.db, and below bodies/ the files that its rows point at."""
    bodies = _Bodies(folder / "bodies")
    numbers = {host: number for number, host in enumerate(compiled.contract.hosts)}
    database = sqlite3.connect(folder / "site.db", isolation_level=None)
    try:
        database.executescript("PRAGMA page_size = 4096; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;")
        database.executescript(SCHEMA + behaviour.SCHEMA)
        database.execute("BEGIN")
        database.executemany("INSERT INTO host VALUES (?, ?, ?, ?, ?, ?)", _hosts(numbers, compiled.own_hosts))
        database.executemany("INSERT INTO node VALUES (?, ?, ?)", _nodes(compiled))
        for number, answer in enumerate(compiled.answers):
            database.execute(
                "INSERT INTO request VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                _request(number, answer, numbers),
            )
            database.executemany(
                "INSERT INTO answer VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                _answers(number, answer, compiled.contract.clock, read, bodies),
            )
            if answer.target is not None:
                database.execute("INSERT INTO edge VALUES (?, ?)", (number, answer.target))
        database.executemany("INSERT INTO volatile VALUES (?, ?, ?, ?, ?, ?)", _volatile(compiled, numbers))
        database.executemany(
            "INSERT INTO account VALUES (?, ?)", [(a["label"], a["user"]) for a in compiled.contract.accounts]
        )
        database.executemany(
            "INSERT INTO not_found VALUES (?, ?)", [(numbers[host], n) for host, n in compiled.not_found.items()]
        )
        database.executemany(
            "INSERT INTO talk VALUES (?, ?, ?, ?, ?, ?)",
            [(n, numbers[talk.host], *talk[1:4], _json(talk.messages)) for n, talk in enumerate(compiled.talks)],
        )
        database.executemany("INSERT INTO fragment VALUES (?, ?, ?)", _fragments(compiled))
        fill_behaviour(database, compiled)
        fill_tables(database, compiled.induced)
        fill_api_tables(database, compiled.apis)
        database.execute("COMMIT")
        database.execute("VACUUM")
    finally:
        database.close()


def _hosts(numbers: Mapping[str, int], own: int) -> Iterator[tuple[int, str, str, str, int, int]]:
    for origin, number in numbers.items():
        parts = urlsplit(origin)
        port = parts.port or keys.DEFAULT_PORTS[parts.scheme]
        yield number, origin, parts.scheme, parts.hostname or "", port, number < own


def _nodes(compiled: Compiled) -> Iterator[tuple[int, int | None, str]]:
    numbers = {node: number for number, node in enumerate(compiled.nodes)}
    for node, number in numbers.items():
        if not node:
            yield number, None, "a fresh visitor"
        else:
            yield number, numbers[node[:-1]], f"after {node[-1].method} {node[-1].path}"


def _fragments(compiled: Compiled) -> Iterator[tuple[int, int, str]]:
    for node, changes in sorted(compiled.fragments.items()):
        for place, change in enumerate(changes):
            yield node, place, text_of(change).encode("utf-8", "backslashreplace").decode()


def _request(number: int, answer: Answer, hosts: Mapping[str, int]) -> tuple[object, ...]:
    recording = answer.recordings[0]
    return (
        number,
        answer.node,
        hosts[answer.name.host],
        answer.name.method,
        answer.name.path,
        keys.query_of(recording.pairs),
        answer.name.query,
        answer.name.body,
        _json(recording.leaves),
        _json(answer.typed),
        _json(answer.given),
        answer.callback,
        answer.restarts_with,
        len(answer.recordings),
        *(answer.condition or ("", "")),
    )


def _answers(number: int, answer: Answer, clock: str, read: Read, bodies: _Bodies) -> Iterator[tuple[object, ...]]:
    for place, recording in enumerate(answer.recordings):
        stored = bodies.stored(recording)
        messages = None
        if recording.exchange.messages and (recording.media == "text/event-stream" or not recording.body):
            lines = read(recording.exchange.messages).splitlines()
            messages = _json([json.loads(line) for line in lines if line])
        headers = _json(replayed(recording, clock))
        yield number, place, recording.status, recording.media, headers, stored.blob, stored.file, messages


def _extension(recording: Recording) -> str:
    if recording.media in _EXTENSIONS:
        return _EXTENSIONS[recording.media]
    found = re.search(r"\.([a-z0-9]{1,5})$", recording.path.lower())
    return found[1] if found else "bin"


def _volatile(compiled: Compiled, hosts: Mapping[str, int]) -> Iterator[tuple[int, str, str, str, str, str]]:
    for part, because in sorted(compiled.learned.because.items()):
        host, method, path = part.place
        if host in hosts:
            yield hosts[host], method, path, part.kind, part.key, because
    for part in sorted(compiled.learned.ways_back):
        host, method, path = part.place
        if host in hosts:
            yield hosts[host], method, path, "back", part.key, "a redirect put the address there that it came from"
    known = {(part.place[2], part.key) for part in compiled.learned.ways_back}
    for path, key in sorted(set(behaviour.ways_back(compiled)) - known):
        yield 0, "GET", path, "back", key, "a handler puts the address there that it came from"


def _json(value: object) -> str:
    plain = dict(value) if isinstance(value, Mapping) else value
    return json.dumps(plain, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
