"""What pages of one kind share, as a tree with holes: slots, optional parts, loops. Pure.

A template is found by laying trees side by side (`align.py`). `fit` reads a page by it, `render` writes one from what
was read; a page is understood when both together give it back.
"""

from collections.abc import Iterable, Iterator, Sequence

from builder.induce.align import aligned, collapsed, is_prose, looping
from builder.induce.numbered import runs
from builder.induce.parts import (
    AttributePart,
    Choice,
    ElementPart,
    Loop,
    Option,
    Part,
    Raw,
    Same,
    Slot,
    TemplateNode,
    TextPart,
)
from builder.induce.tree import Element, Node, Text


class _Inducer:
    def __init__(self, copied: frozenset[str]) -> None:
        self._count = 0
        self._copied = copied

    def number(self) -> int:
        self._count += 1
        return self._count - 1

    def nodes(self, found: Sequence[Node]) -> TemplateNode:
        """What these nodes, one an instance and all of one label, have in common."""
        first = found[0]
        if all(node.digest == first.digest for node in found) and not self._is_copied(first.written):
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

    def _is_copied(self, text: str) -> bool:
        """Whether something of the request stands in the text, so that another request has another text."""
        return any(value in text for value in self._copied)

    def _part(self, values: Sequence[str]) -> Part:
        is_same = len(set(values)) == 1 and not self._is_copied(values[0])
        return values[0] if is_same else Slot(self.number())

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
        spans = runs(found)
        if spans is None:
            return self._columns(found)
        placed = list(zip(found, spans, strict=True))
        before = self._columns([children[: span.start] for children, span in placed])
        kinds: dict[str, list[Node]] = {}
        for children, span in placed:
            for node in children[span.start : span.end]:
                kinds.setdefault(node.label, []).append(node)
        number, which = self.number(), self.number()
        bodies = tuple(self.nodes(_distinct(nodes)) for nodes in kinds.values())
        body = Choice(which, bodies) if len(bodies) > 1 else bodies[0]
        return (*before, Loop(number, body), *self._columns([children[span.end :] for children, span in placed]))

    def _columns(self, found: Sequence[tuple[Node, ...]]) -> tuple[TemplateNode, ...]:
        if not any(found):
            return ()
        repeated = looping(found)
        columns = aligned([collapsed(children, repeated) for children in found])
        if is_prose(columns, len(found)):
            return (Raw(self.number()),)
        parts: list[TemplateNode] = []
        for column in columns:
            runs = [run for run in column if run is not None]
            label = runs[0][0].label
            if label in repeated:
                body = self.nodes(_distinct(node for run in runs for node in run))
                parts.append(Loop(self.number(), body))
                continue
            body = self.nodes([run[0] for run in runs])
            parts.append(body if len(runs) == len(found) else Option(self.number(), body))
        return tuple(parts)


def induce(pages: Sequence[tuple[Node, ...]], copied: frozenset[str] = frozenset()) -> tuple[TemplateNode, ...]:
    """The template of some pages. Of one page it is the page itself, but for texts that hold something `copied`."""
    return _Inducer(copied)._children(pages)


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
