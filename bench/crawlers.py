"""Crawlers to compare with: `python -m bench.crawlers plain|lens|pywb PAGES.json OUT BROWSER` visits the listed pages.

`plain` is how one would write it with Playwright alone; `lens` is our own look at a page, without proxy or crawl around
it. Both keep a page's DOM, what can be seen and acted on, its accessibility tree and a picture of the whole page.
`pywb` only loads each page through pywb's recording proxy, which keeps what was sent; it takes no picture.
"""

import json
import sys
import urllib.request
from pathlib import Path
from urllib.parse import urldefrag, urljoin, urlsplit

import lxml.html
from playwright.sync_api import sync_playwright

from artifacts.run import Lens
from bench.fault_peers import pywb_recorder
from explorer.lens.browser import launch_flags, new_context, open_browser
from explorer.lens.look import look


def pages_of(start: str, most: int) -> list[str]:
    """Addresses of the first pages that links lead to, breadth first, on the start's host."""
    found: list[str] = []
    queue = [start]
    for url in queue:
        if len(found) == most:
            break
        try:
            with urllib.request.urlopen(url, timeout=20) as answer:
                kind, body, final = answer.headers.get_content_type(), answer.read(), answer.url
        except OSError:
            continue
        if kind != "text/html" or final != url:
            continue
        found.append(url)
        for link in lxml.html.fromstring(body).iterfind(".//a[@href]"):
            target = urldefrag(urljoin(url, link.get("href") or "")).url
            if urlsplit(target).netloc == urlsplit(start).netloc and target not in queue:
                queue.append(target)
    return found


def plain(pages: list[str], out: Path, browser_path: Path) -> None:
    """The obvious way: load, content, snapshot, tree, full-page picture, one fresh page each."""
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=browser_path, args=launch_flags(None))
        context = browser.new_context(viewport={"width": 1280, "height": 720})
        for number, url in enumerate(pages):
            page = context.new_page()
            page.goto(url, wait_until="load")
            session = context.new_cdp_session(page)
            snapshot = session.send("DOMSnapshot.captureSnapshot", {"computedStyles": ["display", "visibility"]})
            tree = session.send("Accessibility.getFullAXTree")
            (out / f"{number}.html").write_text(page.content())
            (out / f"{number}.snapshot.json").write_text(json.dumps(snapshot))
            (out / f"{number}.tree.json").write_text(json.dumps(tree))
            page.screenshot(path=out / f"{number}.png", full_page=True)
            page.close()
        browser.close()


def lens(pages: list[str], out: Path, browser_path: Path) -> None:
    """Our look, as Explorer and Verifier use it: it also settles, scrolls through, and takes a second picture."""
    settings = Lens()
    with open_browser(executable=browser_path) as browser, new_context(browser, settings) as context:
        for number, url in enumerate(pages):
            page = context.new_page()
            page.goto(url, wait_until="load")
            seen = look(page, settings)
            (out / f"{number}.html").write_bytes(seen.dom)
            (out / f"{number}.tree.json").write_text(json.dumps(seen.axtree))
            (out / f"{number}.png").write_bytes(seen.full_page)
            (out / f"{number}.first.png").write_bytes(seen.screenshot)
            page.close()


def pywb(pages: list[str], out: Path, browser_path: Path) -> None:
    """Each page loaded and scrolled to its end in one context; no pause is made for what loads later."""
    with (
        pywb_recorder(out) as proxy,
        open_browser(proxy, executable=browser_path) as browser,
        new_context(browser, Lens()) as context,
    ):
        for number, url in enumerate(pages):
            page = context.new_page()
            page.goto(url, wait_until="load")
            page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
            (out / f"{number}.html").write_text(page.content())
            page.close()


def main() -> None:
    kind, listing, out, browser = sys.argv[1:5]
    pages = json.loads(Path(listing).read_text())
    {"plain": plain, "lens": lens, "pywb": pywb}[kind](pages, Path(out), Path(browser))


if __name__ == "__main__":
    main()
