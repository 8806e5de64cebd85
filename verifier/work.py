"""A worker: one process, one browser, one session of the candidate, one unit after the other."""

import contextlib
import os
import threading
import time
from collections.abc import Iterable, Iterator
from multiprocessing.connection import Connection
from typing import Self

from playwright.sync_api import Browser, Error, TimeoutError

from artifacts.errors import DamagedError, UnavailableError
from artifacts.report import Fault, InteractionCheck
from artifacts.store import Store
from verifier.addresses import Addresses, same_address
from verifier.check import (
    Replayed,
    Step,
    check_interaction,
    check_state,
    closeness,
    failed,
    is_fine,
    lost_state,
    of_source,
    volatile_words,
)
from verifier.control import Control
from verifier.judge import Trouble
from verifier.measure.compare import compared
from verifier.observe import Sight, Tab, Unreachable, closed_browser
from verifier.units import EpisodeUnit, NoiseUnit, Outcome, Setup, StateUnit, Unit

STUCK = "its scripts leave no room to look at it"


def work(connection: Connection, setup: Setup) -> None:
    """Answer every unit that comes with its Outcome, until the other end closes or says None."""
    threading.Thread(target=end_with, args=(os.getppid(),), daemon=True).start()
    with Bench(setup) as bench:
        while True:
            try:
                unit: Unit | None = connection.recv()
            except EOFError:
                return
            if unit is None:
                return
            connection.send(bench.do(unit))


def end_with(parent: int) -> None:
    """End this process when the one that started it has gone, whatever it is doing."""
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)


class Bench:
    """A browser on a session of the candidate. The browser is opened when first needed, and anew when it broke."""

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self._store = Store(setup.store)
        self._stack = contextlib.ExitStack()
        self._opened: Browser | None = None
        self._control = Control(setup.control, setup.token) if setup.control else None
        self._session: str | None = None
        address = setup.address
        if self._control and setup.own_session and (given := self._control.new_session()):
            self._session, address = given
        self._addresses = Addresses(setup.site, address.rstrip("/"))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._close_browser()
        if self._control and self._session:
            self._control.end_session(self._session)

    def do(self, unit: Unit) -> Outcome:
        """The outcome of one unit; a browser that breaks is replaced once."""
        try:
            return self._attempt(unit)
        except DamagedError as error:
            return Outcome(missed=error.what, damage=(error.what, error.where, error.remedy))
        except Error:
            self._close_browser()
        try:
            return self._attempt(unit)
        except Error as error:
            self._close_browser()
            what = str(error).partition("\n")[0][:300]
            return Outcome(missed=what, troubles=(Trouble(unit.subject, Fault.VERIFIER, what, decides=False),))

    def _attempt(self, unit: Unit) -> Outcome:
        try:
            match unit:
                case NoiseUnit():
                    return self._noise(unit)
                case StateUnit():
                    return self._state(unit)
                case EpisodeUnit():
                    return self._episode(unit)
        except (Unreachable, UnavailableError) as gone:
            what = f"the candidate does not answer: {gone.what}"
            return Outcome(missed=what, troubles=(Trouble(unit.subject, Fault.RUNTIME, what),))

    def _noise(self, unit: NoiseUnit) -> Outcome:
        first, second = (of_source(self._store, state) for state in unit)
        return Outcome(noise=compared(first, second), volatile=volatile_words(first.text, second.text))

    def _state(self, unit: StateUnit) -> Outcome:
        """Look at a state, and once more where it is not as it should be: only what is wrong twice is a fault."""
        first = self._look(unit)
        if is_fine(first.states[0]):
            return first
        second = self._look(unit)
        return _the_better(first, second)

    def _look(self, unit: StateUnit) -> Outcome:
        with self._tab() as tab:
            try:
                sight = tab.see(tab.go(unit.state.requested))
            except TimeoutError:
                lost = lost_state(unit.state, STUCK, which=unit.which, store=self._store, status=tab.status)
                return Outcome(states=(lost,))
        check = check_state(
            unit.state,
            sight,
            which=unit.which,
            store=self._store,
            addresses=self._addresses,
            noise=unit.noise,
            volatile=self._setup.volatile,
        )
        links = tuple(dict.fromkeys(self._addresses.to_site(link).partition("#")[0] for link in sight.look.links))
        return Outcome(states=(check,), links=links)

    def _episode(self, unit: EpisodeUnit) -> Outcome:
        """Repeat an episode, once more from the reset on where a step had other consequences."""
        first = self._walk(unit)
        if all(check.reproduced for check in first.interactions):
            return first
        second = self._walk(unit)
        better, attempts = (second, 2) if _reproduced(second) > _reproduced(first) else (first, 1)
        checks = tuple(
            check.replaced(attempts=attempts, foreign_requests=_all_of(one.foreign_requests, other.foreign_requests))
            for check, one, other in zip(better.interactions, first.interactions, second.interactions, strict=True)
        )
        return Outcome(interactions=checks, resets=first.resets + second.resets)

    def _walk(self, unit: EpisodeUnit) -> Outcome:
        resets = (self._control.reset(self._session),) if self._control else ()
        checks: list[InteractionCheck] = []
        with self._tab() as tab:
            here: Sight | None = None
            for step in unit.steps:
                check, here = self._step(tab, step, here, unit)
                checks.append(check)
        return Outcome(interactions=tuple(checks), resets=resets)

    def _step(
        self, tab: Tab, step: Step, here: Sight | None, unit: EpisodeUnit
    ) -> tuple[InteractionCheck, Sight | None]:
        """One interaction from its before-state; what is seen then is the next one's beginning."""
        first = step is unit.steps[0]
        try:
            if here is None or not same_address(step.before.url, here.address, self._setup.volatile):
                if trouble := tab.go(step.before.requested if first else step.before.url):
                    return failed(step, unit.which, f"its page cannot be had: {trouble}"), None
                here = tab.see()
            tab.clear()
            if what := tab.act(step.interaction.actions, self._setup.secrets):
                return failed(step, unit.which, what), None
            after = tab.see()
        except TimeoutError:
            return failed(step, unit.which, STUCK), None
        watch = tab.watch
        popups, downloads = (tuple(map(self._addresses.to_site, urls)) for urls in (watch.popups, watch.downloads))
        seen = Replayed(here, after, watch.dialogs, popups, downloads)
        check = check_interaction(
            step,
            seen,
            which=unit.which,
            store=self._store,
            addresses=self._addresses,
            volatile=self._setup.volatile,
        )
        return check, after

    @contextlib.contextmanager
    def _tab(self) -> Iterator[Tab]:
        if self._opened is None:
            self._opened = self._stack.enter_context(closed_browser(self._addresses.candidate))
        with Tab(self._opened, self._setup.lens, self._addresses) as tab:
            yield tab

    def _close_browser(self) -> None:
        self._opened = None
        with contextlib.suppress(Error):
            self._stack.close()


def _the_better(first: Outcome, second: Outcome) -> Outcome:
    """The closer of two looks at one state. Whatever left the sandbox in either has left it."""
    (one,), (other,) = first.states, second.states
    better, check = (second, other) if closeness(other) > closeness(one) else (first, one)
    leaving = _all_of(one.foreign_requests, other.foreign_requests)
    return better._replace(states=(check.replaced(foreign_requests=leaving),))


def _reproduced(outcome: Outcome) -> int:
    return sum(check.reproduced for check in outcome.interactions)


def _all_of(one: Iterable[str], other: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*one, *other)))
