"""Programs of loops in the frame: which rows there are, and what stands in each. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from builder.induce import counts, wording
from builder.induce.listing import Facts
from builder.induce.parts import Choice, Data, ElementPart, Loop, Option, Raw, Same, Slot, TemplateNode, TextPart
from builder.induce.slots import NO_ITEM, Constant, Field, Item, Learned, Program, literal, worst

Body = Mapping[int, Program]
"""Number -> program, for every slot, option and loop inside a loop's rows."""


@dataclass(frozen=True)
class One:
    """A row of its own, where its condition holds."""

    test: Program
    item: Item
    body: Body


@dataclass(frozen=True)
class Many:
    """Rows that a program lists; those without a number, the gaps of a pager, may have a body of their own."""

    rows: Program
    body: Body
    gap: Body | None = None


@dataclass(frozen=True)
class Repeat:
    """All rows of a loop, part by part."""

    parts: tuple[One | Many, ...]

    @property
    def learned(self) -> Learned:
        return worst(
            one
            for part in self.parts
            for one in (part.test if isinstance(part, One) else part.rows, *part.body.values())
        )

    @property
    def cost(self) -> float:
        return 8.0 * len(self.parts)

    def value(self, facts: Facts, item: Item = NO_ITEM) -> list[tuple[Item, Body]]:
        """Each row's fields and the programs that fill it."""
        found: list[tuple[Item, Body]] = []
        for part in self.parts:
            if isinstance(part, Many):
                for row in part.rows.value(facts, item):
                    is_gap = part.gap is not None and not row.get("n")
                    found.append((row, part.gap if is_gap and part.gap is not None else part.body))
            elif part.test.value(facts, item):
                found.append((part.item, part.body))
        return found

    def jinja(self) -> str:
        """The rows as a list; their bodies are blocks, which no expression can hold."""
        rows = [
            part.rows.jinja() if isinstance(part, Many) else f"([{literal(part.item)}] if {part.test.jinja()} else [])"
            for part in self.parts
        ]
        return " + ".join(rows) or "[]"


@dataclass(frozen=True)
class Pages:
    """The numbers of a pager; see `wording.pager`."""

    family: str
    sizes: tuple[int, ...] = ()
    only: str = ""
    gaps: bool = True
    learned: Learned = "computed"
    cost: float = 8.0

    def value(self, facts: Facts, item: Item = NO_ITEM) -> list[dict[str, int]]:
        return wording.pager(facts.page, facts.pages, self.family, *self.sizes, only=self.only, gaps=self.gaps)

    def jinja(self) -> str:
        sizes = "".join(f", {size}" for size in self.sizes)
        named = (f", only={literal(self.only)}" if self.only else "") + ("" if self.gaps else ", gaps=false")
        return f"pager(page, pages, {literal(self.family)}{sizes}{named})"


@dataclass(frozen=True)
class Kept:
    """The request's own parameters, without those named or those named only."""

    keys: tuple[str, ...]
    inverse: bool = False
    learned: Learned = "computed"
    cost: float = 6.0

    def value(self, facts: Facts, item: Item = NO_ITEM) -> list[dict[str, str]]:
        return wording.kept(facts.pairs, self.keys, self.inverse)

    def jinja(self) -> str:
        return f"kept({literal(self.keys)}{', true' if self.inverse else ''})"


@dataclass(frozen=True)
class Trail:
    """The path and what is above it, by the names that links give them; some left out at either end."""

    start: int = 0
    end: int = 0
    learned: Learned = "computed"
    cost: float = 6.0

    def value(self, facts: Facts, item: Item = NO_ITEM) -> list[dict[str, str]]:
        found = wording.trail(facts.path, facts.names)
        return found[self.start : len(found) - self.end]

    def jinja(self) -> str:
        return f"trail()[{self.start or ''}:{-self.end if self.end else ''}]"


@dataclass(frozen=True)
class Facet:
    """The values of a filter with the number of rows that each would leave; see `counts.facet`."""

    name: str
    items: tuple[Item, ...]
    among: str = "list"
    zeros: str = "hidden"
    order: str = "fixed"
    first: bool = False
    rest: str | None = None
    limit: int = 0
    learned: Learned = "computed"
    cost: float = 12.0

    def value(self, facts: Facts, item: Item = NO_ITEM) -> list[dict[str, Any]]:
        if facts.counting is None:
            return []
        options = (self.among, self.zeros, self.order, self.first, self.rest, self.limit)
        return counts.facet(facts.counting, self.name, self.items, *options)

    def arranged(self, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """The rows of all items, counted, as they stand there."""
        return counts.arranged(rows, self.zeros, self.order, self.first, self.limit)

    def jinja(self) -> str:
        standard = Facet(self.name, self.items)
        names = ("among", "zeros", "order", "first", "rest", "limit")
        options = {name: getattr(self, name) for name in names if getattr(self, name) != getattr(standard, name)}
        named = "".join(f", {name}={literal(value)}" for name, value in options.items())
        return f"facet({literal(self.name)}, {literal(self.items)}{named})"


def slots_of(node: TemplateNode) -> Iterator[tuple[int, str]]:
    """Numbers of a node's slots outside inner loops, each with its kind: an attribute's name, or "#text", "#flag",
    "#raw", "#loop", "#choice"."""
    match node:
        case TextPart(text, space, _):
            yield text.number, "#text"
            yield from ((one.number, "#flag") for one in (space,) if isinstance(one, Slot))
        case ElementPart():
            yield from ((one.number, "#flag") for one in (node.space, node.end_space) if isinstance(one, Slot))
            if isinstance(node.close, Slot):
                yield node.close.number, "#raw"
            for one in node.attributes:
                if one.present is not None:
                    yield one.present.number, "#flag"
                if isinstance(one.value, Slot):
                    yield one.value.number, one.name
            for child in node.children:
                yield from slots_of(child)
        case Option(number, body):
            yield number, "#flag"
            yield from slots_of(body)
        case Loop(number, _):
            yield number, "#loop"
        case Raw(number):
            yield number, "#raw"
        case Choice(number, bodies):
            yield number, "#choice"
            for body in bodies:
                yield from slots_of(body)
        case Same():
            pass


def fields_of(node: TemplateNode, data: Data) -> dict[str, Any]:
    """A row's values as fields, those of optional parts among them: slot 12 is called s12. Inner loops are lists."""
    found: dict[str, Any] = {}
    loops = dict(_loops(node))
    for number, kind in slots_of(node):
        value = _found(number, data)
        if kind == "#loop":
            found[f"s{number}"] = [fields_of(loops[number], row) for row in value or ()]
        elif kind == "#flag":
            found[f"s{number}"] = value is not None and value is not False
        else:
            found[f"s{number}"] = "" if value is None else value
    return found


def _found(number: int, data: Data) -> Any:
    if number in data:
        return data[number]
    return next(
        (one for inner in data.values() if isinstance(inner, dict) and (one := _found(number, inner)) is not None), None
    )


def _loops(node: TemplateNode) -> Iterator[tuple[int, TemplateNode]]:
    match node:
        case ElementPart():
            for child in node.children:
                yield from _loops(child)
        case Option(_, body):
            yield from _loops(body)
        case Loop(number, body):
            yield number, body
        case Choice(_, bodies):
            for one in bodies:
                yield from _loops(one)
        case _:
            pass


def stored(node: TemplateNode) -> dict[int, Program]:
    """Programs that read everything in a row from its fields, as `fields_of` names them."""
    loops = dict(_loops(node))
    return {
        number: Repeat((Many(Field(f"s{number}"), stored(loops[number])),)) if kind == "#loop" else Field(f"s{number}")
        for number, kind in slots_of(node)
    }


def data_of(nodes: Sequence[TemplateNode], programs: Body, facts: Facts, item: Item = NO_ITEM) -> Data:
    """What programs put into every slot. Loops without a program have no rows; nor has what is within."""
    found: Data = {}
    for node in nodes:
        _fill(node, programs, facts, item, found)
    return found


def _fill(node: TemplateNode, programs: Body, facts: Facts, item: Item, found: Data) -> None:
    def put(part: object) -> Any:
        if isinstance(part, Slot):
            found[part.number] = programs[part.number].value(facts, item)
            return found[part.number]
        return None

    match node:
        case TextPart(text, space, _):
            put(text)
            put(space)
        case Raw(number):
            put(Slot(number))
        case Choice(number, bodies):
            put(Slot(number))
            _fill(bodies[found[number]], programs, facts, item, found)
        case Option(number, body):
            there = programs[number].value(facts, item)
            found[number] = data_of((body,), programs, facts, item) if there else None
        case Loop(number, body):
            rows = programs[number].value(facts, item) if number in programs else ()
            found[number] = [data_of((body,), inner, facts, row) for row, inner in rows]
        case ElementPart():
            put(node.space)
            put(node.end_space)
            put(node.close)
            for one in node.attributes:
                there = one.present is None or put(one.present)
                if isinstance(one.value, Slot):
                    found[one.value.number] = ""
                    if there:
                        put(one.value)
            for child in node.children:
                _fill(child, programs, facts, item, found)
        case Same():
            pass


ALWAYS = Constant(True)
