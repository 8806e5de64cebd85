"""Content codings undone, up to a limit: what some kilobytes unpack to is the sender's choice, the memory is ours."""

import sys
import zlib
from collections.abc import Callable

import brotli  # type: ignore[import-untyped]

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

MAX_DECODED = 100_000_000
_STEP = 1 << 20


class UndecodableError(ValueError):
    """The body is not what its content-encoding says."""


class TooLargeError(ValueError):
    """Decoding was stopped at the limit."""


def decode(body: bytes, content_encoding: str, *, limit: int = MAX_DECODED) -> bytes:
    """The body with every content coding undone, last one first; an empty body stays empty.

    Raises UndecodableError for an unknown coding or broken data, TooLargeError once the result would exceed `limit`.

    >>> decode(zlib.compress(b"hello"), "deflate")
    b'hello'
    >>> decode(b"hello", "identity")
    b'hello'
    """
    codings = [part.strip().lower() for part in content_encoding.split(",")]
    for coding in reversed([coding for coding in codings if coding not in ("", "identity", "none")]):
        decoder = _DECODERS.get(coding)
        if decoder is None:
            raise UndecodableError(f"unknown content-encoding {coding}")
        if body:
            body = decoder(body, limit)
    return body


def decoder_of(content_encoding: str) -> Callable[[bytes], bytes]:
    """Undoes one content coding of a stream, piece by piece. Raises UndecodableError for a coding it does not know."""
    match content_encoding.strip().lower():
        case "" | "identity":
            return lambda piece: piece
        case "gzip" | "x-gzip" | "deflate":
            return zlib.decompressobj(47).decompress
        case "br":
            decompressor = brotli.Decompressor()
            return lambda piece: bytes(decompressor.process(piece))
        case "zstd":
            return zstd.ZstdDecompressor().decompress
        case other:
            raise UndecodableError(f"unknown content-encoding {other}")


BROKEN: tuple[type[Exception], ...] = (UndecodableError, zlib.error, brotli.error, zstd.ZstdError, EOFError)
"""What `decoder_of` and its decoders raise."""


def _gzip(body: bytes, limit: int) -> bytes:
    return _zlib_members(body, limit, 47)  # 32 + 15: gzip or zlib, told apart by the header


def _deflate(body: bytes, limit: int) -> bytes:
    try:
        return _zlib_members(body, limit, 15)
    except UndecodableError:
        return _zlib_members(body, limit, -15)  # servers that leave out the zlib header; browsers accept them


def _zlib_members(body: bytes, limit: int, window: int) -> bytes:
    parts: list[bytes] = []
    size = 0
    while body:
        member = zlib.decompressobj(window)
        pending = body
        while pending and not member.eof:
            try:
                part = member.decompress(pending, _STEP)
            except zlib.error as error:
                if parts:  # a browser shows what it could read before the damage; so do we
                    return b"".join(parts)
                raise UndecodableError(str(error)) from error
            size = _grown(size, part, limit)
            parts.append(part)
            pending = member.unconsumed_tail
        if not member.eof:
            parts.append(member.flush())
            return b"".join(parts)
        body = member.unused_data
        if not body.startswith(b"\x1f\x8b"):
            break
    return b"".join(parts)


def _brotli(body: bytes, limit: int) -> bytes:
    decompressor = brotli.Decompressor()
    parts: list[bytes] = []
    size = 0
    pending = body
    try:
        while True:
            part = decompressor.process(pending, output_buffer_limit=_STEP)
            pending = b""
            size = _grown(size, part, limit)
            parts.append(part)
            if decompressor.is_finished() or (not part and decompressor.can_accept_more_data()):
                return b"".join(parts)
    except brotli.error as error:
        raise UndecodableError(str(error)) from error


def _zstd(body: bytes, limit: int) -> bytes:
    parts: list[bytes] = []
    size = 0
    while body:
        frame = zstd.ZstdDecompressor()
        pending = body
        try:
            while not frame.eof:
                part = frame.decompress(pending, _STEP)
                pending = b""
                size = _grown(size, part, limit)
                parts.append(part)
                if not part and frame.needs_input:
                    return b"".join(parts)
        except zstd.ZstdError as error:
            raise UndecodableError(str(error)) from error
        body = frame.unused_data
    return b"".join(parts)


def _grown(size: int, part: bytes, limit: int) -> int:
    if size + len(part) > limit:
        raise TooLargeError(f"more than {limit} bytes once decoded")
    return size + len(part)


_DECODERS: dict[str, Callable[[bytes, int], bytes]] = {
    "gzip": _gzip,
    "x-gzip": _gzip,
    "deflate": _deflate,
    "br": _brotli,
    "zstd": _zstd,
}
