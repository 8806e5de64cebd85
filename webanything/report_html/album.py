"""Pictures small enough to be part of the page, within a limit for all of them together."""

import base64
import io

from PIL import Image

from artifacts.errors import DamagedError
from artifacts.store import Store

BYTES = 10_000_000
"""Of JPEG; a third more once written as text."""
QUALITY = 70


class Album:
    """Data addresses of pictures in a store, each as a JPEG of a given width, until the room is used up."""

    def __init__(self, store: Store, room: int = BYTES) -> None:
        self._store = store
        self._room = room
        self._made: dict[tuple[str, int, int], str] = {}
        self.left_out = 0

    def picture(self, digest: str | None, *, width: int, height: int) -> str:
        """The picture scaled down to `width` and cut off at `height`; empty where there is none or no room."""
        if digest is None:
            return ""
        key = (digest, width, height)
        if key not in self._made:
            self._made[key] = self._make(digest, width, height)
        return self._made[key]

    def _make(self, digest: str, width: int, height: int) -> str:
        if self._room <= 0:
            self.left_out += 1
            return ""
        try:
            data = _jpeg(self._store.get(digest), width, height)
        except (DamagedError, OSError):  # a blob that was cleared away, or bytes that are no picture
            return ""
        self._room -= len(data)
        return "data:image/jpeg;base64," + base64.b64encode(data).decode("ascii")


def _jpeg(png: bytes, width: int, height: int) -> bytes:
    out = io.BytesIO()
    with Image.open(io.BytesIO(png)) as opened:
        image = opened.convert("RGB")
        scale = min(1.0, width / image.width)
        image = image.crop((0, 0, image.width, min(image.height, max(1, round(height / scale)))))
        size = (max(1, round(image.width * scale)), max(1, round(image.height * scale)))
        image.resize(size, Image.Resampling.BICUBIC, reducing_gap=2.0).save(out, "JPEG", quality=QUALITY)
    return out.getvalue()
