"""The tabs of one episode, the chat, and the fence around the sandbox."""

import contextlib
import socket
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urljoin, urlsplit

from playwright.sync_api import BrowserContext, CDPSession, Error, Page

from environments.runtime.places import Front, Hosts, Origin

LOAD_MS = 30_000


@contextlib.contextmanager
def dead_end() -> Iterator[str]:
    """A proxy address on this machine that refuses every connection for as long as the block lasts.

    A browser whose proxy it is reaches only what bypasses the proxy.
    """
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))  # bound and never listening: nobody else can take the port meanwhile
        yield f"http://127.0.0.1:{held.getsockname()[1]}"


class TabDesk:
    """What one agent has in front of it. Tabs that the site opens come to the front, as in a browser."""

    def __init__(self, context: BrowserContext, *, authority: str, hosts: Hosts, now: Callable[[], float]) -> None:
        self.context = context
        self.chat: list[dict[str, Any]] = []
        self.infeasible = False
        self._front = Front(authority, hosts, hosts.main)
        self._now = now
        self._pages: list[Page] = []
        self._active: Page | None = None
        self._sessions: dict[Page, CDPSession] = {}
        context.set_default_timeout(LOAD_MS)
        context.on("page", self._opened)
        self.open_tab()

    def _opened(self, page: Page) -> None:
        if page not in self._pages:
            self._pages.append(page)
        self._active = page

    @property
    def pages(self) -> list[Page]:
        """The tabs that are open, oldest first; there is always one."""
        self._pages = [page for page in self._pages if not page.is_closed()]
        if not self._pages:
            self.open_tab()
        return self._pages

    @property
    def page(self) -> Page:
        pages = self.pages
        if self._active not in pages:
            self._active = pages[-1]
        assert self._active is not None
        return self._active

    @property
    def active(self) -> int:
        page = self.page
        return self.pages.index(page)

    def session(self) -> CDPSession:
        """The DevTools session of the page in front."""
        page = self.page
        if page not in self._sessions:
            self._sessions[page] = self.context.new_cdp_session(page)
        return self._sessions[page]

    def say(self, role: str, text: str) -> None:
        """Add to the chat; "infeasible" is how an agent gives a task up."""
        self.infeasible = self.infeasible or role == "infeasible"
        self.chat.append({"role": role, "timestamp": self._now(), "message": text})

    def allowed(self, url: str) -> str:
        """The sandbox's address for what an agent asked for: its own, one of the site's, or relative to the page."""
        url = urljoin(self.page.url if self.page.url.startswith("http") else self._front.origin() + "/", url.strip())
        parts = urlsplit(url)
        if url == "about:blank" or (parts.scheme == "http" and parts.netloc.lower() == self._front.authority):
            return url
        if parts.scheme in ("http", "https") and self._front.hosts.known(Origin.of(url)):
            return self._front.to_local(url)
        raise ValueError(f"{url} is outside the sandbox")

    def open_tab(self) -> None:
        self._opened(self.context.new_page())

    def close_tab(self) -> None:
        page, index = self.page, self.active
        page.close()
        left = self.pages
        self._active = left[min(index, len(left) - 1)]

    def focus_tab(self, index: int) -> None:
        pages = self.pages
        if not 0 <= index < len(pages):
            raise ValueError(f"there is no tab {index}; there are {len(pages)}")
        self._active = pages[index]
        self._active.bring_to_front()

    def titles(self) -> tuple[str, ...]:
        """The title of each tab; empty for one that is between two documents."""
        titles = []
        for page in self.pages:
            try:
                titles.append(page.title())
            except Error:
                titles.append("")
        return tuple(titles)
