"""From numbers to findings and a verdict. Pure: no browser, no server, no store."""

import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

from artifacts.contract import Contract
from artifacts.digest import Digest
from artifacts.report import Fault, Finding, InteractionCheck, StateCheck, Summary, Which
from verifier.holdings import Holdings, clause_for
from verifier.limits import LIMITS, NAMES, telling

Verdict = Literal["accepted", "repair", "recapture", "rejected"]


class Trouble(NamedTuple):
    """Something that kept a subject from being judged at all."""

    subject: str
    fault: Literal[Fault.RUNTIME, Fault.VERIFIER]
    what: str
    decides: bool = True
    """False for a single look that failed: a few of those do not spoil a verdict."""


class Measured(NamedTuple):
    """Everything a verification measured, before any judgement."""

    states: tuple[StateCheck, ...]
    interactions: tuple[InteractionCheck, ...]
    resets: tuple[Mapping[str, str], ...]
    troubles: tuple[Trouble, ...]
    holdings: Holdings
    contract: Contract | None
    steps: Mapping[Digest, str]
    """How to repeat each interaction by hand."""
    to_candidate: Callable[[str], str]
    apart: frozenset[Digest] = frozenset()
    """Sealed states whose content nobody could know from the open evidence."""


class Judgement(NamedTuple):
    """What the measurements amount to."""

    verdict: Verdict
    because: tuple[str, ...]
    findings: tuple[Finding, ...]
    summaries: tuple[Summary, ...]


class _Reason(NamedTuple):
    """Something that keeps a candidate from being accepted, and where it comes from."""

    what: str
    fault: Fault


def judged(measured: Measured) -> Judgement:
    """Findings with their faults, scores, and the verdict. Only open evidence decides: sealed is scored apart."""
    findings = tuple(_in_order(_findings(measured)))
    reasons = list(_reasons(measured, findings))
    return Judgement(
        verdict=_verdict(reasons),
        because=tuple(reason.what for reason in reasons),
        findings=findings,
        summaries=tuple(_summaries(measured)),
    )


def _verdict(reasons: Sequence[_Reason]) -> Verdict:
    """Where the next round has to begin: nowhere, at the Builder, at the Explorer, or it is no use going on."""
    faults = {reason.fault for reason in reasons}
    if not faults:
        return "accepted"
    if faults & {Fault.RUNTIME, Fault.VERIFIER}:
        return "rejected"
    return "repair" if Fault.IMPLEMENTATION in faults else "recapture"


def _reasons(measured: Measured, findings: Sequence[Finding]) -> Iterable[_Reason]:
    states = [check for check in measured.states if check.which == "open"]
    checks = [check for check in measured.interactions if check.which == "open"]
    yield from (
        _Reason(f"{trouble.subject}: {trouble.what}", trouble.fault) for trouble in measured.troubles if trouble.decides
    )
    missed = sum(not trouble.decides for trouble in measured.troubles)
    if missed > LIMITS.missed_looks * (missed + len(measured.states) + len(measured.interactions)):
        yield _Reason(f"{missed} looks failed", Fault.VERIFIER)
    if not measured.states and not measured.interactions:
        yield _Reason("nothing could be checked", Fault.VERIFIER)
    for index, (least, name) in enumerate(_MEANS):
        if states and (mean := statistics.fmean(_number(check, NAMES[index]) for check in states)) < least:
            yield _Reason(f"mean {name} of {len(states)} states is {mean:.4f}, below {least}", _blame(states, findings))
    if checks and (share := statistics.fmean(check.reproduced for check in checks)) < LIMITS.reproduced:
        done = sum(check.reproduced for check in checks)
        what = f"{done} of {len(checks)} interactions are reproduced ({share:.1%}), below {LIMITS.reproduced:.0%}"
        yield _Reason(what, _blame([], findings))
    foreign = {
        url for checks in (measured.states, measured.interactions) for check in checks for url in check.foreign_requests
    }
    if foreign:
        known = any(measured.holdings.knows_host(url) for url in foreign)
        what = f"{len(foreign)} addresses outside the sandbox were asked for, such as {min(foreign)}"
        yield _Reason(what, Fault.IMPLEMENTATION if known else Fault.EVIDENCE)
    unequal = [reset for reset in measured.resets if reset["state"] != reset["seed"] or not reset["seed"]]
    if unequal:
        what = f"{len(unequal)} of {len(measured.resets)} resets did not lead back to the seed"
        yield _Reason(what, Fault.RUNTIME)


_MEANS = ((LIMITS.mean_ssim, "SSIM"), (LIMITS.mean_pixel, "pixel similarity"), (LIMITS.mean_text_f1, "text F1"))


def _blame(states: Sequence[StateCheck], findings: Sequence[Finding]) -> Fault:
    """Evidence if all that was found in these states is lacking evidence, else the implementation."""
    subjects = {check.url for check in states}
    faults = {finding.fault for finding in findings if finding.subject in subjects}
    return Fault.EVIDENCE if faults == {Fault.EVIDENCE} else Fault.IMPLEMENTATION


# ---- findings


def _findings(measured: Measured) -> Iterable[Finding]:
    for trouble in measured.troubles:
        yield Finding(fault=trouble.fault, subject=trouble.subject, what=trouble.what, expected="a look", seen="none")
    for check in measured.states:
        yield from _of_state(check, measured)
    yield from _of_requests(measured)
    for interaction in measured.interactions:
        if not interaction.reproduced:
            yield _of_interaction(interaction, measured)
    for reset in measured.resets:
        if reset["state"] != reset["seed"] or not reset["seed"]:
            what = "the state after a reset is not the seed's"
            yield Finding(
                fault=Fault.RUNTIME,
                subject="reset",
                what=what,
                expected=reset["seed"] or "a digest",
                seen=reset["state"],
            )


def _of_state(check: StateCheck, measured: Measured) -> Iterable[Finding]:
    lacking = [url for url in _failed_urls(check) if not measured.holdings.has(url)]
    unknown = check.state in measured.apart
    fault = Fault.EVIDENCE if lacking or unknown else Fault.IMPLEMENTATION
    about = _about_state(check, measured)
    if check.status_seen != check.status_expected:
        fault_here = Fault.EVIDENCE if unknown else Fault.IMPLEMENTATION
        expected, seen = str(check.status_expected), str(check.status_seen or check.note or "no answer")
        yield about(fault_here, "another status", expected, seen)
    if check.note and check.status_seen:
        yield about(fault, "another address" if "led to" in check.note else "no page", check.url, check.note)
    noise = check.noise.metrics if check.noise else None
    if low := telling(check.metrics, noise):
        expected = ", ".join(f"{name} from {floor}" for name, floor, _ in low)
        seen = ", ".join(f"{name} {value:.3f}" for name, _, value in low)
        if lacking:
            seen += f"; the evidence lacks {lacking[0]}"
        yield about(fault, _kind_of(low), expected, seen)
    if check.new_console_errors:
        yield about(fault, "new console errors", "none", "; ".join(check.new_console_errors[:3])[:400])


def _kind_of(low: Sequence[tuple[str, float, float]]) -> str:
    names = {name for name, _, _ in low}
    if "text_f1" in names:
        return "reads differently"
    return "looks differently" if names & {"ssim", "pixel"} else "another accessibility tree"


def _about_state(check: StateCheck, measured: Measured) -> Callable[[Fault, str, str, str], Finding]:
    route = clause_for(check.url, measured.contract)

    def about(fault: Fault, what: str, expected: str, seen: str) -> Finding:
        is_words = what in ("reads differently", "another accessibility tree")
        return Finding(
            fault=fault,
            subject=check.url,
            what=what,
            expected=expected,
            seen=seen,
            proof=(check.source_text, check.mirror_text) if is_words else (check.source_picture, check.mirror_picture),
            clause=route.name if route else "",
            reproduce=measured.to_candidate(check.url),
        )

    return about


def _failed_urls(check: StateCheck) -> list[str]:
    return [entry.partition(" ")[2] for entry in check.new_failed_requests]


def _of_requests(measured: Measured) -> Iterable[Finding]:
    """One finding an address, however many pages ask for it."""
    failed: dict[str, tuple[str, list[str]]] = {}
    dead: dict[str, list[str]] = {}
    foreign: dict[str, list[str]] = {}
    for check in measured.states:
        for entry in check.new_failed_requests:
            why, _, url = entry.partition(" ")
            failed.setdefault(url, (why, []))[1].append(check.url)
        for url in check.dead_links:
            dead.setdefault(url, []).append(check.url)
        for url in check.foreign_requests:
            foreign.setdefault(url, []).append(check.url)
    for interaction in measured.interactions:
        for url in interaction.foreign_requests:
            foreign.setdefault(url, []).append(interaction.behaviour)
    for url, (why, pages) in failed.items():
        fault = Fault.IMPLEMENTATION if measured.holdings.has(url) else Fault.EVIDENCE
        yield _of_address(url, fault, "a request fails that did not on the site", why, pages, measured)
    for url, pages in dead.items():
        yield _of_address(url, Fault.IMPLEMENTATION, "a dead link", "an error", pages, measured)
    for url, pages in foreign.items():
        fault = Fault.IMPLEMENTATION if measured.holdings.knows_host(url) else Fault.EVIDENCE
        yield _of_address(url, fault, "a request leaves the sandbox", "stopped", pages, measured)


def _of_address(url: str, fault: Fault, what: str, why: str, pages: list[str], measured: Measured) -> Finding:
    route = clause_for(url, measured.contract)
    others = f" and {len(set(pages)) - 1} more" if len(set(pages)) > 1 else ""
    return Finding(
        fault=fault,
        subject=url,
        what=what,
        expected="an answer from the sandbox",
        seen=f"{why}, asked for by {pages[0]}{others}",
        clause=route.name if route else "",
        reproduce=measured.to_candidate(pages[0]) if pages[0].startswith("http") else pages[0],
    )


def _of_interaction(check: InteractionCheck, measured: Measured) -> Finding:
    behaviours = measured.contract.behaviours if measured.contract else ()
    clause = next((one.name for one in behaviours if check.interaction in one.observed), "")
    no_password = "no password for the account" in check.because
    proof = tuple(picture for picture in (check.source_picture, check.mirror_picture) if picture)
    return Finding(
        fault=Fault.VERIFIER if no_password else Fault.IMPLEMENTATION,
        subject=check.behaviour,
        what="an interaction has other consequences",
        expected=f"as on the site, ending at {check.address_expected}",
        seen=check.because,
        proof=proof if len(proof) == 2 else (),
        clause=clause,
        reproduce=measured.steps.get(check.interaction, ""),
    )


def _in_order(findings: Iterable[Finding]) -> list[Finding]:
    """Grouped by the stage to run again, in the order they were found."""
    order = list(Fault)
    return sorted(findings, key=lambda finding: order.index(finding.fault))


# ---- scores


def _number(check: StateCheck, name: str) -> float:
    value: float = getattr(check.metrics, name)
    return value


def _summaries(measured: Measured) -> Iterable[Summary]:
    """Each metric for open and sealed evidence; sealed states nobody could know are scored under names of their own."""
    apart = [check for check in measured.states if check.state in measured.apart]
    for name in NAMES:
        yield from _summary(f"apart_{name}", "sealed", [(_number(check, name), check.url) for check in apart])
    which: Which
    for which in ("open", "sealed"):
        seen = [check for check in measured.states if check.which == which and check not in apart]
        for name in NAMES:
            yield from _summary(name, which, [(_number(check, name), check.url) for check in seen])
        yield from _summary(
            "status", which, [(float(check.status_seen == check.status_expected), check.url) for check in seen]
        )
        done = [(float(check.reproduced), check.behaviour) for check in measured.interactions if check.which == which]
        yield from _summary("reproduced", which, done)


def _summary(metric: str, which: Which, values: Sequence[tuple[float, str]]) -> Iterable[Summary]:
    if not values:
        return
    worst, subject = min(values)
    numbers = [value for value, _ in values]
    yield Summary(
        metric=metric,
        which=which,
        worst=worst,
        worst_subject=subject,
        median=statistics.median(numbers),
        mean=statistics.fmean(numbers),
        count=len(numbers),
    )
