"""Which requests of a page are under way, known from the moment its context was made."""

import time
import weakref
from collections import Counter
from collections.abc import Callable, Hashable

from playwright.sync_api import BrowserContext, Error, Page, Request

LONG_MS = 3000
"""A request open for longer, such as a long poll, no longer holds the page up."""
LISTEN_MS = 5000
"""An event stream that is open for longer no longer holds the page up."""
POLLS = 6
"""An address asked for this often by the page's scripts is being polled and no longer counts."""

_ENDLESS = frozenset({"eventsource", "websocket", "ping"})


class Traffic:
    """The open requests of one page. `now` gives seconds."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._open: dict[Hashable, float] = {}
        self._asked: Counter[str] = Counter()
        self._moved = now()
        self._streams: dict[Hashable, float] = {}

    def listens(self, request: Hashable) -> None:
        """Note an event stream that was opened."""
        self._streams[request] = self._now()

    def is_listening(self) -> bool:
        """Whether an event stream is open that began lately, so that its first messages may still come."""
        return any((self._now() - began) * 1000 < LISTEN_MS for began in self._streams.values())

    def started(self, request: Hashable, *, polled: str = "") -> None:
        """Count a request. `polled` names what a script asks for; empty for what is loaded once."""
        if polled:
            self._asked[polled] += 1
            if self._asked[polled] > POLLS:
                return
        self._open[request] = self._moved = self._now()

    def ended(self, request: Hashable) -> None:
        self._streams.pop(request, None)
        if self._open.pop(request, None) is not None:
            self._moved = self._now()

    def quiet_for_ms(self) -> float:
        """Milliseconds since a request last began or ended; 0 while one is open that still counts."""
        now = self._now()
        if any((now - began) * 1000 < LONG_MS for began in self._open.values()):
            return 0.0
        return (now - self._moved) * 1000


_traffic: weakref.WeakKeyDictionary[Page, Traffic] = weakref.WeakKeyDictionary()


def traffic_of(page: Page) -> Traffic:
    """The traffic of this page; if its context was made elsewhere, there is none to see."""
    if page not in _traffic:
        _traffic[page] = Traffic()
    return _traffic[page]


def _page_of(request: Request) -> Page | None:
    try:
        return request.frame.page
    except Error:  # a service worker's own request, or one of a page that is only just opening
        return None


def follow(context: BrowserContext) -> None:
    """Keep count of the requests of every page of this context."""

    def started(request: Request) -> None:
        page = _page_of(request)
        if page is not None and request.resource_type == "eventsource":
            traffic_of(page).listens(request)
        if page is None or request.resource_type in _ENDLESS:
            return
        is_scripted = request.resource_type in ("fetch", "xhr")
        traffic_of(page).started(
            request, polled=f"{request.method} {request.url.partition('?')[0]}" if is_scripted else ""
        )

    def ended(request: Request) -> None:
        page = _page_of(request)
        if page is not None:
            traffic_of(page).ended(request)

    context.on("request", started)
    context.on("requestfinished", ended)
    context.on("requestfailed", ended)
