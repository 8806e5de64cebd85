"""Page numbers among elements of several kinds: links, the current page, gaps. Pure.

`<a>1</a> <a>2</a> <b>3</b> <a>4</a>` is one loop; laid side by side by label, its links would be taken for columns.
"""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from builder.induce.tree import Element, Node, Text

_TAGS = frozenset("a b em i span strong button li #text".split())
_NUMBER = re.compile(r"[\[(]?(\d{1,6})[\])]?")
_SMALL = 6
"""Nodes inside an element that may still be a page number."""


class Run(NamedTuple):
    """Where a run of page numbers, arrows and gaps begins and ends among children."""

    start: int
    end: int


def runs(found: Sequence[tuple[Node, ...]]) -> list[Run] | None:
    """The run of each instance's children; None unless some have numbers in elements that differ in kind."""
    mixed = [span for span in map(_numbers, found) if span]
    if not mixed:
        return None
    tags = {tag for span in mixed for tag in span}
    return [_longest(children, tags) for children in found]


def _numbers(children: Sequence[Node]) -> list[str]:
    """Tags from the first to the last number, if these grow and stand in elements of different kinds."""
    told = [(at, number) for at, child in enumerate(children) if (number := number_in(child)) is not None]
    if len(told) < 2 or any(later <= sooner for (_, sooner), (_, later) in pairwise(told)):
        return []
    span = children[told[0][0] : told[-1][0] + 1]
    tags = [_tag(child) for child in span]
    leads = any(_leads(children[at]) for at, _ in told)
    is_mixed = len({child.label for child in span}) > 1
    return tags if leads and is_mixed and set(tags) <= _TAGS and not any(map(_is_wordy, span)) else []


def _leads(node: Node) -> bool:
    """Whether a link or a button is in it: numbers that only inform are no pager."""
    return isinstance(node, Element) and (node.tag in ("a", "button") or any(map(_leads, node.children)))


def _is_wordy(node: Node) -> bool:
    """Whether it is text with words, not a mark between numbers."""
    return isinstance(node, Text) and any(c.isalnum() for c in node.raw)


def number_in(node: Node) -> int | None:
    """The number that is all that an element says."""
    if isinstance(node, Text):
        return None
    words: list[str] = []
    left = [node]
    seen = 0
    while left:
        seen += 1
        for child in left.pop().children:
            if isinstance(child, Element):
                left.append(child)
            elif child.kind == "#text":
                words.append(child.raw)
        if seen > _SMALL:
            return None
    found = _NUMBER.fullmatch("".join(words).strip())
    return int(found[1]) if found else None


def _tag(node: Node) -> str:
    return node.tag if isinstance(node, Element) else node.kind


def _longest(children: Sequence[Node], tags: set[str]) -> Run:
    """The longest stretch of children with these tags, one with numbers if there is any."""
    best, value = Run(0, 0), (False, 0)
    at = 0
    while at < len(children):
        end = at
        while end < len(children) and _tag(children[end]) in tags and not _is_wordy(children[end]):
            end += 1
        has_number = any(number_in(child) is not None for child in children[at:end])
        if (has_number, end - at) > value:
            best, value = Run(at, end), (has_number, end - at)
        at = max(end, at + 1)
    return best if value[1] else Run(len(children), len(children))
