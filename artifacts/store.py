"""A content-addressed store and an append-only journal: the two ways anything is written during a run.

A blob is written to a temporary name and renamed, so a reader sees all of it or nothing. A journal line counts once its
newline is on disk; a torn last line is work owed, never an error.
"""

import contextlib
import errno
import json
import os
import secrets
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from artifacts._record import Record
from artifacts.digest import digest_bytes
from artifacts.errors import DamagedError, disk_full


@contextlib.contextmanager
def _disk(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise disk_full(path) from error
        raise


def write_file(path: Path, data: bytes) -> None:
    """Replace a file in one step. Raises MissingError("disk_full") when there is no room; the old file then stays."""
    with _disk(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
        try:
            with temporary.open("wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)


class Store:
    """Blobs by sha256 below one folder. Safe to share between processes: a blob is only ever added, always whole."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def path(self, digest: str) -> Path:
        """Where the blob of this digest lies, whether or not it is there."""
        return self.root / digest[:2] / digest[2:]

    def __contains__(self, digest: str) -> bool:
        return self.path(digest).exists()

    def put(self, data: bytes) -> str:
        """Keep the bytes and return their digest; writing the same bytes again costs nothing."""
        digest = digest_bytes(data)
        path = self.path(digest)
        if path.exists():
            return digest
        with _disk(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            temporary = path.with_name(f".{digest[:12]}.{os.getpid()}.{secrets.token_hex(4)}")
            try:
                temporary.write_bytes(data)
                temporary.replace(path)
            finally:
                temporary.unlink(missing_ok=True)
        return digest

    def get(self, digest: str) -> bytes:
        """The bytes, checked against their digest. Raises DamagedError if they are missing or altered."""
        path = self.path(digest)
        try:
            data = path.read_bytes()
        except FileNotFoundError as error:
            raise DamagedError(
                f"The store has no blob {digest[:12]}.", where=str(path), remedy="Run the stage that wrote it again."
            ) from error
        if digest_bytes(data) != digest:
            raise DamagedError(
                f"Blob {digest[:12]} does not match its digest.",
                where=str(path),
                remedy="Delete this file and run the stage that wrote it again.",
            )
        return data

    def put_json(self, value: Any) -> str:
        """Keep a JSON value; the digest is that of the bytes written."""
        return self.put(json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode())

    def get_json(self, digest: str) -> Any:
        return json.loads(self.get(digest))

    def put_record(self, record: Record) -> str:
        return self.put(record.to_bytes())

    def get_record[R: Record](self, kind: type[R], digest: str) -> R:
        return kind.from_bytes(self.get(digest))


class Journal:
    """JSON lines, appended and flushed to disk one by one; reading stops quietly at a torn last line.

    >>> import tempfile
    >>> journal = Journal(Path(tempfile.mkdtemp()) / "j.jsonl")
    >>> journal.append({"n": 1}); journal.append({"n": 2})
    >>> _ = journal.path.write_bytes(journal.path.read_bytes()[:-4])
    >>> [line["n"] for line in journal.read()]
    [1]
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self) -> Iterator[dict[str, Any]]:
        """Every whole line, in order. Raises DamagedError for a broken line that is not the last."""
        if not self.path.exists():
            return
        lines = self.path.read_bytes().split(b"\n")
        for number, line in enumerate(lines):
            if not line:
                continue
            try:
                value = json.loads(line)
            except ValueError as error:
                if number == len(lines) - 1:
                    return
                raise DamagedError(
                    f"Line {number + 1} of the journal is broken.",
                    where=str(self.path),
                    remedy="Delete that line, or start over in a new folder with --out.",
                ) from error
            if number == len(lines) - 1:
                return  # whole JSON, yet no newline: the write was cut just before it counted
            yield value

    def append(self, value: dict[str, Any]) -> None:
        """Add one line and wait until it is on disk. A torn tail left by a killed process is cut off first."""
        self.extend([value])

    def extend(self, values: Iterable[dict[str, Any]]) -> None:
        """Add several lines with one wait for the disk; a kill in between leaves the first ones whole."""
        lines = [json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() + b"\n" for value in values]
        if not lines:
            return
        with _disk(self.path):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("a+b") as file:
                self._cut_torn_tail(file)
                file.write(b"".join(lines))
                file.flush()
                os.fsync(file.fileno())

    @staticmethod
    def _cut_torn_tail(file: Any) -> None:
        end = file.seek(0, os.SEEK_END)
        if end == 0:
            return
        file.seek(end - 1)
        if file.read(1) == b"\n":
            return
        file.seek(0)
        file.truncate(file.read().rfind(b"\n") + 1)
        file.seek(0, os.SEEK_END)
