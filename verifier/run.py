"""A verification from job to report."""

import socket
import time
from collections.abc import Callable, Iterable, Sequence
from urllib.parse import urlsplit

from artifacts.errors import DamagedError, UnavailableError
from artifacts.events import Emit, Event
from artifacts.report import Fault, Report, StateCheck
from artifacts.run import Lens
from explorer.lens.browser import open_browser, with_browser
from verifier import links
from verifier.addresses import Addresses, address_key
from verifier.case import Case, Noises, Unchecked, noise_units, steps_in_words, uncovered, units
from verifier.control import Control
from verifier.holdings import Holdings
from verifier.job import Job
from verifier.judge import Measured, Trouble, judged
from verifier.knowable import unknowable
from verifier.pool import Pool
from verifier.units import Outcome, Setup, Unit

Resets = tuple[dict[str, str], ...]


def verify(job: Job, emit: Emit) -> Report:
    """The report on the candidate at the job's address. Raises DamagedError or MissingError for unreadable evidence."""
    began = time.monotonic()
    case = Case.read(job)
    lens, troubles = _lens(case.evidence.lens)
    control = Control(job.control, job.token) if job.control else None
    addresses = Addresses(case.evidence.site, job.address.rstrip("/"))
    holdings = Holdings.of(case.evidence, case.everything)
    if not is_listening(job.address):
        troubles.append(Trouble(job.address, Fault.RUNTIME, "the candidate does not answer"))
    outcomes: list[Outcome] = []
    unchecked: Unchecked = [(trouble.subject, trouble.what) for trouble in troubles]
    states: tuple[StateCheck, ...] = ()
    resets: Resets = ()
    if not troubles:
        outcomes, unchecked = _observe(case, lens, control, emit)
        states, resets, more = _finish(outcomes, control, addresses, holdings)
        unchecked += more
    apart = unknowable(case.opened, case.scored.states, case.store) if case.which == "sealed" else {}
    unchecked += [(check.url, _apart(apart[check.state])) for check in states if check.state in apart]
    measured = Measured(
        states=states,
        interactions=tuple(check for outcome in outcomes for check in outcome.interactions),
        resets=(*(reset for outcome in outcomes for reset in outcome.resets), *resets),
        troubles=(*troubles, *(trouble for outcome in outcomes for trouble in outcome.troubles)),
        holdings=holdings,
        contract=case.contract,
        steps=steps_in_words(case),
        to_candidate=addresses.to_candidate,
        apart=frozenset(apart),
    )
    return _report(case, lens, measured, unchecked, control, time.monotonic() - began)


def _report(
    case: Case, lens: Lens, measured: Measured, unchecked: Unchecked, control: Control | None, seconds: float
) -> Report:
    judgement = judged(measured)
    manifest = control.manifest() if control else {}
    return Report(
        evidence=case.evidence.digest,
        contract=case.contract.digest if case.contract else None,
        candidate=str(manifest.get("mirror") or manifest.get("content") or case.job.address),
        lens=lens,
        verdict=judgement.verdict,
        because=judgement.because,
        states=measured.states,
        interactions=measured.interactions,
        findings=judgement.findings,
        summaries=judgement.summaries,
        resets=tuple(dict(reset) for reset in measured.resets),
        unchecked=tuple(unchecked),
        uncovered=uncovered(case),
        seconds=round(seconds, 3),
    )


def _apart(share: float) -> str:
    return f"scored apart: {1 - share:.0%} of its words are nowhere in the open evidence"


def is_listening(address: str) -> bool:
    """Whether anything accepts connections there."""
    parts = urlsplit(address)
    try:
        with socket.create_connection((parts.hostname or "", parts.port or 80), timeout=10):
            return True
    except OSError:
        return False


def _lens(asked: Lens) -> tuple[Lens, list[Trouble]]:
    """The lens looked through, and what is wrong if it is another than the evidence's."""
    with open_browser() as browser:
        lens = with_browser(asked, browser)
    if not asked.browser or _kind(asked.browser) == _kind(lens.browser):
        return lens, []
    what = f"the evidence was looked at with {asked.browser}, this is {lens.browser}: pictures do not compare"
    return lens, [Trouble("the lens", Fault.VERIFIER, what)]


def _kind(browser: str) -> str:
    """Product and main version: minor versions render alike."""
    return browser.partition(".")[0]


def _observe(case: Case, lens: Lens, control: Control | None, emit: Emit) -> tuple[list[Outcome], Unchecked]:
    """Everything that needs the browser, split among workers, each in a session of its own where there are sessions."""
    job = case.job
    probe = control.new_session() if control else None
    if control and probe:
        control.end_session(probe[0])
    setup = Setup(
        store=job.store,
        site=case.evidence.site,
        address=job.address,
        lens=lens,
        control=job.control,
        token=job.token,
        own_session=probe is not None,
        secrets=job.secrets,
        volatile=case.contract.volatile if case.contract else (),
    )
    deadline = time.monotonic() + job.max_seconds if job.max_seconds else float("inf")
    with Pool(setup, job.jobs if probe else 1) as pool:
        looks = noise_units(case)
        compared = pool.do(looks, deadline=deadline, done=lambda *_: True)
        _raise_damage(compared)
        noises = Noises.of(looks, compared)
        work, unchecked = units(case, noises)
        outcomes = pool.do(work, deadline=deadline, done=_progress(emit, len(work), job.address))
    _raise_damage(outcomes)
    missed = [(unit.subject, outcome.missed) for unit, outcome in zip(work, outcomes, strict=True) if outcome.missed]
    return outcomes, unchecked + missed


def _raise_damage(outcomes: Iterable[Outcome]) -> None:
    for outcome in outcomes:
        if outcome.damage:
            what, where, remedy = outcome.damage
            raise DamagedError(what, where=where, remedy=remedy)


def _progress(emit: Emit, total: int, address: str) -> Callable[[Unit, Outcome], bool]:
    """Tells of each unit done; False once the candidate has gone, so that nobody knocks sixty times."""
    count = 0

    def done(unit: Unit, outcome: Outcome) -> bool:
        nonlocal count
        count += 1
        emit(Event("check", {"subject": unit.subject, "done": count, "of": total}))
        gone = any(trouble.fault is Fault.RUNTIME for trouble in outcome.troubles)
        return not gone or is_listening(address)

    return done


def _finish(
    outcomes: Sequence[Outcome], control: Control | None, addresses: Addresses, holdings: Holdings
) -> tuple[tuple[StateCheck, ...], Resets, Unchecked]:
    """The states with the dead links of each, and the last reset: after links were followed, from a used state."""
    wanted = [link for outcome in outcomes for link in outcome.links if address_key(link) in holdings.answered]
    asked = list(dict.fromkeys(wanted))
    unchecked: Unchecked = []
    if len(asked) > links.MOST:
        unchecked.append(("links", f"{len(asked) - links.MOST} of {len(asked)} were not followed"))
    dead = links.dead(asked[: links.MOST], addresses)
    states = tuple(
        check.replaced(dead_links=tuple(link for link in outcome.links if link in dead))
        for outcome in outcomes
        for check in outcome.states
    )
    resets: Resets = ()
    if control:
        try:
            resets = (control.reset(None),)
        except UnavailableError as error:
            unchecked.append(("reset", error.what))
            resets = ({"seed": "", "state": "", "ms": ""},)
    return states, resets, unchecked
