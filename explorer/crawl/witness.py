"""Watching one episode from beside it: what the pages that tell say before it and after each step that counts.

Where they say something new to whoever acted, a stranger asks for them too, and so does the same account elsewhere.
"""

from collections.abc import Callable, Mapping, Sequence

from playwright.sync_api import BrowserContext

from artifacts.evidence import Exchange, Interaction, probe_visit
from explorer.crawl import safety
from explorer.crawl.glances import Glances
from explorer.crawl.jars import BrowserJar, PlainJar
from explorer.crawl.rest import Rest
from explorer.crawl.sequence import effect_pages
from explorer.crawl.telling import Outcome, Telling
from explorer.crawl.trial import Shown, Trial
from explorer.crawl.urls import Templates, canonical, joined
from explorer.crawl.volume import browser_headers

LogIn = Callable[[Trial, str], BrowserContext | None]
"""Logs in as a trial does, in another browser context and under the given visit; None where that does not work."""


class Witness:
    """The probes of one episode, by plain requests in the session of its browser and in others."""

    def __init__(
        self,
        episode: str,
        telling: Telling,
        glances: Glances,
        rest: Rest,
        templates: Templates,
        context: BrowserContext,
        log_in: LogIn,
    ) -> None:
        self._episode = episode
        self._telling = telling
        self._glances = glances
        self._rest = rest
        self._templates = templates
        self._jar = BrowserJar(context)
        self._log_in = log_in
        self._headers: Mapping[str, str] = {}
        self._pages: tuple[str, ...] = ()
        self._start: Shown | None = None
        self._said: dict[str, str] = {}
        self._told_strangers: dict[str, str] = {}
        self._changed: dict[str, None] = {}
        self._own: list[str] = []
        self._login: Trial | None = None
        self._acted = False
        self._elsewhere: BrowserContext | None = None
        self._began_at = glances.asked

    def begin(
        self, trial: Trial, before: Shown, links: Sequence[str], exchanges: Sequence[Exchange], visit: str
    ) -> None:
        """Choose the pages and, where the trial may change something, ask for them as they are now.

        `visit` is the one that `before` was seen in, and `exchanges` are its.
        """
        names = {canonical(joined(before.url, item.href)): item.name for item in before.items if item.href}
        offered = [(link, names.get(canonical(link), "")) for link in links]
        self._pages = self._telling.pages(trial.page, offered, self._templates)
        self._start = before
        self._headers = browser_headers(exchanges)
        self._login, self._jar.identity = trial.after, before.identity
        if trial.judgement.safety == "read":
            return
        self._ask(probe_visit(visit))
        if trial.after is None:
            self._told_strangers = dict(self._said)  # nobody has done anything yet
        elif self._telling.may_concern_others(trial.behaviour):
            whose = probe_visit(visit, "stranger")
            self._told_strangers = dict(self._glances.take(self._pages, whose, PlainJar(), self._headers))

    def after(self, trial: Trial, step: Interaction, shown: Shown, caused: Sequence[Exchange]) -> None:
        """Ask for the pages again if the step may have changed something, and in other sessions if it has."""
        methods = [exchange.method for exchange in caused]
        self._jar.identity = shown.identity
        if self._start is None or not self._telling.may_have_changed(
            step.safety == "read", step.storage_change, methods
        ):
            return
        came = any(exchange.method == "GET" and canonical(exchange.url) == shown.url for exchange in caused)
        onward = effect_pages(self._start, shown, self._start.url)
        self._pages = self._telling.more(self._pages, shown, came, onward, self._templates)
        changed = self._ask(probe_visit(step.visit))
        self._note(trial)
        if changed and not safety.ends_session(trial.behaviour):
            self._ask_as_stranger(step, changed)
            self._ask_elsewhere(step, changed)

    def outcome(self) -> Outcome:
        """What all of it came to."""
        return Outcome(self._glances.asked - self._began_at, tuple(self._changed), tuple(self._own))

    def _note(self, trial: Trial) -> None:
        """Who is logged in, and whether anything else was done."""
        if safety.ends_session(trial.behaviour):
            self._login, self._elsewhere = None, None
        elif trial.behaviour.startswith("login ") and trial.variant != "failing":
            self._login = trial
        else:
            self._acted = True

    def _ask(self, visit: str) -> tuple[str, ...]:
        """Ask in the actor's session; the pages that say something else than before, or that are asked for anew."""
        if self._telling.is_spent:
            return ()
        changed = []
        for url, said in self._glances.take(self._pages, visit, self._jar, self._headers):
            if self._said.get(url, "") != said:
                changed.append(url)
            if self._said.get(url, said) != said:
                self._changed[url] = None
            self._said[url] = said
        self._rest.fetch(visit)
        return tuple(changed)

    def _ask_as_stranger(self, step: Interaction, changed: Sequence[str]) -> None:
        """Whether the change concerns everybody; not asked where it was found often enough that it does not."""
        if not self._telling.may_concern_others(step.behaviour):
            return
        visit = probe_visit(step.visit, "stranger")
        found = dict(self._glances.take(changed, visit, PlainJar(), self._headers))
        if all(self._told_strangers.get(url, said) == said for url, said in found.items()):
            self._own.append(step.behaviour)
        self._told_strangers |= found

    def _ask_elsewhere(self, step: Interaction, changed: Sequence[str]) -> None:
        """Whether the change goes with the account: asked in a second session of it, begun when first needed."""
        if self._login is None or not self._acted:
            return
        visit = probe_visit(step.visit, "elsewhere")
        self._elsewhere = self._elsewhere or self._log_in(self._login, visit)
        if self._elsewhere is not None:
            jar = BrowserJar(self._elsewhere, self._login.identity or "anonymous")
            self._glances.take(changed, visit, jar, self._headers)
