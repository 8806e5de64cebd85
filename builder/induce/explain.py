"""The frame of list pages explained: a program for everything outside the rows of the list. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from builder.induce.likely import likely
from builder.induce.listing import Facts
from builder.induce.loops import closest, repeat
from builder.induce.parts import Choice, Data, ElementPart, Loop, Option, Raw, Same, Slot, TemplateNode, TextPart
from builder.induce.repeats import Many, Repeat, data_of
from builder.induce.sight import RowSight, Sight, spelling_of
from builder.induce.slots import NO_ITEM, Item, Nearest, Program, Seen, Volatile
from builder.induce.values import chosen, computed, decided, looked_up, nearest


@dataclass(frozen=True)
class Frame:
    """What is known of a kind of pages outside the rows of its lists."""

    template: tuple[TemplateNode, ...]
    programs: Mapping[int, Program]
    """Slot, option or loop -> what gives its value; what is inside a loop has its programs in the loop's."""
    skip: frozenset[int]
    seen: Seen
    """Path and query of each captured page."""
    open: frozenset[int] = field(default_factory=frozenset)
    """Numbers that nothing explains: the nearest captured page gives their value."""

    def data(self, facts: Facts, item: Item = NO_ITEM) -> Data:
        """The page's data; lists that are left out have no rows. `item` is the row that the page is about, if any."""
        return data_of(self.template, self.programs, facts, item)

    @property
    def computed(self) -> int:
        """How many numbers are computed."""
        return sum(program.learned == "computed" for program in self.programs.values())

    @property
    def looked_up(self) -> int:
        """How many numbers have a value seen for a path, a parameter or a page, those that are open left out."""
        return len(self.programs) - self.computed - len(self.open)


def explain_frame(
    template: Sequence[TemplateNode], pages: Sequence[tuple[Facts, Data]], skip: frozenset[int] = frozenset(),
    items: Sequence[Item] = (),
) -> Frame:  # fmt: skip
    """Programs for the frame of pages of one kind. `skip` holds the numbers of the lists' loops.

    Every captured page is given back exactly: what a program gets wrong on one is not believed. `items` holds the row
    that each page is about, where pages are about rows.
    """
    facts, datas = [one for one, _ in pages], [data for _, data in pages]
    spelling = spelling_of(_strings(datas))
    sight = RowSight(facts, spelling, items) if items else Sight(facts, spelling)
    explainer = _Explainer(skip)
    programs, missing = explainer.all(tuple(template), sight, range(len(pages)), datas)
    frame = Frame(tuple(template), programs, skip, sight.seen, frozenset(missing))
    wrong: set[int] = set()
    for number, (one, data) in enumerate(pages):
        wrong |= set(_differing(frame.data(one, items[number] if items else NO_ITEM), data, skip))
    wrong -= {number for number, program in programs.items() if isinstance(program, Volatile)}
    if not wrong:
        return frame
    more, missing = _Explainer(skip, wrong).all(tuple(template), sight, range(len(pages)), datas)
    return replace(frame, programs=programs | more, open=frozenset(missing | frame.open))


def _strings(data: Any) -> Iterator[str]:
    if isinstance(data, str):
        yield data
    elif isinstance(data, dict):
        for one in data.values():
            yield from _strings(one)
    elif isinstance(data, list):
        for one in data:
            yield from _strings(one)


def _differing(given: Data, wanted: Data, skip: frozenset[int]) -> Iterator[int]:
    for number, value in wanted.items():
        if number in skip:
            continue
        if isinstance(value, dict) and isinstance(given.get(number), dict):
            yield from _differing(given[number], value, skip)
        elif given.get(number) != value:
            yield number


class _Explainer:
    """Walks a template, and finds a program for each of its numbers."""

    def __init__(self, skip: frozenset[int], given_up: set[int] | None = None) -> None:
        self._skip = skip
        self.given_up = given_up
        """If given, the only numbers that are looked at, and none of them is explained."""

    def all(
        self, nodes: Sequence[TemplateNode], sight: Sight, picked: Sequence[int], datas: Sequence[Data]
    ) -> tuple[dict[int, Program], set[int]]:
        """Programs for pages: what nothing explains has the nearest page's value, and is named."""
        found, missing = self.some(nodes, sight, picked, datas, is_whole=True)
        return found, missing

    def body(
        self, node: TemplateNode, sight: Sight, picked: Sequence[int], datas: Sequence[Data]
    ) -> tuple[dict[int, Program], set[int]]:
        """Programs for the rows of a loop, and the numbers without one."""
        return self.some((node,), sight, picked, datas, is_whole=False)

    def some(
        self, nodes: Sequence[TemplateNode], sight: Sight, picked: Sequence[int], datas: Sequence[Data], is_whole: bool
    ) -> tuple[dict[int, Program], set[int]]:
        walk = _Walk(self, sight, is_whole)
        for node in nodes:
            walk.node(node, list(picked), list(datas))
        return walk.found, walk.missing

    def leaves_out(self, number: int) -> bool:
        return number in self._skip or (self.given_up is not None and number not in self.given_up)


class _Walk:
    def __init__(self, explainer: _Explainer, sight: Sight, is_whole: bool) -> None:
        self._explainer = explainer
        self._sight = sight
        self._is_whole = is_whole
        self.found: dict[int, Program] = {}
        self.missing: set[int] = set()

    def node(self, node: TemplateNode, picked: list[int], datas: list[Data]) -> None:
        match node:
            case TextPart(text, space, _):
                self._value(text.number, picked, datas)
                self._flag(space, picked, datas)
            case Raw(number):
                self._value(number, picked, datas)
            case Option(number, body):
                self._decide(number, picked, [data[number] is not None for data in datas])
                there = [
                    (one, data[number]) for one, data in zip(picked, datas, strict=True) if data[number] is not None
                ]
                if there:
                    self.node(body, [one for one, _ in there], [data for _, data in there])
            case Choice(number, bodies):
                self._choose(number, picked, [data[number] for data in datas])
                for which, body in enumerate(bodies):
                    some = [(one, data) for one, data in zip(picked, datas, strict=True) if data[number] == which]
                    if some:
                        self.node(body, [one for one, _ in some], [data for _, data in some])
            case Loop(number, _):
                if not self._explainer.leaves_out(number):
                    self._loop(node, picked, [data[number] for data in datas])
            case ElementPart():
                self._element(node, picked, datas)
            case Same():
                pass

    def _element(self, node: ElementPart, picked: list[int], datas: list[Data]) -> None:
        self._flag(node.space, picked, datas)
        self._flag(node.end_space, picked, datas)
        if isinstance(node.close, Slot):
            self._value(node.close.number, picked, datas)
        for one in node.attributes:
            some = list(zip(picked, datas, strict=True))
            if one.present is not None:
                flag = one.present.number
                self._decide(flag, picked, [bool(data[flag]) for data in datas])
                some = [(number, data) for number, data in some if data[flag]]
            if isinstance(one.value, Slot) and some:
                self._value(one.value.number, [number for number, _ in some], [data for _, data in some], one.name)
        for child in node.children:
            self.node(child, picked, datas)

    def _flag(self, flag: bool | Slot, picked: list[int], datas: list[Data]) -> None:
        if isinstance(flag, Slot):
            self._decide(flag.number, picked, [bool(data[flag.number]) for data in datas])

    def _put(self, number: int, program: Program | None, picked: list[int], values: Sequence[Any]) -> None:
        if program is None:
            self.missing.add(number)
            if not self._is_whole:
                return
            is_text = all(isinstance(value, str) for value in values)
            program = likely(self._sight, picked, values) if is_text else nearest(self._sight, picked, values)
        self.found[number] = program

    def _decide(self, number: int, picked: list[int], holds: list[bool]) -> None:
        if self._explainer.leaves_out(number):
            return
        program = decided(self._sight, picked, holds) if self._explainer.given_up is None else None
        self._put(number, program, picked, holds)

    def _choose(self, number: int, picked: list[int], which: list[int]) -> None:
        if self._explainer.leaves_out(number):
            return
        program = chosen(self._sight, picked, which) if self._explainer.given_up is None else None
        self._put(number, program, picked, which)

    def _value(self, number: int, picked: list[int], datas: list[Data], attribute: str = "") -> None:
        targets = [str(data[number]) for data in datas]
        program = None
        if self._explainer.leaves_out(number):
            return
        if self._explainer.given_up is None:
            program = computed(self._sight, picked, targets, attribute) or looked_up(self._sight, picked, targets)
        self._put(number, program, picked, targets)

    def _loop(self, loop: Loop, picked: list[int], lists: list[list[Data]]) -> None:
        program: Repeat | None = None
        if self._explainer.given_up is None:
            program = repeat(loop, self._sight, picked, lists, self._explainer.body)
        if program is None:
            self.missing.add(loop.number)
            if not self._is_whole:
                return
            program = closest(loop, self._sight, picked, lists)
        if any(isinstance(part, Many) and isinstance(part.rows, Nearest) for part in program.parts):
            self.missing.add(loop.number)
        self.found[loop.number] = program
