"""What pages of one kind share, as a tree with holes: slots, optional parts, loops. Pure.

A template is found by laying trees side by side (`induce`). `fit` reads a page by it, `render` writes one from what was
read; a page is understood when both together give it back.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from builder.induce.tree import Attribute, Element, Node, Text, rebuilt

Data = dict[int, Any]
"""Slot number -> text; option -> Data or None; loop -> list of Data; raw part -> its source."""


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


TemplateNode = Same | TextPart | ElementPart | Option | Loop | Raw
_MUST_REPEAT = 3
"""Equal neighbours of the same count everywhere are columns up to here, and a loop beyond."""
_CELLS = frozenset(("td", "th", "col"))


class _Inducer:
    def __init__(self) -> None:
        self._count = 0

    def number(self) -> int:
        self._count += 1
        return self._count - 1

    def nodes(self, found: Sequence[Node]) -> TemplateNode:
        """What these nodes, one an instance and all of one label, have in common."""
        first = found[0]
        if all(node.digest == first.digest for node in found):
            return Same(first)
        if isinstance(first, Text):
            texts = [node for node in found if isinstance(node, Text)]
            return TextPart(Slot(self.number()), self._flag([node.space for node in texts]), first.kind)
        elements = _distinct(node for node in found if isinstance(node, Element))
        return ElementPart(
            first.tag,
            first.opening,
            tuple(self._attributes(elements)),
            self._children([element.children for element in elements]),
            self._part([element.close for element in elements]),
            self._flag([element.space for element in elements]),
            self._flag([element.end_space for element in elements]),
            first.slash,
        )

    def _part(self, values: Sequence[str]) -> Part:
        return values[0] if len(set(values)) == 1 else Slot(self.number())

    def _flag(self, values: Sequence[bool]) -> bool | Slot:
        return values[0] if len(set(values)) == 1 else Slot(self.number())

    def _attributes(self, elements: Sequence[Element]) -> Iterator[AttributePart]:
        for name in _merged([[one.name for one in element.attributes] for element in elements]):
            having = [one for element in elements for one in element.attributes if one.name == name]
            present = None if len(having) == len(elements) else Slot(self.number())
            yield AttributePart(
                name, having[0].before, self._part([one.value for one in having]), having[0].after, present
            )

    def _children(self, found: Sequence[tuple[Node, ...]]) -> tuple[TemplateNode, ...]:
        looping = _looping(found)
        columns = _aligned([_collapsed(children, looping) for children in found])
        if _is_prose(columns, len(found)):
            return (Raw(self.number()),)
        parts: list[TemplateNode] = []
        for column in columns:
            runs = [run for run in column if run is not None]
            label = runs[0][0].label
            if label in looping:
                body = self.nodes(_distinct(node for run in runs for node in run))
                parts.append(Loop(self.number(), body))
                continue
            body = self.nodes([run[0] for run in runs])
            parts.append(body if len(runs) == len(found) else Option(self.number(), body))
        return tuple(parts)


def induce(pages: Sequence[tuple[Node, ...]]) -> tuple[TemplateNode, ...]:
    """The template of some pages. Of one page it is the page itself."""
    return _Inducer()._children(pages)


def _distinct[N: (Node, Element)](nodes: Iterable[N]) -> list[N]:
    """Each different node once: equal ones teach nothing more."""
    return list({node.digest: node for node in nodes}.values())


def _merged(orders: Sequence[Sequence[str]]) -> list[str]:
    """All names, each after those that stand before it wherever it occurs first."""
    found: list[str] = []
    for order in orders:
        at = 0
        for name in order:
            if name in found:
                at = found.index(name) + 1
            else:
                found.insert(at, name)
                at += 1
    return found


Run = tuple[Node, ...]


def _looping(found: Sequence[tuple[Node, ...]]) -> frozenset[str]:
    """Labels of neighbours that repeat: as often as they like, or more often than columns do."""
    longest: dict[str, set[int]] = {}
    for children in found:
        runs: Counter[str] = Counter()
        for label, run in _runs(children):
            runs[label] = max(runs[label], len(run))
        for label, size in runs.items():
            longest.setdefault(label, set()).add(size)
    return frozenset(
        label
        for label, sizes in longest.items()
        if max(sizes) > 1
        and not label.startswith("#")
        and (len(sizes) > 1 or (label.partition(".")[0] not in _CELLS and max(sizes) > _MUST_REPEAT))
    )


def _runs(children: Sequence[Node]) -> Iterator[tuple[str, Run]]:
    at = 0
    while at < len(children):
        end = at + 1
        while end < len(children) and children[end].label == children[at].label:
            end += 1
        yield children[at].label, tuple(children[at:end])
        at = end


def _collapsed(children: Sequence[Node], looping: frozenset[str]) -> list[Run]:
    found: list[Run] = []
    for label, run in _runs(children):
        if label in looping:
            found.append(run)
        else:
            found += [(node,) for node in run]
    return found


def _aligned(sequences: Sequence[list[Run]]) -> list[list[Run | None]]:
    """Columns that hold each instance's runs, or None where it has none; the longest sequence is laid down first."""
    order = sorted(range(len(sequences)), key=lambda number: (-len(sequences[number]), number))
    columns: list[list[Run | None]] = []
    for number in order:
        columns = _laid(columns, sequences[number], number, len(sequences))
    return columns


def _laid(columns: list[list[Run | None]], sequence: list[Run], number: int, total: int) -> list[list[Run | None]]:
    """The columns with one more instance in them, placed by Needleman and Wunsch."""
    labels = [next(run for run in column if run is not None)[0].label for column in columns]
    digests = [{run[0].digest for run in column if run is not None} for column in columns]
    width, height = len(columns), len(sequence)
    best = [[0.0] * (height + 1) for _ in range(width + 1)]
    for c in range(width - 1, -1, -1):
        for s in range(height - 1, -1, -1):
            value = max(best[c + 1][s], best[c][s + 1])
            node = sequence[s][0]
            if labels[c] == node.label:
                value = max(value, best[c + 1][s + 1] + (3.0 if node.digest in digests[c] else 1.0))
            best[c][s] = value
    found: list[list[Run | None]] = []
    c = s = 0
    while c < width or s < height:
        if c < width and s < height and labels[c] == sequence[s][0].label:
            gain = 3.0 if sequence[s][0].digest in digests[c] else 1.0
            if best[c][s] == best[c + 1][s + 1] + gain:
                columns[c][number] = sequence[s]
                found.append(columns[c])
                c, s = c + 1, s + 1
                continue
        if c < width and (s == height or best[c][s] == best[c + 1][s]):
            found.append(columns[c])
            c += 1
        else:
            fresh: list[Run | None] = [None] * total
            fresh[number] = sequence[s]
            found.append(fresh)
            s += 1
    return found


def _is_prose(columns: Sequence[Sequence[Run | None]], instances: int) -> bool:
    """Whether most of what stands there stands on one page only."""
    alone = sum(sum(run is not None for run in column) == 1 for column in columns)
    return instances > 2 and len(columns) > 4 and alone > len(columns) / 2


def render(template: Sequence[TemplateNode], data: Data) -> str:
    """The source of a page, from what was read of one."""
    return "".join(_written(node, data) for node in template)


def _written(node: TemplateNode, data: Data) -> str:
    match node:
        case Same(same):
            return same.written
        case TextPart(text, space, _):
            return _space(space, data) + str(data[text.number])
        case Option(number, body):
            return "" if data[number] is None else _written(body, data[number])
        case Loop(number, body):
            return "".join(_written(body, row) for row in data[number])
        case Raw(number):
            return str(data[number])
        case ElementPart():
            attributes = "".join(
                one.before + _value(one.value, data) + one.after
                for one in node.attributes
                if one.present is None or data[one.present.number]
            )
            inner = render(node.children, data)
            head = f"{_space(node.space, data)}{node.opening}{attributes}{node.slash}>"
            return f"{head}{inner}{_space(node.end_space, data)}{_value(node.close, data)}"


def _value(part: Part, data: Data) -> str:
    return part if isinstance(part, str) else str(data[part.number])


def _space(flag: bool | Slot, data: Data) -> str:
    return " " if (flag if isinstance(flag, bool) else data[flag.number]) else ""


def fit(template: Sequence[TemplateNode], nodes: Sequence[Node]) -> Data | None:
    """What a page says in the template's slots; None if it is no page of this kind."""
    return _Fitter().sequence(tuple(template), tuple(nodes))


class _Fitter:
    """Like a regular expression over nodes: optional parts are tried first with, loops as long as they can be."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, int], Data | None] = {}

    def sequence(self, template: tuple[TemplateNode, ...], nodes: tuple[Node, ...]) -> Data | None:
        failed: set[tuple[int, int]] = set()

        def walk(at: int, place: int) -> Data | None:
            if at == len(template):
                return {} if place == len(nodes) else None
            if (at, place) in failed:
                return None
            found = step(template[at], at, place)
            if found is None:
                failed.add((at, place))
            return found

        def step(part: TemplateNode, at: int, place: int) -> Data | None:
            match part:
                case Raw(number):
                    return {number: rebuilt(nodes[place:])}
                case Option(number, body):
                    if place < len(nodes) and (inner := self.node(body, nodes[place])) is not None:
                        rest = walk(at + 1, place + 1)
                        if rest is not None:
                            return {number: inner, **rest}
                    rest = walk(at + 1, place)
                    return None if rest is None else {number: None, **rest}
                case Loop(number, body):
                    rows: list[Data] = []
                    while (
                        place + len(rows) < len(nodes)
                        and (row := self.node(body, nodes[place + len(rows)])) is not None
                    ):
                        rows.append(row)
                    while True:
                        rest = walk(at + 1, place + len(rows))
                        if rest is not None:
                            return {number: rows, **rest}
                        if not rows:
                            return None
                        rows.pop()
                case _:
                    if place == len(nodes) or (inner := self.node(part, nodes[place])) is None:
                        return None
                    rest = walk(at + 1, place + 1)
                    return None if rest is None else {**inner, **rest}

        return walk(0, 0)

    def node(self, part: TemplateNode, node: Node) -> Data | None:
        key = (id(part), id(node))
        if key not in self._known:
            self._known[key] = self._node(part, node)
        return self._known[key]

    def _node(self, part: TemplateNode, node: Node) -> Data | None:
        match part:
            case Same(same):
                return {} if same.digest == node.digest else None
            case TextPart(text, space, kind):
                if not isinstance(node, Text) or node.kind != kind:
                    return None
                flag = _flagged(space, node.space)
                return None if flag is None else {text.number: node.raw, **flag}
            case ElementPart():
                return self._element(part, node) if isinstance(node, Element) and node.tag == part.tag else None
            case _:
                raise TypeError(f"{part} stands for no single node")

    def _element(self, part: ElementPart, node: Element) -> Data | None:
        if (node.opening, node.slash) != (part.opening, part.slash):
            return None
        pieces: list[Data | None] = [
            _flagged(part.space, node.space),
            _flagged(part.end_space, node.end_space),
            _filled(part.close, node.close),
            _attributes_of(part.attributes, node.attributes),
        ]
        if None in pieces:
            return None
        pieces.append(self.sequence(part.children, node.children))
        found: Data = {}
        for piece in pieces:
            if piece is None:
                return None
            found |= piece
        return found


def _flagged(flag: bool | Slot, value: bool) -> Data | None:
    if isinstance(flag, Slot):
        return {flag.number: value}
    return {} if flag == value else None


def _filled(part: Part, value: str) -> Data | None:
    if isinstance(part, Slot):
        return {part.number: value}
    return {} if part == value else None


def _attributes_of(parts: Sequence[AttributePart], attributes: Sequence[Attribute]) -> Data | None:
    found: Data = {}
    rest = list(attributes)
    for part in parts:
        if rest and rest[0].name == part.name and (rest[0].before, rest[0].after) == (part.before, part.after):
            value = _filled(part.value, rest[0].value)
            if value is None:
                return None
            rest.pop(0)
            found |= value
            if part.present is not None:
                found[part.present.number] = True
        elif part.present is not None:
            found[part.present.number] = False
            if isinstance(part.value, Slot):
                found[part.value.number] = ""
        else:
            return None
    return None if rest else found
