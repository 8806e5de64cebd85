"""Which address of the candidate stands for which address of the evidence, and when two addresses are one. Pure."""

import re
from collections.abc import Iterable
from typing import NamedTuple
from urllib.parse import SplitResult, parse_qsl, quote, unquote, urlsplit

from artifacts.contract import Volatile

_PORTS = {"http": 80, "https": 443, "ws": 80, "wss": 443}
_WEB = {"ws": "http", "wss": "https"}
_HOST_FOLDER = re.compile(r"/(?:~|%7[Ee])(https?)(?:~|%7[Ee])([^/~%?#]+)(?:(?:~|%7[Ee])(\d{1,5}))?(?=[/?#]|$)")


def authority(url: str) -> str:
    """Host and port of an address, the scheme's own port left out.

    >>> authority("https://Shop.example:443/a"), authority("http://127.0.0.1:8000"), authority("http://a.example:99999/")
    ('shop.example', '127.0.0.1:8000', 'a.example:99999')
    """
    parts = _split(url)
    try:
        port = parts.port
    except ValueError:  # pages may name addresses that nobody could go to
        return parts.netloc.lower()
    host = (parts.hostname or "").rstrip(".")
    host = f"[{host}]" if ":" in host else host
    return host if port in (None, _PORTS.get(parts.scheme)) else f"{host}:{port}"


def _split(url: str) -> SplitResult:
    """The address taken apart; one that cannot be is all path."""
    try:
        return urlsplit(url)
    except ValueError:
        return SplitResult("", "", url, "", "")


class Addresses(NamedTuple):
    """A site and the candidate that stands for it, each as scheme://host[:port].

    The site's own host is at the candidate's root; every other one is in a folder /~scheme~host[~port].

    >>> both = Addresses("https://shop.example", "http://127.0.0.1:8000")
    >>> both.to_candidate("https://shop.example/a?b=1#c")
    'http://127.0.0.1:8000/a?b=1#c'
    >>> both.to_candidate("https://cdn.example:444/x.css")
    'http://127.0.0.1:8000/~https~cdn.example~444/x.css'
    >>> both.to_site("http://127.0.0.1:8000/~https~cdn.example~444/x.css")
    'https://cdn.example:444/x.css'
    >>> both.to_site("https://elsewhere.example/")
    'https://elsewhere.example/'
    """

    site: str
    candidate: str

    def to_candidate(self, url: str) -> str:
        """Where the candidate answers for this address. Addresses that are not http stay."""
        parts = _split(url)
        scheme = _WEB.get(parts.scheme, parts.scheme)
        if scheme not in ("http", "https"):
            return url
        rest = url.partition("//")[2][len(parts.netloc) :]
        if not rest.startswith("/"):
            rest = "/" + rest
        if authority(url) == authority(self.site):
            return self.candidate + rest
        folder = re.sub(r":(\d+)$", r"~\1", authority(url))
        return f"{self.candidate}/~{scheme}~{folder}{rest}"

    def to_site(self, url: str) -> str:
        """The address of the evidence that an address of the candidate stands for; others stay."""
        if authority(url) != authority(self.candidate) or _split(url).scheme not in _PORTS:
            return url
        rest = url.partition("//")[2][len(_split(url).netloc) :]
        found = _HOST_FOLDER.match(rest)
        if not found:
            return self.site + (rest if rest.startswith("/") else "/" + rest)
        port = f":{found[3]}" if found[3] else ""
        return f"{found[1]}://{found[2]}{port}{rest[found.end() :] or '/'}"

    def text_to_site(self, text: str) -> str:
        """The text with every address of the candidate turned into the site's."""
        spelled = re.escape(authority(self.candidate))
        return re.sub(
            rf"(?:https?|wss?)://{spelled}(?![\w.:])(?:/~(https?)~([\w.\[\]-]+)(?:~(\d{{1,5}}))?)?",
            lambda found: f"{found[1]}://{found[2]}{':' + found[3] if found[3] else ''}" if found[1] else self.site,
            text,
        )

    def is_foreign(self, url: str) -> bool:
        """Whether a request for this address would leave the sandbox."""
        return _split(url).scheme in (*_PORTS, "ftp") and authority(url) != authority(self.candidate)


def _key(url: str, ignored: Iterable[tuple[str, str]] = ()) -> tuple[str, str, tuple[tuple[str, str], ...], str]:
    parts = _split(url)
    path = quote(unquote(parts.path), safe="/") or "/"
    bare = f"{parts.scheme}://{authority(url)}{path}"
    dropped = {name for route, name in ignored if not route or _is_route(route, bare)}
    pairs = sorted(pair for pair in parse_qsl(parts.query, keep_blank_values=True) if pair[0] not in dropped)
    return authority(url), path, tuple(pairs), unquote(parts.fragment)


def _is_route(route: str, bare: str) -> bool:
    return bare.endswith(quote(unquote(urlsplit(route).path), safe="/")) if "//" not in route else _bare(route) == bare


def _bare(route: str) -> str:
    parts = urlsplit(route)
    return f"{parts.scheme}://{authority(route)}{quote(unquote(parts.path), safe='/') or '/'}"


def address_key(url: str) -> str:
    """Equal for two spellings of one resource: escapes, query order, scheme and fragment do not matter.

    >>> address_key("https://shop.example/a?x=1&y=2#top") == address_key("http://shop.example/%61?y=2&x=1")
    True
    """
    host, path, pairs, _ = _key(url)
    return f"{host}{path}?{pairs}"


def same_address(expected: str, seen: str, volatile: Iterable[Volatile] = ()) -> bool:
    """Whether two addresses are one, but for query values that are known to change from look to look.

    >>> same_address("https://shop.example/a?x=1&t=7", "http://shop.example/a?t=9&x=1")
    False
    >>> changing = Volatile(place="query", route="https://shop.example/a", key="t", because="differs")
    >>> same_address("https://shop.example/a?x=1&t=7", "https://shop.example/a?t=9&x=1", [changing])
    True
    """
    ignored = [(entry.route, entry.key) for entry in volatile if entry.place == "query"]
    return _key(expected, ignored) == _key(seen, ignored)
