"""What earlier actions made of the site, as a machine: situations, and the requests that lead from one to another.

Every trail is walked from the fresh visitor on. A request that changed something leads to a child; the same request
from the same situation leads to the same child, so episodes share what they begin with. A child in which everything
looks as in an ancestor is that ancestor again. Which requests changed something is found by walking until nothing new
is learned. Pure.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from builder.compile.recordings import Recording
from builder.compile.sameness import Sameness
from builder.compile.trails import Judge, Strength, Trail
from builder.compile.variants import profile
from builder.compile.volatile import Learned

_MOST_WALKS = 60


class Name(NamedTuple):
    """What a request asked for, without what is volatile: equal names have one answer in one situation."""

    host: str
    method: str
    path: str
    query: str
    body: str


Node = tuple[Name, ...]
"""The changing requests that lead to a situation. The fresh visitor's is empty."""


@dataclass
class Situations:
    """The finished machine."""

    recorded: dict[Node, dict[Name, list[Recording]]] = field(default_factory=lambda: defaultdict(dict))
    targets: dict[tuple[Node, Name], Node] = field(default_factory=dict)

    def nodes(self) -> list[Node]:
        """Every situation, the fresh visitor's first, parents before children."""
        found: dict[Node, None] = {(): None}
        for node in [*self.recorded, *self.targets.values()]:
            for length in range(len(node) + 1):
                found[node[:length]] = None
        order = {node: number for number, node in enumerate(found)}
        return sorted(found, key=lambda node: (len(node), order[node]))


def name_of(recording: Recording, learned: Learned) -> Name:
    return Name(*recording.place, learned.query(recording), learned.body_key(recording))


def situations(
    trails: Sequence[Trail], stray: Iterable[Recording], judge: Judge, sameness: Sameness, learned: Learned
) -> Situations:
    """The machine that all trails agree on. Static resources of no known situation go to the fresh visitor's."""
    walk = _Walk(judge, sameness, learned)
    for _ in range(_MOST_WALKS):
        if not walk.all_of(trails):
            break
    for recording in stray:
        if recording.is_static:
            walk.found.recorded[()].setdefault(name_of(recording, learned), []).append(recording)
    return walk.found


class _Suspect(NamedTuple):
    node: Node
    name: Name
    recording: Recording


class _Walk:
    """Walking the trails again and again, keeping what was learned of edges and of where they lead."""

    def __init__(self, judge: Judge, sameness: Sameness, learned: Learned) -> None:
        self._judge = judge
        self._sameness = sameness
        self._names: dict[int, Name] = {}
        self._strengths: dict[int, Strength] = {}
        self._learned = learned
        self._edges: set[tuple[Node, Name]] = set()
        self._folded: dict[tuple[Node, Name], Node] = {}
        self._noisy: set[tuple[Node, Name]] = set()
        self.found = Situations()

    def all_of(self, trails: Sequence[Trail]) -> bool:
        """Walk every trail once; True if something was learned that makes another walk necessary."""
        self.found = Situations()
        edges, noisy = len(self._edges), len(self._noisy)
        for trail in trails:
            while not self._follow(trail):
                continue
        if len(self._edges) != edges or len(self._noisy) != noisy:
            return True
        return self._fold()

    def _follow(self, trail: Trail) -> bool:
        """Walk one trail and take it in; False if an edge was found that it must be walked again with."""
        node: Node = ()
        taken: list[tuple[Node, Name, Recording]] = []
        known: dict[tuple[Node, Name], Recording] = {}
        suspects: list[_Suspect] = []
        for recording in trail.recordings:
            name, strength = self._name(recording), self._strength(recording)
            taken.append((node, name, recording))
            if strength is Strength.STRONG or (node, name) in self._edges:
                self._edges.add((node, name))
                node = self._target(node, name)
                suspects = []
                continue
            if not recording.is_static and self._differs(node, name, recording, known):
                if suspects and (node, name) not in self._noisy:
                    blamed = max(suspects, key=self._guilt)
                    self._edges.add((blamed.node, blamed.name))
                    return False
                self._noisy.add((node, name))
            if strength is Strength.WEAK:
                suspects.append(_Suspect(node, name, recording))
        for place, name, recording in taken:
            self.found.recorded[place].setdefault(name, []).append(recording)
            if (place, name) in self._edges:
                self.found.targets[(place, name)] = self._target(place, name)
        return True

    def _differs(self, node: Node, name: Name, recording: Recording, known: dict[tuple[Node, Name], Recording]) -> bool:
        """Whether this very situation had answered otherwise before."""
        before = known.get((node, name))
        if before is None and (earlier := self.found.recorded[node].get(name)):
            before = earlier[0]
        known[(node, name)] = recording
        if before is None or self._sameness.of(before) == self._sameness.of(recording):
            return False
        return profile(before) == profile(recording)

    def _guilt(self, suspect: _Suspect) -> tuple[int, ...]:
        """The more, the likelier that this request made the difference; the earliest wins a tie."""
        recording, judge = suspect.recording, self._judge
        return (
            judge.is_own(recording),
            judge.interaction(recording) is not None,
            bool(recording.cookies_set),
            recording.status != 204,
            -recording.order,
        )

    def _target(self, node: Node, name: Name) -> Node:
        return self._folded.get((node, name), (*node, name))

    def _name(self, recording: Recording) -> Name:
        if recording.order not in self._names:
            self._names[recording.order] = name_of(recording, self._learned)
        return self._names[recording.order]

    def _strength(self, recording: Recording) -> Strength:
        if recording.order not in self._strengths:
            self._strengths[recording.order] = self._judge.strength(recording)
        return self._strengths[recording.order]

    def _fold(self) -> bool:
        """Find children that are an ancestor again; True if there was one."""
        folded: set[Node] = set()
        leads_on = {node for node, _ in self.found.targets}
        for (node, name), child in sorted(self.found.targets.items(), key=lambda item: (len(item[0][0]), item[0][1])):
            if child != (*node, name) or any(node[: len(other)] == other for other in folded):
                continue
            cause = self.found.recorded[node][name][0]
            for ancestor in self._ancestors(node, cause):
                may_fold = ancestor != node or child not in leads_on or self._judge.is_failing(cause)
                if may_fold and self._is_again(child, ancestor):
                    self._folded[(node, name)] = ancestor
                    folded.add(child)
                    break
        return bool(folded)

    def _ancestors(self, node: Node, cause: Recording) -> list[Node]:
        """The situations a child may turn out to be: its parent first, unless a cookie was deleted to get there."""
        found = [node[:length] for length in range(len(node), -1, -1)]
        return found[::-1] if self._judge.forgets(cause) else found

    def _is_again(self, child: Node, ancestor: Node) -> bool:
        """Whether the child showed a document, and everything it showed is what the ancestor shows."""
        shown = [
            (name, found[0])
            for name, found in self.found.recorded.get(child, {}).items()
            if found[0].method == "GET" and not found[0].is_static
        ]
        if not any(recording.is_document and recording.status < 300 for _, recording in shown):
            return False
        return all(self._shown(ancestor, name) == self._sameness.of(recording) for name, recording in shown)

    def _shown(self, node: Node, name: Name) -> str | None:
        for length in range(len(node), -1, -1):
            if found := self.found.recorded.get(node[:length], {}).get(name):
                return self._sameness.of(found[0])
        return None
