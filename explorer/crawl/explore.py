"""The Explorer's loop: ask the frontier what next, do it, journal it, until nothing is left or a budget ends.

Everything is journalled step by step, so a killed run goes on where it stopped: the journal is read back, the frontier
takes in what it says, and the step that was under way is simply done again under a new name.
"""

import itertools
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from artifacts.errors import StoppedError
from artifacts.events import Emit, Event, Stop
from artifacts.evidence import Evidence, Exchange, Interaction, PageState, Skip
from artifacts.run import Account, CaptureRequest
from artifacts.store import Journal, Store
from explorer.crawl.assemble import assemble
from explorer.crawl.frontier import Frontier
from explorer.crawl.need import NOT_THERE
from explorer.crawl.rest import Rest
from explorer.crawl.revealed import opened
from explorer.crawl.robots import Robots
from explorer.crawl.sitemap import read_sitemap
from explorer.crawl.start import Start, begin
from explorer.crawl.step import Step
from explorer.crawl.telling import Outcome, Telling
from explorer.crawl.urls import address_key, joined, origin
from explorer.crawl.views import Seen, load_seen, shown
from explorer.crawl.visit import WOULD_SEND, Episode, Visitor
from explorer.crawl.volume import browser_headers, fetch_pages
from explorer.lens.browser import open_browser
from explorer.redact.redactor import Redactor
from explorer.wire.client import Wire

OTHERWISE = 6
"""The first pages looked at are also asked for in other languages and as a telephone, where that matters."""
BROWSER_LIFE = 60
"""Steps after which the browser is started afresh, so that its memory stays bounded."""


def explore(
    request: CaptureRequest,
    *,
    accounts: tuple[Account, ...],
    folder: Path,
    store: Store,
    created: str,
    emit: Emit,
    stop: Stop,
) -> Evidence:
    """Capture the site within the request's budgets and return the Evidence; what an earlier attempt got is kept.

    `accounts` are the request's with their passwords; `created` is the instant the lens's clock begins at. Raises the
    errors of `probe` for an address that cannot be used, and StoppedError when `stop` became true.
    """
    folder.mkdir(parents=True, exist_ok=True)
    journal = Journal(folder / "journal.jsonl")
    attempt = _next_attempt(folder)
    redactor = Redactor(accounts)
    with Wire(folder, store, redactor=redactor, resolve=request.resolve) as wire:
        lines = list(journal.read())
        start = begin(request, wire, journal, lines, created, f"s.{attempt}")
        robots = Robots.parse(start.robots, status=start.robots_status)
        crawl = _Crawl(request, accounts, start, robots, journal, store, wire, redactor, attempt, emit)
        crawl.resume(list(journal.read()))
        finished = crawl.run(stop)
        wire.drain(2.0)
        if not finished:
            raise StoppedError(
                "Stopped; everything captured so far is kept.",
                where=str(folder),
                remedy="Run the same command to go on.",
            )
        return crawl.evidence()


def _next_attempt(folder: Path) -> int:
    """Counts attempts on this folder, to tell an unfinished step of an earlier one from its repetition."""
    counter = Journal(folder / "attempts.jsonl")
    number = sum(1 for _ in counter.read()) + 1
    counter.append({"attempt": number})
    return number


class _Crawl:
    """One attempt at exploring: the frontier, what was gathered, and the journal both rest on."""

    def __init__(
        self,
        request: CaptureRequest,
        accounts: tuple[Account, ...],
        start: Start,
        robots: Robots,
        journal: Journal,
        store: Store,
        wire: Wire,
        redactor: Redactor,
        attempt: int,
        emit: Emit,
    ) -> None:
        self.request = request
        self.start = start
        self.frontier = Frontier(request, start.url, robots, redactor.redact_url)
        if request.scope != "page":
            self.frontier.add_addresses([origin(start.url) + NOT_THERE], "")
            logins = [joined(start.url, account.login_url) for account in request.accounts]
            self.frontier.add_addresses([*logins, *start.listed], "")
        self._telling = Telling(request, start.url, robots)
        self.states: list[PageState] = []
        self.interactions: list[Interaction] = []
        self.skips: list[Skip] = []
        self.visits: set[str] = set()
        """Finished visits that left no state: the first requests, and files."""
        self._seen: dict[str, Seen] = {}
        self._journal = journal
        self._store = store
        self._wire = wire
        self._rest = Rest(wire)
        self._redactor = redactor
        self._accounts = accounts
        self._headers: dict[str, str] = {}
        self._attempt = attempt
        self._emit = emit
        self._units = itertools.count(1)
        self._seconds = 0.0
        self._next_load = 0.0

    def resume(self, lines: list[dict[str, Any]]) -> None:
        """Take in what earlier attempts journalled, exactly as if it had just happened."""
        for line in lines:
            if line["kind"] == "start":
                self.visits.add(line["visit"])
                continue
            next(self._units)
            self._seconds += line["seconds"]
            self._absorb(line)
        if self.frontier.pages_done:
            self._emit(Event("resumed", {"pages": self.frontier.pages_done, "actions": self.frontier.actions_done}))

    def run(self, stop: Stop) -> bool:
        """Steps until nothing is left or time is up; False if asked to stop before."""
        while True:
            step = self._next(stop)
            if step is None:
                return not stop()
            with open_browser(self._wire.proxy, spki=(self._wire.spki,)) as browser:
                visitor = Visitor(
                    browser,
                    self._wire,
                    lens=self.start.lens,
                    store=self._store,
                    redactor=self._redactor,
                    request=self.request,
                    accounts=self._accounts,
                    rest=self._rest,
                    telling=self._telling,
                    wait=self._wait_for_turn,
                )
                for _ in range(BROWSER_LIFE):
                    if stop():
                        return False
                    self._take(step, visitor)
                    step = self._next(stop)
                    if step is None or not browser.is_connected():  # a page can take the browser down with it
                        break
            if stop():
                return False

    def evidence(self) -> Evidence:
        """Everything gathered so far, by this attempt and those before it."""
        clean = self._redactor.redact_url
        exchanges = Journal(self._wire.folder / "exchanges.jsonl").read()
        return assemble(
            request=self.request.replaced(url=clean(self.request.url)),
            start=clean(self.start.url),
            lens=self.start.lens,
            store=self._store,
            states=self.states,
            interactions=self.interactions,
            exchanges=[Exchange.model_validate(line) for line in exchanges],
            skips=[*self.frontier.skips.values(), *self.skips, *self.frontier.left_over()],
            outcome="complete" if self.frontier.is_exhausted() else "limit",
            redactions=self._redactor.counts,
            templates=self.frontier.templates,
            visits=self.visits,
            fetched=self.frontier.pages_fetched,
            not_found=origin(self.start.url) + NOT_THERE,
        )

    def _next(self, stop: Stop) -> Step | None:
        limit = self.request.budget.max_seconds
        if stop():
            return None
        return self.frontier.next_step(only_wanted=bool(limit) and self._seconds >= limit)

    def _take(self, step: Step, visitor: Visitor) -> None:
        """Do one step and journal it whole."""
        began = time.monotonic()
        self._wait_for_turn()
        number = next(self._units)
        if step.kind == "trial":
            line = self._try(step, visitor, f"e{number:04}.{self._attempt}")
        elif step.kind == "tour":
            line = self._tour(step, visitor, f"e{number:04}.{self._attempt}")
        elif step.kind == "file":
            line = self._fetch(step, f"f{number:04}.{self._attempt}")
        elif step.kind == "fetch":
            line = self._fetch_pages(step, f"g{number:04}.{self._attempt}")
        else:
            line = self._look(step, visitor, f"{step.kind[0]}{number:04}.{self._attempt}")
        line["seconds"] = round(time.monotonic() - began, 3)
        self._seconds += line["seconds"]
        self._wire.drain(2.0)
        self._journal.append(line)
        self._absorb(line)
        self._report(step, line)

    def _wait_for_turn(self) -> None:
        """Keep to the rate the request asks for; a page's own resources are not counted."""
        now = time.monotonic()
        if now < self._next_load:
            time.sleep(self._next_load - now)
        self._next_load = max(now, self._next_load) + 1 / max(self.request.requests_per_second, 0.01)

    def _look(self, step: Step, visitor: Visitor, unit: str) -> dict[str, Any]:
        repeat_of = self._seen[self._key(step.url)].state.digest if step.kind == "repeat" else None
        seen = visitor.look_at(step.url, visit=unit, templates=self.frontier.templates, repeat_of=repeat_of)
        if not repeat_of and self.frontier.pages_done < OTHERWISE:
            visitor.ask_otherwise(unit, self._wait_for_turn)
        line: dict[str, Any] = {"kind": "page", "url": self._redactor.redact_url(step.url), "states": [], "skips": []}
        if isinstance(seen, Skip):
            line["skips"] = [seen.model_dump(mode="json")]
        else:
            line["states"] = [self._store.put_record(seen.state)]
        return line

    def _fetch(self, step: Step, unit: str) -> dict[str, Any]:
        self._wire.visit(unit, "anonymous")
        answer = self._wire.fetch(step.url)
        skips = [Skip(what=step.url, reason="error", detail=answer.failure)] if answer.failure else []
        return {"kind": "file", "url": step.url, "visit": unit, "states": [], "links": self._listed_in(answer),
                "skips": [skip.model_dump(mode="json") for skip in skips]}  # fmt: skip

    def _listed_in(self, answer: Exchange) -> list[str]:
        """The pages that a feed names."""
        if answer.response_body is None or "xml" not in answer.said("content-type").lower():
            return []
        return [
            self._redactor.redact_url(url)
            for url in read_sitemap(self._store.get(answer.response_body), answer.url).pages
        ]

    def _fetch_pages(self, step: Step, unit: str) -> dict[str, Any]:
        self._wire.visit(unit, "anonymous")
        if not self._headers:
            lines = Journal(self._wire.folder / "exchanges.jsonl").read()
            self._headers = browser_headers([Exchange.model_validate(line) for line in lines])
        pages = fetch_pages(
            self._wire,
            step.batch,
            visit=unit,
            headers=self._headers,
            fetch_needs=self._rest.fetch_needs,
            wait=self._wait_for_turn,
        )
        return {"kind": "fetch", "visit": unit, "states": [], "skips": [], "pages": [list(page) for page in pages]}

    def _try(self, step: Step, visitor: Visitor, unit: str) -> dict[str, Any]:
        trial = step.trial
        assert trial is not None
        result: Episode = visitor.try_out(
            trial,
            episode=unit,
            templates=self.frontier.templates,
            words=self.frontier.words,
            known=self._known,
            limit=step.limit,
        )
        return {
            "kind": "episode",
            "trial": [trial.name, trial.variant, trial.instance],
            "contrast": trial.contrast,
            "idle": result.is_idle,
            "tried": result.was_tried,
            **self._kept(result),
            "probes": list(result.outcome.cleaned(self._redactor.redact_url)),
        }

    def _tour(self, step: Step, visitor: Visitor, unit: str) -> dict[str, Any]:
        login = step.trial
        assert login is not None
        result = visitor.tour(
            login,
            looks=step.looks,
            batch=step.batch,
            leave=step.leave,
            episode=unit,
            templates=self.frontier.templates,
            known=self._known,
        )
        asked = [self._redactor.redact_url(url) for url in (*step.looks, *step.batch)]
        pages = [list(page) for page in result.fetched]
        return {"kind": "tour", "identity": login.identity, "asked": asked, "pages": pages, **self._kept(result)}

    def _known(self, url: str) -> Seen | None:
        return self._seen.get(self._key(url))

    def _kept(self, result: Episode) -> dict[str, Any]:
        return {
            "states": [self._store.put_record(seen.state) for seen in result.seen],
            "interactions": [self._store.put_record(interaction) for interaction in result.interactions],
            "skips": [skip.model_dump(mode="json") for skip in result.skips],
        }

    def _absorb(self, line: dict[str, Any]) -> None:
        """What a journal line means for the frontier and for what was gathered."""
        seen = [load_seen(self._store, digest) for digest in line["states"]]
        skips = [Skip.model_validate(skip) for skip in line["skips"]]
        self.states += [one.state for one in seen]
        self.skips += skips
        if line["kind"] == "file":
            self.visits.add(line["visit"])
            self.frontier.absorb_file(line["url"])
            self.frontier.add_addresses(line.get("links", ()), line["url"])
            return
        if line["kind"] == "fetch":
            self.visits.add(line["visit"])
            for url, links, failure in line["pages"]:
                self.frontier.absorb_fetched(url, links)
                if failure:
                    self.skips.append(Skip(what=url, reason="error", detail=failure))
            return
        if line["kind"] == "page":
            for one in seen:
                if one.state.repeat_of is None:
                    self._seen.setdefault(self._key(one.state.requested), one)
                self.frontier.absorb_page(one.state, one.items)
            if not seen:
                for skip in skips:
                    self.frontier.absorb_failure(line["url"], skip)
            return
        interactions = [self._store.get_record(Interaction, digest) for digest in line["interactions"]]
        self.interactions += interactions
        if line["kind"] == "tour":
            self._absorb_tour(line, seen, interactions)
            return
        self._absorb_probes(line, interactions)
        behaviour, variant, instance = line["trial"]
        refused = next((found[1] for skip in skips if (found := WOULD_SEND.fullmatch(skip.detail))), "")
        again = self.frontier.absorb_trial(
            (behaviour, variant, instance),
            seen,
            actions=max(_doings(interactions), 1),
            idle=line["idle"],
            refused="" if line.get("tried", interactions) else refused,
            contrast=line.get("contrast", False),
        )
        if again:
            del self.skips[len(self.skips) - len(skips) :]
        for step in interactions:
            if step.safety == "read" and step.effect == "page" and step.actions[0].act != "goto":
                before, after = (shown(load_seen(self._store, digest)) for digest in (step.before, step.after))
                if light := opened(before, after, step.actions):
                    self.frontier.absorb_opened(light)

    def _absorb_tour(self, line: dict[str, Any], seen: list[Seen], interactions: list[Interaction]) -> None:
        actions = max(_doings(interactions), 1)
        looks = len(interactions) - _doings(interactions)
        self.skips += [Skip(what=url, reason="error", detail=failure) for url, _, failure in line["pages"] if failure]
        self.frontier.absorb_tour(line["identity"], line["asked"], seen, line["pages"], looks=looks, actions=actions)

    def _absorb_probes(self, line: dict[str, Any], interactions: list[Interaction]) -> None:
        asked, *told = line.get("probes", (0,))
        self._telling.absorb(Outcome(asked, *map(tuple, told)))
        for step in interactions:
            if step.safety == "read":
                self._telling.absorb_reading(step.storage_change)

    def _key(self, url: str) -> str:
        return address_key(self._redactor.redact_url(url))

    def _report(self, step: Step, line: dict[str, Any]) -> None:
        data: dict[str, Any] = {
            "what": step.trial.name if step.trial else step.url,
            "fetched": self.frontier.pages_fetched,
            "pages": self.frontier.pages_done,
            "of_pages": self.request.budget.max_pages,
            "actions": self.frontier.actions_done,
            "of_actions": self.request.budget.max_actions,
            "seconds": round(self._seconds, 1),
        }
        if line["skips"]:
            data["skipped"] = f"{line['skips'][0]['reason']}: {line['skips'][0]['detail']}"
        self._emit(Event("step", data))


def _doings(steps: Sequence[Interaction]) -> int:
    """How many steps did something; going to an address to look what came of it counts as none."""
    return sum(step.actions[0].act != "goto" for step in steps)
