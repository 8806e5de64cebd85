"""Frames between the recording processes: a JSON header and raw bodies, length first."""

import json
import os
import select
import struct
from collections.abc import Sequence
from typing import Any, NamedTuple

_LENGTH = struct.Struct(">I")
_READ = 1 << 18


class Frame(NamedTuple):
    header: dict[str, Any]
    blobs: tuple[bytes | None, ...]


def write_frame(fd: int, header: dict[str, Any], blobs: Sequence[bytes | None] = ()) -> None:
    """Send one frame whole, waiting as long as the reader needs."""
    sizes = [-1 if blob is None else len(blob) for blob in blobs]
    head = json.dumps({**header, "blobs": sizes}).encode()
    _write_all(fd, _LENGTH.pack(len(head)) + head)
    for blob in blobs:
        if blob:
            _write_all(fd, blob)


def _write_all(fd: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


class FrameReader:
    """Frames from a file descriptor, in order."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._buffer = bytearray()

    def waiting(self) -> bool:
        """True if reading would not have to wait for the sender to begin another frame."""
        return bool(self._buffer) or bool(select.select([self._fd], [], [], 0)[0])

    def read(self) -> Frame | None:
        """The next frame; None once the sender is gone, whether or not it was in the middle of one."""
        length = self._take(_LENGTH.size)
        head = self._take(_LENGTH.unpack(length)[0]) if length is not None else None
        if head is None:
            return None
        header: dict[str, Any] = json.loads(head)
        blobs: list[bytes | None] = []
        for size in header.pop("blobs"):
            blob = None if size < 0 else self._take(size)
            if blob is None and size >= 0:
                return None
            blobs.append(blob)
        return Frame(header, tuple(blobs))

    def _take(self, size: int) -> bytes | None:
        while len(self._buffer) < size:
            part = os.read(self._fd, max(_READ, size - len(self._buffer)))
            if not part:
                return None
            self._buffer += part
        taken = bytes(memoryview(self._buffer)[:size])
        del self._buffer[:size]
        return taken
