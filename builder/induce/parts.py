"""What a template is made of, and how a page is written from it and from what was read. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from builder.induce.tree import GROUP, Node

Data = dict[int, Any]
"""Slot number -> text; option -> Data or None; loop -> list of Data; raw part -> its source; choice -> which."""


@dataclass(frozen=True)
class Slot:
    """A hole that text goes into."""

    number: int


Part = str | Slot
"""What is the same everywhere, or a hole."""


@dataclass(frozen=True)
class AttributePart:
    """One attribute: how it is written around its value, the value, and the slot that says whether it is there."""

    name: str
    before: str
    value: Part
    after: str
    present: Slot | None = None


@dataclass(frozen=True)
class Same:
    """Nodes that are the same on every page."""

    node: Node


@dataclass(frozen=True)
class TextPart:
    text: Slot
    space: bool | Slot
    kind: str


@dataclass(frozen=True)
class ElementPart:
    tag: str
    opening: str
    attributes: tuple[AttributePart, ...]
    children: "tuple[TemplateNode, ...]"
    close: Part
    space: bool | Slot
    end_space: bool | Slot
    slash: str


@dataclass(frozen=True)
class Option:
    """Something that some pages have."""

    number: int
    body: "TemplateNode"


@dataclass(frozen=True)
class Loop:
    """Something that repeats, as often as there are rows."""

    number: int
    body: "TemplateNode"


@dataclass(frozen=True)
class Raw:
    """Everything in an element, kept as it was written: prose has no structure that pages share."""

    number: int


@dataclass(frozen=True)
class Choice:
    """One of several kinds of nodes, as they are mixed in a loop. Its number holds which, from 0."""

    number: int
    bodies: "tuple[TemplateNode, ...]"


TemplateNode = Same | TextPart | ElementPart | Option | Loop | Raw | Choice


Known = dict[tuple[int, int], str]
"""What was written already: numbers of a body and of the data it was written from."""


def render(template: Sequence[TemplateNode], data: Data, known: Known | None = None) -> str:
    """The source of a page, from what was read of one.

    Pages may have the data of rows in common: `known` remembers what these were written as, while they are kept.
    """
    return "".join(_written(node, data, known) for node in template)


def _once(body: TemplateNode, row: Data, known: Known | None) -> str:
    if known is None:
        return _written(body, row, None)
    key = (id(body), id(row))
    if key not in known:
        known[key] = _written(body, row, known)
    return known[key]


def _written(node: TemplateNode, data: Data, known: Known | None) -> str:
    match node:
        case Same(same):
            return same.written
        case TextPart(text, space, _):
            return _space(space, data) + str(data[text.number])
        case Option(number, body):
            return "" if data[number] is None else _once(body, data[number], known)
        case Loop(number, body):
            return "".join(_once(body, row, known) for row in data[number])
        case Raw(number):
            return str(data[number])
        case Choice(number, bodies):
            return _written(bodies[data[number]], data, known)
        case ElementPart():
            attributes = "".join(
                one.before + _value(one.value, data) + one.after
                for one in node.attributes
                if one.present is None or data[one.present.number]
            )
            inner = render(node.children, data, known)
            if node.tag == GROUP:
                return inner
            head = f"{_space(node.space, data)}{node.opening}{attributes}{node.slash}>"
            return f"{head}{inner}{_space(node.end_space, data)}{_value(node.close, data)}"


def _value(part: Part, data: Data) -> str:
    return part if isinstance(part, str) else str(data[part.number])


def _space(flag: bool | Slot, data: Data) -> str:
    return " " if (flag if isinstance(flag, bool) else data[flag.number]) else ""
