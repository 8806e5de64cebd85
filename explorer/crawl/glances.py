"""Plain requests in the session of somebody's browser: what pages say now, without rendering them.

Cookies go both ways, so that the browser and these requests are one visitor to the site.
"""

import contextlib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from http.cookies import CookieError, Morsel, SimpleCookie
from typing import Literal, NamedTuple, Protocol
from urllib.parse import urlsplit

from bs4 import BeautifulSoup
from playwright.sync_api import BrowserContext, Error

from artifacts.digest import digest_bytes
from artifacts.evidence import Exchange
from artifacts.store import Store
from explorer.crawl.urls import canonical, joined
from explorer.wire.client import Answer, Wire

MAX_HOPS = 5
"""Redirects followed from one page."""
_TIRED = frozenset((429, 503))
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


def ask_as(wire: Wire, url: str, visit: str, jar: Jar, headers: Mapping[str, str]) -> Answer:
    """One request with the jar's cookies, which does not take the answer's in."""
    cookie = jar.header(url)
    sent = {**headers, **({"Cookie": cookie} if cookie else {})}
    return wire.ask(url, headers=sent, visit=visit, identity=jar.identity)


class Glance(NamedTuple):
    """What one page said."""

    url: str
    said: str
    """Equal for two answers in which a visitor would read the same; empty if there was none."""


class Glances:
    """Asks for pages through the wire, `wait` before each request."""

    def __init__(self, wire: Wire, store: Store, wait: Callable[[], None], may_ask: Callable[[str], bool]) -> None:
        self._wire = wire
        self._store = store
        self._wait = wait
        self._may_ask = may_ask
        self.asked = 0
        """Requests sent so far."""

    def take(self, urls: Sequence[str], visit: str, jar: Jar, headers: Mapping[str, str]) -> tuple[Glance, ...]:
        """What each page says to the owner of the jar; the rest is left out once the site asks for patience."""
        found: list[Glance] = []
        for url in urls:
            exchange = self._follow(url, visit, jar, headers)
            if exchange is None or exchange.failure or exchange.status in _TIRED:
                break
            found.append(Glance(url, self._said(exchange)))
        return tuple(found)

    def _follow(self, url: str, visit: str, jar: Jar, headers: Mapping[str, str]) -> Exchange | None:
        """The answer at the end of the redirects, or where they leave what may be asked for."""
        exchange: Exchange | None = None
        for _ in range(MAX_HOPS):
            self._wait()
            self.asked += 1
            answer = ask_as(self._wire, url, visit, jar, headers)
            exchange = answer.exchange
            jar.take(url, answer.headers)
            onward = next((value for name, value in answer.headers if name.lower() == "location"), "")
            url = joined(url, onward).partition("#")[0] if onward and 300 <= (exchange.status or 0) < 400 else ""
            if not url or not self._may_ask(url):
                return exchange
        return exchange

    def _said(self, exchange: Exchange) -> str:
        body = self._store.get(exchange.response_body) if exchange.response_body else b""
        if "html" in exchange.said("content-type"):
            body = reading_of(body.decode("utf-8", "replace")).encode()
        return f"{exchange.status} {canonical(exchange.url)} {digest_bytes(body)}"


def reading_of(html: str) -> str:
    """What a visitor could read: the text, and what stands in fields and is chosen; nothing hidden, no script.

    >>> reading_of('<p>Two  <b>lamps</b><input value=2><input type=hidden value=x9><script>1</script>')
    'Two lamps [2]'
    """
    soup = BeautifulSoup(html, "lxml")
    for element in soup.select("script, style, template, noscript, meta, link"):
        element.decompose()
    for field in soup.select("input, option[selected]"):
        kind = str(field.get("type", "")).lower()
        shown = f" [{field.get('value', '')}{' on' if field.has_attr('checked') else ''}] "
        field.replace_with("" if kind in ("hidden", "submit", "button", "image", "reset") else shown)
    return " ".join(soup.get_text(" ").split())
