"""Bodies for local mode: every address that would leave the sandbox is turned into one of the sandbox's own.

Pure. HTML is changed inside tags, scripts and styles only, never in the text a visitor reads, and every other byte
stays the same.
"""

import codecs
import collections
import hashlib
import re
import threading
from collections.abc import Callable

from environments.runtime.markup import Vouch, html_to_local
from environments.runtime.places import Front
from environments.runtime.styles import css_to_local
from environments.runtime.text import names_to_local, text_to_local

BYTES_KEPT = 64 * 1024 * 1024
WORTH_KEEPING = 2_048

_HTML = {"text/html", "application/xhtml+xml", "image/svg+xml"}
WHOLE = _HTML | {"text/css", ""}
"""Types whose bodies make sense as a whole only; the pieces of others can be mapped one by one."""
_TEXT = re.compile(
    r"text/.*|application/(?:.*\+)?(?:json|xml)|application/(?:x-)?(?:java|ecma)script|application/(?:x-)?(?:mpegurl|ndjson)"
    r"|application/(?:vnd\.apple\.mpegurl|graphql-response\+json|json5|x-www-form-urlencoded)|image/svg\+xml"
)
_CHARSET = re.compile(r"charset\s*=\s*[\"']?([\w.:-]+)", re.IGNORECASE)
_MARKS = ((codecs.BOM_UTF8, ""), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_NOT_ASCII = re.compile(r"utf-?(?:16|32|7)|ucs-?[24]|iso-2022|hz-gb|ibm(?:037|1047)|cp037", re.IGNORECASE)


def media_type(content_type: str) -> str:
    """The bare media type, lower case.

    >>> media_type("Text/HTML; charset=utf-8")
    'text/html'
    """
    return content_type.partition(";")[0].strip().lower()


def is_mapped(content_type: str) -> bool:
    """Whether bodies of this type can hold addresses that must be mapped."""
    return bool(_TEXT.fullmatch(media_type(content_type)))


def to_local(
    body: bytes,
    content_type: str,
    front: Front,
    hashes: dict[str, str] | None = None,
    vouch: Vouch | None = None,
) -> bytes:
    """The body as the browser gets it in local mode.

    `hashes` receives, for every inline script and style that was changed, its old CSP hash source and the new one.
    """
    kind = media_type(content_type)
    if not body or not is_mapped(kind):
        return body
    if kind in _HTML:
        return _in_ascii(body, content_type, lambda data: html_to_local(data, front, hashes, vouch))
    if kind == "text/css":
        return _in_ascii(body, content_type, lambda data: css_to_local(data, front))
    if "script" in kind:
        return _in_ascii(body, content_type, lambda data: names_to_local(text_to_local(data, front), front))
    return _in_ascii(body, content_type, lambda data: text_to_local(data, front))


class Bodies:
    """Bodies that were mapped lately: what many visitors are sent is mapped once. At most `limit` bytes are kept."""

    def __init__(self, limit: int = BYTES_KEPT) -> None:
        self.limit = limit
        self.bytes = 0
        self._lock = threading.Lock()
        self._kept: collections.OrderedDict[tuple[bytes, str, Front], tuple[bytes, dict[str, str]]]
        self._kept = collections.OrderedDict()

    def to_local(
        self, body: bytes, content_type: str, front: Front, vouch: Vouch | None = None
    ) -> tuple[bytes, dict[str, str]]:
        """`to_local` of the body, and the hash sources that changed."""
        if len(body) < WORTH_KEEPING or not is_mapped(content_type):
            hashes: dict[str, str] = {}
            return to_local(body, content_type, front, hashes, vouch), hashes
        key = (hashlib.blake2b(body, digest_size=16).digest(), content_type, front)
        with self._lock:
            kept = self._kept.get(key)
            if kept is not None:
                self._kept.move_to_end(key)
                return kept
        hashes = {}
        mapped = to_local(body, content_type, front, hashes, vouch)
        with self._lock:
            if key not in self._kept:
                self._kept[key] = (mapped, hashes)
                self.bytes += len(mapped)
            while self.bytes > self.limit:
                _, (dropped, _) = self._kept.popitem(last=False)
                self.bytes -= len(dropped)
        return mapped, hashes


def _in_ascii(body: bytes, content_type: str, change: Callable[[bytes], bytes]) -> bytes:
    """The body changed as UTF-8 when its charset does not contain ASCII, else changed as it is."""
    named = _CHARSET.search(content_type)
    charset = named[1] if named else ""
    for mark, implied in _MARKS:
        if body.startswith(mark):
            charset = implied
            break
    else:
        mark = b""
    if not charset or not _NOT_ASCII.match(charset):
        return change(body)
    try:
        text = body[len(mark) :].decode(charset, "surrogatepass" if charset.lower().startswith("utf") else "strict")
        changed = change(text.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogatepass")
        if charset.lower() in ("utf-16", "utf16"):  # the codec of this name would add a mark of its own
            charset = "utf-16-le"
        return mark + changed.encode(charset, "surrogatepass" if charset.lower().startswith("utf") else "strict")
    except (UnicodeError, LookupError):
        return body
