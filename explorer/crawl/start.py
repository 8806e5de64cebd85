"""The first requests of a capture: the address that works, robots.txt, the lens, and what the site lists of itself."""

from typing import Any, NamedTuple

from artifacts.run import CaptureRequest, Lens
from artifacts.store import Journal
from explorer.crawl.probe import probe
from explorer.crawl.robots import Robots, fetch_robots
from explorer.crawl.sitemap import MAX_ADDRESSES, read_sitemap
from explorer.crawl.urls import origin
from explorer.lens.browser import open_browser, with_browser
from explorer.wire.client import Wire

MAX_SITEMAPS = 20


class Start(NamedTuple):
    """What the first requests settled; the first line of the journal."""

    url: str
    robots: str
    robots_status: int
    listed: tuple[str, ...]
    """Addresses from the site's sitemaps."""
    lens: Lens


def begin(
    request: CaptureRequest, wire: Wire, journal: Journal, lines: list[dict[str, Any]], created: str, visit: str
) -> Start:
    """The start as journalled by an earlier attempt, or found out now."""
    for line in lines:
        if line["kind"] == "start":
            lens = Lens.model_validate(line["lens"])
            return Start(line["url"], line["robots"], line["robots_status"], tuple(line["listed"]), lens)
    wire.visit(visit, "anonymous")
    found = probe(request, wire)
    text, status = fetch_robots(wire, found.url)
    with open_browser() as browser:
        lens = with_browser(request.lens.replaced(clock=request.lens.clock or created), browser)
    listed = _listed(wire, found.url, Robots.parse(text, status=status).sitemaps) if request.scope != "page" else ()
    start = Start(found.url, text, status, listed, lens)
    told = {**start._asdict(), "url": wire.redactor.redact_url(start.url)}
    journal.append({"kind": "start", "visit": visit, **told, "lens": lens.model_dump(mode="json")})
    return start


def _listed(wire: Wire, start: str, named: tuple[str, ...]) -> tuple[str, ...]:
    """Addresses of the sitemaps that robots.txt names and of the usual one; indexes are followed one level down."""
    queue = [*named, origin(start) + "/sitemap.xml"]
    pages: dict[str, None] = {}
    for number, url in enumerate(queue):
        if number >= MAX_SITEMAPS or len(pages) >= MAX_ADDRESSES:
            break
        if url in queue[:number]:
            continue
        answer = wire.fetch(url)
        if answer.status == 200 and answer.response_body:
            found = read_sitemap(wire.store.get(answer.response_body), url)
            pages |= dict.fromkeys(found.pages)
            queue += found.sitemaps
    return tuple(pages)[:MAX_ADDRESSES]
