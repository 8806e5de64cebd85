"""The first request: every way a start address can be unusable becomes its own error, before a browser is started."""

import http
import re
from typing import NamedTuple
from urllib.parse import urljoin, urlsplit

from artifacts.errors import BlockedError, UnavailableError, UsageError, WebAnythingError
from artifacts.evidence import Exchange
from artifacts.run import CaptureRequest
from explorer.crawl.challenge import challenge_in
from explorer.crawl.jars import PlainJar
from explorer.crawl.robots import Robots, fetch_robots
from explorer.crawl.urls import joined
from explorer.crawl.walls import Markup, login_wall, read_markup
from explorer.wire.charset import text_of
from explorer.wire.client import Answer, Wire
from explorer.wire.failures import failure_error
from explorer.wire.fetch import checked

MAX_HOPS = 20
MAX_REFRESHES = 5
_HTML_START = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html)", re.IGNORECASE | re.DOTALL
)
_LATER = "Check that the site is up, then run the same command again."


class Probe(NamedTuple):
    """A start address that can be used."""

    url: str
    """Where the redirects led."""
    site: str
    """Its origin, such as "https://shop.example"."""
    status: int
    html: str
    robots: Robots = Robots()


def probe(request: CaptureRequest, wire: Wire, *, timeout: float = 30.0) -> Probe:
    """Where the start address leads. Raises the error that says why it cannot be a start.

    robots.txt is asked first, of every origin the redirects pass; no cookie outlives the probe.
    """
    url = _usable(request.url)
    jar = PlainJar()
    seen: set[tuple[str, str]] = set()
    rules: dict[str, Robots] = {}
    refreshes = 0
    while True:
        robots = (
            rules.setdefault(_origin(url), Robots())
            if request.ignore_robots
            else _ask_robots(wire, url, rules, timeout)
        )
        step = (url, jar.header(url))
        if step in seen or len(seen) > MAX_HOPS:
            raise _loop(request.url, url, len(seen))
        seen.add(step)
        answer = wire.ask(url, headers={"Cookie": step[1]} if step[1] else {}, timeout=timeout)
        if answer.exchange.failure is not None:
            raise failure_error(answer.exchange, url)
        jar.take(url, answer.headers)
        if onward := _onward(answer, url):
            url = _usable(onward, came_from=url)
            continue
        html, page = _page(wire, answer.exchange, url)
        if page.refresh and page.refresh != url and refreshes < MAX_REFRESHES:
            refreshes += 1
            url = _usable(page.refresh, came_from=url)
            continue
        _refuse(request, answer.exchange, url, html, page)
        return Probe(url, _origin(url), answer.exchange.status or 0, html, robots)


def _usable(url: str, *, came_from: str = "") -> str:
    if "://" not in url and re.match(r"^[\w.-]+\.[a-z]{2,}(?:[:/?]|$)", url, re.IGNORECASE) and not came_from:
        raise UsageError(
            "The address does not say whether it is http or https.",
            where=url,
            remedy=f"Did you mean https://{url} ?",
            code="bad_url",
        )
    checked(url)
    if "@" in urlsplit(url).netloc:
        raise UsageError(
            "The address carries a user name or password.",
            where=re.sub(r"//[^@/]*@", "//...@", url),
            remedy="Leave it out of the address and name the test account with --accounts FILE.",
            code="bad_url",
        )
    return url.partition("#")[0] if came_from else url


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def _ask_robots(wire: Wire, url: str, rules: dict[str, Robots], timeout: float) -> Robots:
    origin = _origin(url)
    if origin not in rules:
        try:
            text, status = fetch_robots(wire, url, timeout=timeout)
        except UnavailableError as error:
            raise UnavailableError(error.what, where=url, remedy=error.remedy, code=error.code) from error
        if status >= 500:
            raise UnavailableError(
                f"The site answers {status} {_phrase(status)} when asked for robots.txt; "
                "until it can be read, nothing may be visited.",
                where=urljoin(url, "/robots.txt"),
                remedy="Try again later, or add --ignore-robots if the site is yours.",
                code="server_error",
            )
        rules[origin] = Robots.parse(text, status=status)
    robots = rules[origin]
    if not robots.allows(url):
        raise BlockedError(
            f"The site's robots.txt asks robots not to visit this page ({robots.line_for(url)}).",
            where=url,
            remedy="Choose a page it allows, or add --ignore-robots if the site is yours.",
            code="robots",
        )
    return robots


def _onward(answer: Answer, url: str) -> str:
    status = answer.exchange.status or 0
    location = next((value for name, value in answer.headers if name.lower() == "location"), "")
    return (joined(url, location) or location) if status in (301, 302, 303, 307, 308) and location else ""


def _page(wire: Wire, exchange: Exchange, url: str) -> tuple[str, Markup]:
    body = wire.store.get(exchange.response_body) if exchange.response_body else b""
    kind = exchange.said("content-type")
    bare = kind.partition(";")[0].strip().lower()
    status = exchange.status or 0
    if status < 400 and (exchange.response_bytes or body) and not _is_page(bare, body):
        raise UsageError(
            f"This is no web page but {bare or 'data of an unnamed type'}.",
            where=url,
            remedy="Give the address of a page that a browser shows, such as the one that links to it.",
            code="not_a_page",
        )
    html = text_of(body, kind)
    return html, read_markup(html, url)


def _is_page(kind: str, body: bytes) -> bool:
    if kind in ("text/html", "application/xhtml+xml"):
        return True
    return kind in ("", "application/xml", "text/xml", "unknown/unknown") and bool(_HTML_START.match(body))


def _refuse(request: CaptureRequest, exchange: Exchange, url: str, html: str, page: Markup) -> None:
    """Raises the error for an answer that is no start; returns if it is one."""
    status = exchange.status or 0
    headers = dict(exchange.response_headers)
    if said := challenge_in(status, headers, page.title, page.text, html):
        raise BlockedError(
            f"The site asks whether a person is there ({said}); WebAnything does not answer such questions.",
            where=url,
            remedy="Ask the site's owner for access, or choose a site that lets robots in.",
            code="challenge",
        )
    if status >= 400:
        raise status_error(status, url)
    if not request.accounts and (said := login_wall(request.url, url, page)):
        raise _login(url, said)
    if page.is_empty:
        raise UsageError(
            f"The page is empty ({status}, {exchange.response_bytes} bytes).",
            where=url,
            remedy="Open it in a browser to see what it should show, and give the address of a page with content.",
            code="empty_page",
        )


def _login(url: str, why: str) -> BlockedError:
    return BlockedError(
        f"The page is behind a login: {why}.",
        where=url,
        remedy="Name a test account with --accounts FILE, or start from a public page.",
        code="login_wall",
    )


def _phrase(status: int) -> str:
    try:
        return http.HTTPStatus(status).phrase
    except ValueError:
        return ""


def status_error(status: int, url: str) -> WebAnythingError:
    """The error for an answer of 400 or more."""
    said = f"The site answers {status} {_phrase(status)}".rstrip()
    if status in (401, 407):
        return _login(url, f"it answers {status} {_phrase(status)}")
    if status in (404, 410):
        return UsageError(f"{said}: there is no such page.", where=url, remedy="Check the address.", code="not_found")
    if status == 429:
        return UnavailableError(
            f"{said}: too many requests.", where=url, remedy="Wait a while, then run it again.", code="rate_limited"
        )
    if status in (402, 403, 451) or status > 599:
        return BlockedError(
            f"{said}: it does not want this visit.",
            where=url,
            remedy="Ask the site's owner for access, or choose another page.",
            code="forbidden",
        )
    if status >= 500:
        return UnavailableError(f"{said}.", where=url, remedy=_LATER, code="server_error")
    return UsageError(
        f"{said}.", where=url, remedy="Open the address in a browser to see what it needs.", code="client_error"
    )


def _loop(asked: str, url: str, hops: int) -> UnavailableError:
    return UnavailableError(
        f"The address redirects without end (given up after {hops} steps, at {url.partition('?')[0]}).",
        where=asked,
        remedy="Open it in a browser; if it works there, start from the address it ends at.",
        code="redirect_loop",
    )
