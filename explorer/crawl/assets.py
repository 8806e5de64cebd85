"""What a page needs beside itself, read from its markup and style sheets, and fetched without a browser.

Once a template's pages are understood, further ones are taken by plain requests; what only scripts would ask for is
then known from the pages that were looked at.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

from bs4 import BeautifulSoup, Tag

from artifacts.errors import UsageError
from artifacts.evidence import Exchange
from explorer.crawl.urls import joined
from explorer.wire.charset import text_of
from explorer.wire.client import Wire
from explorer.wire.fetch import checked

MAX_DEPTH = 4
"""Style sheets that import style sheets are followed this far."""
_URL = re.compile(r"""url\(\s*(?:"([^"]*)"|'([^']*)'|([^)"'\s]+))\s*\)""", re.IGNORECASE)
_IMPORT = re.compile(r"""@import\s+(?:url\(\s*)?(?:"([^"]*)"|'([^']*)'|([^;)"'\s]+))""", re.IGNORECASE)
_IMAGE_SET = re.compile(r"image-set\(((?:[^()]|\([^()]*\))*)\)", re.IGNORECASE)
_STRING = re.compile(r"""(?<![\w(])(?:"([^"]*)"|'([^']*)')""")
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_FONT_FACE = re.compile(r"@font-face\s*\{[^}]*\}", re.IGNORECASE)
_SOURCES = {
    "script": "script",
    "img": "image",
    "iframe": "iframe",
    "frame": "frame",
    "audio": "audio",
    "video": "video",
    "source": "image",
    "track": "track",
    "embed": "embed",
    "input": "image",
}
_RELATIONS = {
    "stylesheet": "style",
    "icon": "image",
    "apple-touch-icon": "image",
    "mask-icon": "image",
    "manifest": "manifest",
    "modulepreload": "script",
}
_LAZY = ("data-src", "data-original", "data-lazy", "data-lazy-src", "data-bg", "data-background-image", "data-poster")


class Asset(NamedTuple):
    url: str
    """Absolute, without fragment."""
    destination: str
    """As Sec-Fetch-Dest has it: style, script, image, font, ..."""


def page_assets(html: str, base: str) -> tuple[Asset, ...]:
    """What the markup asks for, each once, in document order; of alternatives all.

    >>> [asset.url for asset in page_assets('<base href="/x/"><img src=a srcset="b 2x"><a href=c>', "http://h.example/")]
    ['http://h.example/x/a', 'http://h.example/x/b']
    >>> page_assets("", "http://h.example/")
    ()
    """
    if "<" not in html:
        return ()
    soup = BeautifulSoup(html, "lxml")
    first = soup.select_one("base[href]")
    if first is not None:
        base = joined(base, str(first["href"])) or base
    found: dict[str, str] = {}
    for element in soup.find_all(True):
        for address, destination in _needs(element):
            if url := _absolute(address, base):
                found.setdefault(url, destination)
    return tuple(Asset(url, destination) for url, destination in found.items())


def style_assets(css: str, base: str) -> tuple[Asset, ...]:
    """What a style sheet asks for: imports, fonts and pictures, each once.

    >>> [tuple(asset) for asset in style_assets('@import "b.css"; a{background:url(i.png)}', "http://h.example/a.css")]
    [('http://h.example/b.css', 'style'), ('http://h.example/i.png', 'image')]
    """
    found: dict[str, str] = {}
    for address, destination in _style_needs(css):
        if url := _absolute(address, base):
            found.setdefault(url, destination)
    return tuple(Asset(url, destination) for url, destination in found.items())


def manifest_assets(manifest: str, base: str) -> tuple[Asset, ...]:
    """The pictures that a web app's manifest names.

    >>> [asset.url for asset in manifest_assets('{"icons": [{"src": "i.png"}], "name": "x"}', "http://h.example/m/a")]
    ['http://h.example/m/i.png']
    """
    try:
        told = json.loads(manifest)
    except ValueError:
        return ()
    groups = [told, *_dicts(told, "shortcuts")] if isinstance(told, dict) else []
    pictures = [picture for group in groups for name in ("icons", "screenshots") for picture in _dicts(group, name)]
    urls = (_absolute(str(picture.get("src", "")), base) for picture in pictures)
    return tuple(Asset(url, "image") for url in dict.fromkeys(urls) if url)


def _dicts(holder: dict[str, Any], name: str) -> list[dict[str, Any]]:
    listed = holder.get(name)
    return [item for item in listed if isinstance(item, dict)] if isinstance(listed, list) else []


def fetch_assets(
    wire: Wire,
    page: Exchange,
    *,
    is_known: Callable[[str], bool],
    wait: Callable[[str], None] = lambda _: None,
    headers: Mapping[str, str] | None = None,
    workers: int = 4,
) -> list[Exchange]:
    """Fetch what the page and its style sheets need and `is_known` does not know, under the page's own visit.

    `wait` is called with each address before it is asked for and may sleep, to keep a rate; it must be safe to call
    from several threads.
    """
    asked: set[str] = set()
    done: list[Exchange] = []
    wanted = [asset for asset in _of(wire, page) if not is_known(asset.url)]

    def get(asset: Asset) -> Exchange:
        wait(asset.url)
        fetched_as = {"Accept": "*/*", "Sec-Fetch-Dest": asset.destination, "Referer": page.url, **(headers or {})}
        return wire.fetch(asset.url, headers=fetched_as, visit=page.visit, identity=page.identity)

    with ThreadPoolExecutor(max_workers=workers) as pool:
        for _ in range(MAX_DEPTH):
            now = [asset for asset in dict.fromkeys(wanted) if asset.url not in asked]
            asked.update(asset.url for asset in now)
            exchanges = list(pool.map(get, now))
            done += exchanges
            styles = [exchange for exchange in exchanges if exchange.destination in ("style", "manifest")]
            wanted = [asset for style in styles for asset in _of(wire, style) if not is_known(asset.url)]
    return done


def _of(wire: Wire, exchange: Exchange) -> tuple[Asset, ...]:
    if exchange.response_body is None or exchange.status != 200:
        return ()
    kind = exchange.said("content-type").lower()
    text = text_of(wire.store.get(exchange.response_body), kind)
    if "css" in kind:
        return style_assets(text, exchange.url)
    if exchange.destination == "manifest" or "manifest+json" in kind:
        return manifest_assets(text, exchange.url)
    return page_assets(text, exchange.url) if "html" in kind else ()


def _needs(element: Tag) -> Iterator[tuple[str, str]]:
    name = element.name
    if name == "link":
        yield from _link(element)
    elif name == "style":
        yield from _style_needs(element.get_text())
    elif name == "object":
        yield _attribute(element, "data"), "object"
    elif name in ("image", "use", "feimage"):
        address = _attribute(element, "href") or _attribute(element, "xlink:href")
        yield ("" if address.startswith("#") else address), "image"
    elif name in _SOURCES and (name != "input" or _attribute(element, "type").lower() == "image"):
        yield from _media(element, _SOURCES[name])
    elif name in ("body", "table", "td", "th"):
        yield _attribute(element, "background"), "image"
    for attribute in _LAZY:
        yield _attribute(element, attribute), _SOURCES.get(name, "image")
    yield from ((address, "image") for address in _candidates(_attribute(element, "data-srcset")))
    if "url(" in (style := _attribute(element, "style")):
        yield from _style_needs(style)


def _media(element: Tag, destination: str) -> Iterator[tuple[str, str]]:
    parent = element.parent.name if element.parent is not None else ""
    if element.name == "source" and parent in ("audio", "video"):
        destination = parent
    yield _attribute(element, "src"), destination
    yield _attribute(element, "poster"), "image"
    yield from ((address, "image") for address in _candidates(_attribute(element, "srcset")))


def _link(element: Tag) -> Iterator[tuple[str, str]]:
    relations = _attribute(element, "rel").lower().split()
    destination = next((_RELATIONS[relation] for relation in relations if relation in _RELATIONS), "")
    if "preload" in relations:
        destination = _attribute(element, "as").lower() or "empty"
    if destination and "alternate" not in relations:
        yield _attribute(element, "href"), destination
        yield from ((address, "image") for address in _candidates(_attribute(element, "imagesrcset")))


def _style_needs(css: str) -> Iterator[tuple[str, str]]:
    css = _COMMENT.sub("", css)
    imports = {_first(found) for found in _IMPORT.finditer(css)}
    yield from ((address, "style") for address in imports)
    fonts = {_first(found) for block in _FONT_FACE.finditer(css) for found in _URL.finditer(block[0])}
    for found in _URL.finditer(css):
        address = _first(found)
        if address not in imports:
            yield address, "font" if address in fonts else "image"
    for options in _IMAGE_SET.finditer(css):
        yield from ((_first(found), "image") for found in _STRING.finditer(options[1]))


def _first(found: re.Match[str]) -> str:
    return next((group for group in found.groups() if group is not None), "").strip()


def _candidates(srcset: str) -> Iterator[str]:
    """The addresses of a srcset. A comma ends a candidate only after its descriptor, or at the end of an address."""
    rest = srcset.strip(" \t\r\n,")
    while rest:
        found = re.match(r"\S+", rest)
        if not found:
            return
        address = found[0]
        rest = rest[found.end() :]
        if address.endswith(","):
            yield address.rstrip(",")
        else:
            yield address
            rest = re.sub(r"^[^,(]*(?:\([^)]*\)[^,(]*)*", "", rest, count=1)
        rest = rest.strip(" \t\r\n,")


def _attribute(element: Tag, name: str) -> str:
    value = element.get(name, "")
    return " ".join(value) if isinstance(value, list) else str(value or "")


def _absolute(address: str, base: str) -> str:
    address = re.sub(r"[\t\r\n]", "", address).strip()
    if not address or address.startswith(("#", "data:", "blob:", "about:", "javascript:", "{{", "${", "<%")):
        return ""
    try:
        return checked(joined(base, address).partition("#")[0])
    except UsageError:
        return ""
