"""The verifier's own browser on the candidate: goes there, acts, looks, and notes whatever tries to leave."""

import contextlib
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple, Self

from playwright.sync_api import Browser, Error, Page, Request, Response, WebSocket

from artifacts.evidence import Action
from artifacts.run import Lens
from explorer.lens.act import ActionFailed, carry_out
from explorer.lens.browser import new_context, open_browser
from explorer.lens.look import Look, look
from explorer.lens.settle import settle
from explorer.lens.watch import Watch
from verifier.addresses import Addresses, authority

GOTO_MS = 30_000
DEAD_END = "http://127.0.0.1:9"
"""A proxy that is not there: the discard port, where Chromium itself refuses to connect."""

_GONE = (
    "ERR_CONNECTION_REFUSED",
    "ERR_CONNECTION_RESET",
    "ERR_EMPTY_RESPONSE",
    "ERR_TIMED_OUT",
    "ERR_CONNECTION_CLOSED",
)


class Unreachable(Exception):
    """The candidate gave no answer; `what` is the browser's word for it."""

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.what = what


class Sight(NamedTuple):
    """What was seen on the candidate, in the addresses of the evidence."""

    look: Look
    address: str
    status: int
    """Of the last document; 0 when there was none."""
    foreign: tuple[str, ...]
    console_errors: tuple[str, ...]
    failed_requests: tuple[str, ...]
    storage: Mapping[str, str]
    """"local.key" and "session.key" -> value, all addresses mapped back."""
    text: str
    trouble: str = ""
    """Why the page could not be had, when it could not."""


@contextlib.contextmanager
def closed_browser(candidate: str) -> Iterator[Browser]:
    """A browser from which the candidate can be reached and nothing else can."""
    with open_browser(DEAD_END, bypass=(authority(candidate),)) as browser:
        yield browser


class Tab:
    """One page in a context without history, on the candidate."""

    def __init__(self, browser: Browser, lens: Lens, addresses: Addresses) -> None:
        self._lens = lens
        self._addresses = addresses
        self.status = 0
        """Of the last document since `go` or `clear`; 0 when there was none."""
        self._foreign: list[str] = []
        self._context = new_context(browser, lens)
        self._context.on("request", self._asked)
        self.page: Page = self._context.new_page()
        self.watch = Watch(self.page)
        self.page.on("response", self._answered)
        self.page.on("websocket", self._connected)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(Error):
            self._context.close()

    @property
    def address(self) -> str:
        """Where the page is, as an address of the evidence."""
        return self._addresses.to_site(self.page.url)

    def go(self, url: str) -> str:
        """Go to the candidate's page for this address; what went wrong, or nothing. Raises Unreachable."""
        self.status = 0
        try:
            self.page.goto(self._addresses.to_candidate(url), wait_until="commit", timeout=GOTO_MS)
        except Error as error:
            what = str(error).partition("\n")[0].removeprefix("Page.goto: ")
            if any(word in what for word in _GONE):
                raise Unreachable(what) from error
            return what
        return ""

    def act(self, actions: Iterable[Action], secrets: Mapping[str, str]) -> str:
        """Do the actions one after the other; what could not be done, or nothing."""
        mapped = [
            action.replaced(url=self._addresses.to_candidate(action.url)) if action.act == "goto" else action
            for action in actions
        ]
        try:
            carry_out(self.page, mapped, secrets=secrets)
        except ActionFailed as failure:
            return failure.what
        return ""

    def rest(self) -> None:
        """Wait until the page has settled."""
        settle(self.page)

    def see(self, trouble: str = "") -> Sight:
        """Look at the page as it is now, and at everything noted since `clear`."""
        seen = look(self.page, self._lens, watch=self.watch)
        back = self._addresses.text_to_site
        storage = {f"{area}.{key}": back(value) for area, kept in seen.storage.items() for key, value in kept.items()}
        failed = (entry.partition(" ") for entry in self.watch.failed_requests)
        return Sight(
            look=seen,
            address=self._addresses.to_site(seen.url),
            status=self.status,
            foreign=tuple(dict.fromkeys(self._foreign)),
            console_errors=tuple(back(text) for text in self.watch.console_errors),
            failed_requests=tuple(
                f"{why} {self._addresses.to_site(url)}" for why, _, url in failed if not self._addresses.is_foreign(url)
            ),
            storage=storage,
            text=back(seen.text),
            trouble=trouble,
        )

    def clear(self) -> None:
        """Forget what was noted so far: what follows belongs to the next step."""
        self.status = 0
        self.watch.clear()
        self._foreign.clear()

    def _asked(self, request: Request) -> None:
        if self._addresses.is_foreign(request.url):
            self._foreign.append(request.url)

    def _connected(self, socket: WebSocket) -> None:
        if self._addresses.is_foreign(socket.url):
            self._foreign.append(socket.url)

    def _answered(self, response: Response) -> None:
        with contextlib.suppress(Error):  # a worker's request has no frame
            request = response.request
            is_page = request.is_navigation_request() and response.frame == self.page.main_frame
            if is_page and not 300 <= response.status < 400:
                self.status = response.status
