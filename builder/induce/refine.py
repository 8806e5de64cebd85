"""Kinds of pages told apart by what they list: tables whose header cells say so. Pure.

Pages of every table of a database are built alike, and yet each table has columns of its own: one template for all of
them has as many optional cells as there are tables, and its rows no columns that could be named.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from builder.induce.tree import Element, Node

_LEAST_PAGES = 4
"""Pages that the same table must be on for a kind of their own."""
_LEAST_HEADS = 2
_WORD = re.compile(r"[^\W_][\w.-]*")

Header = tuple[str, ...]


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
