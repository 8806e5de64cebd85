"""Constants of a template that repeat what was asked for, made slots. Pure.

Where a single word was searched for, every page shows that word, and a template of these pages takes it for constant.
Text that equals a parameter of every page is a slot, even with one example.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import count
from urllib.parse import quote, quote_plus

from builder.induce.listing import Pairs
from builder.induce.parts import (
    AttributePart,
    Choice,
    ElementPart,
    Loop,
    Option,
    Raw,
    Same,
    Slot,
    TemplateNode,
    TextPart,
)
from builder.induce.repeats import slots_of
from builder.induce.tree import Element, Text
from builder.induce.wording import SPELLINGS, written

_TELLING = 3
"""Characters from which on a value that stands in a page is no chance."""


def tainted(
    template: Sequence[TemplateNode], sent: Sequence[Pairs], skip: frozenset[int] = frozenset()
) -> tuple[TemplateNode, ...]:
    """The template with slots where it repeats a parameter that all its pages have in common.

    `sent` are the parameters of the pages it was made from. Loops in `skip` stay as they are. The new slots have
    numbers after the old ones, so the pages are to be read again by the new template.
    """
    common = set.intersection(*map(set, sent)) if sent else set()
    values = {value for _, value in common if len(value) >= _TELLING and not value.isdigit()}
    if not values:
        return tuple(template)
    ways = [(name,) for name in SPELLINGS]
    forms = {written(value, *way) for value in values for way in ways}
    forms |= {form(value) for value in values for form in (quote, quote_plus)}
    longest = sorted(forms, key=lambda form: (-len(form), form))
    pattern = re.compile(rf"(?<![^\W_])(?:{'|'.join(map(re.escape, longest))})(?![^\W_])")
    numbers = count(max((number for node in template for number in _numbers(node)), default=-1) + 1)
    return tuple(_Tainter(pattern, numbers, skip).node(node) for node in template)


def _numbers(node: TemplateNode) -> Iterator[int]:
    match node:
        case Loop(number, body):
            yield number
            yield from _numbers(body)
        case Option(number, body):
            yield number
            yield from _numbers(body)
        case Choice(number, bodies):
            yield number
            for body in bodies:
                yield from _numbers(body)
        case ElementPart():
            yield from (number for number, _ in slots_of(replace(node, children=())))
            for child in node.children:
                yield from _numbers(child)
        case _:
            yield from (number for number, _ in slots_of(node))


class _Tainter:
    def __init__(self, pattern: re.Pattern[str], numbers: Iterator[int], skip: frozenset[int]) -> None:
        self._pattern = pattern
        self._numbers = numbers
        self._skip = skip

    def node(self, node: TemplateNode) -> TemplateNode:
        match node:
            case Same(same):
                return self._same(same) if self._pattern.search(same.written) else node
            case Option(number, body):
                return Option(number, self.node(body))
            case Loop(number, body):
                return node if number in self._skip else Loop(number, self.node(body))
            case Choice(number, bodies):
                return Choice(number, tuple(map(self.node, bodies)))
            case ElementPart():
                attributes = tuple(map(self._attribute, node.attributes))
                return replace(node, attributes=attributes, children=tuple(map(self.node, node.children)))
            case TextPart() | Raw():
                return node

    def _same(self, node: Text | Element) -> TemplateNode:
        if isinstance(node, Text):
            return TextPart(Slot(next(self._numbers)), node.space, node.kind)
        attributes = tuple(
            self._attribute(AttributePart(one.name, one.before, one.value, one.after)) for one in node.attributes
        )
        children = tuple(self.node(Same(child)) for child in node.children)
        return ElementPart(
            node.tag, node.opening, attributes, children, node.close, node.space, node.end_space, node.slash
        )

    def _attribute(self, one: AttributePart) -> AttributePart:
        if isinstance(one.value, str) and one.name != "name" and self._pattern.search(one.value):
            return replace(one, value=Slot(next(self._numbers)))
        return one
