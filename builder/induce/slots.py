"""Small programs that say what stands in a slot of a page's frame, and how they are written in Jinja. Pure.

Every program has `value`, what it gives for a page (and for a row of a loop, an `Item`); `jinja`, the same as an
expression; `cost`, in bits, roughly; and `learned`, "computed" or "looked up". Values are source text, as in `Data`.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, Protocol

from builder.induce import wording
from builder.induce.listing import Facts, Pairs

Item = Mapping[str, Any]
"""A row of a loop in the frame: field -> value."""
Learned = Literal["computed", "looked up"]
NO_ITEM: Item = {}


class Program(Protocol):
    """What every program is."""

    @property
    def learned(self) -> Learned: ...
    @property
    def cost(self) -> float: ...
    def value(self, facts: Facts, item: Item = NO_ITEM) -> Any: ...
    def jinja(self) -> str: ...


def literal(value: object) -> str:
    """A value as Jinja reads it.

    >>> literal([("a", None), {"b": True}])
    "[['a', none], {'b': true}]"
    """
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{literal(key)}: {literal(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(literal, value)) + "]"
    if value is None or isinstance(value, bool):
        return str(value).lower()
    return repr(value)


@dataclass(frozen=True)
class Constant:
    """The same on every page."""

    text: Any
    learned: Learned = "computed"
    cost: float = 1.0

    def value(self, facts: Facts, item: Item = NO_ITEM) -> Any:
        return self.text

    def jinja(self) -> str:
        return literal(self.text)


@dataclass(frozen=True)
class Volatile(Constant):
    """Chance or the clock made it: any captured value does."""


_SUM = re.compile(r"(.+) ([+-]) (\d+)")
_NUMBERS: dict[str, Callable[[Facts, Item], int]] = {
    "page": lambda facts, item: facts.page,
    "pages": lambda facts, item: facts.pages,
    "total": lambda facts, item: facts.total,
    "first": lambda facts, item: facts.first,
    "last": lambda facts, item: facts.last,
    "size": lambda facts, item: facts.size,
    "shown": lambda facts, item: facts.shown,
    "item.n": lambda facts, item: int(item.get("n", 0)),
    "item.count": lambda facts, item: int(item.get("count", 0)),
    "(page - 1) * size": lambda facts, item: (facts.page - 1) * facts.size,
    "(page - 2) * size": lambda facts, item: (facts.page - 2) * facts.size,
    "page * size": lambda facts, item: facts.page * facts.size,
    "(pages - 1) * size": lambda facts, item: (facts.pages - 1) * facts.size,
    "(item.n - 1) * size": lambda facts, item: (int(item.get("n", 0)) - 1) * facts.size,
    "(total - last)": lambda facts, item: facts.total - facts.last,
    "[last + size, total] | min": lambda facts, item: min(facts.last + facts.size, facts.total),
}  # fmt: skip


@cache
def _number(expression: str) -> Callable[[Facts, Item], int]:
    if expression in _NUMBERS:
        return _NUMBERS[expression]
    if expression.isdigit():
        return lambda facts, item: int(expression)
    found = _SUM.fullmatch(expression)
    if not found:
        raise ValueError(f"{expression!r} is no number")
    base, plus = _number(found[1]), int(found[2] + found[3])
    return lambda facts, item: base(facts, item) + plus


@dataclass(frozen=True)
class Number:
    """A whole number: a fact of the page, or a little more or less. The expression is both name and Jinja."""

    expression: str
    learned: Learned = "computed"
    cost: float = 4.0

    def value(self, facts: Facts, item: Item = NO_ITEM) -> int:
        return _number(self.expression)(facts, item)

    def jinja(self) -> str:
        return self.expression


@dataclass(frozen=True)
class Grouped:
    """A number with a mark between thousands."""

    number: Number
    mark: str
    learned: Learned = "computed"
    cost: float = 6.0

    def value(self, facts: Facts, item: Item = NO_ITEM) -> str:
        return wording.grouped(self.number.value(facts, item), self.mark)

    def jinja(self) -> str:
        return f"grouped({self.number.jinja()}, {literal(self.mark)})"


@dataclass(frozen=True)
class Argument:
    """The first value of a parameter, or what stands for it where it is absent or empty."""

    key: str
    default: str = ""
    learned: Learned = "computed"
    cost: float = 5.0

    def value(self, facts: Facts, item: Item = NO_ITEM) -> str:
        return next((value for name, value in facts.pairs if name == self.key), "") or self.default

    def jinja(self) -> str:
        found = f"args[{literal(self.key)}]"
        return f"({found} or {literal(self.default)})" if self.default else found


@dataclass(frozen=True)
class Place:
    """The path, or the path of what is above it."""

    above: int = 0
    learned: Learned = "computed"
    cost: float = 4.0

    def value(self, facts: Facts, item: Item = NO_ITEM) -> str:
        found = facts.path
        for _ in range(self.above):
            found = wording.parent(found)
        return found

    def jinja(self) -> str:
        return "parent(" * self.above + "path" + ")" * self.above


@dataclass(frozen=True)
class Stem:
    """The path without the part that says which page it is."""

    marker: str
    end: str
    learned: Learned = "computed"
    cost: float = 6.0

    def value(self, facts: Facts, item: Item = NO_ITEM) -> str:
        return wording.stem(facts.path, facts.page, self.marker, self.end)

    def jinja(self) -> str:
        return f"stem({literal(self.marker)}" + (f", {literal(self.end)})" if self.end else ")")


@dataclass(frozen=True)
class Segment:
    """One part of the path, counted from 0, or from the end if negative."""

    number: int
    learned: Learned = "computed"
    cost: float = 6.0

    def value(self, facts: Facts, item: Item = NO_ITEM) -> str:
        return wording.segment(facts.path, self.number)

    def jinja(self) -> str:
        return f"segment({self.number})"


@dataclass(frozen=True)
class Named:
    """What links call a path."""

    path: "Place | Stem"
    learned: Learned = "computed"
    cost: float = 5.0

    def value(self, facts: Facts, item: Item = NO_ITEM) -> str:
        path = str(self.path.value(facts, item))
        return facts.names.get(path) or facts.names.get(path.rstrip("/"), "")

    def jinja(self) -> str:
        path = self.path.jinja()
        return f"(names[{path}] or names[{path}.rstrip('/')])"


@dataclass(frozen=True)
class Here:
    """The address of the request itself."""

    form: str = "+"
    learned: Learned = "computed"
    cost: float = 5.0

    def value(self, facts: Facts, item: Item = NO_ITEM) -> str:
        return wording.here(facts.path, facts.pairs, self.form)

    def jinja(self) -> str:
        return f"here({literal(self.form)})"


@dataclass(frozen=True)
class Field:
    """A field of the loop's row."""

    name: str
    learned: Learned = "computed"
    cost: float = 2.0

    def value(self, facts: Facts, item: Item = NO_ITEM) -> Any:
        return item.get(self.name, "")

    def jinja(self) -> str:
        return f"item.{self.name}"


@dataclass(frozen=True)
class Hole:
    """A text on its way into a page: escaped, quoted, its letters changed."""

    source: Program
    ways: tuple[str, ...] = ()

    @property
    def learned(self) -> Learned:
        return self.source.learned

    @property
    def cost(self) -> float:
        return self.source.cost + len(self.ways)

    def value(self, facts: Facts, item: Item = NO_ITEM) -> str:
        return wording.written(self.source.value(facts, item), *self.ways)

    def jinja(self) -> str:
        if not self.ways:
            return self.source.jinja()
        return f"written({self.source.jinja()}, {', '.join(map(literal, self.ways))})"


@dataclass(frozen=True)
class Words:
    """Text with holes."""

    parts: tuple[str | Program, ...]

    @property
    def learned(self) -> Learned:
        return _worst(part for part in self.parts if not isinstance(part, str))

    @property
    def cost(self) -> float:
        return sum(1.0 if isinstance(part, str) else part.cost for part in self.parts)

    def value(self, facts: Facts, item: Item = NO_ITEM) -> str:
        return "".join(part if isinstance(part, str) else str(part.value(facts, item)) for part in self.parts)

    def jinja(self) -> str:
        written = [literal(part) if isinstance(part, str) else f"({part.jinja()})" for part in self.parts]
        return " ~ ".join(written or ["''"]) if len(written) != 1 else f"{written[0]} ~ ''"


@dataclass(frozen=True)
class Split:
    """One thing where a condition holds, another elsewhere."""

    test: Program
    yes: Program
    no: Program

    @property
    def learned(self) -> Learned:
        return _worst((self.test, self.yes, self.no))

    @property
    def cost(self) -> float:
        return 2.0 + self.test.cost + self.yes.cost + self.no.cost

    def value(self, facts: Facts, item: Item = NO_ITEM) -> Any:
        return (self.yes if self.test.value(facts, item) else self.no).value(facts, item)

    def jinja(self) -> str:
        return f"({self.yes.jinja()} if {self.test.jinja()} else {self.no.jinja()})"


@dataclass(frozen=True)
class Tokens:
    """Words of an attribute such as class, each with the condition under which it stands there."""

    tokens: tuple[tuple[Program, Program], ...]
    """Condition and word."""

    @property
    def learned(self) -> Learned:
        return _worst(one for pair in self.tokens for one in pair)

    @property
    def cost(self) -> float:
        return sum(test.cost + word.cost for test, word in self.tokens)

    def value(self, facts: Facts, item: Item = NO_ITEM) -> str:
        return wording.joined(str(word.value(facts, item)) for test, word in self.tokens if test.value(facts, item))

    def jinja(self) -> str:
        always = Constant(True)
        written = [
            word.jinja() if test == always else f"({word.jinja()} if {test.jinja()} else '')"
            for test, word in self.tokens
        ]
        return f"joined([{', '.join(written)}])"


@dataclass(frozen=True)
class LookUp:
    """The value that was seen for this path, parameter or page; the commonest where none was."""

    by: Program
    table: tuple[tuple[Any, Any], ...]
    default: Any
    learned: Learned = "looked up"

    @property
    def cost(self) -> float:
        return 8.0 * len(self.table)

    def value(self, facts: Facts, item: Item = NO_ITEM) -> Any:
        return dict(self.table).get(self.by.value(facts, item), self.default)

    def jinja(self) -> str:
        return f"{literal(dict(self.table))}.get({self.by.jinja()}, {literal(self.default)})"


Seen = tuple[tuple[str, Pairs], ...]


@dataclass(frozen=True)
class Nearest:
    """Nothing explains it: the value of the captured page that is most like this one."""

    seen: Seen
    """Path and query of every captured page; in Jinja the name `seen`."""
    values: tuple[tuple[Any, tuple[int, ...]], ...]
    """A value, and the numbers of the pages that had it."""
    without: tuple[str, ...] = ()
    """Parameters that were seen to make no difference."""
    learned: Learned = "looked up"

    @property
    def cost(self) -> float:
        return 16.0 * len(self.values)

    def value(self, facts: Facts, item: Item = NO_ITEM) -> Any:
        return wording.nearest(self.seen, self.values, facts.path, facts.pairs, self.without)

    def jinja(self) -> str:
        if len(self.values) == 1:
            return literal(self.values[0][0])
        return f"nearest(seen, {literal(self.values)}" + (f", {literal(self.without)})" if self.without else ")")


def _worst(programs: Any) -> Learned:
    return "looked up" if any(program.learned == "looked up" for program in programs) else "computed"


worst = _worst
