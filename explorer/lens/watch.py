"""What a page says and asks for while it is used, collected from before its first navigation."""

import contextlib

from playwright.sync_api import ConsoleMessage, Dialog, Download, Error, Page, Request, Response

from explorer.lens.characters import well_formed

MOST = 200
"""Entries kept of each kind; a page that fails in a loop fills no more."""


class Watch:
    """Collects console errors, failed requests, dialogs, popups and downloads of one page.

    Made before the first `goto`. Dialogs are answered at once as a visitor who agrees would: alerts closed,
    confirmations accepted, prompts accepted with what they suggest, leaving allowed. Popups stay open until
    `close_popups`.
    """

    def __init__(self, page: Page) -> None:
        self._errors: list[str] = []
        self._failed: list[str] = []
        self._dialogs: list[str] = []
        self._downloads: list[str] = []
        self._popups: list[tuple[Page, list[str]]] = []
        page.on("console", self._said)
        page.on("pageerror", lambda error: _keep(self._errors, f"{error.name}: {error.message}"))
        page.on("requestfailed", self._request_failed)
        page.on("response", self._answered)
        page.on("dialog", self._dialog)
        page.on("popup", self._opened)
        page.on("download", self._downloaded)

    @property
    def console_errors(self) -> tuple[str, ...]:
        """Errors of the console and uncaught exceptions, in order."""
        return tuple(self._errors)

    @property
    def failed_requests(self) -> tuple[str, ...]:
        """Such as "404 ADDRESS", for answers from 400 on, and "net::ERR_... ADDRESS", for none; repeats removed."""
        return tuple(dict.fromkeys(self._failed))

    @property
    def dialogs(self) -> tuple[str, ...]:
        """Kind and message, such as "confirm: Remove this item?"."""
        return tuple(self._dialogs)

    @property
    def downloads(self) -> tuple[str, ...]:
        """Addresses of the files that the page offered; none is kept."""
        return tuple(self._downloads)

    @property
    def popups(self) -> tuple[str, ...]:
        """Address of each window opened, the last one known."""
        return tuple(_address(popup, asked) for popup, asked in self._popups)

    def clear(self) -> None:
        """Forget everything so far: what follows belongs to the next step."""
        for kept in (self._errors, self._failed, self._dialogs, self._downloads):
            kept.clear()
        self.close_popups()
        self._popups.clear()

    def close_popups(self) -> None:
        """Close the windows that were opened; their addresses stay known."""
        for popup, _ in self._popups:
            with contextlib.suppress(Error):
                popup.close()

    def _said(self, message: ConsoleMessage) -> None:
        # A failed load is in `failed_requests` already, under its address.
        if message.type == "error" and not message.text.startswith("Failed to load resource:"):
            _keep(self._errors, message.text)

    def _request_failed(self, request: Request) -> None:
        why = request.failure or "failed"
        if why != "net::ERR_ABORTED":  # given up by the page itself: it moved on, or took it for a download
            _keep(self._failed, f"{why} {request.url}")

    def _answered(self, response: Response) -> None:
        if response.status >= 400:
            _keep(self._failed, f"{response.status} {response.url}")

    def _dialog(self, dialog: Dialog) -> None:
        _keep(self._dialogs, f"{dialog.type}: {dialog.message}")
        with contextlib.suppress(Error):
            if dialog.type == "prompt":
                dialog.accept(dialog.default_value)
            else:
                dialog.accept()

    def _opened(self, popup: Page) -> None:
        asked: list[str] = []
        self._popups.append((popup, asked))
        popup.on("request", lambda request: asked.append(request.url) if request.is_navigation_request() else None)

    def _downloaded(self, download: Download) -> None:
        _keep(self._downloads, download.url)


def _keep(kept: list[str], entry: str) -> None:
    if len(kept) < MOST:
        kept.append(well_formed(entry[:2000]))


def _address(popup: Page, asked: list[str]) -> str:
    return popup.url if popup.url not in ("", "about:blank") else (asked[0] if asked else "about:blank")
