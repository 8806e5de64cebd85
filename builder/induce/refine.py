"""Kinds of pages told apart by what their addresses select, and by the header cells of their tables. Pure.

Pages of every table of a database are built alike, and yet each table has columns of its own: one template for all of
them has as many optional cells as there are tables, and its rows no columns that could be named.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

from builder.induce.listing import Pairs
from builder.induce.tree import Element, Node

_LEAST_PAGES = 4
"""Pages that the same table must be on for a kind of their own."""
_LEAST_HEADS = 2
_WORD = re.compile(r"[^\W_][\w.-]*")

_LEAST_SELECTED = 6
"""Pages of a family that a parameter must choose among."""
_ALWAYS, _DECIDED = 0.95, 0.9
"""Share of a family's pages that have the parameter, and of those of one value that are built alike."""

Header = tuple[str, ...]


def selectors(addresses: Sequence[tuple[str, Pairs]], grouped: Sequence[Sequence[int]]) -> list[Pairs]:
    """For each page the parameter that chooses its kind, with its value; nothing where the path does.

    Such a parameter stands in nearly every address of a family, and pages of one value are of one group while those
    of another may be of another. `addresses` are families with queries, `grouped` the numbers of pages built alike.
    """
    group_of = {number: place for place, members in enumerate(grouped) for number in members}
    by_family: dict[str, list[int]] = defaultdict(list)
    for number, (family, _) in enumerate(addresses):
        by_family[family].append(number)
    found: list[Pairs] = [()] * len(addresses)
    for members in by_family.values():
        names = Counter(name for number in members for name in dict(addresses[number][1]))
        for name, count in sorted(names.items(), key=lambda pair: (-pair[1], pair[0])):
            values = {number: dict(addresses[number][1]).get(name, "") for number in members}
            if len(members) < _LEAST_SELECTED or count < _ALWAYS * len(members):
                break
            if _decides(values, group_of):
                for number, value in values.items():
                    found[number] = ((name, value),) if value else ()
                break
    return found


def _decides(values: Mapping[int, str], group_of: Mapping[int, int]) -> bool:
    """Whether pages of one value are built alike, and those of different values are not."""
    groups: dict[str, Counter[int]] = defaultdict(Counter)
    for number, value in values.items():
        groups[value][group_of[number]] += 1
    several = {value: counted for value, counted in groups.items() if value and counted.total() > 1}
    alike = sum(max(counted.values()) for counted in several.values())
    total = sum(counted.total() for counted in several.values())
    kinds = {counted.most_common(1)[0][0] for counted in several.values()}
    return len(kinds) > 1 and alike >= _DECIDED * total


def by_header(paths: Sequence[str], pages: Sequence[tuple[Node, ...]]) -> list[list[int]]:
    """Numbers of pages of one kind, those that show the same table together; all of them where no table tells.

    A path has the header that most of its pages show. Headers of few pages stay together.
    """
    shown: dict[str, Counter[Header]] = defaultdict(Counter)
    for path, nodes in zip(paths, pages, strict=True):
        shown[path][header(nodes)] += 1
    of_path = {path: max(counted, key=lambda one: (counted[one], one)) for path, counted in shown.items()}
    counts = Counter(of_path[path] for path in paths)
    groups: dict[Header, list[int]] = defaultdict(list)
    for number, path in enumerate(paths):
        found = of_path[path]
        groups[found if counts[found] >= _LEAST_PAGES else ()].append(number)
    return list(groups.values())


def header(nodes: Sequence[Node]) -> Header:
    """What the header cells of the table with most rows say, marks of sorting left out; empty if there is none."""
    best: tuple[int, Header] = (0, ())
    for table in _tables(nodes):
        rows = list(_rows(table))
        heads = next((heads for row in rows if len(heads := _heads(row)) >= _LEAST_HEADS), ())
        if heads and len(rows) > best[0]:
            best = (len(rows), heads)
    return best[1]


def _tables(nodes: Sequence[Node]) -> Iterator[Element]:
    for node in nodes:
        if isinstance(node, Element):
            if node.tag == "table":
                yield node
            yield from _tables(node.children)


def _rows(node: Element) -> Iterator[Element]:
    for child in node.children:
        if isinstance(child, Element) and child.tag != "table":
            if child.tag == "tr":
                yield child
            else:
                yield from _rows(child)


def _heads(row: Element) -> Header:
    """The texts of a row of header cells; none if it has other cells."""
    cells = [child for child in row.children if isinstance(child, Element)]
    if any(cell.tag != "th" for cell in cells):
        return ()
    return tuple(" ".join(_WORD.findall(" ".join(_texts(cell)))).casefold() for cell in cells)


def _texts(node: Element) -> Iterator[str]:
    for child in node.children:
        if isinstance(child, Element):
            yield from _texts(child)
        elif child.kind == "#text":
            yield child.raw
