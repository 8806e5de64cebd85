"""Answers that arrive bit by bit, as messages with the time of each. Pure.

A message is {"at_ms", "from": "client"|"server", "text"|"base64"|"close"}; an event-stream message's text is the whole
event, without the empty line that ends it.
"""

import base64
import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from explorer.wire.decode import BROKEN, decoder_of

MAX_MESSAGES = 2_000
MAX_STREAM = 5_000_000
"""Bytes of one stream that are kept; the rest passes through unrecorded."""


class Chunk(NamedTuple):
    """A stretch of the stream's bytes that arrived at once."""

    at_ms: float
    size: int
    sender: str = "server"
    is_text: bool = True


Message = dict[str, Any]


def frame_messages(
    chunks: Iterable[Chunk], stream: bytes, closed: tuple[float, int] | None = None
) -> Iterator[Message]:
    """One message a WebSocket frame; last the time and code with which the site closed it, if it did.

    >>> list(frame_messages([Chunk(1, 2, "client"), Chunk(2, 1, "server", False)], b"hi!"))
    [{'at_ms': 1, 'from': 'client', 'text': 'hi'}, {'at_ms': 2, 'from': 'server', 'base64': 'IQ=='}]
    """
    at = 0
    for chunk in chunks:
        data = stream[at : at + chunk.size]
        at += chunk.size
        yield _message(chunk.at_ms, chunk.sender, data, is_text=chunk.is_text)
    if closed is not None:
        yield {"at_ms": round(closed[0], 1), "from": "server", "close": closed[1]}


def event_messages(chunks: Iterable[Chunk], stream: bytes, content_encoding: str = "") -> Iterator[Message]:
    """One message a server-sent event, at the time its last byte came; an unfinished last event is left out.

    >>> list(event_messages([Chunk(5, 6), Chunk(9, 10)], b"data: 1\\n\\ndata: 2"))
    [{'at_ms': 9, 'from': 'server', 'text': 'data: 1'}]
    """
    chunks, stream = _decoded(list(chunks), stream, content_encoding)
    ends: list[tuple[int, float]] = []
    total = 0
    for chunk in chunks:
        total += chunk.size
        ends.append((total, chunk.at_ms))
    start = 0
    for found in re.finditer(rb"\r\n\r\n|\n\n|\r\r", stream):
        event = stream[start : found.start()]
        start = found.end()
        at_ms = next((at for end, at in ends if end >= found.end()), ends[-1][1])
        if event.strip():
            yield _message(at_ms, "server", event, is_text=True)


def chunk_messages(chunks: Iterable[Chunk], stream: bytes, content_encoding: str = "") -> Iterator[Message]:
    """One message a stretch of an answer that never ended."""
    chunks, stream = _decoded(list(chunks), stream, content_encoding)
    at = 0
    for chunk in chunks:
        data = stream[at : at + chunk.size]
        at += chunk.size
        yield _message(chunk.at_ms, "server", data, is_text=_is_utf8(data))


def message_lines(messages: Iterable[Message]) -> bytes:
    """Messages as JSON lines."""
    return b"".join(json.dumps(message, ensure_ascii=False).encode("utf-8", "replace") + b"\n" for message in messages)


def _decoded(chunks: list[Chunk], stream: bytes, content_encoding: str) -> tuple[list[Chunk], bytes]:
    """The stream without its content coding, each stretch with the bytes it made readable."""
    if content_encoding.strip().lower() in ("", "identity"):
        return chunks, stream
    done: list[Chunk] = []
    parts: list[bytes] = []
    at = 0
    try:
        decoder = decoder_of(content_encoding)
        for chunk in chunks:
            parts.append(decoder(stream[at : at + chunk.size]))
            done.append(chunk._replace(size=len(parts[-1])))
            at += chunk.size
            if len(parts[-1]) > MAX_STREAM:
                break
    except BROKEN:
        pass  # what could be read so far
    return done, b"".join(parts)


def _message(at_ms: float, sender: str, data: bytes, *, is_text: bool) -> Message:
    message: Message = {"at_ms": round(at_ms, 1), "from": sender}
    if is_text:
        return {**message, "text": data.decode("utf-8", "replace")}
    return {**message, "base64": base64.b64encode(data).decode()}


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
