"""Doing one step in a real browser: look at a page, or try a behaviour from a known start.

Every visit begins in a browser context of its own without cookies, so that what is seen depends on nothing done before.
"""

import contextlib
import difflib
import functools
import json
import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from playwright.sync_api import Browser, BrowserContext, Error, Page, TimeoutError

from artifacts.evidence import Actionable, Exchange, Interaction, PageState, Skip
from artifacts.run import Account, CaptureRequest, Lens
from artifacts.store import Store
from explorer.crawl.challenge import challenge_in
from explorer.crawl.change import document_of, effect_of, storage_change
from explorer.crawl.glances import Glances
from explorer.crawl.rest import Rest
from explorer.crawl.sequence import Course
from explorer.crawl.telling import Outcome, Telling
from explorer.crawl.trial import Shown, Trial
from explorer.crawl.urls import Templates, canonical, in_scope
from explorer.crawl.witness import Witness
from explorer.crawl.words import Words
from explorer.lens.act import ActionFailed, carry_out
from explorer.lens.browser import new_context
from explorer.lens.look import Look, look
from explorer.lens.settle import settle
from explorer.lens.veil import Hide
from explorer.lens.watch import Watch
from explorer.redact.redactor import SHORTEST_SECRET, Redactor
from explorer.wire.client import Wire

_WOULD_SEND = "it would send {} {}"
WOULD_SEND = re.compile(r"it would send (\S+ \S+)")
"""Detail of the skip of an action that was taken for reading and was not."""
LOAD_MS = 30_000
"""How long a page may take to answer."""


class Seen(NamedTuple):
    """A state and what can be acted on in it."""

    state: PageState
    items: tuple[Actionable, ...]


def load_seen(store: Store, digest: str) -> Seen:
    """A kept state again, by its record's digest."""
    state = store.get_record(PageState, digest)
    return Seen(state, tuple(Actionable.model_validate(item) for item in store.get_json(state.actionables)))


class Episode(NamedTuple):
    """What came of one trial."""

    interactions: tuple[Interaction, ...]
    seen: tuple[Seen, ...]
    skips: tuple[Skip, ...]
    outcome: Outcome = Outcome()
    """Of the probes beside it."""

    @property
    def is_idle(self) -> bool:
        """Whether its first step had no effect at all."""
        return not self.interactions or self.interactions[0].effect == "none"


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
        self._store = store
        self._redactor = redactor
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
            seen = self._see(page, watch, url, visit, templates, repeat_of=repeat_of)
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
        """The trial and, where it may have changed something, looks at what would show it: `limit` steps at most."""
        self._wire.visit(f"{episode}/before", "anonymous")
        context = self._context()
        try:
            page = context.new_page()
            watch = Watch(page)
            if failure := self._go(page, trial.page):
                return Episode((), (), (failure,))
            # Looked at even where it is known: whoever repeats this will have looked, and pages notice the time.
            before = self._see(page, watch, trial.page, f"{episode}/before", templates)
            if isinstance(before, Skip):
                return Episode((), (), (before,))
            seen = [before]
            earlier = known(trial.page)
            if earlier and self._is_same_view(earlier.state, before.state):
                self._known_as = {before.state.digest: earlier.state.digest}
                seen = []
            witness = Witness(episode, self._telling, self._glances, self._rest, templates, context, self._log_in)
            witness.begin(trial, _shown(before), before.state.links, self._wire.exchanges(f"{episode}/before"))
            return self._sequence(page, watch, trial, before, seen, witness, episode, templates, words, limit)
        except Error as error:
            return Episode(
                (), (), (Skip(what=trial.behaviour, where=trial.page, reason="error", detail=_first_line(error)),)
            )
        finally:
            self._close(context, *self._others)
            self._others.clear()

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
        self,
        page: Page,
        watch: Watch,
        trial: Trial,
        first: Seen,
        seen: list[Seen],
        witness: Witness,
        episode: str,
        templates: Templates,
        words: Words,
        limit: int,
    ) -> Episode:
        interactions: list[Interaction] = []
        skips: list[Skip] = []
        before, step = first, trial
        course = Course(trial, templates, words, self._request.allow)
        while len(interactions) < (limit if trial.probes else 1):
            visit = f"{episode}/{len(interactions)}"
            result = self._step(page, watch, step, before, visit, len(interactions), templates)
            if isinstance(result, Skip):
                skips.append(result)
                break
            interaction, after = result
            interactions.append(interaction)
            seen.append(after)
            course.did(step)
            witness.after(step, interaction, _shown(after), self._wire.exchanges(visit))
            if not trial.probes or not self._may_have_changed_something(interactions[0]):
                break
            if len(interactions) == 1:
                course.begin(_shown(before), _shown(after))
            following = course.next(_shown(after))
            if following is None:
                break
            before, step = after, following
        return Episode(tuple(interactions), tuple(seen), tuple(skips), witness.outcome())

    def _hiding(self) -> Hide:
        """What texts show instead while a page is looked at: what they will show on the mirror."""
        # What was typed or filled in is known here once the answers so far are on disk.
        heard = functools.cache(lambda: self._wire.drain(0))

        def hide(text: str) -> str:
            heard()
            return self._redactor.redact_text(text)

        return hide

    def _clean(self, item: Any) -> Any:
        """What can be acted on or was said, with secrets hidden as they are in the page itself."""
        if isinstance(item, str):
            return self._redactor.redact_text(item) if len(item) >= SHORTEST_SECRET else item
        if isinstance(item, dict):
            return {name: self._clean(value) for name, value in item.items()}
        return [self._clean(value) for value in item] if isinstance(item, list | tuple) else item

    def _may_have_changed_something(self, interaction: Interaction) -> bool:
        """Whether the site itself, or what it keeps in the browser, may be different now."""
        sent = any(
            exchange.method not in ("GET", "HEAD", "OPTIONS") for exchange in self._wire.exchanges(interaction.visit)
        )
        return sent or bool(interaction.storage_change)

    def _step(
        self, page: Page, watch: Watch, step: Trial, before: Seen, visit: str, number: int, templates: Templates
    ) -> tuple[Interaction, Seen] | Skip:
        self._wire.visit(visit, "anonymous", reading=step.judgement.safety == "read")
        watch.clear()
        try:
            carry_out(page, step.actions, secrets=self._secrets)
        except ActionFailed as error:
            told = self._clean(str(error))[:200]
            return Skip(what=step.behaviour, where=before.state.url, reason="error", detail=told)
        after = self._see(page, watch, page.url, visit, templates, status_before=before.state.status)
        if isinstance(after, Skip):
            return after
        changes = storage_change(self._storage(before.state), self._storage(after.state))
        caused = self._wire.exchanges(visit)
        self._rest.fetch_downloads(caused)
        if refused := next((e for e in caused if (e.failure or "").startswith("not_allowed")), None):
            detail = _WOULD_SEND.format(refused.method, refused.url)
            return Skip(what=step.behaviour, where=before.state.url, reason="safety", detail=detail)
        interaction = Interaction(
            episode=visit.partition("/")[0],
            step=number,
            behaviour=step.behaviour,
            variant=step.variant,
            safety=step.judgement.safety if step.judgement.safety != "forbidden" else "write",
            visit=visit,
            before=self._known_as.get(before.state.digest, before.state.digest),
            actions=step.actions,
            after=after.state.digest,
            exchanges=tuple(exchange.order for exchange in caused),
            effect=effect_of(before.state, after.state, changes),
            dom_change=self._difference(before.state, after.state),
            storage_change=changes,
            dialogs=tuple(self._clean(watch.dialogs)),
            popups=tuple(self._clean(watch.popups)),
            downloads=tuple(self._clean(watch.downloads)),
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

    def _see(
        self,
        page: Page,
        watch: Watch,
        requested: str,
        visit: str,
        templates: Templates,
        *,
        repeat_of: str | None = None,
        status_before: int = 200,
    ) -> Seen | Skip:
        """The page in front of us as a kept state. Raises Error if the page is gone."""
        seen = look(page, self._lens, watch=watch, hide=self._hiding())
        self._wire.drain(1.0)
        items = (Actionable.model_validate(self._clean(item.model_dump(mode="json"))) for item in seen.actionables)
        seen = seen._replace(actionables=list(items))
        exchanges = self._wire.exchanges(visit)
        document = document_of(exchanges, seen.url, requested)
        status = document.status if document and document.status else status_before
        if not in_scope(seen.url, self._request.url, self._request.scope) and self._request.scope != "page":
            return Skip(what=requested, reason="scope", detail=f"led to {canonical(seen.url)}")
        if named := challenge_in(status, dict(document.response_headers) if document else {}, seen.title, seen.text):
            return Skip(what=requested, reason="challenge", detail=named)
        cookies = [dict(cookie) for cookie in page.context.cookies()]
        state = self._keep(seen, cookies, requested, visit, templates, document, status, repeat_of)
        return Seen(state, tuple(seen.actionables))

    def _keep(
        self,
        seen: Look,
        cookies: list[dict[str, Any]],
        requested: str,
        visit: str,
        templates: Templates,
        document: Exchange | None,
        status: int,
        repeat_of: str | None,
    ) -> PageState:
        put, clean = self._store.put, self._redactor.redact_text
        storage = self._redactor.redact_storage({**seen.storage, "cookies": cookies})
        return PageState(
            url=self._redactor.redact_url(canonical(seen.url, fragment=True)),
            requested=self._redactor.redact_url(canonical(requested, fragment=True)),
            template=templates.of(requested),
            status=status,
            title=clean(seen.title),
            visit=visit,
            lens=self._lens.digest,
            fingerprint=seen.fingerprint,
            server_html=document.response_body if document else None,
            dom=put(clean(seen.dom.decode()).encode()),
            axtree=put(clean(json.dumps(seen.axtree, ensure_ascii=False)).encode("utf-8", "replace")),
            text=put(clean(seen.text).encode("utf-8", "replace")),
            screenshot=put(seen.screenshot),
            full_page=put(seen.full_page),
            page_height=seen.page_height,
            storage=self._store.put_json(storage),
            actionables=self._store.put_json([item.model_dump(mode="json") for item in seen.actionables]),
            links=tuple(self._redactor.redact_url(link) for link in seen.links),
            console_errors=tuple(clean(text) for text in seen.console_errors),
            failed_requests=tuple(clean(text) for text in seen.failed_requests),
            settled_after_ms=seen.settled_after_ms,
            settled=seen.settled,
            repeat_of=repeat_of,
            notes=seen.notes,
        )

    def _is_same_view(self, one: PageState, other: PageState) -> bool:
        """Whether two looks saw the same, tokens in cookies aside."""
        if (one.url, one.fingerprint) != (other.url, other.fingerprint):
            return False
        kept, now = self._storage(one), self._storage(other)
        names = [{cookie["name"] for cookie in storage["cookies"]} for storage in (kept, now)]
        return names[0] == names[1] and all(kept[area] == now[area] for area in ("local", "session"))

    def _storage(self, state: PageState) -> dict[str, Any]:
        storage: dict[str, Any] = self._store.get_json(state.storage)
        return storage

    def _difference(self, before: PageState, after: PageState) -> str | None:
        if before.text == after.text:
            return None
        one, other = (self._store.get(state.text).decode(errors="replace").splitlines() for state in (before, after))
        lines = list(difflib.unified_diff(one[:2000], other[:2000], "before", "after", n=1, lineterm=""))
        return self._store.put("\n".join(lines[:600]).encode())


def _shown(seen: Seen) -> Shown:
    return Shown(seen.state.url, seen.state.template, seen.items)


def _first_line(error: BaseException) -> str:
    return str(error).strip().split("\n", 1)[0][:200]
