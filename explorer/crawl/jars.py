"""Somebody's cookies, where plain requests are made as that somebody."""

import contextlib
import re
from collections.abc import Iterable, Mapping
from http.cookies import CookieError, Morsel, SimpleCookie
from typing import Literal, Protocol
from urllib.parse import urlsplit

from playwright.sync_api import BrowserContext, Error

_SAME_SITE: Mapping[str, Literal["Lax", "None", "Strict"]] = {"none": "None", "strict": "Strict"}
_PAST = re.compile(r"\b19[67]\d\b")


class Jar(Protocol):
    """Somebody's cookies."""

    identity: str
    """Whose they are, as it is recorded."""

    def header(self, url: str) -> str:
        """What a request for the address carries; empty for none."""
        ...

    def take(self, url: str, headers: Iterable[tuple[str, str]]) -> None:
        """Keep what an answer sets and drop what it deletes."""
        ...


class BrowserJar:
    """The cookies of a browser context."""

    def __init__(self, context: BrowserContext, identity: str = "anonymous") -> None:
        self._context = context
        self.identity = identity

    def header(self, url: str) -> str:
        return "; ".join(f"{cookie['name']}={cookie['value']}" for cookie in self._context.cookies([url]))

    def take(self, url: str, headers: Iterable[tuple[str, str]]) -> None:
        host = urlsplit(url).hostname or ""
        for name, value, morsel in _set_by(headers):
            named = morsel["domain"].lstrip(".")
            domain = f".{named}" if named else host
            with contextlib.suppress(Error):  # one that no browser would keep
                if _is_over(morsel):
                    self._context.clear_cookies(name=name, domain=domain)
                    continue
                self._context.add_cookies([{
                    "name": name, "value": value, "domain": domain, "path": morsel["path"] or "/",
                    "httpOnly": bool(morsel["httponly"]), "secure": bool(morsel["secure"]),
                    "sameSite": _SAME_SITE.get(morsel["samesite"].lower(), "Lax"),
                }])  # fmt: skip


class PlainJar:
    """The cookies of a stranger, by host; who begins without any."""

    def __init__(self) -> None:
        self.identity = "anonymous"
        self._values: dict[str, dict[str, str]] = {}

    def header(self, url: str) -> str:
        values = self._values.get(urlsplit(url).hostname or "", {})
        return "; ".join(f"{name}={value}" for name, value in values.items())

    def take(self, url: str, headers: Iterable[tuple[str, str]]) -> None:
        values = self._values.setdefault(urlsplit(url).hostname or "", {})
        for name, value, morsel in _set_by(headers):
            values.pop(name, None)
            if not _is_over(morsel):
                values[name] = value


def _set_by(headers: Iterable[tuple[str, str]]) -> Iterable[tuple[str, str, "Morsel[str]"]]:
    for header, said in headers:
        if header.lower() == "set-cookie":
            with contextlib.suppress(CookieError):
                for name, morsel in SimpleCookie(said).items():
                    yield name, morsel.coded_value, morsel


def _is_over(morsel: "Morsel[str]") -> bool:
    return bool(re.match(r"0$|-", morsel["max-age"].strip()) or _PAST.search(morsel["expires"]))
