"""Which parts of requests change from look to look and decide nothing; learned from evidence, never from names alone.

What counts as proof: two looks at one page whose requests differ in it and whose answers are equal; a value that looks
like chance or time and that no answer had held before, so that the page's own script made it; a value that an earlier
answer held and that a second look at the same answer no longer holds; a name that the answer itself calls; several
things typed into one field that were all answered alike.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple
from urllib.parse import urlsplit

from artifacts.contract import Volatile
from builder.compile import keys
from builder.compile.recordings import Recording, header, target_of
from builder.compile.sameness import Sameness, equal_requests

Kind = Literal["query", "body"]
Place = tuple[str, str, str]
Looks = tuple[list[Recording], list[Recording]]
"""What two visits to one page asked for."""

_WORD = re.compile(r"[A-Za-z0-9_-]{8,}")
_CALL = re.compile(
    r"^\s*(?:/\*.*?\*/|//[^\n]*\n)?\s*;?\s*(?:typeof\s+[\w$.]+[^;{(]*?(?:&&|\?)\s*)?([\w$.]+)\s*\(", re.S
)
_MADE = re.compile(r"(?=.*\d[A-Za-z])(?=.*[A-Za-z]\d)[A-Za-z0-9]{8,15}")
_OPAQUE = re.compile(r"(?=.*\d|.*[a-z][A-Z])[A-Za-z0-9_+/=.~-]{8,}")
_TOKEN_NAME = re.compile(r"csrf|xsrf|token|nonce|state|verif|authentic|captcha", re.I)
_ENOUGH_TYPED = 3
_WAY_BACK = re.compile(r"[^\s<>]*[^\W\d_][^\s<>]*")
_CALLED = "the answer calls it by this name"
_HIDDEN = "its value was hidden when it was recorded, so it cannot be compared"


class Part(NamedTuple):
    """One named part of the requests to one place."""

    place: Place
    kind: Kind
    key: str


class Learned:
    """What was learned of volatile parts, and which parts that look volatile were handed out by the site."""

    def __init__(self) -> None:
        self.because: dict[Part, str] = {}
        self.given: set[Part] = set()
        self.ways_back: set[Part] = set()
        """Query keys with an address to go back to; a page is much the same whatever they say."""
        self._names: dict[tuple[Place, Kind], set[str]] = defaultdict(set)
        self._callbacks: dict[Place, str] = {}

    def add(self, part: Part, because: str) -> None:
        self.because.setdefault(part, because)
        self._names[(part.place, part.kind)].add(part.key)
        if because == _CALLED:
            self._callbacks.setdefault(part.place, part.key)

    def names(self, place: Place, kind: Kind) -> frozenset[str]:
        """Query keys or leaves to leave out when requests to this place are compared."""
        return frozenset(self._names.get((place, kind), ()))

    def callback(self, place: Place) -> str:
        """The query key that names the function the answer calls; empty if none does."""
        return self._callbacks.get(place, "")

    def query(self, recording: Recording) -> str:
        """The recording's query without what is volatile."""
        return keys.query_of(recording.pairs, self.names(recording.place, "query"))

    def body_key(self, recording: Recording) -> str:
        return keys.body_key(recording.leaves, self.names(recording.place, "body"))

    def clauses(self, patterns: Mapping[str, str]) -> tuple[Volatile, ...]:
        """One clause for each part, those of one family of addresses together."""
        found: dict[tuple[str, str, str], Volatile] = {}
        for part, why in sorted(self.because.items()):
            route = part.place[0] + patterns.get(part.place[2], part.place[2])
            clause = Volatile(place=part.kind, route=route, key=part.key, because=why)
            found.setdefault((part.kind, route, part.key), clause)
        return tuple(found.values())


def learn(
    recordings: Sequence[Recording], looks: Sequence[Looks], sameness: Sameness, typed: frozenset[str] = frozenset()
) -> Learned:
    """Everything these recordings prove. What a visitor typed (`typed`) is never volatile."""
    learned = Learned()
    _learn_callbacks(recordings, learned)
    _learn_from_values(recordings, learned, typed)
    _learn_from_looks(recordings, looks, sameness, learned)
    _learn_from_typing(recordings, sameness, learned, typed)
    _learn_ways_back(recordings, learned)
    return learned


def _learn_callbacks(recordings: Iterable[Recording], learned: Learned) -> None:
    for recording in recordings:
        if recording.pairs and ("script" in recording.media or recording.media in ("text/plain", "application/json")):
            called = _CALL.match(recording.body[:2000].decode("utf-8", "replace"))
            for key, value in recording.pairs:
                if called and value == called[1]:
                    learned.add(Part(recording.place, "query", key), _CALLED)


def _parts(recording: Recording) -> Iterator[tuple[Part, str]]:
    for key, value in recording.pairs:
        yield Part(recording.place, "query", key), value
    for key, value in recording.leaves.items():
        yield Part(recording.place, "body", key), value.removeprefix("=")


def _learn_from_values(recordings: Sequence[Recording], learned: Learned, typed: frozenset[str]) -> None:
    """Values of chance or time: made by the page, handed out once, or handed out for good."""
    asked = [(recording, part, value) for recording in recordings for part, value in _parts(recording)]
    for _, part, value in asked:
        if value.startswith("redacted-"):
            learned.add(part, _HIDDEN)
    restless = _restless_values(asked)
    steady = {part for _, part, value in asked if value in typed or value not in restless[part]}
    suspects = [item for item in asked if item[1] not in steady]
    holders = _holders(recordings, {value for _, _, value in suspects})
    twins: dict[tuple[object, ...], list[Recording]] = defaultdict(list)
    for recording in recordings:
        twins[(*recording.place, recording.pairs)].append(recording)
    verdicts: dict[Part, set[str]] = defaultdict(set)
    for recording, part, value in suspects:
        held_by = [holder for holder in holders.get(value, ()) if holder.order < recording.order]
        if held_by and _MADE.fullmatch(value) and not _says_token(part):
            verdicts[part].add("")
        elif held_by:
            named = _says_token(part) and any(map(keys.looks_random, restless[part]))
            verdicts[part].add(_handed_out(held_by, twins, value, named=named))
        elif part.kind == "body" or not recording.is_document:
            verdicts[part].add("made by the page's script: it looks like chance or time and no earlier answer held it")
    for part, found in verdicts.items():
        if part in learned.because:
            continue
        if "" in found:
            learned.given.add(part)
        else:
            learned.add(part, min(found))


def _restless_values(asked: Iterable[tuple[Recording, Part, str]]) -> dict[Part, set[str]]:
    """For each part, its values that chance or time may have made.

    Chance makes a token that reads like a word now and then: one that is as long as its neighbours, or stands where
    the name speaks of a token, is taken for what it is.
    """
    values: dict[Part, set[str]] = defaultdict(set)
    for _, part, value in asked:
        values[part].add(value)
    found: dict[Part, set[str]] = {}
    for part, all_of_it in values.items():
        lengths = {len(value) for value in all_of_it if keys.looks_random(value)}
        found[part] = {
            value
            for value in all_of_it
            if keys.is_restless(value)
            or _MADE.fullmatch(value)
            or (_OPAQUE.fullmatch(value) and (len(value) in lengths or _says_token(part)))
        }
    return found


def _says_token(part: Part) -> bool:
    return part.kind == "body" and bool(_TOKEN_NAME.search(part.key))


def _handed_out(
    held_by: Sequence[Recording], twins: Mapping[tuple[object, ...], Sequence[Recording]], value: str, *, named: bool
) -> str:
    """Why a value the site handed out decides nothing; empty if it may be the name of something."""
    others = [
        twin
        for holder in held_by[:4]
        for twin in twins[(*holder.place, holder.pairs)]
        if twin.visit != holder.visit and twin.status == holder.status
    ]
    if others:
        changed = any(value not in twin.body.decode("utf-8", "replace") for twin in others)
        return "a token: an earlier answer held it, and another look at that answer held another" if changed else ""
    if named:
        return "a token: an earlier answer held it, it looks like chance, and its name says so"
    return ""


def _holders(recordings: Sequence[Recording], values: set[str]) -> dict[str, list[Recording]]:
    """For each value, the answers whose text or headers contain it, by order."""
    by_word: dict[str, list[str]] = defaultdict(list)
    for value in sorted(values):
        if pieces := _WORD.findall(value):
            by_word[max(pieces, key=len)].append(value)
    found: dict[str, list[Recording]] = defaultdict(list)
    cache: dict[str, list[str]] = {}
    for recording in recordings if by_word else ():
        digest = recording.body_digest
        if digest not in cache:
            text = recording.body.decode("utf-8", "replace") if recording.is_text else ""
            words = set(_WORD.findall(text)) & by_word.keys()
            cache[digest] = [value for word in words for value in by_word[word] if value in text]
        location = header(recording.exchange.response_headers, "location")
        for value in sorted({*cache[digest], *(v for v in values if location and v in location)}):
            found[value].append(recording)
    return found


def _learn_from_typing(
    recordings: Iterable[Recording], sameness: Sameness, learned: Learned, typed: frozenset[str]
) -> None:
    """A field that was filled with one thing after the other, words that exist and words that do not, to no effect.

    Only of pages: an order is answered alike whatever it does, and where a script read data, three times an empty list
    says that three words were not found.
    """
    answers: dict[Part, set[str]] = defaultdict(set)
    values: dict[Part, set[str]] = defaultdict(set)
    for recording in recordings:
        if not (recording.is_document and recording.is_safe):
            continue
        for part, value in _parts(recording):
            answers[part].add(sameness.of(recording))
            values[part].add(value)
    for part, found in values.items():
        tried = found & typed
        if part not in learned.because and len(tried - {""}) >= _ENOUGH_TYPED and len(answers[part]) == 1:
            learned.add(part, f"{len(tried)} different things were typed into it and answered alike")


def _learn_ways_back(recordings: Iterable[Recording], learned: Learned) -> None:
    """Where a redirect tells the page it leads to who sent the visitor, so that they can be sent back later."""
    for recording in recordings:
        location = header(recording.exchange.response_headers, "location")
        if not 300 <= recording.status < 400 or "?" not in location:
            continue
        target = urlsplit(target_of(recording.exchange.url, location))
        host = keys.origin_of(target.scheme, target.hostname or "", target.port)
        for key, value in keys.pairs_of(target.query):
            where = urlsplit(target_of(recording.exchange.url, value)).path
            if value and _WAY_BACK.fullmatch(value) and keys.path_of(where) == recording.path:
                learned.ways_back.add(Part((host, "GET", keys.path_of(target.path)), "query", key))


def _learn_from_looks(
    recordings: Sequence[Recording],
    looks: Sequence[Looks],
    sameness: Sameness,
    learned: Learned,
) -> None:
    candidates: Counter[Part] = Counter()
    for one, other in looks:
        for mine, theirs in _unlike_pairs(one, other):
            differing = _differing(mine, theirs)
            equal = sameness.of(mine) == sameness.of(theirs)
            restless = all(keys.is_restless(a) and keys.is_restless(b) for _, a, b in differing)
            if differing and (equal or restless):
                candidates.update(part for part, _, _ in differing)
    by_place: dict[Place, list[Recording]] = defaultdict(list)
    for recording in recordings:
        by_place[recording.place].append(recording)
    for part in sorted(candidates):
        if part not in learned.because and _decides_nothing(part, by_place[part.place], learned, sameness):
            learned.add(part, "two looks at one page asked with different values and were answered alike")


def _unlike_pairs(one: Iterable[Recording], other: Iterable[Recording]) -> Iterator[tuple[Recording, Recording]]:
    """Requests that only one look made, beside the other look's only request of the same place and names."""
    one, other = list(one), list(other)
    matched = {id(recording) for pair in equal_requests(one, other) for recording in pair}
    grouped: dict[tuple[object, ...], tuple[list[Recording], list[Recording]]] = {}
    for number, look in enumerate((one, other)):
        for recording in look:
            if id(recording) not in matched and (recording.pairs or recording.leaves):
                names = (tuple(key for key, _ in recording.pairs), tuple(recording.leaves))
                grouped.setdefault((*recording.place, *names), ([], []))[number].append(recording)
    for mine, theirs in grouped.values():
        if len(mine) == len(theirs):
            yield from zip(mine, theirs, strict=True)


def _differing(one: Recording, other: Recording) -> list[tuple[Part, str, str]]:
    pairs = zip(_parts(one), _parts(other), strict=True)
    return [(part, mine, theirs) for (part, mine), (_, theirs) in pairs if mine != theirs]


def _decides_nothing(part: Part, recordings: Iterable[Recording], learned: Learned, sameness: Sameness) -> bool:
    """Whether, this part left out, equal requests of one visit still have equal answers."""
    answers: dict[tuple[str, ...], set[str]] = defaultdict(set)
    for recording in recordings:
        query = keys.query_of(recording.pairs, {*learned.names(part.place, "query"), part.key})
        body = keys.body_key(recording.leaves, {*learned.names(part.place, "body"), part.key})
        answers[(query, body)].add(sameness.of(recording))
    restless = all(keys.is_restless(value) for r in recordings for p, value in _parts(r) if p == part)
    return restless or all(len(found) == 1 for found in answers.values())
