"""robots.txt by RFC 9309: which addresses the site asks robots to leave alone, and by which line."""

import re
from typing import NamedTuple, Self
from urllib.parse import quote, urljoin, urlsplit

from explorer.crawl.urls import joined
from explorer.wire.client import Wire
from explorer.wire.failures import failure_error

AGENT = "webanything"
MAX_ROBOTS = 500_000
"""Characters that are read, as the RFC allows."""
_HOPS = 5


class Rule(NamedTuple):
    allow: bool
    path: str
    line: str
    """As it stands in the file, with its line number."""


class _Group(NamedTuple):
    agents: list[str]
    rules: list[Rule]
    delays: list[float]


class Robots(NamedTuple):
    """The rules that bind us. An empty one allows everything."""

    rules: tuple[Rule, ...] = ()
    sitemaps: tuple[str, ...] = ()
    crawl_delay: float | None = None
    """Seconds between requests that the site asks for."""
    refuses_all: str = ""
    """Why nothing may be visited, whatever the rules say."""

    @classmethod
    def parse(cls, text: str, *, status: int = 200, agent: str = AGENT) -> Self:
        """The rules for `agent`, or for everyone if none name it.

        A file that is not there (4xx) allows everything; one that could not be read (5xx) allows nothing.

        >>> Robots.parse("User-agent: *\\nDisallow: /private").allows("http://x.example/private/a")
        False
        >>> Robots.parse("", status=404).allows("http://x.example/"), Robots.parse("", status=503).allows("http://x/")
        (True, False)
        """
        if status >= 500 or status == 0:
            said = f"answered {status}" if status else "did not answer"
            return cls(refuses_all=f"robots.txt {said}, so nothing may be visited until it can be read")
        if not 200 <= status < 300:
            return cls()
        groups, sitemaps = _read(text[:MAX_ROBOTS])
        named = [group for group in groups if any(_product(name) == agent.lower() for name in group.agents)]
        bound = named or [group for group in groups if "*" in group.agents]
        delays = [delay for group in bound for delay in group.delays]
        return cls(
            rules=tuple(rule for group in bound for rule in group.rules),
            sitemaps=tuple(sitemaps),
            crawl_delay=max(delays, default=None),
        )

    def allows(self, url: str) -> bool:
        """True if the longest rule that fits allows the address, or none fits; robots.txt itself is always allowed."""
        path = _path_of(url)
        if path == "/robots.txt":
            return True
        if self.refuses_all:
            return False
        rule = self._deciding(path)
        return rule is None or rule.allow

    def line_for(self, url: str) -> str:
        """The line that decides about the address, such as "line 3: Disallow: /private"; empty if none does."""
        if self.refuses_all:
            return self.refuses_all
        rule = self._deciding(_path_of(url))
        return rule.line if rule else ""

    def _deciding(self, path: str) -> Rule | None:
        fitting = [rule for rule in self.rules if _fits(rule.path, path)]
        return max(fitting, key=lambda rule: (len(rule.path), rule.allow), default=None)


def _read(text: str) -> tuple[list[_Group], list[str]]:
    groups: list[_Group] = []
    sitemaps: list[str] = []
    naming = False
    for number, raw in enumerate(text.lstrip("\ufeff").splitlines(), 1):
        key, colon, value = raw.partition("#")[0].partition(":")
        key, value = key.strip().lower(), value.strip()
        if not colon:
            continue
        if key == "sitemap":
            sitemaps.append(value)
        elif key in ("user-agent", "useragent"):
            if not naming:
                groups.append(_Group([], [], []))
            groups[-1].agents.append(value.lower())
            naming = True
        elif groups and key in ("allow", "disallow"):
            naming = False
            if value:
                groups[-1].rules.append(Rule(key == "allow", _normal(value), f"line {number}: {raw.strip()}"))
        elif groups and key == "crawl-delay":
            naming = False
            if re.fullmatch(r"\d{1,6}(?:\.\d+)?", value):
                groups[-1].delays.append(float(value))
    return groups, sitemaps


def _product(agent: str) -> str:
    """The product token at the beginning, which is all that is compared."""
    found = re.match(r"[a-z_-]+", agent)
    return found[0] if found else agent


def _normal(path: str) -> str:
    """Percent-encoding made the same for rules and addresses: needless escapes undone, others in capitals."""

    def plain(found: re.Match[str]) -> str:
        character = chr(int(found[1], 16))
        return character if re.fullmatch(r"[A-Za-z0-9._~-]", character) else found[0].upper()

    return re.sub(r"%([0-9A-Fa-f]{2})", plain, quote(path, safe="/%:?#[]@!$&'()*+,;=~-._|^`{}\"<>\\"))


def _path_of(url: str) -> str:
    parts = urlsplit(url)
    return _normal((parts.path or "/") + (f"?{parts.query}" if parts.query else ""))


def _fits(rule: str, path: str) -> bool:
    """True if the rule's path, with * for anything and a last $ for the end, begins the path."""
    anchored = rule.endswith("$")
    first, *others = rule.removesuffix("$").split("*")
    if not path.startswith(first):
        return False
    at = len(first)
    if not others:
        return not anchored or at == len(path)
    for part in others[:-1]:
        at = path.find(part, at)
        if at < 0:
            return False
        at += len(part)
    last = others[-1]
    return len(path) - len(last) >= at and path.endswith(last) if anchored else path.find(last, at) >= 0


def fetch_robots(wire: Wire, url: str, *, timeout: float = 30.0) -> tuple[str, int]:
    """The text of the origin's robots.txt and its status; up to five redirects are followed.

    Raises UnavailableError if the site does not answer at all.
    """
    asked = urljoin(url, "/robots.txt")
    for _ in range(_HOPS + 1):
        exchange = wire.fetch(asked, timeout=timeout)
        if exchange.failure is not None or exchange.status is None:
            raise failure_error(exchange, asked)
        location = next((value for name, value in exchange.response_headers if name.lower() == "location"), "")
        if not (300 <= exchange.status < 400 and location):
            body = wire.store.get(exchange.response_body) if exchange.response_body else b""
            return body.decode("utf-8", "replace"), exchange.status
        asked = joined(asked, location)
        if urlsplit(asked).scheme not in ("http", "https"):
            break
    return "", 404  # the RFC: too many redirects count as no file
