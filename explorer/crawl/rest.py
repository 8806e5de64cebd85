"""What a look leaves out: resources the browser had no use for, and the whole of what it asked for in part."""

from collections.abc import Callable, Iterable
from urllib.parse import urlsplit

from artifacts.evidence import Exchange
from explorer.crawl.assets import fetch_assets
from explorer.crawl.urls import canonical
from explorer.crawl.volume import browser_headers
from explorer.wire.client import Wire

_LARGEST_WHOLE = 30_000_000
"""Bytes of a resource that is fetched whole because somebody asked for a part of it."""
_LANGUAGES = ("en", "de", "fr", "es", "pt", "it", "ja", "zh", "ru", "ar")
_TELEPHONE = (
    "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0 Mobile Safari/537.36"
)


class Rest:
    """Fetches what is missing after each visit, every address once."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        self._asked: set[str] = set()
        self._whole: set[str] = set()
        self._dead_hosts: set[str] = set()

    def has_asked(self, url: str) -> bool:
        """Whether an address was asked for already, or belongs to a host that does not answer."""
        return canonical(url) in self._asked or url in self._asked or urlsplit(url).netloc in self._dead_hosts

    def fetch(self, visit: str) -> None:
        """What the visit's pages and style sheets name, other sizes and other fonts among it, and parts made whole."""
        exchanges = self._wire.exchanges(visit)
        self._dead_hosts |= {urlsplit(exchange.url).netloc for exchange in exchanges if _found_nobody(exchange)}
        fresh = [exchange for exchange in exchanges if exchange.url not in self._asked]
        self._asked |= {exchange.url for exchange in exchanges}
        for exchange in fresh:
            if exchange.destination in ("document", "style", "manifest"):
                self.fetch_needs(exchange)
        self._make_whole(exchanges, visit)

    def fetch_needs(self, exchange: Exchange) -> None:
        """What one page or style sheet names, unless some page named it before."""
        for fetched in fetch_assets(self._wire, exchange, is_known=self.has_asked):
            self._asked.add(fetched.url)
            if fetched.failure:
                self._dead_hosts.add(urlsplit(fetched.url).netloc)

    def fetch_downloads(self, exchanges: Iterable[Exchange]) -> None:
        """The files among these that the browser was offered and did not save, where anybody is given the same."""
        for exchange in exchanges:
            is_left = exchange.is_download and exchange.status == 200 and exchange.response_body is None
            if not is_left or exchange.method != "GET" or exchange.url in self._whole or _is_personal(exchange):
                continue
            length = exchange.said("content-length")
            if length.isdigit() and int(length) > _LARGEST_WHOLE:
                continue
            self._whole.add(exchange.url)
            self._wire.fetch(
                exchange.url, headers=_as_asked(exchange), visit=exchange.visit, identity=exchange.identity
            )

    def ask_otherwise(self, visit: str, wait: Callable[[], None]) -> None:
        """The same pages for people who speak another language or hold a telephone, where the site says it matters.

        `wait` is called before each request and keeps the rate of pages.
        """
        for exchange in self._wire.exchanges(visit):
            if exchange.destination != "document" or exchange.status != 200:
                continue
            vary = exchange.said("vary").lower()
            changes = [("accept-language", f"{tag};q=0.9") for tag in _LANGUAGES if "accept-language" in vary]
            changes += [("user-agent", _TELEPHONE)] if "user-agent" in vary else []
            sent = browser_headers([exchange])
            for changed, value in changes:
                wait()
                kept = {name: said for name, said in sent.items() if name.lower() != changed}
                self._wire.fetch(exchange.url, headers={**kept, changed.title(): value}, visit=visit)

    def _make_whole(self, exchanges: Iterable[Exchange], visit: str) -> None:
        """Whoever plays the mirror may ask for other parts than this browser did."""
        self._whole |= {exchange.url for exchange in exchanges if exchange.status == 200}
        for exchange in exchanges:
            if exchange.status != 206 or exchange.url in self._whole or _total(exchange) > _LARGEST_WHOLE:
                continue
            self._whole.add(exchange.url)
            self._wire.fetch(exchange.url, headers=_as_asked(exchange), visit=visit, identity=exchange.identity)


def _found_nobody(exchange: Exchange) -> bool:
    """Whether it failed for a reason other than that it was not wanted any more."""
    return bool(exchange.failure) and not str(exchange.failure).startswith(("cancelled", "not_allowed"))


def _is_personal(exchange: Exchange) -> bool:
    """Whether it was asked for as somebody; what was sent to prove that is not kept."""
    return any(name.lower() in ("cookie", "authorization") for name, _ in exchange.request_headers)


def _as_asked(exchange: Exchange) -> dict[str, str]:
    sent = {name: value for name, value in exchange.request_headers if name.lower() in ("accept", "referer")}
    return {**sent, "Sec-Fetch-Dest": exchange.destination or "empty"}


def _total(exchange: Exchange) -> int:
    """How many bytes the whole has, as the answer says; 0 if it does not say."""
    total = exchange.said("content-range").rpartition("/")[2]
    return int(total) if total.isdigit() else 0
