"""Reading a page by a template. Pure."""

from collections.abc import Sequence

from builder.induce.parts import (
    AttributePart,
    Choice,
    Data,
    ElementPart,
    Known,
    Loop,
    Option,
    Part,
    Raw,
    Same,
    Slot,
    TemplateNode,
    TextPart,
    render,
)
from builder.induce.tree import Attribute, Element, Node, Text, rebuilt


def fit(template: Sequence[TemplateNode], nodes: Sequence[Node]) -> Data | None:
    """What a page says in the template's slots; None if it is no page of this kind."""
    return Fitter(template).fit(nodes)


class Fitter:
    """Reads pages by one template, each different node once.

    Like a regular expression over nodes: optional parts are tried first with, loops as long as they can be.
    """

    def __init__(self, template: Sequence[TemplateNode]) -> None:
        self._template = tuple(template)
        self._known: dict[tuple[int, str], Data | None] = {}
        self._written: Known = {}

    def fit(self, nodes: Sequence[Node]) -> Data | None:
        """As `fit`; what pages have in common is one object in what is read of them."""
        return self.sequence(self._template, tuple(nodes))

    def given_back(self, nodes: Sequence[Node], whole: str) -> Data | None:
        """What a page says, if the template writes it again from that; `whole` is the page as its nodes write it."""
        data = self.fit(nodes)
        return data if data is not None and render(self._template, data, self._written) == whole else None

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
        key = (id(part), node.digest)
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
            case Choice(number, bodies):
                fitting = ((which, self.node(body, node)) for which, body in enumerate(bodies))
                return next(({number: which, **inner} for which, inner in fitting if inner is not None), None)
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
