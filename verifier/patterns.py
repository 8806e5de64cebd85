"""Which addresses a contract's route covers, read from its pattern without the framework it is written for. Pure."""

import functools
import re
from urllib.parse import unquote, urlsplit

from artifacts.contract import Route
from verifier.addresses import authority

_PLACE = re.compile(r"<(?:(?P<kind>[a-z_]+)(?:\([^)]*\))?:)?[A-Za-z_][A-Za-z0-9_]*>")
_KINDS = {"int": r"\d+", "float": r"\d+\.\d+", "path": r".+?", "uuid": r"[0-9A-Fa-f-]{36}"}


@functools.lru_cache(maxsize=4096)
def _expression(pattern: str) -> re.Pattern[str]:
    pieces, done = [], 0
    for place in _PLACE.finditer(pattern):
        pieces += [re.escape(pattern[done : place.start()]), _KINDS.get(place["kind"] or "", r"[^/]+")]
        done = place.end()
    pieces.append(re.escape(pattern[done:]))
    return re.compile("".join(pieces))


def matches(route: Route, url: str) -> bool:
    """Whether the route's host and pattern cover the address; its query does not matter.

    >>> route = Route(name="item", host="https://shop.example", methods=("GET",), pattern="/item/<int:number>/")
    >>> matches(route, "https://shop.example/item/7/?x=1"), matches(route, "https://shop.example/item/x/")
    (True, False)
    """
    host = route.host if "//" in route.host else f"//{route.host}"
    if route.host and authority(host) != authority(url) and urlsplit(host).hostname != urlsplit(url).hostname:
        return False
    return _expression(route.pattern).fullmatch(unquote(urlsplit(url).path) or "/") is not None
