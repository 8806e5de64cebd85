"""An exchange under way in the proxy: what is known of it so far, and the records it turns into."""

import time
from typing import Any

from mitmproxy import http

from explorer.wire.streams import MAX_MESSAGES, MAX_STREAM

MAX_BODY = 50_000_000
"""Bytes of one body, as transferred, that are kept."""
ENDLESS_AFTER = 5.0
"""Seconds after which an answer of unknown length counts as one that never ends."""

Handed = tuple[dict[str, Any], tuple[bytes | None, ...]]


class Pending:
    """One exchange, or one visit's stretch of a stream that outlives visits."""

    __slots__ = (
        "_answer",
        "_began",
        "_body",
        "_chunks",
        "_closed",
        "_followed",
        "_full",
        "_request",
        "_size",
        "_stream",
        "identity",
        "note",
        "order",
        "tag",
        "visit",
    )

    def __init__(self, request: http.Request, order: int, visit: str, identity: str, tag: str) -> None:
        self.order, self.visit, self.identity, self.tag = order, visit, identity, tag
        self.note = ""
        self._request = request
        self._answer: http.Response | None = None
        self._began = request.timestamp_start
        self._body = bytearray()
        self._chunks: list[tuple[float, int, str, bool]] = []
        self._size = 0
        self._full = False
        self._stream = ""
        self._followed = 0
        self._closed: tuple[float, int] | None = None

    def answered(self, answer: http.Response) -> None:
        """The answer's head is there."""
        self._answer = answer
        if answer.headers.get("content-type", "").lower().startswith("text/event-stream"):
            self._stream = "events"
        elif "content-length" not in answer.headers and answer.status_code == 200:
            self._stream = "chunks"

    def became_socket(self) -> None:
        self._stream = "websocket"

    def is_endless(self) -> bool:
        """True for streams, and for an answer that goes on for long without having said how long it is."""
        if self._stream == "chunks":
            return time.time() - self._began > ENDLESS_AFTER
        return bool(self._stream)

    def pass_on(self, piece: bytes) -> bytes:
        """The piece itself, after a copy was kept, up to the limits."""
        if piece:
            self._size += len(piece)
            limit = MAX_STREAM if self._stream == "events" else MAX_BODY
            if not self._full and len(self._body) + len(piece) <= limit:
                self._body += piece
                if self._stream:
                    self._stamp(len(piece), "server", is_text=True)
            else:
                self._overflow()
        return piece

    def socket_message(self, content: bytes, *, from_client: bool, is_text: bool) -> None:
        if self._full or len(self._chunks) >= MAX_MESSAGES or len(self._body) + len(content) > MAX_STREAM:
            self._full = True
            self.note = "later messages were not kept"
            return
        self._body += content
        self._stamp(len(content), "client" if from_client else "server", is_text=is_text)

    def socket_closed(self, code: int) -> None:
        """The site ended the conversation, with this code."""
        self._closed = ((time.time() - self._began) * 1000, code)

    def _stamp(self, size: int, sender: str, *, is_text: bool) -> None:
        at_ms = (time.time() - self._began) * 1000
        if self._stream == "websocket" or len(self._chunks) < MAX_MESSAGES:
            self._chunks.append((at_ms, size, sender, is_text))
        else:  # the last stamp grows: bytes and stamps must add up
            last = self._chunks[-1]
            self._chunks[-1] = (at_ms, last[1] + size, sender, is_text)

    def _overflow(self) -> None:
        self._full = True
        if self._stream == "events":
            self.note = "later messages were not kept"
        else:
            self._body.clear()
            self._chunks.clear()
            self.note = "too large"

    def finished(self) -> Handed:
        """The exchange with its whole answer."""
        answer = self._answer
        body: bytes | None = bytes(self._body)
        if answer is not None and not answer.stream:
            body = answer.raw_content or b""
            self._size = len(body)
        if self._full:
            body = None
        stream = bytes(self._body) if self._stream == "events" else None
        if stream is None:
            self._chunks.clear()
        return self._header(), (self._sent(), body, stream)

    def failed(self, reason: str) -> Handed:
        """The exchange without an answer, or with one that was cut off."""
        if self._answer is not None and self._size:
            self.note = f"cut off after {self._size} bytes"
        self._chunks.clear()
        return self._header(reason), (self._sent(), None, None)

    def part_so_far(self, note: str) -> Handed | None:
        """The stream's messages up to now; None for a later stretch in which nothing was said."""
        if self._followed and not self._chunks:
            return None
        if self._followed:
            self.note = f"continues exchange {self._followed}" + (f"; {self.note}" if self.note else "")
        if note:
            self.note = f"{self.note}; {note}" if self.note else note
        return self._header(), (self._sent(), None, bytes(self._body))

    def follow(self, order: int, visit: str, identity: str) -> None:
        """Go on under the next visit."""
        self._followed = self._followed or self.order
        self.order, self.visit, self.identity, self.tag = order, visit, identity, ""
        self.note = ""
        self._body.clear()
        self._chunks.clear()
        self._full = False
        self._size = 0

    def _sent(self) -> bytes | None:
        body = self._request.raw_content
        if body and len(body) > MAX_BODY:
            self.note = f"{self.note}; request too large" if self.note else "request too large"
            return None
        return body or None

    def _header(self, failure: str | None = None) -> dict[str, Any]:
        request, answer = self._request, self._answer
        ended = answer.timestamp_end if answer and answer.timestamp_end else time.time()
        return {
            "order": self.order,
            "visit": self.visit,
            "identity": self.identity,
            "tag": self.tag,
            "method": request.method,
            "url": _address(request, socket=self._stream == "websocket"),
            "http_version": (answer or request).http_version,
            "request_headers": _pairs(request.headers),
            "destination": request.headers.get("sec-fetch-dest", ""),
            "status": answer.status_code if answer and failure is None else None,
            "began_with": answer.status_code if answer else None,
            "response_headers": _pairs(answer.headers) if answer else [],
            "response_bytes": self._size,
            "milliseconds": round((ended - self._began) * 1000, 1),
            "stream": self._stream,
            "chunks": list(self._chunks),
            "closed": self._closed,
            "failure": failure,
            "note": self.note,
        }


def _pairs(headers: http.Headers) -> list[tuple[str, str]]:
    return [(_text(name), _text(value)) for name, value in headers.fields]


def _text(value: bytes) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value.decode("latin-1")


def _address(request: http.Request, *, socket: bool) -> str:
    """The absolute address; bytes outside ASCII are percent-encoded, as browsers would have."""
    url = request.url.partition("#")[0]
    if ":" in request.host and "[" not in url.partition("://")[2].partition("/")[0]:
        url = url.replace(request.host, f"[{request.host}]", 1)  # mitmproxy writes IPv6 addresses without brackets
    if not url.isascii():
        raw = url.encode("utf-8", "surrogateescape")
        url = "".join(chr(byte) if byte < 128 else f"%{byte:02X}" for byte in raw)
    if socket and url.startswith("http"):
        return "ws" + url[4:]
    return url
