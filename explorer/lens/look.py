"""One look at a page: everything a state of the evidence needs, as bytes and plain values."""

import hashlib
import re
from typing import Any, NamedTuple

from playwright.sync_api import Error, Page, TimeoutError

from artifacts.evidence import Actionable
from artifacts.run import Lens
from explorer.lens.pictures import Pictures, accessibility_tree, take_pictures
from explorer.lens.settle import CAP_MS, Settled, settle
from explorer.lens.veil import Hide, veil
from explorer.lens.watch import Watch
from explorer.lens.world import World

MAX_CHARACTERS = 16_000_000
MAX_LINKS = 5_000
MAX_ACTIONABLES = 2_000
GROWTHS = 3
"""How often a page is followed when it grows under its reader; after that it is taken for endless and cut off."""
RETAKES = 3
"""How often a page that shows again what was hidden is taken once more."""

_SCROLL_CAP_MS = 3_000
_DIGITS = re.compile(r"\d+")
_TOKEN = re.compile(r"\b(?=\w*\d)[\w-]{20,}\b")


class Look(NamedTuple):
    """What a settled page shows and holds. Names agree with `artifacts.evidence.PageState`."""

    url: str
    title: str
    dom: bytes
    axtree: list[dict[str, Any]]
    text: str
    screenshot: bytes
    full_page: bytes
    page_height: int
    storage: dict[str, dict[str, str]]
    """{"local": {..}, "session": {..}}; cookies belong to the context."""
    actionables: list[Actionable]
    links: tuple[str, ...]
    console_errors: tuple[str, ...]
    failed_requests: tuple[str, ...]
    settled_after_ms: int
    settled: bool
    fingerprint: str
    notes: tuple[str, ...]


class _Taken(NamedTuple):
    """What one moment of the page gave, as its scripts say it."""

    read: dict[str, Any]
    dom: dict[str, Any]
    found: dict[str, Any]
    pictures: Pictures
    axtree: list[dict[str, Any]]


def look(page: Page, lens: Lens, *, watch: Watch | None = None, cap_ms: int = CAP_MS, hide: Hide | None = None) -> Look:
    """Settle, scroll once through the page and back to its top, settle again, and take everything.

    Without a `watch` that was there from the beginning the look knows of no console errors and failed requests. With
    `hide` the page itself shows what that makes of its texts while it is taken, and its own texts again afterwards. A
    page that navigates meanwhile is looked at once more; if it does so again, Playwright's Error escapes.
    """
    try:
        return _look(page, lens, watch, cap_ms, hide)
    except TimeoutError:
        raise
    except Error:
        if page.is_closed():
            raise
        return _look(page, lens, watch, cap_ms, hide)


def _look(page: Page, lens: Lens, watch: Watch | None, cap_ms: int, hide: Hide | None) -> Look:
    settled = settle(page, cap_ms=cap_ms)
    world = World(page)
    more, notes = _scroll_through(page, world, lens)
    if not settled.settled:
        notes.append(f"still changing after {settled.after_ms} ms")
    taken = _take(world, lens) if hide is None else _take_veiled(world, lens, hide, notes)
    read, dom, found, pictures, axtree = taken
    if pictures.pictured < pictures.page_height:
        notes.append(f"pictured down to {pictures.pictured} of {pictures.page_height} pixels")
    notes.extend(
        f"{what} cut off" for what, part in (("text", read), ("dom", dom), ("actionables", found)) if part["cut"]
    )
    return Look(
        url=read["url"],
        title=read["title"],
        dom=dom["html"].encode(),
        axtree=axtree,
        text=read["text"],
        screenshot=pictures.screenshot,
        full_page=pictures.full_page,
        page_height=pictures.page_height,
        storage=read["storage"],
        actionables=[Actionable.model_validate(item) for item in found["items"]],
        links=tuple(read["links"]),
        console_errors=watch.console_errors if watch else (),
        failed_requests=watch.failed_requests if watch else (),
        settled_after_ms=settled.after_ms + more.after_ms,
        settled=settled.settled and more.settled,
        fingerprint=fingerprint(dom["outline"], read["text"]),
        notes=tuple(notes),
    )


def _take(world: World, lens: Lens) -> _Taken:
    read = world.call("text", {"maxCharacters": MAX_CHARACTERS, "maxLinks": MAX_LINKS})
    dom = world.call("dom", {"maxCharacters": MAX_CHARACTERS})
    found = world.call("actionables", {"maxItems": MAX_ACTIONABLES})
    return _Taken(read, dom, found, take_pictures(world, lens), accessibility_tree(world))


def _take_veiled(world: World, lens: Lens, hide: Hide, notes: list[str]) -> _Taken:
    with veil(world, hide) as over:
        over.draw()
        taken = _take(world, lens)
        for _ in range(RETAKES):
            # A page may have written its own text again, or more of it, before the picture was taken.
            if not over.draw():
                return taken
            taken = _take(world, lens)
        notes.append("shows again what was hidden")
        return taken


def _scroll_through(page: Page, world: World, lens: Lens) -> tuple[Settled, list[str]]:
    """Go down the page and back to the top; what that loads is loaded. A page that keeps growing is cut off."""
    reached, growths, spent = 0, 0, 0
    notes: list[str] = []
    while True:
        seen = world.call("scroll", {"maxHeight": lens.max_height, "from": reached})
        if not seen["moved"]:
            break
        reached = seen["at"]
        pause = settle(page, cap_ms=_SCROLL_CAP_MS)
        spent += pause.after_ms
        if world.call("height") <= seen["goal"] + 1 or seen["goal"] >= lens.max_height:
            break
        growths += 1
        if growths > GROWTHS:
            notes.append("grows when scrolled: cut off")
            break
    if not world.call("to_top"):
        return Settled(spent, True), notes
    last = settle(page)
    return Settled(spent + last.after_ms, last.settled), notes


def fingerprint(outline: str, text: str) -> str:
    """The digest of a page's structure and text with numbers and long tokens masked.

    >>> fingerprint("0 html", "3 items, 2 new") == fingerprint("0 html", "14 items, 0 new")
    True
    >>> fingerprint("0 html", "Sign in") == fingerprint("0 html", "Sign out")
    False
    """
    masked = _DIGITS.sub("0", _TOKEN.sub("*", f"{outline}\n\n{text}"))
    return hashlib.sha256(masked.encode()).hexdigest()
