"""Taking pages by plain requests: the further instances of what was understood by rendering some.

Each page is asked for as a browser without cookies would, at the rate the request allows, and recorded like everything
else. What its markup names and nobody asked for yet comes with it.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from bs4 import BeautifulSoup, Tag

from artifacts.evidence import Exchange
from explorer.crawl.glances import ask_as
from explorer.crawl.jars import Jar, PlainJar
from explorer.crawl.urls import joined
from explorer.wire.client import Wire

_LIKE_A_BROWSER = re.compile(r"^(user-agent|accept|accept-language|upgrade-insecure-requests|sec-ch-ua.*)$", re.I)
_MAY_HIDE = re.compile(r"nofollow|hidden|display:\s*none|-\d{3,}px|opacity", re.I)
_HIDES = re.compile(r"display:\s*none|visibility:\s*hidden|opacity:\s*0(?![.\d])|(?:left|top|indent):\s*-\d{3,}", re.I)
_AROUND = 4
"""How far up the markup is looked for what hides a link."""


class Fetched(NamedTuple):
    """One page taken without rendering it."""

    url: str
    links: tuple[tuple[str, str], ...]
    """Address and text of what it links to; where a redirect leads."""
    failure: str


def browser_headers(exchanges: Sequence[Exchange]) -> dict[str, str]:
    """How the browser asked for documents, so that plain requests get the same answers."""
    document = next((exchange for exchange in exchanges if exchange.destination == "document"), None)
    headers = dict(document.request_headers) if document else {}
    kept = {name: value for name, value in headers.items() if _LIKE_A_BROWSER.match(name)}
    return {**kept, "Sec-Fetch-Dest": "document", "Sec-Fetch-Mode": "navigate"}


def fetch_pages(
    wire: Wire,
    urls: Sequence[str],
    *,
    visit: str,
    headers: Mapping[str, str],
    fetch_needs: Callable[[Exchange], None],
    wait: Callable[[], None],
    jar: Jar | None = None,
) -> Iterator[Fetched]:
    """Ask for the pages one after the other, `wait` before each, and for what each needs; as the owner of the jar."""
    jar = jar or PlainJar()
    for url in urls:
        wait()
        exchange, said = ask_as(wire, url, visit, jar, headers)
        if jar.identity != "anonymous":  # who is nobody comes without cookies each time
            jar.take(url, said)
        fetch_needs(exchange)
        yield Fetched(url, _onward(wire, exchange), exchange.failure or "")


def _onward(wire: Wire, exchange: Exchange) -> tuple[tuple[str, str], ...]:
    said = {name.lower(): value for name, value in exchange.response_headers}
    if "location" in said:
        target = joined(exchange.url, said["location"])
        return ((target, ""),) if target else ()
    if "html" not in said.get("content-type", "") or exchange.response_body is None or exchange.status != 200:
        return ()
    return links_of(wire.store.get(exchange.response_body).decode("utf-8", "replace"), exchange.url)


def links_of(html: str, base: str) -> tuple[tuple[str, str], ...]:
    """Address and text of each link in the markup, each address once; those left out that may be there to be unseen.

    >>> links_of('<base href="/x/"><a href="a?b#c">A <b>b</b></a><a href="mailto:x">m</a>', "http://h.example/")
    (('http://h.example/x/a?b', 'A b'),)
    """
    if "<" not in html:
        return ()
    soup = BeautifulSoup(html, "lxml")
    first = soup.select_one("base[href]")
    base = (joined(base, str(first["href"])) or base) if first is not None else base
    found: dict[str, str] = {}
    may_hide = bool(_MAY_HIDE.search(html))
    for link in soup.select("a[href], area[href]"):
        url = joined(base, str(link["href"])).partition("#")[0]
        if may_hide and _may_be_trap(link):
            continue
        if url.startswith(("http://", "https://")):
            found.setdefault(url, " ".join(link.get_text(" ").split())[:120])
    return tuple(found.items())


def _may_be_trap(link: Tag) -> bool:
    """Whether a link is kept from search engines, or stands alone in something hidden: nobody looked at the page."""
    if "nofollow" in (link.get("rel") or ()):
        return True
    text = link.get_text(strip=True)
    around = [link, *link.parents][:_AROUND]
    return any(_is_hidden(node) and node.get_text(strip=True) == text for node in around)


def _is_hidden(node: Tag) -> bool:
    if node.name in ("ul", "ol", "li", "nav", "dialog"):
        return False
    return (
        node.has_attr("hidden") or node.get("aria-hidden") == "true" or bool(_HIDES.search(str(node.get("style", ""))))
    )
