"""Which pages tell what a step changed: a few of different kinds, fixed before the first step. Pure.

What a behaviour does shows on pages it does not lead to: a list, a badge, somebody's profile. One page of each kind in
the neighbourhood is asked for before and after, those first whose kind has changed before.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple
from urllib.parse import urlsplit

from artifacts.run import CaptureRequest
from explorer.crawl import safety
from explorer.crawl.assemble import is_drawn
from explorer.crawl.robots import Robots
from explorer.crawl.trial import Shown
from explorer.crawl.urls import Templates, address_key, canonical, in_scope, is_file, joined

MOST = 6
"""Pages asked for after one step."""
AT_FIRST = 5
"""Of them chosen before the first step; the rest is left for pages that a step brings into being."""
REQUESTS_AN_ACTION = 12
"""Probes there may be for each action of the budget, on average."""
WITHOUT_LIMIT = 2_000
"""Probes where actions have no budget."""
_ENOUGH = 2
_TIRED = 3
"""A cookie that so many steps of mere reading replaced says nothing."""

_OWN_PAGE = re.compile(
    r"cart|basket|bag|checkout|wish|compare|favou?rite|account|profile|order|setting|inbox|my[-_ ]|warenkorb|konto|"
    r"panier|compte|carrito|cesta|cuenta|carrello|winkel|koszyk|konto|корзин|カート|购物车|장바구니",
    re.I,
)


def is_own(text: str, url: str) -> bool:
    """Whether a link leads to a page about the visitor: a cart, an account, a profile."""
    return bool(_OWN_PAGE.search(f"{text} {urlsplit(url).path}"))


def _form_of(behaviour: str) -> str:
    """What behaviours have in common that differ in the thing their button names."""
    return behaviour.partition(" by ")[0]


class Outcome(NamedTuple):
    """What the probes of one episode came to, as it is journalled."""

    asked: int = 0
    """Requests sent."""
    changed: tuple[str, ...] = ()
    """Addresses that said something else after a step than before it."""
    own: tuple[str, ...] = ()
    """Behaviours whose change a stranger looked for and did not see, one for each look."""

    def cleaned(self, clean: Callable[[str], str]) -> "Outcome":
        """The same with every address as it may be kept."""
        return self._replace(changed=tuple(map(clean, self.changed)))


class Telling:
    """What is known of the pages that tell; each episode adds to it."""

    def __init__(self, request: CaptureRequest, start: str, robots: Robots) -> None:
        self._request = request
        self._start = start
        self._robots = robots
        self._asked = 0
        self._changed: Counter[str] = Counter()
        self._own: Counter[str] = Counter()
        self._replaced: Counter[str] = Counter()

    def absorb(self, outcome: Outcome) -> None:
        """Take in what an episode's probes came to."""
        self._asked += outcome.asked
        self._changed.update(outcome.changed)
        self._own.update(map(_form_of, outcome.own))

    def absorb_reading(self, storage_change: Iterable[str]) -> None:
        """A step that was allowed to read only changed this in the browser."""
        self._replaced.update(name for name in storage_change if name.startswith("cookie."))

    @property
    def is_spent(self) -> bool:
        """Whether the run has sent as many probes as its budget of actions stands for."""
        actions = self._request.budget.max_actions
        return self._asked >= (actions * REQUESTS_AN_ACTION if actions else WITHOUT_LIMIT)

    def may_have_changed(self, safe: bool, storage_change: Iterable[str], methods: Iterable[str]) -> bool:
        """Whether a step may have changed what the site shows. `safe`: it was meant to read only."""
        if not safe or any(method not in ("GET", "HEAD", "OPTIONS") for method in methods):
            return True
        return any(name.startswith("cookie.") and self._replaced[name] < _TIRED for name in storage_change)

    def may_concern_others(self, behaviour: str) -> bool:
        """Whether a stranger should look at what a behaviour changed: until two saw nothing of its like."""
        return self._own[_form_of(behaviour)] < _ENOUGH and not self.is_spent

    def may_ask(self, url: str, text: str = "") -> bool:
        """Whether a plain GET for this address only reads, and is what the site and the request allow."""
        if not joined(self._start, url) or is_file(url) or "redacted-" in url:
            return False
        if safety.of_link(url, text).safety != "read" or safety.ends_session(f"{text} {url}"):
            return False
        if not in_scope(url, self._start, self._request.scope):
            return False
        return self._request.ignore_robots or self._robots.allows(url)

    def pages(self, page: str, links: Sequence[tuple[str, str]], templates: Templates) -> tuple[str, ...]:
        """The pages to ask for before the first step on `page` and after each, best first, one of each kind.

        `links` are the page's, address and text. Kinds that changed before come first, then pages of one's own, the
        page itself, the start, and the kinds most linked to: lists, and details.
        """
        offered = [(page, ""), *links, (self._start, ""), *((url, "") for url, _ in self._changed.most_common())]
        usual = Counter(templates.of(url) for url in dict.fromkeys(canonical(url) for url, _ in links))
        changed: Counter[str] = Counter()
        for url, count in self._changed.items():
            changed[templates.of(url)] += count
        best: dict[str, tuple[tuple[int, ...], str]] = {}
        for place, (link, text) in enumerate(offered):
            url = canonical(link)
            if not self._is_plain(url, text, page):
                continue
            kind = templates.of(url)
            rank = self._rank(url, text, page, changed[kind])
            # Among equals one that nobody may look at in the evidence stays unseen.
            order = (*rank, -usual[kind], url != canonical(page), is_drawn(address_key(url)), place)
            if kind not in best or order < best[kind][0]:
                best[kind] = (order, url)
        return tuple(url for _, url in sorted(best.values()))[:AT_FIRST]

    def _rank(self, url: str, text: str, page: str, changed: int) -> tuple[int, int]:
        if changed:
            return (0, -changed)
        if is_own(text, url):
            return (1, 0)
        if url == canonical(page):
            return (2, 0)
        return (3, 0) if address_key(url) == address_key(self._start) else (4, 0)

    def _is_plain(self, url: str, text: str, page: str) -> bool:
        """Whether it can be asked for without a script, and is no choice among many."""
        return ("?" not in url or url == canonical(page)) and "#" not in url and self.may_ask(url, text)

    def more(
        self, known: Sequence[str], shown: Shown, came_by_get: bool, onward: Iterable[str], templates: Templates
    ) -> tuple[str, ...]:
        """`known`, and kinds of pages that a step has brought to light: the one it led to, and those that links there
        lead to for the first time (`onward`, best first)."""
        kinds = {templates.of(url) for url in known}
        found = list(known)
        for url in ([shown.url] if came_by_get else []) + list(onward):
            kind = templates.of(url)
            if len(found) < MOST and kind not in kinds and self._is_plain(canonical(url), "", self._start):
                kinds.add(kind)
                found.append(canonical(url))
        return tuple(found)
