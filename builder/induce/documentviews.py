"""How the answers of one endpoint are written: the shape of a row, and what is around the rows. Pure."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from builder.induce.documentanswer import NAME, Node
from builder.induce.documentframe import CLOCK, HOLE, Shown, decoded, frame_of
from builder.induce.documentlists import hole_of, link_header, scalars_of, varying_headers
from builder.induce.documentrows import Cell, Kind, Shape, row_key, source_at
from builder.induce.documents import Document, Spot
from builder.induce.jsontext import Number, Style, style_of, written
from builder.induce.listing import Facts, Pairs
from builder.induce.slots import Program

_OF_LISTS = re.compile(r"^link$|total|count|page|pagination|range|next|cursor", re.I)
"""Headers that clients read to go through a list: without them an answer is not whole."""
_NUMBERED = re.compile(r"(\D*)(\d+)")


@dataclass(eq=False)
class View:
    """One way in which an endpoint writes."""

    spot: Spot | None
    """Where the rows stand; None for what it says where it has nothing."""
    documents: tuple[Document, ...]
    row: Node
    frame: Node
    headers: tuple[tuple[str, Node], ...]
    left_out: tuple[str, ...]
    """Headers that say something of each answer which nothing explains."""
    style: Style
    programs: dict[str, Program] = field(default_factory=dict)
    looked_up: int = 0

    @property
    def like(self) -> Document:
        return self.documents[0]

    def plain(self) -> dict[str, Any]:
        """What `documentanswer` reads."""
        return {
            "way": self.spot.way if self.spot else "",
            "key": list(self.spot.key) if self.spot else [],
            "row": self.row,
            "frame": self.frame,
            "headers": [list(one) for one in self.headers],
            "stays_full": self.spot is not None and self._speaks_of_pages() and all(self.spot.rows.values()),
        }

    def only(self) -> dict[str, list[str]]:
        """Parameters of which one value was seen, where something around the rows depends on them."""
        values: dict[str, set[str]] = {}
        for document in self.documents:
            for name, value in document.pairs:
                values.setdefault(name, set()).add(value)
        single = {name: sorted(seen) for name, seen in values.items() if len(seen) == 1}
        return {name: seen for name, seen in single.items() if any(_depends(one, name) for one in self.programs)}

    def _speaks_of_pages(self) -> bool:
        """Whether something is said that a page without rows may say in another way."""
        return any(re.search(r"\b(pages|first|last)\b", expression) for expression in self.programs)


def view_of(
    spot: Spot, kind: Kind, facts: Mapping[Document, Facts], turning: frozenset[str] = frozenset(), by_row: bool = False
) -> View | None:
    """The view of a spot, learnt from those of its answers that there are facts of; None if something stays open.

    `turning` names the parameters that turn pages: what depends on one of their values is no rule. `by_row` says that
    they name rows.
    """
    documents = [document for document in spot.rows if document in facts]
    row = _row(spot, kind, facts)
    if row is None or not documents:
        return None
    edges = {document: _edges(spot, kind, document) for document in documents}
    around = {one: hole_of(spot, one, HOLE) for one in documents}
    if spot.source:
        asked = {"source": spot.source, "before": spot.around[0], "after": spot.around[1]}
        around = {one: _marked(one, asked, around[one], is_part=len(documents) > 1) for one in documents}
    shown = [Shown(around[one], facts[one], edges[one]) for one in documents]
    return _view(spot, documents, row, shown, turning, by_row)


def missing_view(documents: Sequence[Document], one: Mapping[str, str]) -> View | None:
    """What an endpoint says where it has nothing; None if that is not known. `one` says where the name is asked for."""
    commonest = Counter(document.status for document in documents).most_common(1)
    same = [document for document in documents if document.status == commonest[0][0]] if commonest else []
    shown = [Shown(_marked(document, one, document.value), Facts(document.path, document.pairs)) for document in same]
    return _view(None, same, [], shown) if same else None


def _view(
    spot: Spot | None, documents: Sequence[Document], row: Node, shown: Sequence[Shown],
    turning: frozenset[str] = frozenset(), by_row: bool = False,
) -> View | None:  # fmt: skip
    frame = frame_of(shown, turning, by_row=by_row)
    if frame is None:
        return None
    programs, looked_up = dict(frame.programs), frame.looked_up
    headers, left_out = [], []
    for name in varying_headers(documents):
        values = [_header(document, name) for document in documents]
        said = [Shown(value, *one[1:]) for value, one in zip(values, shown, strict=True)]
        found = frame_of(said, turning, by_row=by_row)
        if found is None or found.looked_up:
            if _OF_LISTS.search(name):
                return None
            left_out.append(name)
        else:
            headers.append((name, found.tree))
            programs |= found.programs
    styles = Counter(style for document in documents if (style := style_of(document.text)) is not None)
    style = styles.most_common(1)[0][0] if styles else Style()
    return View(spot, tuple(documents), row, frame.tree, tuple(headers), tuple(left_out), style, programs, looked_up)


def _marked(document: Document, one: Mapping[str, str], value: Any, *, is_part: bool = True) -> Any:
    """What an answer says with a mark for the name that it repeats, alone or as part of a text."""
    piece = document.pieces.get(one["source"], "")
    name = re.escape(piece.removeprefix(one["before"]).removesuffix(one["after"]))
    return _with_mark(value, re.compile(rf"(?<!\w){name}(?!\w)" if is_part else f"^{name}$")) if name else value


def _with_mark(value: Any, name: re.Pattern[str]) -> Any:
    match value:
        case dict():
            return {key: _with_mark(inner, name) for key, inner in value.items()}
        case list():
            return [_with_mark(inner, name) for inner in value]
        case str() if not isinstance(value, Number):
            return name.sub(NAME, value)
        case _:
            return value


def _header(document: Document, name: str) -> Any:
    """A header's value, addresses by their relation where it is a list of links."""
    value = next((value for key, value in document.headers if key == name), None)
    if value is None:
        return None
    if name.lower() == "link" and (links := link_header(value)):
        return links
    return Number(value) if value.isdecimal() else value


def _edges(spot: Spot, kind: Kind, document: Document) -> tuple[Mapping[str, str], Mapping[str, str]]:
    rows = spot.rows[document]
    if not rows:
        return {}, {}
    mine = set(kind.columns[spot].values())
    first, last = (scalars_of(kind, row_key(kind.key_name, rows[place].key)) for place in (0, -1))
    return tuple({name: text for name, text in one.items() if name in mine} for one in (first, last))  # type: ignore[return-value]


def _row(spot: Spot, kind: Kind, facts: Mapping[Document, Facts]) -> Node | None:
    """The tree of a row; None where what its members say depends on more than the row."""
    sources = {row.key: source_at(row.item, spot.key) for rows in spot.rows.values() for row in rows}
    is_number = all(source == key for key, source in sources.items())
    places: dict[Cell, Node] = {}
    if is_number or all(source == written(key) for key, source in sources.items()):
        places[spot.key] = ["identity", is_number]
    for cell in kind.shapes[spot].cells():
        if (spot, cell) in kind.unsteady and not CLOCK.search(cell[-1] if cell else ""):
            found = _place(spot, cell, facts)
            if found is None:
                return None
            places[cell] = found
    return _tree(kind.shapes[spot], kind.columns[spot], places)


def _tree(shape: Shape, columns: Mapping[Cell, str], places: Mapping[Cell, Node]) -> Node:
    if shape.members is None:
        return places.get(shape.cell) or ["column", columns[shape.cell]]
    return ["members", [[key, _tree(inner, columns, places)] for key, inner in shape.members]]


def _place(spot: Spot, cell: Cell, facts: Mapping[Document, Facts]) -> Node | None:
    """A member that says which row of the list this is, perhaps in base64."""
    said: set[tuple[str, int, bool, bool]] = set()
    for document, rows in spot.rows.items():
        for number, row in enumerate(rows if document in facts else ()):
            source = source_at(row.item, cell)
            text = source.strip('"')
            plain = decoded(text) if source.startswith('"') else None
            found = _NUMBERED.fullmatch(plain or text)
            if found is None:
                return None
            first = facts[document].first
            said.add((found[1], int(found[2]) - first - number, plain is not None, not source.startswith('"')))
    return ["place", *next(iter(said))] if len(said) == 1 else None


def alike(one: Any, other: Any, name: str = "") -> bool:
    """Whether two values are equal but for what the clock says.

    >>> alike({"a": Number("1"), "took_ms": Number("3")}, {"a": Number("1"), "took_ms": Number("9")})
    True
    """
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return list(one) == list(other) and all(alike(one[key], other[key], key) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(alike(a, b, name) for a, b in zip(one, other, strict=True))
    return bool(one == other) or (bool(CLOCK.search(name)) and written(one) != "null")


def _depends(expression: str, name: str) -> bool:
    """Whether what an expression gives hangs on a parameter's value, or on its being there."""
    said = re.escape(repr(name))
    return re.search(rf"args\[{said}\]|{said} in args|\({said}, [^()]*\) in pairs", expression) is not None


def asked_of(shaping: Mapping[Pairs, Spot], spot: Spot) -> list[list[list[str]]]:
    """The values of the shaping parameters that lead to a spot."""
    return [[list(pair) for pair in asked] for asked, one in sorted(shaping.items()) if one is spot]


def seen_with(documents: Iterable[Document], left_out: Sequence[str]) -> list[list[list[str]]]:
    """The other parameters that answers were asked for with, each set once."""
    found = {tuple(sorted(pair for pair in one.pairs if pair[0] not in left_out)) for one in documents}
    return [[list(pair) for pair in pairs] for pairs in sorted(found)]
