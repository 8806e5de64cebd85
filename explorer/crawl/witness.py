"""Watching one episode from beside it: what the pages that tell say before it and after each step that counts."""

from collections.abc import Mapping, Sequence

from playwright.sync_api import BrowserContext

from artifacts.evidence import Exchange, Interaction, probe_visit
from explorer.crawl import plan
from explorer.crawl.glances import BrowserJar, Glances
from explorer.crawl.rest import Rest
from explorer.crawl.telling import Outcome, Telling
from explorer.crawl.trial import Shown, Trial
from explorer.crawl.urls import Templates, canonical, joined
from explorer.crawl.volume import browser_headers


class Witness:
    """The probes of one episode, by plain requests in the session of its browser."""

    def __init__(
        self,
        episode: str,
        telling: Telling,
        glances: Glances,
        rest: Rest,
        templates: Templates,
        context: BrowserContext,
    ) -> None:
        self._episode = episode
        self._telling = telling
        self._glances = glances
        self._rest = rest
        self._templates = templates
        self._jar = BrowserJar(context)
        self._headers: Mapping[str, str] = {}
        self._pages: tuple[str, ...] = ()
        self._start: Shown | None = None
        self._said: dict[str, str] = {}
        self._changed: dict[str, None] = {}
        self._began_at = glances.asked

    def begin(self, trial: Trial, before: Shown, links: Sequence[str], exchanges: Sequence[Exchange]) -> None:
        """Choose the pages and, where the trial may change something, ask for them as they are now."""
        names = {canonical(joined(before.url, item.href)): item.name for item in before.items if item.href}
        offered = [(link, names.get(canonical(link), "")) for link in links]
        self._pages = self._telling.pages(trial.page, offered, self._templates)
        self._start = before
        self._headers = browser_headers(exchanges)
        if trial.judgement.safety != "read":
            self._ask(probe_visit(f"{self._episode}/before"))

    def after(self, step: Interaction, shown: Shown, caused: Sequence[Exchange]) -> None:
        """Ask for the pages again if the step may have changed something."""
        methods = [exchange.method for exchange in caused]
        if self._start is None or not self._telling.may_have_changed(
            step.safety == "read", step.storage_change, methods
        ):
            return
        came = any(exchange.method == "GET" and canonical(exchange.url) == shown.url for exchange in caused)
        onward = plan.effect_pages(self._start, shown, self._start.url)
        self._pages = self._telling.more(self._pages, shown, came, onward, self._templates)
        self._ask(probe_visit(step.visit))

    def outcome(self) -> Outcome:
        return Outcome(self._glances.asked - self._began_at, tuple(self._changed))

    def _ask(self, visit: str) -> None:
        if self._telling.is_spent:
            return
        for url, said in self._glances.take(self._pages, visit, self._jar, self._headers):
            if self._said.get(url, said) != said:
                self._changed[url] = None
            self._said[url] = said
        self._rest.fetch(visit)
