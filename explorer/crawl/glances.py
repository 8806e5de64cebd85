"""Plain requests in the session of somebody's browser: what pages say now, without rendering them.

Cookies go both ways, so that the browser and these requests are one visitor to the site.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from bs4 import BeautifulSoup

from artifacts.digest import digest_bytes
from artifacts.evidence import Exchange
from artifacts.store import Store
from explorer.crawl.jars import Jar
from explorer.crawl.urls import canonical, joined
from explorer.wire.client import Answer, Wire

MAX_HOPS = 5
"""Redirects followed from one page."""
_TIRED = frozenset((429, 503))


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
