"""Rows and where they stand: loops whose items lead somewhere, and what each item says. Pure."""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple
from urllib.parse import parse_qsl

from builder.induce.naming import named
from builder.induce.pages import Kind, Page
from builder.induce.parts import Choice, Data, ElementPart, Loop, Option, Raw, Same, Slot, TemplateNode, TextPart
from builder.induce.tree import UNSEEN, texts_of

_PRESENT, _UNIQUE = 0.9, 0.97
"""Share of a loop's items that lead somewhere, and of the targets that are no other's on their page."""
_LEAST_ROWS = 3

Values = Mapping[int, str]
"""Number of a hole in an item -> its text, "1" for what is merely there; what is not there is left out."""


class Item(NamedTuple):
    """One item of a loop on one page."""

    key: str
    """Where it leads."""
    values: Values


@dataclass(frozen=True, eq=False)
class Spot:
    """A loop of a kind of page whose items lead somewhere, each somewhere else."""

    kind: Kind
    path: tuple[int, ...]
    """Numbers of the options and loops around it, and at last its own."""
    loop: Loop
    key: int
    """The hole of an item that says where it leads."""
    items: tuple[tuple[Item, ...], ...]
    """The items on each page of the kind, in order."""

    @property
    def number(self) -> int:
        return self.loop.number

    @cached_property
    def names(self) -> dict[int, str]:
        """What the holes of an item are called."""
        return named(self.loop.body, self.key)

    @cached_property
    def keys(self) -> frozenset[str]:
        return frozenset(item.key for items in self.items for item in items)

    @cached_property
    def sequences(self) -> int:
        """How many different pages of rows there are."""
        return len(self._different)

    @cached_property
    def shown(self) -> int:
        """How many rows the different pages of rows have in all: links that merely repeat the address have few."""
        return sum(map(len, self._different))

    @cached_property
    def _different(self) -> frozenset[tuple[str, ...]]:
        return frozenset(tuple(item.key for item in items) for items in self.items if items)


def inner_names(node: TemplateNode) -> dict[int, str]:
    """Numbers of the holes in loops in an item -> what `Item.values` calls them there."""
    match node:
        case Option(_, body):
            return inner_names(body)
        case Loop(_, body):
            return {**named(body), **inner_names(body)}
        case ElementPart():
            return {hole: name for child in node.children for hole, name in inner_names(child).items()}
        case _:
            return {}


def json_holes(node: TemplateNode) -> frozenset[int]:
    """Numbers of the loops in an item: their values are JSON."""
    match node:
        case Option(_, body):
            return json_holes(body)
        case Loop(number, _):
            return frozenset((number,))
        case ElementPart():
            return frozenset(hole for child in node.children for hole in json_holes(child))
        case _:
            return frozenset()


def spots(kind: Kind) -> tuple[Spot, ...]:
    """Every loop of the kind that holds rows, the one that shows most on different pages first."""
    found: dict[tuple[int, ...], tuple[Loop, list[tuple[int, list[Data]]]]] = {}
    for number, data in enumerate(kind.data):
        for path, loop, items in loops(kind.template, data):
            found.setdefault(path, (loop, []))[1].append((number, items))
    made = [spot for path, (loop, rows) in found.items() if (spot := _spot(kind, path, loop, rows))]
    return tuple(sorted(made, key=lambda spot: (-spot.shown, -len(spot.keys), spot.path)))


def loops(
    template: Sequence[TemplateNode], data: Data, path: tuple[int, ...] = ()
) -> Iterator[tuple[tuple[int, ...], Loop, list[Data]]]:
    """Every loop that a page has, with where it stands and its items; loops in loops once for each outer item."""
    for node in template:
        match node:
            case ElementPart():
                yield from loops(node.children, data, path)
            case Option(number, body) if data[number] is not None:
                yield from loops((body,), data[number], (*path, number))
            case Loop(number, body):
                yield (*path, number), node, data[number]
                for item in data[number]:
                    yield from loops((body,), item, (*path, number))
            case _:
                pass


def _spot(kind: Kind, path: tuple[int, ...], loop: Loop, rows: Sequence[tuple[int, list[Data]]]) -> Spot | None:
    items = [(number, _values(loop.body, data)) for number, found in rows for data in found]
    best: tuple[int, int, int] | None = None
    for place, hole in enumerate(_hrefs(loop.body)):
        holding = [(kind.pages[number], values[hole]) for number, values in items if hole in values]
        targets = [(page, page.target(href)) for page, href in holding]
        led = [(page, target) for page, target in targets if target and not _is_itself(page, target)]
        different = len({(page.url, target) for page, target in led})
        if len(led) >= _PRESENT * len(items) and different >= _UNIQUE * len(led):
            rank = (len({target for _, target in led}), -place, hole)
            best = max(best or rank, rank)
    if best is None or best[0] < _LEAST_ROWS:
        return None
    key = best[2]
    by_page: dict[int, list[Item]] = defaultdict(list)
    for number, values in items:
        by_page[number].append(Item(kind.pages[number].target(values[key]) if key in values else "", values))
    return Spot(kind, path, loop, key, tuple(tuple(by_page[number]) for number in range(len(kind.pages))))


def _is_itself(page: Page, target: str) -> bool:
    """Whether an address leads to the page it stands on, whatever else its query says than what page it is."""
    path, _, query = target.partition("?")
    return path == page.path and set(page.selector) <= set(parse_qsl(query, errors="backslashreplace"))


def _hrefs(node: TemplateNode) -> Iterator[int]:
    """The holes that are addresses of links, loops in the item left out."""
    match node:
        case ElementPart():
            for attribute in node.attributes:
                if attribute.name == "href" and isinstance(attribute.value, Slot) and node.tag in ("a", "area"):
                    yield attribute.value.number
            for child in node.children:
                yield from _hrefs(child)
        case Option(_, body):
            yield from _hrefs(body)
        case _:
            pass


def _values(node: TemplateNode, data: Data) -> dict[int, str]:
    found: dict[int, str] = {}
    _collect(node, data, found)
    return found


def _collect(node: TemplateNode, data: Data, found: dict[int, str]) -> None:
    match node:
        case TextPart(text, space, _):
            found[text.number] = str(data[text.number])
            _flag(space, data, found)
        case Raw(number):
            found[number] = str(data[number])
        case Option(number, body):
            if data[number] is not None:
                found[number] = "1"
                _collect(body, data[number], found)
        case Loop(number, body):
            names = named(body)
            rows = [{names[hole]: text for hole, text in _values(body, row).items()} for row in data[number]]
            found[number] = json.dumps(rows, ensure_ascii=False, separators=(",", ":"))
        case ElementPart():
            for attribute in node.attributes:
                if isinstance(attribute.present, Slot) and not data[attribute.present.number]:
                    continue
                _flag(attribute.present or False, data, found)
                if isinstance(attribute.value, Slot):
                    found[attribute.value.number] = str(data[attribute.value.number])
            for flag in (node.space, node.end_space):
                _flag(flag, data, found)
            if isinstance(node.close, Slot):
                found[node.close.number] = str(data[node.close.number])
            for child in node.children:
                _collect(child, data, found)
        case Choice(number, bodies):
            found[number] = str(data[number])
            _collect(bodies[data[number]], data, found)
        case Same():
            pass


def _flag(flag: bool | Slot, data: Data, found: dict[int, str]) -> None:
    if isinstance(flag, Slot) and data[flag.number]:
        found[flag.number] = "1"


def texts(template: Sequence[TemplateNode], data: Data, skip: frozenset[int] = frozenset()) -> Iterator[str]:
    """The text of a page between its tags, loops of these numbers left out."""
    for node in template:
        match node:
            case Same(same):
                yield from texts_of(same)
            case TextPart(text, _, "#text"):
                yield str(data[text.number])
            case ElementPart() if node.tag not in UNSEEN:
                yield from texts(node.children, data, skip)
            case Option(number, body) if data[number] is not None:
                yield from texts((body,), data[number], skip)
            case Loop(number, body) if number not in skip:
                for item in data[number]:
                    yield from texts((body,), item, skip)
            case Raw(number):
                yield str(data[number])
            case Choice(number, bodies):
                yield from texts((bodies[data[number]],), data, skip)
            case _:
                pass
