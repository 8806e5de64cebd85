"""Conditions under which something stands on a page, and which of them fits what was seen. Pure.

What was seen is a bit vector, a bit a page (or a row of a loop); so is every condition, worked out once.
"""

import operator
from collections.abc import Sequence
from dataclasses import dataclass
from math import comb, log2

from builder.induce import wording
from builder.induce.listing import Facts
from builder.induce.slots import NO_ITEM, Constant, Field, Item, Learned, Number, Program, literal, worst

_OPERATORS = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, ">": operator.gt, "<=": operator.le, ">=": operator.ge,
}  # fmt: skip
_EVIDENCE = 4.0
"""Bits by which what two conditions together exclude must exceed those of the pairs tried."""


@dataclass(frozen=True)
class Compare:
    """Two numbers compared."""

    left: Number
    sign: str
    right: Number
    learned: Learned = "computed"
    cost: float = 3.0

    def value(self, facts: Facts, item: Item = NO_ITEM) -> bool:
        return bool(_OPERATORS[self.sign](self.left.value(facts, item), self.right.value(facts, item)))

    def jinja(self) -> str:
        return f"{self.left.jinja()} {self.sign} {self.right.jinja()}"


@dataclass(frozen=True)
class Has:
    """The request has a parameter; `filled` asks for one that is not empty."""

    key: str
    filled: bool = False
    learned: Learned = "computed"
    cost: float = 4.0

    def value(self, facts: Facts, item: Item = NO_ITEM) -> bool:
        return any(name == self.key and (value or not self.filled) for name, value in facts.pairs)

    def jinja(self) -> str:
        return f"args[{literal(self.key)}] != ''" if self.filled else f"{literal(self.key)} in args"


@dataclass(frozen=True)
class Paired:
    """One of the parameters of this name has this value."""

    key: str
    is_: Program
    learned: Learned = "computed"
    cost: float = 6.0

    def value(self, facts: Facts, item: Item = NO_ITEM) -> bool:
        return (self.key, str(self.is_.value(facts, item))) in facts.pairs

    def jinja(self) -> str:
        return f"({literal(self.key)}, {self.is_.jinja()}) in pairs"


@dataclass(frozen=True)
class Equal:
    """Two texts are the same."""

    left: Program
    right: Program
    cost: float = 6.0

    @property
    def learned(self) -> Learned:
        return worst((self.left, self.right))

    def value(self, facts: Facts, item: Item = NO_ITEM) -> bool:
        return str(self.left.value(facts, item)) == str(self.right.value(facts, item))

    def jinja(self) -> str:
        return f"{self.left.jinja()} == {self.right.jinja()}"


@dataclass(frozen=True)
class AtPath:
    """The path is this one. Seen for itself only, so it says nothing of others."""

    path: str
    learned: Learned = "looked up"
    cost: float = 10.0

    def value(self, facts: Facts, item: Item = NO_ITEM) -> bool:
        return facts.path == self.path

    def jinja(self) -> str:
        return f"path == {literal(self.path)}"


@dataclass(frozen=True)
class Below:
    """The path is the given one or below it."""

    prefix: Program
    learned: Learned = "computed"
    cost: float = 8.0

    def value(self, facts: Facts, item: Item = NO_ITEM) -> bool:
        return wording.under(facts.path, str(self.prefix.value(facts, item)))

    def jinja(self) -> str:
        return f"under(path, {self.prefix.jinja()})"


@dataclass(frozen=True)
class Truth:
    """A field that is true or false, or not there."""

    field: Field
    learned: Learned = "computed"
    cost: float = 2.0

    def value(self, facts: Facts, item: Item = NO_ITEM) -> bool:
        return bool(self.field.value(facts, item))

    def jinja(self) -> str:
        return self.field.jinja()


@dataclass(frozen=True)
class Not:
    one: Program

    @property
    def learned(self) -> Learned:
        return self.one.learned

    @property
    def cost(self) -> float:
        return self.one.cost + 0.5

    def value(self, facts: Facts, item: Item = NO_ITEM) -> bool:
        return not self.one.value(facts, item)

    def jinja(self) -> str:
        return f"not ({self.one.jinja()})"


@dataclass(frozen=True)
class Both:
    """Two conditions together; `either` is enough if asked for."""

    one: Program
    other: Program
    either: bool = False

    @property
    def learned(self) -> Learned:
        return worst((self.one, self.other))

    @property
    def cost(self) -> float:
        return self.one.cost + self.other.cost

    def value(self, facts: Facts, item: Item = NO_ITEM) -> bool:
        one = self.one.value(facts, item)
        return bool(one) if bool(one) == self.either else bool(self.other.value(facts, item))

    def jinja(self) -> str:
        return f"(({self.one.jinja()}) {'or' if self.either else 'and'} ({self.other.jinja()}))"


Test = tuple[Program, int]
"""A condition and where it holds, a bit an instance."""


def condition(tests: Sequence[Test], wanted: int, among: int) -> Program | None:
    """The first condition, else the first two together, that hold where wanted and nowhere else among the instances.

    Two together need evidence: the bits of what they get right must exceed those of the pairs tried.
    """
    wanted &= among
    if wanted == among or not wanted:
        return Constant(bool(wanted))
    computed = [test for test in tests if test[0].learned == "computed"]
    seen = [test for test in tests if test[0].learned == "looked up"]
    return _one(computed, wanted, among) or _one(seen, wanted, among) or _two(computed, wanted, among)


def _one(tests: Sequence[Test], wanted: int, among: int) -> Program | None:
    for test, bits in tests:
        wrong = (bits ^ wanted) & among
        if not wrong:
            return test
        if wrong == among:
            return _negated(test)
    return None


def _negated(test: Program) -> Program:
    if isinstance(test, Compare):
        opposite = {"==": "!=", "!=": "==", "<": ">=", ">": "<=", "<=": ">", ">=": "<"}
        return Compare(test.left, opposite[test.sign], test.right)
    return Not(test)


def _two(tests: Sequence[Test], wanted: int, among: int) -> Program | None:
    different: dict[int, tuple[Program, bool]] = {}
    for test, bits in tests:
        if bits & among not in (0, among):
            different.setdefault(bits & among, (test, True))
            different.setdefault(~bits & among, (test, False))
        if len(different) > 240:
            break
    rows, ones = among.bit_count(), wanted.bit_count()
    if log2(comb(rows, ones)) < 2 * log2(max(len(different), 2)) - 1 + _EVIDENCE:
        return None
    wider = [(bits, one) for bits, one in different.items() if not wanted & ~bits]
    narrower = [(bits, one) for bits, one in different.items() if not bits & ~wanted]
    for is_either, sides in ((False, wider), (True, narrower)):
        for at, (bits, one) in enumerate(sides):
            for others, other in sides[at + 1 :]:
                if (bits | others if is_either else bits & others) == wanted:
                    return Both(_signed(*one), _signed(*other), is_either)
    return None


def _signed(test: Program, holds: bool) -> Program:
    return test if holds else _negated(test)
