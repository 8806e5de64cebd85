"""Ready answers to requests that get the same bytes from every visitor, given out before the application."""

import collections
import gzip
import threading
import time
from collections.abc import Callable
from email.utils import formatdate
from typing import NamedTuple

BYTES_KEPT = 256 * 1024 * 1024
LARGEST = 32 * 1024 * 1024
WORTH_PACKING = 1_400
LARGEST_PACKED = 2 * 1024 * 1024
_OWN_HEADERS = {"date", "content-length"}

Key = tuple[str, ...]
Headers = list[tuple[str, str]]


class Answer(NamedTuple):
    """Status line, headers, body, and the site's address it answers."""

    status: str
    headers: Headers
    body: bytes
    url: str = ""
    head: bytes = b""
    """Status line and headers as they are sent, without Date; made when an answer is kept."""

    def with_head(self) -> "Answer":
        lines = [f"HTTP/1.1 {self.status}", f"Content-Length: {len(self.body)}"]
        lines += [f"{name}: {value}" for name, value in self.headers if name.lower() not in _OWN_HEADERS]
        return self._replace(head=("\r\n".join(lines) + "\r\n").encode("latin-1"))


class _Entry:
    """One kept answer, with its packed form once it was asked for twice."""

    __slots__ = ("answer", "hits", "packed", "text")

    def __init__(self, answer: Answer, text: bool) -> None:
        self.answer = answer
        self.text = text
        self.hits = 0
        self.packed: Answer | None = None


class Frozen:
    """Answers by key, least recently used ones dropped when they are more than `limit` bytes together.

    A key is what decides the answer: the front's name, method, raw address. Where an answer varies by request headers,
    their values are part of the key; which headers those are is remembered for each address.
    """

    def __init__(self, limit: int = BYTES_KEPT) -> None:
        self.limit = limit
        self.bytes = 0
        self.hits = 0
        self._lock = threading.Lock()
        self._entries: collections.OrderedDict[Key, _Entry] = collections.OrderedDict()
        self._varying: dict[Key, tuple[str, ...]] = {}
        self._dated = (0, b"")

    @property
    def count(self) -> int:
        """How many answers are kept."""
        return len(self._entries)

    def _full(self, key: Key, header: Callable[[str], str]) -> Key:
        varying = self._varying.get(key)
        return key if not varying else (*key, *(header(name) for name in varying))

    def get(self, key: Key, header: Callable[[str], str]) -> Answer | None:
        """The ready answer; packed with gzip where it is text, large, and the client takes that."""
        with self._lock:
            full = self._full(key, header)
            entry = self._entries.get(full)
            if entry is None:
                return None
            self._entries.move_to_end(full)
            self.hits += 1
            entry.hits += 1
        if entry.text and "gzip" in header("accept-encoding"):
            return self._packed(entry)
        return entry.answer

    def head(self, answer: Answer) -> bytes:
        """Status line and headers of a kept answer as bytes, dated now."""
        now = int(time.time())
        if now != self._dated[0]:
            self._dated = (now, f"Date: {formatdate(now, usegmt=True)}\r\n\r\n".encode("ascii"))
        return answer.head + self._dated[1]

    def put(self, key: Key, header: Callable[[str], str], answer: Answer, *, text: bool) -> None:
        """Keep an answer unless it varies by everything or is too large to be worth it."""
        size = len(answer.body) + 512
        vary = ",".join(value for name, value in answer.headers if name.lower() == "vary")
        names = {name.strip().lower() for name in vary.split(",")} - {"", "accept-encoding", "cookie"}
        if size > min(LARGEST, self.limit) or "*" in names:
            return
        encoded = any(name.lower() == "content-encoding" for name, _ in answer.headers)
        text = text and not encoded and WORTH_PACKING < size < LARGEST_PACKED
        with self._lock:
            if names:
                self._varying[key] = tuple(sorted(names))
            full = self._full(key, header)
            if full in self._entries:
                self._drop(full)
            self._entries[full] = _Entry(answer.with_head(), text)
            self.bytes += size
            while self.bytes > self.limit:
                self._drop(next(iter(self._entries)))

    def _drop(self, key: Key) -> None:
        entry = self._entries.pop(key)
        self.bytes -= len(entry.answer.body) + 512 + (len(entry.packed.body) if entry.packed else 0)

    def _packed(self, entry: _Entry) -> Answer:
        if entry.packed is None:
            if entry.hits < 2:  # most addresses are asked for once; packing those would be work for nothing
                return entry.answer
            body = gzip.compress(entry.answer.body, 6, mtime=0)
            headers = [(name, value) for name, value in entry.answer.headers if name.lower() != "vary"]
            vary = [value for name, value in entry.answer.headers if name.lower() == "vary"]
            named = ", ".join(vary if "accept-encoding" in ",".join(vary).lower() else [*vary, "Accept-Encoding"])
            headers += [("Content-Encoding", "gzip"), ("Vary", named)]
            entry.packed = entry.answer._replace(headers=headers, body=body).with_head()
            with self._lock:
                self.bytes += len(body)
        return entry.packed
