"""What a visitor can do and what stays unknown, as clauses of the contract. Pure."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from urllib.parse import urlsplit

from artifacts.contract import Behaviour
from artifacts.evidence import Evidence, Exchange, Interaction, PageState, Skip
from builder.compile.recordings import Recording, is_answer
from builder.compile.sockets import SCHEMES
from builder.compile.trails import Judge, Strength

MOST_UNKNOWN = 200
_TOLD = frozenset({"safety", "robots", "login", "challenge", "error", "too_large"})
"""Reasons for skipping that leave something of the site unknown, and not merely unsampled."""


def behaviours(
    interactions: Iterable[Interaction],
    states: Iterable[PageState],
    recordings: Iterable[Recording],
    judge: Judge,
    patterns: Mapping[str, str],
) -> tuple[Behaviour, ...]:
    """One clause for each thing that was tried; `patterns` gives the rule a path belongs to."""
    by_name: dict[str, list[Interaction]] = defaultdict(list)
    for interaction in sorted(interactions, key=lambda one: (one.behaviour, one.episode, one.step)):
        by_name[interaction.behaviour].append(interaction)
    by_visit: dict[str, list[Recording]] = defaultdict(list)
    for recording in recordings:
        by_visit[recording.visit].append(recording)
    known = {state.digest: state for state in states}
    return tuple(
        Behaviour(
            name=name,
            safety=steps[0].safety,
            trigger=_trigger(by_visit, steps, judge, patterns),
            observed=tuple(step.digest for step in steps)[:20],
            variants=tuple(dict.fromkeys(step.variant for step in steps)),
            refuted_by=_refutation(steps[0], known),
            experiment=_experiment(steps),
        )
        for name, steps in by_name.items()
    )


def _trigger(
    by_visit: Mapping[str, Sequence[Recording]],
    steps: Sequence[Interaction],
    judge: Judge,
    patterns: Mapping[str, str],
) -> str:
    """The request that carries it, or the page's own script."""
    caused = [r for step in steps for r in by_visit.get(step.visit, ()) if not r.is_static]
    changing = [recording for recording in caused if judge.strength(recording) is not Strength.NONE]
    own = [recording for recording in caused if judge.is_own(recording)]
    for recording in [*changing, *own][:1]:
        return f"{recording.method} {patterns.get(recording.path, recording.path)}"
    return "the page's own script"


def _refutation(step: Interaction, states: Mapping[str, PageState]) -> str:
    after = states.get(step.after)
    if after is None:
        return ""
    address = urlsplit(after.url)
    place = address.path + (f"?{address.query}" if address.query else "")
    return f"The same action on the same page leads elsewhere than to {place} with status {after.status}."


def inputs(steps: Iterable[Interaction]) -> set[tuple[str, ...]]:
    """The different inputs that were tried."""
    return {tuple(action.value or action.url or action.selector for action in step.actions) for step in steps}


def _experiment(steps: Sequence[Interaction]) -> str:
    """The cheapest look that would tell more, where only one input was tried."""
    if len(inputs(steps)) > 1:
        return "" if any(step.variant == "failing" for step in steps) else "Try an input that ought to fail."
    said = next((action.value for action in steps[0].actions if action.value), "")
    if said:
        return f"Try it with another input than {said!r}."
    action = steps[0].actions[-1] if steps[0].actions else None
    if action is None or action.act == "goto":
        return ""
    return f"Do it on another page than the one it was tried on ({action.act} {action.name or action.selector})."


def unknown(
    evidence: Evidence,
    skips: Iterable[Skip],
    interactions: Iterable[Interaction],
    exchanges: Iterable[Exchange],
    unreached: Iterable[str],
) -> tuple[str, ...]:
    """What no evidence settles, in words; the first ones if there are many."""
    found: dict[str, None] = {}
    for skip in skips:
        if skip.reason in _TOLD:
            place = f" on {skip.where}" if skip.where else ""
            detail = f" ({skip.detail})" if skip.detail else ""
            found[f"{skip.what}{place}: not tried, {skip.reason}{detail}"] = None
    by_name: dict[str, list[Interaction]] = defaultdict(list)
    for interaction in interactions:
        by_name[interaction.behaviour].append(interaction)
    for name, steps in sorted(by_name.items()):
        if len(inputs(steps)) == 1 and steps[0].safety != "read":
            found[f"{name}: seen with one input only"] = None
    for url, reason in evidence.missing:
        found[f"{url}: asked for by a page and not captured, {reason}"] = None
    for exchange in exchanges:
        if urlsplit(exchange.url).scheme in SCHEMES:
            found[f"{exchange.url}: a WebSocket, answered by what was said over it when it was recorded"] = None
        elif exchange.status and not is_answer(exchange) and exchange.status >= 200 and exchange.status != 304:
            found[f"{exchange.url}: its answer was not kept, {exchange.note or 'cut off'}"] = None
    for what in unreached:
        found[what] = None
    told = list(found)
    if len(told) > MOST_UNKNOWN:
        told = [*told[:MOST_UNKNOWN], f"and {len(told) - MOST_UNKNOWN} more like these"]
    return tuple(told)
