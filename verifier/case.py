"""Everything one verification is about, and the units of work it is cut into."""

import statistics
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from artifacts.contract import Contract
from artifacts.errors import MissingError
from artifacts.evidence import Evidence, Interaction, PageState, Part, load_part
from artifacts.report import Metrics, Noise, Which
from artifacts.store import Store
from verifier.check import Step
from verifier.holdings import clause_for
from verifier.job import Job
from verifier.units import EpisodeUnit, NoiseUnit, Outcome, StateUnit, Unit, in_words

Unchecked = list[tuple[str, str]]
"""Subject and reason."""


class Case(NamedTuple):
    """A job with the records it names."""

    job: Job
    store: Store
    evidence: Evidence
    contract: Contract | None
    opened: Part
    everything: Part
    scored: Part
    """The part or parts that the job asks to be checked."""
    which: Which

    @classmethod
    def read(cls, job: Job) -> "Case":
        """Raises MissingError for a file that cannot be read, DamagedError for one that holds something else."""
        store = Store(job.store)
        evidence = Evidence.from_bytes(_bytes(job.evidence))
        contract = Contract.from_bytes(_bytes(job.contract)) if job.contract else None
        opened, sealed = load_part(store, evidence.open), load_part(store, evidence.sealed)
        scored = {"open": opened, "sealed": sealed, "all": opened + sealed}[job.parts]
        which: Which = "sealed" if job.parts == "sealed" else "open"
        return cls(job, store, evidence, contract, opened, opened + sealed, scored, which)

    @property
    def states(self) -> dict[str, PageState]:
        """Every state of the evidence by digest, whichever part it is in."""
        return {state.digest: state for state in self.everything.states}


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise MissingError(
            f"A file of the job cannot be read: {error.strerror}.",
            where=str(path),
            remedy="Run the stage that writes it, or correct the job.",
        ) from error


# ---- what to do


def noise_units(case: Case) -> list[NoiseUnit]:
    """Every second look at an address with the first one."""
    states = case.states
    repeats = (state for state in case.everything.states if state.repeat_of in states)
    return [NoiseUnit(states[repeat.repeat_of or ""], repeat) for repeat in repeats]


class Noises(NamedTuple):
    """How close the site is to itself."""

    by_state: Mapping[str, Noise]
    by_template: Mapping[str, Noise]
    volatile: Mapping[str, frozenset[str]]
    """Template -> shapes of the words that change by themselves."""

    @classmethod
    def of(cls, units: Sequence[NoiseUnit], outcomes: Sequence[Outcome]) -> "Noises":
        by_state: dict[str, Noise] = {}
        collected: dict[str, list[Metrics]] = {}
        volatile: dict[str, frozenset[str]] = {}
        for unit, outcome in zip(units, outcomes, strict=True):
            if outcome.noise is None:
                continue
            template = unit.first.template
            by_state[unit.first.digest] = Noise(metrics=outcome.noise, looks=2)
            collected.setdefault(template, []).append(outcome.noise)
            volatile[template] = volatile.get(template, frozenset()) | outcome.volatile
        by_template = {name: Noise(metrics=_median(each), looks=2 * len(each)) for name, each in collected.items()}
        return cls(by_state, by_template, volatile)

    def for_state(self, state: PageState) -> Noise | None:
        """Of this state if it was looked at twice, else the median of its template."""
        return self.by_state.get(state.digest) or self.by_template.get(state.template)


def _median(each: Sequence[Metrics]) -> Metrics:
    values = {name: statistics.median(getattr(one, name) for one in each) for name in Metrics.model_fields}
    return Metrics(**values)


def units(case: Case, noises: Noises) -> tuple[list[Unit], Unchecked]:
    """The states to look at and the episodes to repeat; and what is left out, with the reason."""
    after = frozenset(interaction.after for interaction in case.everything.interactions)
    chosen, unchecked = states_to_check(case.scored, after)
    work: list[Unit] = [StateUnit(state, case.which, noises.for_state(state)) for state in chosen]
    for episode in episodes_of(case.scored.interactions):
        if not case.job.interactions:
            unchecked += [(interaction.behaviour, "interactions were not asked for") for interaction in episode]
            continue
        steps = [step for interaction in episode if (step := _step(case, interaction, noises))]
        unchecked += [(lost.behaviour, "its states are not in the evidence") for lost in episode[len(steps) :]]
        if steps:
            work.append(EpisodeUnit(tuple(steps), case.which))
    unchecked.append(("other widths", f"the evidence shows the site at {case.evidence.lens.width} pixels only"))
    if fetched := case.evidence.fetched:
        unchecked.append((f"{fetched} fetched pages", "the evidence has no pictures of them to compare with"))
    return work, unchecked


def _step(case: Case, interaction: Interaction, noises: Noises) -> Step | None:
    states = case.states
    before, after = states.get(interaction.before), states.get(interaction.after)
    if before is None or after is None:
        return None
    noise = noises.for_state(after)
    nothing: frozenset[str] = frozenset()
    words = noises.volatile.get(before.template, nothing) | noises.volatile.get(after.template, nothing)
    return Step(interaction, before, after, noise.metrics if noise else None, words)


def states_to_check(part: Part, after: frozenset[str]) -> tuple[list[PageState], Unchecked]:
    """The states a visitor without history reaches by their address alone, each address once; and the others with why.

    `after` are the digests of states that only an action leads to: interactions cover them.
    """
    chosen: list[PageState] = []
    others: Unchecked = []
    known: set[str] = set()
    for state in part.states:
        if state.repeat_of is not None or state.digest in after:
            continue
        if state.identity != "anonymous":
            others.append((state.requested, f"only {state.identity} sees it; looked at where interactions lead there"))
        elif state.requested not in known:
            known.add(state.requested)
            chosen.append(state)
    return chosen, others


def episodes_of(interactions: Iterable[Interaction]) -> list[list[Interaction]]:
    """Interactions by episode, in the order of their steps."""
    episodes: dict[str, list[Interaction]] = {}
    for interaction in interactions:
        episodes.setdefault(interaction.episode, []).append(interaction)
    return [sorted(steps, key=lambda interaction: interaction.step) for steps in episodes.values()]


# ---- what it says about the evidence and the contract


def steps_in_words(case: Case) -> dict[str, str]:
    """For each interaction, by digest, everything that has to be done to see it."""
    states, told = case.states, {}
    for episode in episodes_of(case.scored.interactions):
        first = states.get(episode[0].before)
        words = [f"open {first.requested}"] if first else []
        for interaction in episode:
            words.extend(in_words(action) for action in interaction.actions)
            told[interaction.digest] = "; ".join(words)
    return told


def uncovered(case: Case) -> tuple[str, ...]:
    """Addresses of states that no clause of the contract covers."""
    if case.contract is None:
        return ()
    asked = dict.fromkeys(state.requested for state in case.scored.states)
    return tuple(url for url in asked if clause_for(url, case.contract) is None)
