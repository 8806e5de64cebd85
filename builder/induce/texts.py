"""Texts with holes, and words of a class attribute, found from what stood there on several pages. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from builder.induce.conditions import condition
from builder.induce.figures import LEAST_DIFFERENT
from builder.induce.sight import Sight, Vector
from builder.induce.slots import Argument, Constant, Field, Grouped, Hole, Number, Program, Tokens, Words

_MOST_WORK = 60_000
"""Comparisons spent on one text."""
_BACK = 48
"""Characters that a common beginning may be longer than the constant text."""
_TRIED = 24
"""Different instances that a text is found from; it is checked on all."""
_MARKS = (",", ".", " ", "\u00a0", "\u202f", "'", "’", "&nbsp;", "&#39;")
_TELLING = 2
"""Characters from which on a constant that equals a parameter is a copy of it."""


@dataclass
class _Search:
    """One text's search: the instances that it is tried on, and the holes with what each would write there."""

    targets: list[str]
    numbers: list[tuple[Program, list[str]]]
    copies: list[tuple[Hole, list[str]]]
    left: int = _MOST_WORK

    def go(self, offsets: tuple[int, ...], holes: int) -> list[str | Program] | None:
        rests = [target[offset:] for target, offset in zip(self.targets, offsets, strict=True)]
        common = _common(rests)
        if all(len(rest) == len(common) for rest in rests):
            return [common] if common else []
        if not holes:
            return None
        for cut in range(len(common), max(-1, len(common) - _BACK), -1):
            for hole, vector in self._fitting(rests, cut):
                after = tuple(offset + cut + len(value) for offset, value in zip(offsets, vector, strict=True))
                found = self.go(after, holes - 1)
                if found is not None:
                    return [*([common[:cut]] if cut else []), hole, *found]
                if self.left <= 0:
                    return None
        return None

    def _fitting(self, rests: Sequence[str], cut: int) -> list[tuple[Program, list[str]]]:
        found: list[tuple[Program, list[str]]] = []
        if all(rest[cut : cut + 1].isdigit() or rest[cut : cut + 1] == "-" for rest in rests) and (
            not cut or not rests[0][cut - 1].isdigit()
        ):
            whole = [_digits(rest, cut) for rest in rests]
            for number, vector in self.numbers:
                self.left -= 1
                if vector == whole:
                    found.append((number, vector))
            found += self._grouped(rests, cut)
        for hole, values in self.copies:
            self.left -= 1
            if all(rest.startswith(value, cut) for rest, value in zip(rests, values, strict=True)):
                found.append((hole, values))
        return found

    def _grouped(self, rests: Sequence[str], cut: int) -> list[tuple[Program, list[str]]]:
        """Numbers with marks between thousands."""
        found: list[tuple[Program, list[str]]] = []
        for number, vector in self.numbers:
            if isinstance(number, Number) and any(len(value) > 3 for value in vector):
                for mark in _MARKS:
                    values = [f"{int(value):,}".replace(",", mark) for value in vector]
                    if all(rest.startswith(value, cut) and not rest[cut + len(value) : cut + len(value) + 1].isdigit()
                           for rest, value in zip(rests, values, strict=True)):  # fmt: skip
                        found.append((Grouped(number, mark), values))
        return found


def _common(texts: Sequence[str]) -> str:
    """The longest beginning of all texts."""
    least, most = min(texts), max(texts)
    end = next((at for at, (a, b) in enumerate(zip(least, most, strict=False)) if a != b), min(len(least), len(most)))
    return least[:end]


def _digits(rest: str, cut: int) -> str:
    found = re.compile(r"-?\d+").match(rest, cut)
    return found[0] if found else ""


def text(sight: Sight, picked: Sequence[int], targets: Sequence[str]) -> Program | None:
    """A text with holes that gives each instance's target, or None. What all have in common is constant text.

    Figures of the list's rows are tried where nothing else fits: there are so many that chance finds some.
    """
    found = _text(sight, picked, targets)
    if found is None and len(set(targets)) >= LEAST_DIFFERENT:
        found = _text(sight, picked, targets, with_figures=True)
    return found


def _text(sight: Sight, picked: Sequence[int], targets: Sequence[str], *, with_figures: bool = False) -> Program | None:
    if with_figures and not any(sight.figures):
        return None
    for hole, vector in sight.copies if len(set(targets)) > 1 else ():
        if all(vector[number] == target for number, target in zip(picked, targets, strict=True)):
            return hole
    tried = _different(picked, targets)
    for _ in range(4):
        found = _searched(sight, [picked[at] for at in tried], [targets[at] for at in tried], with_figures)
        if found is None:
            return None
        wrong = next((at for at, number in enumerate(picked)
                      if found.value(sight.facts(number), sight.items[number]) != targets[at]), None)  # fmt: skip
        if wrong is None:
            return copied(sight, picked, found)
        tried.append(wrong)
    return None


def _different(picked: Sequence[int], targets: Sequence[str]) -> list[int]:
    """A few instances whose targets differ, spread over all of them."""
    first: dict[str, int] = {}
    for at, target in enumerate(targets):
        first.setdefault(target, at)
    every = sorted(first.values(), key=lambda at: (len(targets[at]), at))
    step = max(1, len(every) // _TRIED)
    return sorted({*every[::step][:_TRIED], every[-1]})


def _searched(sight: Sight, numbers: Sequence[int], targets: list[str], with_figures: bool = False) -> Words | None:
    def sized(vector: Vector) -> list[str]:
        return [vector[number] for number in numbers]

    if len(set(targets)) == 1:
        return Words((targets[0],))
    copies = []
    more_numbers, more_texts = sight.figures if with_figures else ([], [])
    for hole, vector in [*sight.copies, *more_texts]:
        values = sized(vector)
        if any(values) and all(value in target for value, target in zip(values, targets, strict=True)):
            copies.append((hole, values))
    known: list[tuple[Program, list[str]]] = [(number, sized(vector)) for number, vector in sight.numbers]
    known += [(number, sized(vector)) for number, vector in more_numbers]
    search = _Search(targets, known, _varied_first(copies))
    found = search.go((0,) * len(targets), 8)
    return None if found is None else Words(tuple(found))


def _varied_first(copies: list[tuple[Hole, list[str]]]) -> list[tuple[Hole, list[str]]]:
    """Those that are there on every page before those that are empty on some."""
    return sorted(copies, key=lambda one: (not all(one[1]), len(set(one[1])) == 1))


def copied(sight: Sight, picked: Sequence[int], found: Words) -> Program:
    """The text, with constants that equal a parameter of every instance made copies of it.

    A literal equal to what was asked for is a copy even if only one thing was asked for.
    """
    parts = list(found.parts)
    for hole, vector in sight.copies:
        source = hole.source
        if not isinstance(source, Argument | Field) or (isinstance(source, Field) and not hole.ways):
            continue
        values = {vector[number] for number in picked}
        value = next(iter(values))
        if len(values) > 1 or len(value) < _TELLING or value.isdigit():
            continue
        pattern = re.compile(rf"(?<!\w){re.escape(value)}(?!\w)")
        split: list[str | Program] = []
        for part in parts:
            pieces = pattern.split(part) if isinstance(part, str) else [part]
            for number, piece in enumerate(pieces):
                split += [hole, piece] if number else [piece]
        parts = [part for part in split if part != ""]
    return (
        Constant(found.value(sight.facts(picked[0]))) if all(isinstance(p, str) for p in parts) else Words(tuple(parts))
    )


def tokens(sight: Sight, picked: Sequence[int], targets: Sequence[str]) -> Program | None:
    """Words in a fixed order, each with its condition and perhaps a hole in it; None if some word has no condition."""
    sequences = [target.split() for target in targets]
    if any(" ".join(words) != target for words, target in zip(sequences, targets, strict=True)):
        return None
    shapes = [[re.sub(r"\d+", "0", word) for word in words] for words in sequences]
    order = merged(shapes)
    if order is None or not 1 <= len(order) <= 24:
        return None
    among = sum(1 << number for number in picked)
    found: list[tuple[Program, Program]] = []
    for shape in order:
        there = [at for at, words in enumerate(shapes) if shape in words]
        if any(shapes[at].count(shape) > 1 for at in there):
            return None
        test = condition(sight.tests, sum(1 << picked[at] for at in there), among)
        words = [sequences[at][shapes[at].index(shape)] for at in there]
        word = text(sight, [picked[at] for at in there], words)
        if test is None or word is None:
            return None
        found.append((test, word))
    return Tokens(tuple(found))


def merged(orders: Sequence[Sequence[str]]) -> list[str] | None:
    """One order that every given order keeps to; None if they disagree."""
    after: dict[str, set[str]] = {}
    for order in dict.fromkeys(map(tuple, orders)):
        for at, name in enumerate(order):
            after.setdefault(name, set())
            if at:
                after[order[at - 1]].add(name)
    before = dict.fromkeys(after, 0)
    for names in after.values():
        for name in names:
            before[name] += 1
    found: list[str] = []
    while before:
        free = next((name for name, count in before.items() if not count), None)
        if free is None:
            return None
        del before[free]
        found.append(free)
        for name in after[free]:
            before[name] -= 1
    return found
