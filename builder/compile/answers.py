"""Which recording answers which request in which situation. Pure."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import urlsplit

from artifacts.evidence import PageState, probe_of
from builder.compile import keys
from builder.compile.recordings import Recording, header
from builder.compile.sameness import Sameness
from builder.compile.situations import Name, Node, Situations
from builder.compile.trails import Judge
from builder.compile.variants import Condition, names_account, split
from builder.compile.volatile import Learned, Part

_Slot = tuple[Node, Name, Condition | None]

LONGEST_SEQUENCE = 200
_PASSING = frozenset({408, 425, 429, 500, 502, 503, 504})
"""Answers that speak of a bad moment and not of the address."""


class Answer(NamedTuple):
    """What the mirror says to one request in one situation."""

    node: int
    name: Name
    recordings: tuple[Recording, ...]
    """Usually one; several where the same request was answered differently over time. The last one holds."""
    target: int | None
    """The situation it leads to, where it is a changing request."""
    restarts_with: str
    """Path of the document whose loading starts the sequence anew; empty if entering the situation does."""
    typed: tuple[str, ...]
    """Leaves for which any text of the same shape has the same outcome."""
    given: tuple[str, ...]
    """Query keys and leaves that look volatile and are not: the site handed their values out."""
    callback: str
    """Query key that names the function the answer calls."""
    condition: Condition | None
    """What the request must say of itself, where the same address is answered in several ways."""


class Looks:
    """Which visits belong to a kept state, and of which address."""

    def __init__(self, states: Iterable[PageState]) -> None:
        self._addresses: dict[str, set[str]] = defaultdict(set)
        for state in states:
            if state.repeat_of is None:
                self._addresses[state.visit] |= {_address(state.url), _address(state.requested)}

    def rank(self, recording: Recording) -> int:
        """0 for the page a state was kept of, 1 for what came with a kept state, 2 for the rest; bad moments last."""
        if recording.status in _PASSING:
            return 3
        addresses = self._addresses.get(recording.visit)
        if addresses is None:
            return 2
        return 0 if _address(recording.exchange.url) in addresses and recording.is_document else 1


@lru_cache(maxsize=100_000)
def _address(url: str) -> str:
    parts = urlsplit(url)
    query = keys.query_of(keys.pairs_of(parts.query))
    return f"{parts.scheme}://{parts.netloc}{keys.path_of(parts.path)}?{query}"


def answers(
    found: Situations, states: Iterable[PageState], judge: Judge, sameness: Sameness, learned: Learned
) -> tuple[tuple[Node, ...], tuple[Answer, ...]]:
    """Every situation by number, and what is answered in each. What an ancestor answers alike is left to it."""
    nodes = tuple(found.nodes())
    numbers = {node: number for number, node in enumerate(nodes)}
    looks = Looks(states)
    _share_static(found)
    chosen: dict[_Slot, tuple[Recording, ...]] = {}
    kept: list[Answer] = []
    for node in nodes:
        recorded = found.recorded.get(node, {})
        by_document = _documents(recorded, looks)
        for name, condition, recordings in _variants(recorded, looks, sameness, acted=bool(node)):
            picked = _picked(node, recordings, looks, sameness, by_document)
            target = found.targets.get((node, name))
            chosen[(node, name, condition)] = picked
            above = _above((node, name, condition), chosen)
            told_in_steps = len(picked) > 1  # and so from the first one on in every situation
            if target is None and above and not told_in_steps and _say_the_same(picked, above, sameness):
                continue
            after = found.recorded.get(target, {}) if target is not None else {}
            kept.append(
                Answer(
                    node=numbers[node],
                    name=name,
                    recordings=picked,
                    target=None if target is None else numbers[target],
                    restarts_with=_restarts_with(picked),
                    typed=_typed(picked[0], judge, after),
                    given=tuple(part.key for part in _parts(picked[0]) if part in learned.given),
                    callback=learned.callback(picked[0].place),
                    condition=condition,
                )
            )
    return nodes, tuple(kept)


def _variants(
    recorded: Mapping[Name, Sequence[Recording]], looks: Looks, sameness: Sameness, *, acted: bool
) -> Iterator[tuple[Name, Condition | None, list[Recording]]]:
    """Each name with the recordings that may answer it; several times where a request's own words decide.

    The first is the one for requests that say something else; no account's is.
    """

    def best(item: tuple[Condition | None, list[Recording]]) -> tuple[bool, int, int]:
        of_account = item[0] is not None and names_account(item[0].value)
        return of_account, *min((looks.rank(recording), recording.order) for recording in item[1])

    for name, recordings in sorted(recorded.items()):
        for condition, members in sorted(split(recordings, sameness, acted=acted).items(), key=best):
            yield name, condition, members


def _share_static(found: Situations) -> None:
    """Give the fresh visitor's situation the static resources that were first needed in another."""
    root = found.recorded[()]
    for node, recorded in found.recorded.items():
        for name, recordings in recorded.items() if node else ():
            if recordings[0].is_static and recordings[0].method == "GET" and recordings[0].status < 400:
                root.setdefault(name, list(recordings))


def _documents(recorded: Mapping[Name, Sequence[Recording]], looks: Looks) -> Mapping[tuple[str, str], str]:
    """For each document's address, the visit its answer is taken from."""
    found = {}
    for recordings in recorded.values():
        if recordings[0].is_document:
            best = min(recordings, key=lambda recording: (looks.rank(recording), recording.order))
            found[(best.host, best.path)] = best.visit
    return found


def _picked(
    node: Node,
    recordings: Sequence[Recording],
    looks: Looks,
    sameness: Sameness,
    by_document: Mapping[tuple[str, str], str],
) -> tuple[Recording, ...]:
    """The recordings to answer with, in order. Data comes from the visit that its document came from."""

    def rank(recording: Recording) -> tuple[int, int, int, int]:
        referrer = urlsplit(header(recording.exchange.request_headers, "referer"))
        place = (keys.origin_of(referrer.scheme, referrer.hostname or "", referrer.port), keys.path_of(referrer.path))
        together = by_document.get(place) == recording.visit and not recording.is_document
        heard = recording.exchange.response_bytes if recording.media == "text/event-stream" else 0
        return (-heard, looks.rank(recording), 0 if together else 1, recording.order)

    best = min(recordings, key=rank)
    if best.is_static or best.media == "text/event-stream":  # of a stream, whoever listened longest knows most
        return (best,)

    def unit(visit: str) -> str:
        """What a sequence may span: one visit, or all of an episode where the page itself changes as it is reloaded."""
        return visit.partition("/")[0] if node and best.is_document else visit

    mine = sorted((r for r in recordings if unit(r.visit) == unit(best.visit)), key=lambda recording: recording.order)
    # Whoever repeats the steps sends no probes: what a probe saw before the page was looked at comes no more.
    mine = [r for r in mine if r.order >= best.order or not probe_of(r.visit)]
    mine = [recording for recording in mine if recording.status not in _PASSING] or [best]
    while len(mine) > 1 and sameness.of(mine[-1]) == sameness.of(mine[-2]):
        mine.pop()
    return (*mine[: LONGEST_SEQUENCE - 1], mine[-1]) if len(mine) > 1 else (best,)


def _above(slot: _Slot, chosen: Mapping[_Slot, tuple[Recording, ...]]) -> tuple[Recording, ...] | None:
    """What the nearest ancestor answers."""
    node, name, condition = slot
    for length in range(len(node) - 1, -1, -1):
        if found := chosen.get((node[:length], name, condition)):
            return found
    return None


def _say_the_same(one: Sequence[Recording], other: Sequence[Recording], sameness: Sameness) -> bool:
    return [sameness.of(recording) for recording in one] == [sameness.of(recording) for recording in other]


def _restarts_with(recordings: Sequence[Recording]) -> str:
    """The document a sequence belongs to: the page that asked. Empty where there is no sequence."""
    if len(recordings) == 1 or recordings[0].is_document:
        return ""
    return keys.path_of(urlsplit(header(recordings[0].exchange.request_headers, "referer")).path)


def _parts(recording: Recording) -> list[Part]:
    query = (Part(recording.place, "query", key) for key, _ in recording.pairs)
    return [*query, *(Part(recording.place, "body", key) for key in recording.leaves)]


def _typed(recording: Recording, judge: Judge, after: Mapping[Name, Sequence[Recording]]) -> tuple[str, ...]:
    """Leaves whose text does not matter to the outcome, as far as the evidence goes.

    A failing input stands for others like it; any other only where nothing afterwards repeats what was typed. What
    goes with the right password of an account is never free.
    """
    interaction = judge.interaction(recording)
    if interaction is None or recording.is_safe or interaction.safety == "read":
        return ()
    if any(keys.PASSWORD.search(value) for value in recording.leaves.values()):
        return ()
    filled = {action.value for action in interaction.actions if action.act == "fill"}
    leaves = [path for path, value in recording.leaves.items() if value in filled]
    if interaction.variant == "failing":
        return tuple(leaves)
    texts = [recording.body, *(found[0].body for found in after.values() if found[0].is_text)]
    echoed = {path for path in leaves for text in texts if recording.leaves[path].encode() in text}
    return tuple(path for path in leaves if path not in echoed)
