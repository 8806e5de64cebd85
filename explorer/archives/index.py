"""The index of a collection: one line an answer, sorted by a key made of its address. CDXJ, in compressed blocks.

Players make the same key from what the browser asks for, so a posted body is part of it:
https://specs.webrecorder.net/request-body-canonicalization/latest/
"""

import base64
import gzip
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import unquote_plus, urlencode, urlsplit

BLOCK = 300
"""Lines compressed together."""
MOST_OF_A_BODY = 4096
"""Characters of a posted body that are part of a key."""
_USUAL = {"http": 80, "https": 443}


class Line(NamedTuple):
    """One line of the index, before it is written."""

    key: str
    timestamp: str
    """YYYYMMDDhhmmss."""
    fields: Mapping[str, str | int]

    def __str__(self) -> str:
        return f"{self.key} {self.timestamp} {json.dumps(self.fields)}\n"


def key_of(url: str, method: str = "GET", body: str = "") -> str:
    """The address turned round, so that what belongs to one site lies together; small letters, sorted query.

    >>> key_of("http://www.Shop.example:8080/A?b=2&a=1")
    'example,shop:8080)/a?a=1&b=2'
    >>> key_of("https://a.example/send", "POST", "word=Lamp")
    'example,a)/send?__wb_method=post&word=lamp'
    """
    if method != "GET":
        url += ("&" if "?" in url else "?") + f"__wb_method={method}" + (f"&{body}" if body else "")
    parts = urlsplit(url)
    host = (parts.hostname or "").removeprefix("www.")
    port = f":{parts.port}" if parts.port and parts.port != _USUAL.get(parts.scheme) else ""
    query = "&".join(sorted(parts.query.lower().split("&"))) if parts.query else ""
    path = (parts.path or "/").lower()
    return f"{','.join(reversed(host.split('.')))}{port}){path}{'?' if query else ''}{query}".replace(" ", "%20")


def body_of(media: str, body: bytes) -> str:
    """A posted body as it stands in a key: fields of a form, leaves of JSON, or the bytes in base64.

    >>> body_of("application/x-www-form-urlencoded", b"a=1%21&b=")
    'a=1!&b='
    >>> body_of("application/json", b'{"a": {"b": 1}, "c": ["x", "y"]}')
    'b=1&c=x&c.2_=y'
    """
    kind = media.partition(";")[0].strip().lower()
    try:
        if kind == "application/x-www-form-urlencoded":
            return unquote_plus(body.decode())[:MOST_OF_A_BODY]
        if kind in ("application/json", "text/plain"):
            return urlencode(list(_numbered(_leaves("", json.loads(body)))))[:MOST_OF_A_BODY]
    except (ValueError, RecursionError):
        if kind == "application/json":
            return ""
    return f"__wb_post_data={base64.b64encode(body).decode()}"[:MOST_OF_A_BODY] if body else ""


def _leaves(name: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _leaves(key, inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _leaves(name, inner)
    elif name:
        yield name, str(value)


def _numbered(pairs: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """The second of one name is called name.2_, and so on."""
    seen: Counter[str] = Counter()
    for name, value in pairs:
        seen[name] += 1
        yield (name if seen[name] == 1 else f"{name}.{seen[name]}_"), value


def written(lines: Iterable[Line]) -> tuple[bytes, bytes]:
    """The compressed index and the index of its blocks."""
    ordered = sorted(lines, key=lambda line: (line.key.encode(), line.timestamp))
    blocks = bytearray()
    places = ['!meta 0 {"format": "cdxj-gzip-1.0", "filename": "index.cdx.gz"}\n']
    for block in _blocks(ordered):
        data = gzip.compress("".join(map(str, block)).encode(), mtime=0)
        places.append(str(Line(block[0].key, block[0].timestamp, {"offset": len(blocks), "length": len(data)})))
        blocks += data
    return bytes(blocks), "".join(places).encode()


def _blocks(lines: Sequence[Line]) -> Iterator[Sequence[Line]]:
    for start in range(0, len(lines), BLOCK):
        yield lines[start : start + BLOCK]
