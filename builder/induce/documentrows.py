"""Rows of JSON answers as tables: what is said of one thing in several places, brought together. Pure."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from builder.induce.documents import Place, Spot, at
from builder.induce.jsontext import Number, parsed, written
from builder.induce.listing import Table
from builder.induce.naming import unique
from builder.induce.texts import merged

Cell = Place
"""Where in an item a value stands that a row has a column for."""
_ABSENT = ""
"""The source of a value that is known not to be there."""
_AGREE, _ALIKE = 0.8, 0.5
_INTERFACE = frozenset("api v1 v2 v3 v4 rest graphql json".split())
_GENERIC = _INTERFACE | frozenset(
    "data results result items rows edges nodes node objects records list hits entries content response docs values"
    " payload body value collection".split()
)


@dataclass(frozen=True)
class Shape:
    """How an item is written: an object of members, or one value that a column gives."""

    cell: Cell = ()
    members: tuple[tuple[str, "Shape"], ...] | None = None

    def cells(self) -> Iterator[Cell]:
        """Every column's place, in order."""
        if self.members is None:
            yield self.cell
        for _, inner in self.members or ():
            yield from inner.cells()


@dataclass(eq=False)
class Kind:
    """Rows of one kind: a table, the source of every value, and the column that each place of a spot is filled from."""

    table: Table
    spots: tuple[Spot, ...]
    key_name: str
    sources: Mapping[str, Mapping[str, str]]
    """Key -> column -> the value as compact JSON, empty if it is known to be absent."""
    columns: Mapping[Spot, Mapping[Cell, str]]
    shapes: Mapping[Spot, Shape]
    unsteady: frozenset[tuple[Spot, Cell]]
    """Places that hold different values for one row in different answers."""


@dataclass
class _Read:
    """A spot on its way into a table."""

    spot: Spot
    shape: Shape
    values: dict[str, dict[Cell, str]] = field(default_factory=dict)
    unsteady: set[Cell] = field(default_factory=set)

    def names(self) -> dict[Cell, str]:
        """What each place is called: its keys, those that lead to the item's identity left out."""
        root = self.spot.key[:-1]
        return {
            cell: ".".join(cell[len(root) :] if cell[: len(root)] == root and len(cell) > len(root) else cell)
            or "value"
            for cell in self.shape.cells()
        }


def row_key(name: str, text: str) -> str:
    """The key of a row: what its identity is called, and its identity; a bare number would look like a page.

    >>> row_key("id", "7")
    'id=7'
    """
    return f"{name}={text}"


def shape_of(items: Sequence[Any], cell: Cell = ()) -> Shape:
    """The shape that all items have; what only some have is one value, whatever is in it."""
    if not items or not all(isinstance(item, dict) and item for item in items):
        return Shape(cell)
    order = merged([list(item) for item in items])
    if order is None:
        return Shape(cell)
    members = []
    for key in order:
        inner = [item[key] for item in items if key in item]
        whole = len(inner) == len(items)
        members.append((key, shape_of(inner, (*cell, key)) if whole else Shape((*cell, key))))
    return Shape(cell, tuple(members))


def kinds_of(spots: Sequence[Spot], reserved: frozenset[str]) -> tuple[Kind, ...]:
    """The tables of all spots, the one with most rows first. `reserved` names are not given to tables."""
    groups: list[list[_Read]] = []
    for read in sorted(map(_read, spots), key=lambda one: -len(one.values)):
        home = next((group for group in groups if _belongs(read, group)), None)
        if home is None:
            groups.append([read])
        else:
            home.append(read)
    taken = set(reserved)
    made = [_kind(group, taken) for group in groups]
    return tuple(sorted(made, key=lambda one: (-len(one.table.rows), one.table.name)))


def _read(spot: Spot) -> _Read:
    shape = shape_of([row.item for rows in spot.rows.values() for row in rows])
    said: dict[tuple[str, Cell], Counter[str]] = defaultdict(Counter)
    for rows in spot.rows.values():
        for row in rows:
            for cell in shape.cells():
                said[row.key, cell][source_at(row.item, cell)] += 1
    read = _Read(spot, shape)
    for (key, cell), counted in said.items():
        read.values.setdefault(key, {})[cell] = max(counted, key=lambda text: (counted[text], text))
        if len(counted) > 1:
            read.unsteady.add(cell)
    return read


def source_at(item: Any, cell: Cell) -> str:
    """The value at a place as compact JSON; empty if the item has none there."""
    outer = at(item, cell[:-1])
    if cell and (not isinstance(outer, dict) or cell[-1] not in outer):
        return _ABSENT
    return written(at(item, cell))


def _belongs(read: _Read, group: Sequence[_Read]) -> bool:
    """Whether two places speak of the same things: they say the same of what both know, or call all alike."""
    mine = {name: cell for cell, name in read.names().items() if cell != read.spot.key}
    for other in group:
        if other.spot.key[-1] != read.spot.key[-1]:
            continue
        theirs = {name: cell for cell, name in other.names().items() if cell != other.spot.key}
        common = [n for n in mine if n in theirs and mine[n] not in read.unsteady and theirs[n] not in other.unsteady]
        shared = [key for key in read.values if key in other.values]
        pairs = [(read.values[key][mine[n]], other.values[key][theirs[n]]) for key in shared for n in common]
        if pairs:
            alike = sum(one == two for one, two in pairs) >= _AGREE * len(pairs) or _has_telling(
                read, other, mine, theirs
            )
            if alike:
                return True
        elif not shared and len(common) > 1 and len(common) >= _ALIKE * len(mine.keys() | theirs.keys()):
            return True
    return False


def _has_telling(read: _Read, other: _Read, mine: Mapping[str, Cell], theirs: Mapping[str, Cell]) -> bool:
    """Whether some text of several words or letters is the same of every row that both know."""
    shared = [key for key in read.values if key in other.values]
    for name in mine.keys() & theirs.keys():
        texts = [(read.values[key][mine[name]], other.values[key][theirs[name]]) for key in shared]
        if all(one == two and len(one) > 6 for one, two in texts) and len(set(texts)) == len(texts):
            return True
    return False


def _kind(group: Sequence[_Read], taken: set[str]) -> Kind:
    sources: dict[str, dict[str, str]] = defaultdict(dict)
    columns: dict[Spot, dict[Cell, str]] = {}
    unsteady: set[tuple[Spot, Cell]] = set()
    key_name = group[0].spot.key[-1]
    for read in group:
        unsteady |= {(read.spot, cell) for cell in read.unsteady}
        chosen: dict[Cell, str] = {}
        for cell, name in read.names().items():
            chosen[cell] = _column(name, {key: values[cell] for key, values in read.values.items()}, sources, chosen)
        columns[read.spot] = chosen
        for text, values in read.values.items():
            for cell, source in values.items():
                sources[row_key(key_name, text)][chosen[cell]] = source
    name = unique(_name(group), taken)
    names = {row_key(key_name, text): row_key(key_name, text) for read in group for text in read.values}
    rows = {key: dict(_texts(sources[key])) for key in sorted(names, key=_natural)}
    shapes = {read.spot: read.shape for read in group}
    return Kind(
        Table(name, rows), tuple(read.spot for read in group), key_name, sources, columns, shapes, frozenset(unsteady)
    )


def _natural(key: str) -> tuple[str, int, str]:
    digits = re.search(r"\d+$", key)
    return (key[: digits.start()], len(digits[0]), digits[0]) if digits else (key, 0, "")


def _column(
    name: str, mine: Mapping[str, str], rows: Mapping[str, Mapping[str, str]], chosen: Mapping[Cell, str]
) -> str:
    """The column of this name if it says nothing else of any row, else a new one."""
    by_key = {key.partition("=")[2]: row for key, row in rows.items()}
    number, found = 1, name
    while found in chosen.values() or not _agrees(found, mine, by_key):
        number += 1
        found = f"{name}_{number}"
    return found


def _agrees(column: str, mine: Mapping[str, str], rows: Mapping[str, Mapping[str, str]]) -> bool:
    there = {key: row[column] for key, row in rows.items() if column in row}
    types, others = ({_type(one) for one in values.values()} - {""} for values in (mine, there))
    is_other = bool(types and others) and not types & others
    return not is_other and all(there[key] == text for key, text in mine.items() if key in there)


def _type(source: str) -> str:
    """What a value begins with, digits alike; nothing for an absent or empty one."""
    first = source[:1]
    if source in (_ABSENT, "null", "[]", "{}"):
        return ""
    return "0" if first.isdigit() or first == "-" else "t" if first == "f" else first


def _texts(row: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """A row's columns as texts, what is in objects and lists under names of its own."""
    for column, source in row.items():
        if source != _ABSENT:
            found: dict[str, list[str]] = defaultdict(list)
            _flatten(column, parsed(source), found)
            yield from ((name, "\n".join(texts)) for name, texts in found.items())


def _flatten(name: str, value: Any, found: dict[str, list[str]]) -> None:
    match value:
        case dict():
            for key, inner in value.items():
                _flatten(f"{name}.{key}", inner, found)
        case list():
            for inner in value:
                _flatten(name, inner, found)
        case Number() | str():
            found[name].append(str(value))
        case True | False:
            found[name].append(str(value).lower())
        case _:
            pass


def _name(group: Sequence[_Read]) -> str:
    """What the rows are called where they stand, or else the last fixed part of the address."""
    said: Counter[str] = Counter()
    for read in group:
        spot = read.spot
        path = [part for part in spot.endpoint.path.split("/") if "*" not in part]
        words = [(word, _GENERIC) for word in reversed(spot.place)] + [(word, _INTERFACE) for word in reversed(path)]
        plain = [
            (re.sub(r"\W+", "_", re.sub(r"\.\w+$", "", word), flags=re.ASCII).strip("_").lower(), no)
            for word, no in words
        ]
        said.update([word for word, no in plain if word and not word[0].isdigit() and word not in no][:1])
    return said.most_common(1)[0][0] if said else "row"
