"""When two answers are the same but for what changes by itself: tokens, and lines that differ from look to look. Pure.

Which lines change by themselves is learned by comparing a state with its repetition, both seen by a fresh visitor.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from artifacts.digest import digest_bytes
from artifacts.evidence import PageState
from builder.compile import keys
from builder.compile.recordings import Recording, header

_LONG = re.compile(
    r"[A-Za-z0-9+/]{40,}={1,2}|[A-Za-z0-9_+-]{16,}"
    r"|\b0?\.\d{8,}|\d{10,}|\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?"
)
_CHUNK = re.compile(r"(?=<)|\n|(?<=[,{\[])")
_HOLDER = re.compile(r'<\w+\s[^>]*>|"[^"]*"\s*:')
_KEEPER = re.compile(r"<(?:input|meta)\s[^>]*>", re.I)
_KEPT = re.compile(r"(?i)(\b(?:value|content)=[\"']?)[A-Za-z0-9_+/=.-]{8,}")
_NUMBER = re.compile(r"\d+")
_MOST_BYTES = 2_000_000
"""Longer bodies are compared byte for byte."""


class Sameness:
    """Gives each recording a name that is equal for answers that say the same."""

    def __init__(self) -> None:
        self._restless: dict[tuple[str, str, str], frozenset[str]] = {}
        self._names: dict[tuple[str, str, str, str], str] = {}

    def of(self, recording: Recording) -> str:
        """Equal for two answers that differ in nothing but tokens, times and restless lines."""
        location = masked(header(recording.exchange.response_headers, "location"))
        cached = (*recording.place, f"{recording.status} {location} {recording.body_digest}")
        if cached not in self._names:
            self._names[cached] = f"{recording.status} {location} {self._body(recording)}"
        return self._names[cached]

    def _body(self, recording: Recording) -> str:
        if not recording.is_text or recording.is_static or recording.exchange.response_bytes > _MOST_BYTES:
            return recording.body_digest
        restless = self._restless.get(recording.place, frozenset())
        kept = (chunk for chunk in _chunks(recording) if not restless or not _names(chunk) & restless)
        return digest_bytes("\n".join(kept).encode())

    def learn(self, pairs: Iterable[tuple[Recording, Recording]]) -> None:
        """Take in what differs between two looks at one address that ought to have been equal."""
        found: dict[tuple[str, str, str], set[str]] = defaultdict(set)
        for one, other in pairs:
            if one.is_text and other.is_text and one.body_digest != other.body_digest:
                found[one.place] |= _differing(one, other)
        for place, skeletons in found.items():
            self._restless[place] = self._restless.get(place, frozenset()) | skeletons
        self._names = {name: value for name, value in self._names.items() if name[:3] not in found}


def masked(text: str) -> str:
    """The text with every token and time in it masked.

    >>> masked("/done?t=9f86d081884c7d659a2feaa0c55ad015&n=7")
    '/done?t=~&n=7'
    """
    return _LONG.sub(lambda found: "~" if _is_restless(found.group()) else found.group(), text)


def _is_restless(word: str) -> bool:
    return keys.looks_timed(word) or keys.looks_random(word.rstrip("="))


def _chunks(recording: Recording) -> Iterator[str]:
    text = masked(recording.body.decode("utf-8", "replace"))
    for chunk in _CHUNK.split(text):
        if stripped := chunk.strip():
            yield stripped


def _names(chunk: str) -> set[str]:
    """What a chunk is known by: its text without the numbers, and the element or JSON key that holds it.

    An element without attributes says too little to know a chunk by; one that only holds a value is known without it.
    """
    found = {_NUMBER.sub("0", chunk)}
    if holder := _HOLDER.match(chunk):
        found.add(_NUMBER.sub("0", holder.group()))
    if _KEEPER.match(chunk):
        found.add(_KEPT.sub(r"\1~", chunk))
    return found


def _differing(one: Recording, other: Recording) -> set[str]:
    """The names of the chunks that only one of the two has, and of the fields that hold another value in either."""
    mine, theirs = set(_chunks(one)), set(_chunks(other))
    kept = _keepers(one) ^ _keepers(other)
    return {name for chunk in mine ^ theirs for name in _names(chunk)} | {_KEPT.sub(r"\1~", chunk) for chunk in kept}


def _keepers(recording: Recording) -> set[str]:
    return set(_KEEPER.findall(recording.body.decode("utf-8", "replace")))


def repeated_looks(
    states: Iterable[PageState], recordings: Iterable[Recording]
) -> Iterator[tuple[list[Recording], list[Recording]]]:
    """For each state that was looked at twice, what either look asked for."""
    by_visit: dict[str, list[Recording]] = defaultdict(list)
    for recording in recordings:
        by_visit[recording.visit].append(recording)
    known = {state.digest: state for state in states}
    for state in sorted(known.values(), key=lambda state: (state.visit, state.digest)):
        first = known.get(state.repeat_of or "")
        if first is not None and first.visit != state.visit:
            yield by_visit[first.visit], by_visit[state.visit]


def equal_requests(one: Iterable[Recording], other: Iterable[Recording]) -> Iterator[tuple[Recording, Recording]]:
    """The first request of each name in one look, beside its like in the other."""
    theirs: dict[tuple[object, ...], Recording] = {}
    for recording in other:
        theirs.setdefault(_exact(recording), recording)
    seen = set()
    for recording in one:
        name = _exact(recording)
        if name in theirs and name not in seen:
            seen.add(name)
            yield recording, theirs[name]


def _exact(recording: Recording) -> tuple[object, ...]:
    return (*recording.place, recording.pairs, keys.body_key(recording.leaves))
