"""Doing one step in a real browser: look at a page, or try a behaviour from a known start.

Every visit begins in a browser context of its own without cookies, so that what is seen depends on nothing done before.
"""

import contextlib
import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from playwright.sync_api import Browser, BrowserContext, Error, Page, TimeoutError

from artifacts.evidence import Interaction, Skip
from artifacts.run import Account, CaptureRequest, Lens
from artifacts.store import Store
from explorer.crawl.change import effect_of, storage_change
from explorer.crawl.glances import Glances
from explorer.crawl.jars import BrowserJar
from explorer.crawl.members import answers_challenge
from explorer.crawl.rest import Rest
from explorer.crawl.sequence import LOG_OUT, Course, has_logged_in, leaving
from explorer.crawl.telling import Outcome, Telling
from explorer.crawl.trial import Trial, looking
from explorer.crawl.urls import Templates
from explorer.crawl.views import Seen, Views, shown
from explorer.crawl.volume import Fetched, browser_headers, fetch_pages
from explorer.crawl.witness import Witness
from explorer.crawl.words import Words
from explorer.lens.act import ActionFailed, carry_out
from explorer.lens.browser import new_context
from explorer.lens.settle import settle
from explorer.lens.watch import Watch
from explorer.redact.redactor import Redactor
from explorer.wire.client import Wire

_WOULD_SEND = "it would send {} {}"
WOULD_SEND = re.compile(r"it would send (\S+ \S+)")
"""Detail of the skip of an action that was taken for reading and was not."""
LOAD_MS = 30_000
"""How long a page may take to answer."""


class Episode(NamedTuple):
    """What came of one trial, or of one tour."""

    interactions: tuple[Interaction, ...]
    seen: tuple[Seen, ...]
    skips: tuple[Skip, ...]
    outcome: Outcome = Outcome()
    """Of the probes beside it."""
    lead: int = 0
    """Interactions that came before the trial itself: logging in, and going to its page."""
    fetched: tuple[Fetched, ...] = ()
    """Pages that a tour took by plain requests."""

    @property
    def is_idle(self) -> bool:
        """Whether the trial's own first step had no effect at all."""
        return not self.was_tried or self.interactions[self.lead].effect == "none"

    @property
    def was_tried(self) -> bool:
        return len(self.interactions) > self.lead


class _Scene:
    """An episode under way: the page in its browser, as whom it is seen, and what came of each step."""

    def __init__(self, page: Page, episode: str, templates: Templates) -> None:
        self.page = page
        self.watch = Watch(page)
        self.episode = episode
        self.templates = templates
        self.identity = "anonymous"
        self.interactions: list[Interaction] = []
        self.seen: list[Seen] = []
        self.skips: list[Skip] = []

    @property
    def visit(self) -> str:
        """The name of the step that comes next."""
        return f"{self.episode}/{len(self.interactions)}"

    def outcome(self, lead: int = 0, told: Outcome | None = None, fetched: Sequence[Fetched] = ()) -> Episode:
        """Everything so far, of which the first `lead` steps came before the trial."""
        steps, seen, skips = tuple(self.interactions), tuple(self.seen), tuple(self.skips)
        return Episode(steps, seen, skips, told or Outcome(), lead, tuple(fetched))


class Visitor:
    """One browser that visits the site through the wire, looks through the lens, and keeps what it saw."""

    def __init__(
        self,
        browser: Browser,
        wire: Wire,
        *,
        lens: Lens,
        store: Store,
        redactor: Redactor,
        request: CaptureRequest,
        accounts: Sequence[Account],
        rest: Rest,
        telling: Telling,
        wait: Callable[[], None],
    ) -> None:
        """`wait` is called before each plain request and keeps the rate of pages."""
        self._browser = browser
        self._wire = wire
        self._lens = lens
        self._views = Views(wire, lens, store, redactor, request)
        self._request = request
        self._secrets = {account.label: account.password for account in accounts}
        self._rest = rest
        self._telling = telling
        self._wait = wait
        self._others: list[BrowserContext] = []
        """Further sessions of the episode under way."""
        self._glances = Glances(wire, store, wait, telling.may_ask)
        self._known_as: dict[str, str] = {}
        """A state before an action -> the equal one kept earlier, which stands for it in the evidence."""

    def look_at(self, url: str, *, visit: str, templates: Templates, repeat_of: str | None = None) -> Seen | Skip:
        """One state of one address, or the reason why there is none."""
        self._wire.visit(visit, "anonymous")
        context = self._context()
        try:
            page = context.new_page()
            watch = Watch(page)
            if failure := self._go(page, url):
                return failure
            seen = self._views.see(page, watch, url, visit, templates, repeat_of=repeat_of)
            if repeat_of is None and not isinstance(seen, Skip):
                self._rest.fetch(visit)
            return seen
        except Error as error:
            return Skip(what=url, reason="error", detail=_first_line(error))
        finally:
            self._close(context)

    def try_out(
        self,
        trial: Trial,
        *,
        episode: str,
        templates: Templates,
        words: Words,
        known: Callable[[str], Seen | None],
        limit: int,
    ) -> Episode:
        """The trial and, where it may have changed something, looks at what would show it: `limit` steps at most.

        What the trial comes after, a login, is done first and not counted.
        """
        context = self._context()
        try:
            scene = _Scene(context.new_page(), episode, templates)
            here = self._begin(scene, trial.after or trial, known)
            if trial.after and here:
                here = self._lead(scene, trial, here)
            if here is None:
                return scene.outcome(lead=len(scene.interactions))
            witness = Witness(episode, self._telling, self._glances, self._rest, templates, context, self._log_in)
            visit = here.state.visit
            witness.begin(trial, shown(here), here.state.links, self._wire.exchanges(visit), visit)
            course = Course(trial, templates, words, self._request.allow)
            return self._sequence(scene, trial, here, course, witness, limit)
        except Error as error:
            return _failed(trial, error)
        finally:
            self._close(context, *self._others)
            self._others.clear()

    def tour(
        self,
        login: Trial,
        *,
        looks: Sequence[str],
        batch: Sequence[str],
        leave: bool,
        episode: str,
        templates: Templates,
        known: Callable[[str], Seen | None],
    ) -> Episode:
        """Log in, look at some pages, fetch others as the same visitor and, if asked to `leave`, log out."""
        context = self._context()
        try:
            scene = _Scene(context.new_page(), episode, templates)
            here = self._begin(scene, login, known)
            here = here and self._enter(scene, login, here)
            if here is None:
                return scene.outcome()
            for url in looks:
                visit = scene.visit
                after = self._step(scene, looking(url, templates.of(url)), here)
                if after is not None:
                    self._rest.fetch(visit)
                    here = after
            fetched = self._fetch_as(scene, context, batch)
            out = leaving(shown(here), self._request.allow) if leave else None
            if out is not None:
                self._step(scene, out, here)
            return scene.outcome(fetched=fetched)
        except Error as error:
            return _failed(login, error)
        finally:
            self._close(context)

    def _begin(self, scene: _Scene, trial: Trial, known: Callable[[str], Seen | None]) -> Seen | None:
        """Look at the page that the trial starts on."""
        visit = f"{scene.episode}/before"
        self._wire.visit(visit, "anonymous")
        if failure := self._go(scene.page, trial.page):
            scene.skips.append(failure)
            return None
        # Looked at even where it is known: whoever repeats this will have looked, and pages notice the time.
        before = self._views.see(scene.page, scene.watch, trial.page, visit, scene.templates)
        if isinstance(before, Skip):
            scene.skips.append(before)
            return None
        earlier = known(trial.page)
        if earlier and self._views.is_same(earlier.state, before.state):
            self._known_as = {before.state.digest: earlier.state.digest}
        else:
            scene.seen.append(before)
        return before

    def _enter(self, scene: _Scene, login: Trial, here: Seen) -> Seen | None:
        """Log in; None if that does not work this time."""
        after = self._step(scene, login, here)
        if after is not None and scene.identity == "anonymous":
            scene.skips.append(Skip(what=login.behaviour, where=login.page, reason="login", detail="it led nowhere"))
            return None
        return after

    def _lead(self, scene: _Scene, trial: Trial, here: Seen) -> Seen | None:
        """Log in and go to the trial's page."""
        assert trial.after is not None
        inside = self._enter(scene, trial.after, here)
        return inside and self._step(scene, looking(trial.page, scene.templates.of(trial.page)), inside)

    def _fetch_as(self, scene: _Scene, context: BrowserContext, urls: Sequence[str]) -> tuple[Fetched, ...]:
        if not urls:
            return ()
        headers = browser_headers(self._wire.exchanges(f"{scene.episode}/before"))
        jar, visit = BrowserJar(context, scene.identity), f"{scene.episode}/more"
        needs = self._rest.fetch_needs
        return tuple(
            fetch_pages(self._wire, urls, visit=visit, headers=headers, fetch_needs=needs, wait=self._wait, jar=jar)
        )

    def _log_in(self, trial: Trial, visit: str) -> BrowserContext | None:
        """Log in once more, in a context that lasts as long as the episode."""
        self._wait()
        self._wire.visit(visit, "anonymous")
        context = self._context()
        self._others.append(context)
        page = context.new_page()
        try:
            if self._go(page, trial.page):
                return None
            settle(page)
            carry_out(page, trial.actions, secrets=self._secrets)
            settle(page)
        except (ActionFailed, TimeoutError):
            return None
        return context

    def ask_otherwise(self, visit: str, wait: Callable[[], None]) -> None:
        """Ask again for a visit's pages as other people would."""
        self._rest.ask_otherwise(visit, wait)

    def _sequence(
        self, scene: _Scene, trial: Trial, first: Seen, course: Course, witness: Witness, limit: int
    ) -> Episode:
        lead = len(scene.interactions)
        before, step = first, trial
        while len(scene.interactions) < lead + (limit if trial.probes else 1):
            visit = scene.visit
            after = self._step(scene, step, before)
            if after is None:
                break
            course.did(step)
            witness.after(step, scene.interactions[-1], shown(after), self._wire.exchanges(visit))
            if not trial.probes or not self._may_have_changed_something(scene.interactions[lead]):
                break
            if len(scene.interactions) == lead + 1:
                course.begin(shown(before), shown(after))
            following = course.next(shown(after))
            if following is None:
                break
            before, step = after, following
        return scene.outcome(lead, witness.outcome())

    def _may_have_changed_something(self, interaction: Interaction) -> bool:
        """Whether the site itself, or what it keeps in the browser, may be different now."""
        sent = any(
            exchange.method not in ("GET", "HEAD", "OPTIONS") for exchange in self._wire.exchanges(interaction.visit)
        )
        return sent or bool(interaction.storage_change)

    def _step(self, scene: _Scene, step: Trial, before: Seen) -> Seen | None:
        """Do one step and take it in; None, with the reason among the scene's skips, if that cannot be."""
        visit = scene.visit
        self._wire.visit(visit, scene.identity, reading=step.judgement.safety == "read")
        scene.watch.clear()
        done = self._carry_out(scene, step, before, visit)
        if isinstance(done, Skip):
            scene.skips.append(done)
            return None
        interaction, after = done
        scene.interactions.append(interaction)
        scene.seen.append(after)
        return after

    def _carry_out(self, scene: _Scene, step: Trial, before: Seen, visit: str) -> tuple[Interaction, Seen] | Skip:
        page, watch = scene.page, scene.watch
        try:
            carry_out(page, step.actions, secrets=self._secrets)
        except ActionFailed as error:
            told = self._views.clean(str(error))[:200]
            return Skip(what=step.behaviour, where=before.state.url, reason="error", detail=told)
        gone_to = step.actions[-1].url if step.actions and step.actions[-1].act == "goto" else page.url
        after = self._views.see(page, watch, gone_to, visit, scene.templates, status_before=before.state.status)
        if isinstance(after, Skip):
            return after
        changes = storage_change(self._views.storage(before.state), self._views.storage(after.state))
        caused = self._wire.exchanges(visit)
        self._rest.fetch_downloads(caused)
        if refused := next((e for e in caused if (e.failure or "").startswith("not_allowed")), None):
            detail = _WOULD_SEND.format(refused.method, refused.url)
            return Skip(what=step.behaviour, where=before.state.url, reason="safety", detail=detail)
        acting = scene.identity
        scene.identity = _now(acting, step, after, changes)
        after = after._replace(state=after.state.replaced(identity=scene.identity))
        interaction = Interaction(
            episode=scene.episode,
            step=len(scene.interactions),
            identity=acting,
            behaviour=step.behaviour,
            variant=step.variant,
            safety=step.judgement.safety if step.judgement.safety != "forbidden" else "write",
            visit=visit,
            before=self._known_as.get(before.state.digest, before.state.digest),
            actions=step.actions,
            after=after.state.digest,
            exchanges=tuple(exchange.order for exchange in caused),
            effect=effect_of(before.state, after.state, changes),
            dom_change=self._views.difference(before.state, after.state),
            storage_change=changes,
            dialogs=tuple(self._views.clean(watch.dialogs)),
            popups=tuple(self._views.clean(watch.popups)),
            downloads=tuple(self._views.clean(watch.downloads)),
        )
        return interaction, after

    def _context(self) -> BrowserContext:
        return new_context(self._browser, self._lens)

    def _close(self, *contexts: BrowserContext) -> None:
        for context in contexts:
            with contextlib.suppress(Error):  # the browser is gone; the next visit says so more clearly
                context.close()

    def _go(self, page: Page, url: str) -> Skip | None:
        try:
            page.goto(url, timeout=LOAD_MS, wait_until="commit")
        except Error as error:
            what = _first_line(error)
            if "Download is starting" in what:
                return Skip(what=url, reason="sample", detail="not a page: the browser downloads it")
            return Skip(what=url, reason="error", detail=what)
        return None


def _now(identity: str, step: Trial, after: Seen, changes: Mapping[str, str]) -> str:
    """As whom pages are seen after a step."""
    let_in = after.state.status < 400 and answers_challenge(step)
    if step.identity and (let_in or has_logged_in(shown(after), after.state.status, changes, step.page)):
        return step.identity
    return "anonymous" if step.behaviour == LOG_OUT else identity


def _failed(trial: Trial, error: Error) -> Episode:
    skip = Skip(what=trial.behaviour, where=trial.page, reason="error", detail=_first_line(error))
    return Episode((), (), (skip,))


def _first_line(error: BaseException) -> str:
    return str(error).strip().split("\n", 1)[0][:200]
