"""One request and its answer as archives know them: with their time, bodies whole and decoded."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import NamedTuple

from artifacts.evidence import Evidence, Exchange, Headers, Part
from artifacts.store import Store

UNCODED = frozenset({"content-encoding", "transfer-encoding", "content-length"})
"""Headers that speak of the body as it crossed the wire; archives of ours hold it decoded."""


NOT_MODIFIED = 304
"""An answer that only says that the browser's copy is still good: nobody without that copy can be given it."""


class Sent(NamedTuple):
    """One exchange out of the evidence."""

    exchange: Exchange
    at: datetime
    request_body: bytes
    response_body: bytes

    @property
    def phrase(self) -> str:
        """What belongs beside the status, such as "Not Found"; empty for a status nobody named."""
        try:
            return HTTPStatus(self.exchange.status or 0).phrase
        except ValueError:
            return ""

    @property
    def request_headers(self) -> Headers:
        return whole(self.exchange.request_headers, self.request_body)

    @property
    def response_headers(self) -> Headers:
        return whole(self.exchange.response_headers, self.response_body)


class Taken(NamedTuple):
    """One exchange out of an archive, nothing of it redacted yet."""

    method: str
    url: str
    request_headers: Headers
    request_body: bytes
    status: int
    response_headers: Headers
    response_body: bytes
    destination: str = ""
    http_version: str = "HTTP/1.1"
    milliseconds: float = 0
    note: str = ""


def sent(evidence: Evidence, part: Part, store: Store) -> Iterator[Sent]:
    """Every exchange that has an answer of its own, in the order it happened. Raises DamagedError if a body is missing.

    The evidence keeps no clock times of its own: an exchange has the time its answer's Date says, or else that of the
    one before; the first falls back on the instant the lens was set to.
    """
    now = _iso(evidence.lens.clock) or datetime(2000, 1, 1, tzinfo=UTC)
    for exchange in part.exchanges:
        if exchange.status is None or exchange.status == NOT_MODIFIED:
            continue
        now = _date(exchange.said("date")) or now
        bodies = (exchange.request_body, exchange.response_body)
        request, response = (store.get(digest) if digest else b"" for digest in bodies)
        yield Sent(exchange, now + timedelta(milliseconds=exchange.order % 1000), request, response)


def whole(headers: Headers, body: bytes) -> Headers:
    """The headers of a message whose body is given decoded and in one piece."""
    kept = tuple((name, value) for name, value in headers if name.lower() not in UNCODED)
    return (*kept, ("Content-Length", str(len(body)))) if body else kept


def header(headers: Headers, name: str) -> str:
    """The first value under a name; empty if there is none."""
    return next((value for key, value in headers if key.lower() == name), "")


def _date(text: str) -> datetime | None:
    try:
        found = parsedate_to_datetime(text.partition(", ")[2] if text.count(",") > 1 else text)
    except (ValueError, TypeError, IndexError):
        return None
    return found if found.tzinfo else None


def _iso(text: str) -> datetime | None:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)
