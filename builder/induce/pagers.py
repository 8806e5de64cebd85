"""Pagers: which numbers they offer, and what stands before and after these. Pure."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from builder.induce.parts import Data, TemplateNode
from builder.induce.repeats import Body, Many, One, Pages, slots_of
from builder.induce.sight import Sight
from builder.induce.slots import NO_ITEM, Constant, Program, Split
from builder.induce.values import decided

Explain = Callable[[TemplateNode, Sight, Sequence[int], Sequence[Data]], tuple[dict[int, Program], set[int]]]
"""Programs of all slots in a body, for the picked instances and their data, and the numbers that nothing explains."""
Roles = Callable[[TemplateNode, Sight, Sequence[int], Sequence[Sequence[Data]]], "list[One | Many] | None"]
_NUMBER = re.compile(r"[\[(]?(\d{1,7})[\])]?")
_LARGEST = 12


def _candidates(largest: int) -> Iterator[tuple[str, tuple[int, ...]]]:
    yield "all", ()
    yield from (("window", (side,)) for side in range(1, largest))
    yield from (("ends", (end, side, 0)) for end in (1, 2, 3) for side in range(6))
    yield from (("ends", (end, side, 1, 2 * (end + side))) for end in (1, 2, 3) for side in range(6))
    yield from (("ends", (end, side, 1)) for end in (1, 2, 3) for side in range(6))
    yield from (("slider", (side,)) for side in (3, 2, 1, 4, 5))
    yield from (("shifted", (end, side)) for end in (1, 0, 2) for side in (4, 3, 2, 1, 5))
    yield from (("steady", (end, side)) for end in (1, 2) for side in (1, 2, 3))
    yield from (("fixed", (count,)) for count in range(2, largest + 1))
    yield from (("block", (count,)) for count in range(2, largest + 1))
    yield from (("window", (before, after)) for before in range(largest) for after in range(largest))
    yield from (("fixed", (count, before)) for count in range(2, largest + 1) for before in range(count))
    yield from (("first", (count,)) for count in range(1, largest + 1))


def pages_of(places: Sequence[tuple[Any, Sequence[int]]]) -> Pages | None:
    """The plainest family that gives each page its numbers, 0 for a gap. Places are facts and numbers."""
    has_gaps = any(0 in numbers for _, numbers in places)
    if all(facts.page in numbers for facts, numbers in places if numbers):
        parts = ["", "others"]
    else:
        parts = ["before", "after", "others"]
    order = sorted(places, key=lambda place: -len(place[1]))
    for family, sizes in _candidates(_LARGEST):
        for only in parts:
            found = Pages(family, sizes, only, has_gaps)
            if all([row["n"] for row in found.value(facts)] == list(numbers) for facts, numbers in order):
                return found
    return None


def numbers_of(body: TemplateNode, rows: Sequence[Data], texts: Sequence[int]) -> list[int | None]:
    """The number that each row shows as its text; None for an arrow or a gap."""
    return [
        next((int(found[1]) for text in _texts(row, texts) if (found := _NUMBER.fullmatch(text))), None) for row in rows
    ]


def _texts(data: Data, wanted: Sequence[int]) -> Iterator[str]:
    for number, value in data.items():
        if isinstance(value, dict):
            yield from _texts(value, wanted)
        elif number in wanted and isinstance(value, str):
            yield value.strip()


def pager(
    body: TemplateNode, sight: Sight, picked: Sequence[int], lists: Sequence[Sequence[Data]], explain: Explain,
    roles: Roles,
) -> list[One | Many] | None:  # fmt: skip
    """The parts of a pager: arrows, numbers, arrows; None if it is none."""
    texts = [number for number, kind in slots_of(body) if kind == "#text"]
    shown = [numbers_of(body, rows, texts) for rows in lists]
    if not any(number is not None for numbers in shown for number in numbers):
        return None
    spans = [_span(numbers) for numbers in shown]
    middles = [
        [number or 0 for number in numbers[start:end]] for numbers, (start, end) in zip(shown, spans, strict=True)
    ]
    rows = _numbers(sight, picked, middles)
    if rows is None:
        return None
    middle = _middle(body, sight, picked, [many[start:end] for many, (start, end) in zip(lists, spans, strict=True)],
                     middles, rows, explain)  # fmt: skip
    front = roles(body, sight, picked, [many[:start] for many, (start, _) in zip(lists, spans, strict=True)])
    back = roles(body, sight, picked, [many[end:] for many, (_, end) in zip(lists, spans, strict=True)])
    if middle is None or front is None or back is None:
        return None
    return [*front, middle, *back]


def _span(numbers: Sequence[int | None]) -> tuple[int, int]:
    """From the first number to after the last."""
    there = [at for at, number in enumerate(numbers) if number is not None]
    return (there[0], there[-1] + 1) if there else (len(numbers), len(numbers))


def _numbers(sight: Sight, picked: Sequence[int], middles: Sequence[Sequence[int]]) -> Program | None:
    places = [(sight.facts(number), middle) for number, middle in zip(picked, middles, strict=True)]
    found = pages_of(places)
    if found is not None:
        return found
    found = pages_of([place for place in places if place[1]])
    test = decided(sight, picked, [bool(middle) for middle in middles])
    return Split(test, found, Constant([])) if found is not None and test is not None else None


def _middle(
    body: TemplateNode, sight: Sight, picked: Sequence[int], lists: Sequence[Sequence[Data]],
    middles: Sequence[Sequence[int]], rows: Program, explain: Explain,
) -> Many | None:  # fmt: skip
    placed = [
        (sight.of_page[number], {"n": n}, row)
        for number, many, numbers in zip(picked, lists, middles, strict=True)
        for row, n in zip(many, numbers, strict=True)
    ]
    bodies: list[Body | None] = []
    for is_gap in (False, True):
        some = [(page, NO_ITEM if is_gap else item, row) for page, item, row in placed if (not item["n"]) == is_gap]
        if not some:
            bodies.append(None)
            continue
        inner = Sight(sight.pages, sight.spelling, sight.root, [(page, item) for page, item, _ in some])
        programs, missing = explain(body, inner, range(len(some)), [row for _, _, row in some])
        if missing:
            return None
        bodies.append(programs)
    return Many(rows, bodies[0] or {}, bodies[1])
