"""Exchanges in the order in which one visitor saw them, and how likely each is to have changed something. Pure."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from enum import IntEnum
from typing import NamedTuple
from urllib.parse import urlsplit

from artifacts.evidence import Interaction
from builder.compile.recordings import Recording

_OFTEN = 3
"""A cookie that this many answers to plain reads replaced is replaced all the time."""


class Trail(NamedTuple):
    """What one visitor's browser asked for, starting without cookies."""

    name: str
    recordings: tuple[Recording, ...]


class Strength(IntEnum):
    """How much a request by itself speaks for a change."""

    NONE = 0
    WEAK = 1
    """It may have changed something: believed if a later answer differs."""
    STRONG = 2
    """It set a cookie, redirected, or was meant to change something: believed unless everything later is as before."""


def trails(
    recordings: Sequence[Recording], interactions: Iterable[Interaction]
) -> tuple[tuple[Trail, ...], tuple[Recording, ...]]:
    """Plain visits first, then those of signed-in identities, then episodes; and recordings of no known situation.

    The second result holds what came after a step of an episode that is not part of this evidence.
    """
    steps: dict[str, list[Interaction]] = defaultdict(list)
    for interaction in interactions:
        steps[interaction.episode].append(interaction)
    episode_of = {step.visit: episode for episode, found in steps.items() for step in found}
    grouped: dict[tuple[int, str], list[Recording]] = defaultdict(list)
    for recording in recordings:
        grouped[_unit(recording, episode_of, steps.keys())].append(recording)
    found, stray = [], list[Recording]()
    for (rank, name), members in grouped.items():
        cut = _first_after_gap(steps.get(name, ()), members)
        kept = tuple(recording for recording in members if cut is None or recording.order < cut)
        stray += members[len(kept) :]
        if kept:
            found.append((rank, kept[0].order, Trail(name, kept)))
    return tuple(trail for _, _, trail in sorted(found, key=lambda item: item[:2])), tuple(stray)


def _unit(recording: Recording, episode_of: Mapping[str, str], episodes: Iterable[str]) -> tuple[int, str]:
    prefix = recording.visit.partition("/")[0]
    episode = episode_of.get(recording.visit) or (prefix if prefix in episodes else "")
    if episode:
        return (2, episode)
    if recording.exchange.identity != "anonymous":
        return (1, recording.exchange.identity)
    return (0, prefix)


def _first_after_gap(steps: Sequence[Interaction], members: Sequence[Recording]) -> int | None:
    """The order of the first exchange that came after a missing step."""
    numbers = sorted(steps, key=lambda step: step.step)
    late = {step.visit for number, step in enumerate(numbers) if step.step != number}
    return next((recording.order for recording in members if recording.visit in late), None)


class Judge:
    """Decides the strength of each recording from the whole of the evidence."""

    def __init__(self, trails: Iterable[Trail], interactions: Iterable[Interaction], site: str) -> None:
        self._by_visit = {interaction.visit: interaction for interaction in interactions}
        self._site = site_of(site)
        self._episodes = {interaction.episode for interaction in self._by_visit.values()}
        recordings = [recording for trail in trails for recording in trail.recordings]
        self._rolling = _rolling_cookies(recordings)
        self._background = {signature(recording) for recording in recordings if not self._is_meant(recording)}

    def _is_meant(self, recording: Recording) -> bool:
        """Whether somebody did something just before; a page that was only looked at acts by itself."""
        if recording.visit in self._by_visit:
            return True
        return recording.exchange.identity != "anonymous" and recording.visit.partition("/")[0] not in self._episodes

    def interaction(self, recording: Recording) -> Interaction | None:
        return self._by_visit.get(recording.visit)

    def is_own(self, recording: Recording) -> bool:
        """Whether it went to the site itself and not to somebody else's server."""
        return site_of(recording.host) == self._site

    def is_failing(self, recording: Recording) -> bool:
        found = self.interaction(recording)
        return found is not None and found.variant == "failing"

    def is_background(self, recording: Recording) -> bool:
        """Whether pages send the like of it by themselves, without anybody doing anything."""
        return signature(recording) in self._background

    def forgets(self, recording: Recording) -> bool:
        """Whether its answer deletes a cookie that the request had sent."""
        return any(value is None and name in recording.cookies_sent for name, value in recording.cookies_set.items())

    def strength(self, recording: Recording) -> Strength:
        if recording.is_static or recording.status >= 400 or recording.method in ("HEAD", "OPTIONS", "TRACE"):
            return Strength.NONE
        if not self._is_meant(recording):
            return Strength.NONE
        changed = self._cookies_changed(recording)
        if recording.is_safe:
            if any(name in recording.cookies_sent for name in changed):
                return Strength.STRONG
            return Strength.WEAK if changed else Strength.NONE
        if "mutation" in recording.leaves.get("/query", "").partition("{")[0]:
            return Strength.STRONG if self.is_own(recording) else Strength.WEAK
        if self.is_background(recording):
            return Strength.NONE
        found = self.interaction(recording)
        meant = found is not None and found.safety != "read" and found.variant != "failing"
        meant = meant or 300 <= recording.status < 400
        return Strength.STRONG if self.is_own(recording) and (meant or changed) else Strength.WEAK

    def _cookies_changed(self, recording: Recording) -> list[str]:
        return [
            name
            for name, value in recording.cookies_set.items()
            if name not in self._rolling and recording.cookies_sent.get(name) != value
        ]


def signature(recording: Recording) -> tuple[object, ...]:
    """What requests of one kind have in common: where they go, and the names of what they carry."""
    operation = recording.leaves.get("/operationName") or recording.leaves.get("/method") or ""
    return (*recording.place, tuple(recording.leaves), operation)


def site_of(origin: str) -> str:
    """The part of a host name that its sub-domains share; addresses and short names stay whole.

    >>> site_of("https://api.shop.example"), site_of("http://127.0.0.1:8000"), site_of("http://a.co.uk")
    ('shop.example', '127.0.0.1', 'a.co.uk')
    """
    host = urlsplit(origin).hostname or ""
    labels = host.split(".")
    if len(labels) < 3 or labels[-1].isdigit() or ":" in host:
        return host
    short = len(labels[-1]) == 2 and len(labels[-2]) <= 3
    return ".".join(labels[-3:] if short else labels[-2:])


def _rolling_cookies(recordings: Iterable[Recording]) -> frozenset[str]:
    """Cookies that plain reads replace more often than not: they say nothing about what happened."""
    sent: Counter[str] = Counter()
    replaced: Counter[str] = Counter()
    paths: dict[str, set[str]] = defaultdict(set)
    for recording in recordings:
        if recording.method != "GET" or recording.is_static:
            continue
        sent.update(recording.cookies_sent.keys())
        for name, value in recording.cookies_set.items():
            if value is not None and name in recording.cookies_sent and value != recording.cookies_sent[name]:
                replaced[name] += 1
                paths[name].add(recording.path)
    return frozenset(
        name for name, count in replaced.items() if count >= _OFTEN and len(paths[name]) > 1 and count > sent[name] / 2
    )
