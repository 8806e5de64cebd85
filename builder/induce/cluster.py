"""Pages that were made by one template, found by how they are built; addresses only help. Pure."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from builder.induce.tree import Element, Node

LIKE = 0.62
"""Least share of label paths that pages of one kind have in common."""
SAME_CLASS = 0.25
"""How much the same kind of address counts for."""
_DEPTH = 16
_RARE, _COMMON = 0.01, 0.9
"""Paths on fewer pages tell of one page only; those on more are the frame that all pages share."""


class Sample(NamedTuple):
    """One page to be put with its like."""

    kind: str
    """What pages are never mixed across, such as the status."""
    address_class: str
    nodes: tuple[Node, ...]


def clusters(pages: Sequence[Sample]) -> list[list[int]]:
    """The pages' numbers, those of one kind together, the largest first. The same pages give the same clusters."""
    paths = [frozenset(_paths(page.nodes)) for page in pages]
    counts = Counter(path for found in paths for path in found)
    few, many = _RARE * len(pages), _COMMON * len(pages)
    telling = [frozenset(path for path in found if few <= counts[path] < many or len(pages) < 4) for found in paths]
    found: list[list[int]] = []
    for number, page in enumerate(pages):
        best, home = 0.0, None
        for members in found:
            leader = pages[members[0]]
            if leader.kind != page.kind:
                continue
            bonus = SAME_CLASS if leader.address_class == page.address_class else 0.0
            value = _jaccard(telling[members[0]], telling[number]) + bonus
            if value > best:
                best, home = value, members
        if home is not None and best >= LIKE:
            home.append(number)
        else:
            found.append([number])
    return sorted(found, key=lambda members: (-len(members), members[0]))


def _jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    """Share of the paths of either that both have; 1 for two without any."""
    return len(one & other) / len(one | other) if one or other else 1.0


def _paths(nodes: Sequence[Node], above: str = "", depth: int = 0) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, Element):
            path = f"{above}/{node.label}"
            yield path
            if depth + 1 < _DEPTH:
                yield from _paths(node.children, path, depth + 1)
