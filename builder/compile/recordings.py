"""Exchanges taken apart: which can be answers, and how their requests are named. Pure."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from urllib.parse import urljoin, urlsplit

from artifacts.digest import digest_bytes
from artifacts.evidence import Exchange
from builder.compile import keys

Read = Callable[[str], bytes]
"""The bytes of a blob, by its digest."""

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})
STATIC_DESTINATIONS = frozenset(
    {"style", "script", "image", "font", "audio", "video", "track", "manifest", "worker", "sharedworker",
     "serviceworker", "audioworklet", "paintworklet", "object", "embed"}
)  # fmt: skip
_STATIC_MEDIA = re.compile(r"^(image|font|audio|video)/|/(css|javascript|x-javascript|ecmascript|wasm)$|font-")
_TOLD_AGAIN = frozenset({"document", "iframe", "frame", "empty"})
_RANGE = re.compile(r"bytes (\d+)-(\d+)/(\d+|\*)")


class Recording:
    """One exchange that holds an answer, its request taken apart and its body at hand."""

    def __init__(
        self, exchange: Exchange, read: Read, *, body: bytes | None = None, is_told_apart: bool = False
    ) -> None:
        parts = urlsplit(exchange.url)
        self.exchange = exchange
        self.host = keys.origin_of(parts.scheme, parts.hostname or "", parts.port)
        self.path = keys.path_of(parts.path)
        self.pairs = keys.pairs_of(parts.query)
        self.method = exchange.method.upper()
        self.media = header(exchange.response_headers, "content-type").partition(";")[0].strip().lower()
        self.status = exchange.status or 0
        self._read = read
        self._joined = body
        self._is_told_apart = is_told_apart

    def told_apart(self) -> "Recording":
        """The same with its unknown passwords named, so that no password given is taken for them."""
        return Recording(self.exchange, self._read, body=self._joined, is_told_apart=True)

    @property
    def order(self) -> int:
        return self.exchange.order

    @property
    def visit(self) -> str:
        return self.exchange.visit

    @property
    def is_safe(self) -> bool:
        """Whether its method promises to change nothing."""
        return self.method in SAFE_METHODS

    @property
    def place(self) -> tuple[str, str, str]:
        """Host, method and path: what is left of the address without its query."""
        return (self.host, self.method, self.path)

    @cached_property
    def _sent(self) -> Mapping[str, str]:
        if self.exchange.request_body is None:
            return {}
        media = header(self.exchange.request_headers, "content-type")
        return keys.leaves_of(media, self._read(self.exchange.request_body))

    @cached_property
    def leaves(self) -> Mapping[str, str]:
        """The request's body by its leaves, unknown passwords numbered."""
        if self._is_told_apart:
            return {path: keys.SECRET.sub(keys.UNKNOWN, value) for path, value in self._sent.items()}
        return keys.numbered_secrets(self._sent)

    @property
    def passwords(self) -> tuple[str, ...]:
        """The stand-ins of unknown passwords that were sent, by the name of their leaf."""
        return tuple(value for _, value in sorted(self._sent.items()) if keys.SECRET.fullmatch(value))

    @property
    def body(self) -> bytes:
        if self._joined is not None:
            return self._joined
        return self._read(self.exchange.response_body) if self.exchange.response_body else b""

    @property
    def body_digest(self) -> str:
        if self._joined is not None:
            return digest_bytes(self._joined)
        return self.exchange.response_body or ""

    @property
    def is_text(self) -> bool:
        return self.media.startswith("text/") or "json" in self.media or "xml" in self.media or not self.media

    @property
    def is_static(self) -> bool:
        """Whether it belongs to how pages look and run, and so to every situation alike."""
        if self.exchange.destination:
            return self.exchange.destination in STATIC_DESTINATIONS
        return bool(_STATIC_MEDIA.search(self.media))

    @property
    def is_document(self) -> bool:
        if self.exchange.destination:
            return self.exchange.destination in ("document", "iframe", "frame")
        return self.method == "GET" and self.media in ("text/html", "application/xhtml+xml")

    @cached_property
    def cookies_sent(self) -> Mapping[str, str]:
        sent: dict[str, str] = {}
        for name, value in self.exchange.request_headers:
            if name.lower() == "cookie":
                for pair in value.split(";"):
                    key, _, text = pair.strip().partition("=")
                    sent[key] = text
        return sent

    @cached_property
    def cookies_set(self) -> Mapping[str, str | None]:
        """Name -> new value, or None where the cookie is deleted."""
        found: dict[str, str | None] = {}
        for name, value in self.exchange.response_headers:
            if name.lower() == "set-cookie":
                key, _, text = value.partition(";")[0].strip().partition("=")
                found[key.strip()] = None if _deletes(value) else text.strip()
        return found


def target_of(base: str, address: str) -> str:
    """Where an address leads that stands in an answer; empty if no browser could go there.

    >>> target_of("http://a.example/x", "y?z"), target_of("http://a.example/", "http://a.example:99999/")
    ('http://a.example/y?z', '')
    """
    try:
        target = urljoin(base, address)
        _ = urlsplit(target).port
    except ValueError:
        return ""
    return target


def header(headers: Iterable[tuple[str, str]], name: str) -> str:
    """The first value of a header, whatever the case of its name; empty if there is none."""
    return next((value for key, value in headers if key.lower() == name), "")


def _deletes(cookie: str) -> bool:
    value = cookie.partition(";")[0].partition("=")[2].strip().strip('"')
    attributes = cookie.partition(";")[2].lower()
    if re.search(r"max-age\s*=\s*\"?(-|0\b)", attributes):
        return True
    if re.search(r"expires\s*=[^;]*\b(19[67]\d)\b", attributes):
        return True
    return value in ("", "deleted") and "expires" in attributes


def is_answer(exchange: Exchange) -> bool:
    """Whether a mirror can give this again: it came back whole, over HTTP, and was no mere "not modified".

    Of a download the head is enough: the browser stays on its page whatever follows.
    """
    if exchange.failure or exchange.status is None or exchange.status < 200 or exchange.status == 304:
        return False
    if exchange.method.upper() == "CONNECT" or urlsplit(exchange.url).scheme not in ("http", "https"):
        return False
    return not _is_cut_off(exchange) or exchange.method.upper() == "HEAD" or exchange.is_download


def _is_cut_off(exchange: Exchange) -> bool:
    return exchange.response_body is None and exchange.response_bytes > 0 and exchange.messages is None


def recordings(exchanges: Iterable[Exchange], read: Read) -> tuple[Recording, ...]:
    """All that can be answered with, by order. Partial answers are joined to whole ones where they cover all of it.

    A page that was "not modified" is what the browser showed from before: the earlier answer is given in its place.
    """
    kept = [e for e in _told_again(sorted(exchanges, key=lambda exchange: exchange.order)) if is_answer(e)]
    whole = {(e.method.upper(), e.url) for e in kept if e.status == 200 and not _is_cut_off(e)}
    files = {url.removesuffix("?") for method, url in whole if method == "GET"}
    kept = [e for e in kept if not (_is_cut_off(e) and e.method.upper() == "GET" and e.url.removesuffix("?") in files)]
    partial: dict[tuple[str, str], list[Exchange]] = {}
    found = []
    for exchange in kept:
        name = (exchange.method.upper(), exchange.url)
        if exchange.status != 206:
            found.append(Recording(exchange, read))
        elif name not in whole:
            partial.setdefault(name, []).append(exchange)
    found += [joined for pieces in partial.values() if (joined := _joined(pieces, read))]
    return tuple(sorted(found, key=lambda recording: recording.order))


def _told_again(exchanges: Iterable[Exchange]) -> Iterator[Exchange]:
    """The exchanges by order, answers of 304 to scripts and for pages filled in from the answer they stand for."""
    tagged: dict[tuple[str, str], Exchange] = {}
    for exchange in exchanges:
        tag = header(exchange.request_headers, "if-none-match").removeprefix("W/")
        earlier = tagged.get((exchange.url, tag)) if exchange.destination in _TOLD_AGAIN else None
        if exchange.status == 304 and earlier is not None:
            kept = [pair for pair in earlier.response_headers if pair[0].lower() != "set-cookie"]
            cookies = [pair for pair in exchange.response_headers if pair[0].lower() == "set-cookie"]
            yield exchange.replaced(
                status=200,
                response_headers=(*kept, *cookies),
                response_body=earlier.response_body,
                response_bytes=earlier.response_bytes,
            )
            continue
        if exchange.status == 200 and (own := header(exchange.response_headers, "etag").removeprefix("W/")):
            tagged[exchange.url, own] = exchange
        yield exchange


def _joined(pieces: list[Exchange], read: Read) -> Recording | None:
    """One whole answer out of ranges, or None where some of it was never sent."""
    ranges: list[tuple[int, int, bytes]] = []
    total = 0
    for piece in pieces:
        found = _RANGE.match(header(piece.response_headers, "content-range"))
        if not found or found[3] == "*" or piece.response_body is None:
            continue
        total = int(found[3])
        ranges.append((int(found[1]), int(found[2]) + 1, read(piece.response_body)))
    body = bytearray()
    for start, end, data in sorted(ranges, key=lambda item: (item[0], -item[1])):
        if start > len(body):
            return None
        if end > len(body) and len(data) == end - start:
            body[start:] = data
    if not total or len(body) != total:
        return None
    first = pieces[0]
    headers = tuple((name, value) for name, value in first.response_headers if name.lower() != "content-range")
    return Recording(first.replaced(status=200, response_headers=headers), read, body=bytes(body))


def cookie_attributes(value: str) -> Mapping[str, str]:
    """The attributes of one Set-Cookie header, names in lower case.

    >>> cookie_attributes("a=1; Path=/; HttpOnly")
    {'path': '/', 'httponly': ''}
    """
    pairs = (part.strip().partition("=") for part in value.split(";")[1:])
    return {name.strip().lower(): text.strip() for name, _, text in pairs}
