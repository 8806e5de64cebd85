"""Addresses: one spelling, scope, and the templates they are instances of. Pure."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from urllib.parse import SplitResult, parse_qsl, quote, unquote, urljoin, urlsplit, urlunsplit

from artifacts.run import Scope
from explorer.wire.fetch import escaped

DEFAULT_PORTS = {"http": 80, "https": 443, "ws": 80, "wss": 443}
_SAFE = "!$&'()*+,;=:@~"
_SESSION_KEY = re.compile(
    r"^(jsessionid|phpsessid|aspsessionid\w*|sessionid|sid|cfid|cftoken|zenid|osc[a-z]*id)$", re.I
)
_PATH_SESSION = re.compile(r";(jsessionid|phpsessid|sid)=[^/?#]*", re.I)
_OPAQUE = re.compile(r"^(?=.*\d)[0-9a-f-]{8,}$|^[0-9a-f]{16,}$|^[A-Za-z0-9_-]{24,}$", re.I)
_MANY = 6
"""More siblings than this under one path are instances of one template."""
_MANY_SECTIONS = 24
"""The same right below the host, where the parts of a site stand side by side."""


def joined(base: str, address: str) -> str:
    """Where an address on a page leads, escaped; empty if no browser could go there.

    >>> joined("http://a.example/x/", "y z?q=ü#top"), joined("http://a.example/", "http://a.example:99999/")
    ('http://a.example/x/y%20z?q=%C3%BC#top', '')
    >>> joined("http://a.example/", "http://[bad/"), joined("http://a.example/", "//[::1]:80/")
    ('', 'http://[::1]:80/')
    """
    try:
        url = escaped(urljoin(base, address.strip()))
        parts = urlsplit(url)
        _ = parts.hostname, parts.port
    except ValueError:
        return ""
    return url


def canonical(url: str, *, fragment: bool = False) -> str:
    """One spelling for one address: lower-case host, no default port, normal escapes, no session id.

    The order of the query's pairs is kept. A fragment that is a route of the page's scripts belongs to the address.
    What no browser could go to stays as it is.

    >>> canonical("HTTP://Shop.example:80/a%7Eb/?q=%c3%a9&sid=12#top")
    'http://shop.example/a~b/?q=%C3%A9'
    >>> canonical("http://shop.example/#/cart"), canonical("http://shop.example/#!cart")
    ('http://shop.example/#/cart', 'http://shop.example/#!cart')
    """
    try:
        parts = urlsplit(escaped(url))
        host, port = (parts.hostname or "").rstrip("."), parts.port
    except ValueError:
        return url.strip()
    if ":" in host:
        host = f"[{host}]"
    netloc = host if port in (None, DEFAULT_PORTS.get(parts.scheme)) else f"{host}:{port}"
    path = quote(
        unquote(_PATH_SESSION.sub("", parts.path), errors="surrogateescape"),
        safe="/%" + _SAFE,
        errors="surrogateescape",
    )
    path = _keep_escapes(parts.path, path)
    pairs = [pair for pair in parts.query.split("&") if pair and not _SESSION_KEY.match(pair.split("=")[0])]
    query = "&".join(re.sub(r"%[0-9a-fA-F]{2}", lambda hexed: hexed.group().upper(), pair) for pair in pairs)
    kept = parts.fragment if fragment or is_route(parts.fragment) else ""
    return urlunsplit((parts.scheme, netloc, path or "/", query, kept))


def is_route(fragment: str) -> bool:
    """Whether scripts read a fragment as an address within the page, rather than as a place to scroll to.

    >>> is_route("/a/b"), is_route("!a"), is_route("top"), is_route("")
    (True, True, False, False)
    """
    return fragment.startswith(("/", "!")) and len(fragment) > 1


def _keep_escapes(original: str, normal: str) -> str:
    """Escapes of characters with a meaning in paths stay as they were: %2F is not a slash."""
    if re.search(r"%(2[fF]|3[fF]|23|25|3[bB])", original):
        return re.sub(r"%[0-9a-fA-F]{2}", lambda hexed: hexed.group().upper(), _PATH_SESSION.sub("", original))
    return normal


def address_key(url: str) -> str:
    """Equal for two spellings of one page: canonical, the query sorted by key; repeated keys keep their order."""
    if not joined(url, ""):
        return url.strip()
    parts = urlsplit(canonical(url))
    pairs = sorted(parts.query.split("&"), key=lambda pair: pair.split("=")[0])
    return urlunsplit(parts._replace(query="&".join(pairs)))


def origin(url: str) -> str:
    """Scheme, host and port, the default port left out.

    >>> origin("https://shop.example:443/a")
    'https://shop.example'
    """
    parts = urlsplit(canonical(url))
    return f"{parts.scheme}://{parts.netloc}"


_FILE = re.compile(
    r"\.(pdf|zip|gz|tgz|bz2|xz|7z|rar|tar|exe|dmg|iso|deb|rpm|apk|jar|docx?|xlsx?|pptx?|od[tsp]|csv|epub|mobi|ics|"
    r"png|jpe?g|gif|webp|avif|svg|ico|bmp|tiff?|mp3|ogg|wav|flac|mp4|webm|mov|avi|woff2?|ttf|otf|css|m?js|map|xml|rss|"
    r"atom|json|txt)$",
    re.I,
)


def is_file(url: str) -> bool:
    """Whether an address names something to fetch rather than a page to look at, by its ending.

    >>> is_file("http://a.example/report.PDF?x=1"), is_file("http://a.example/index.php")
    (True, False)
    """
    return bool(_FILE.search(urlsplit(url).path))


def in_scope(url: str, start: str, scope: Scope) -> bool:
    """Whether an address belongs to what was asked for.

    `domain` takes in sub-domains of the start's host (without "www."); only `page` is one address alone.
    """
    if not joined(start, url):
        return False
    here, first = urlsplit(canonical(url)), urlsplit(canonical(start))
    if here.scheme not in ("http", "https") or not here.hostname:
        return False
    if scope == "page":
        return address_key(url) == address_key(start)
    if scope == "domain":
        base = (first.hostname or "").removeprefix("www.")
        return here.hostname == base or here.hostname.endswith("." + base)
    same_host = (here.hostname, here.port) == (first.hostname, first.port) or (
        here.hostname == first.hostname and here.scheme != first.scheme and here.port is None and first.port is None
    )
    if scope == "host":
        return same_host
    return same_host and here.path.startswith(first.path.rsplit("/", 1)[0] + "/")


class Templates:
    """The URL templates of a site, learned from every address known so far.

    A path segment is a variable if it is a number, an opaque id, or one of more than six siblings; `Prefix:rest` keeps
    its prefix. A query contributes its keys, and the value of a key that has few values and does not look like content.
    """

    def __init__(self, urls: Iterable[str]) -> None:
        self._children: dict[tuple[str, ...], set[str]] = defaultdict(set)
        self._values: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        for url in dict.fromkeys(urls):
            parts = _unfolded(url)
            trail: tuple[str, ...] = (parts.netloc,)
            for segment in _segments(parts.path):
                self._children[trail].add(segment)
                trail = (*trail, _shape(segment) or segment)
            for key, value in parse_qsl(parts.query, keep_blank_values=True):
                self._values[(parts.path.rsplit("/", 1)[0], key)][value] += 1

    def of(self, url: str) -> str:
        """The template of an address, such as "shop.example/catalogue/{}/?page"."""
        parts = _unfolded(canonical(url))
        trail: tuple[str, ...] = (parts.netloc,)
        out = [parts.netloc]
        for segment in _segments(parts.path):
            shape = _shape(segment)
            many = _MANY if len(trail) > 1 else _MANY_SECTIONS
            if shape is None and len(self._children[trail]) > many and not _is_file(segment):
                shape = _prefixed(segment)
            out.append(shape or segment)
            trail = (*trail, _shape(segment) or segment)
        folder = parts.path.rsplit("/", 1)[0]
        keys = sorted(
            {self._query_part(folder, key, value) for key, value in parse_qsl(parts.query, keep_blank_values=True)}
        )
        tail = "/" if parts.path.endswith("/") else ""
        return "/".join(out) + tail + ("?" + "&".join(keys) if keys else "")

    def _query_part(self, folder: str, key: str, value: str) -> str:
        """A key that selects what kind of page comes back keeps its value."""
        values = self._values[(folder, key)]
        selects = 1 < len(values) <= _MANY and value.isalpha() and value.islower() and values.total() > 2 * len(values)
        return f"{key}={value}" if selects else key


def _unfolded(url: str) -> SplitResult:
    """The address with a route in its fragment as further segments of the path, and its query as the query."""
    parts = urlsplit(url)
    if not is_route(parts.fragment):
        return parts
    path, _, query = parts.fragment.removeprefix("!").partition("?")
    joined = "&".join(filter(None, (parts.query, query)))
    return parts._replace(path=f"{parts.path.rstrip('/')}/#/{path.lstrip('/')}", query=joined, fragment="")


def _segments(path: str) -> list[str]:
    return [segment for segment in path.split("/") if segment]


def _is_file(segment: str) -> bool:
    return bool(re.search(r"\.(html?|php|aspx?|jsp|xml|json|txt)$", segment, re.I)) and len(segment) < 16


def _shape(segment: str) -> str | None:
    """The variable a segment is by its looks alone, or None."""
    if segment.isdigit():
        return "{n}"
    if _OPAQUE.match(segment):
        return "{id}"
    if found := re.match(r"^(.+?)([-_.])(\d+)(\.\w+)?$", segment):
        return f"{{}}{found[2]}{{n}}{found[4] or ''}"
    return None


def _prefixed(segment: str) -> str:
    prefix, colon, _ = unquote(segment).partition(":")
    return f"{prefix}:{{}}" if colon and 0 < len(prefix) <= 24 else "{}"
