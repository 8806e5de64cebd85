"""Rows of one kind, brought together from every loop that shows some of them. Pure."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from builder.compile import keys
from builder.induce.listing import Table
from builder.induce.naming import called, unique
from builder.induce.pages import UNREAD, Kind, Page
from builder.induce.parts import Choice, Data, ElementPart, Loop, Option, Same, Slot, TemplateNode
from builder.induce.rows import Spot, spots
from builder.induce.tree import Element, Node, texts_of

_SHARED = 0.3
"""Share of the fewer rows that two loops have in common if they show rows of one kind."""
_EVERYWHERE = 0.8
"""Share of pages on which something stands that says nothing of any."""
_PAGE_TEXT = "page_text"


@dataclass(frozen=True, eq=False)
class Entity:
    """A table, and where its rows are shown."""

    table: Table
    spots: tuple[Spot, ...]
    columns: Mapping[Spot, Mapping[int, str]]
    """For each loop, the column that a hole of its items is filled from."""
    unsteady: frozenset[tuple[Spot, int]]
    """Holes that hold different values for one row on different pages."""


def entities(found: Sequence[Kind]) -> tuple[Entity, ...]:
    """The tables of a site, the one with most rows first.

    A loop that always shows the same rows makes none by itself.
    """
    everywhere = [spot for kind in found for spot in spots(kind)]
    pages = {page.path: page for kind in found for page in kind.pages if page.status == 200 and not page.pairs}
    told, common = _own_links(found, pages), _common_texts(found)
    names: set[str] = set()
    made = [
        _entity(group, pages, told, common, names)
        for group in _together(everywhere)
        if any(spot.sequences > 1 for spot in group)
    ]
    return tuple(sorted(made, key=lambda one: (-len(one.table.rows), one.table.name)))


def _together(found: Sequence[Spot]) -> list[list[Spot]]:
    """Loops that show the same rows, the one that shows most of them first."""
    groups: list[tuple[set[str], list[Spot]]] = []
    for spot in sorted(found, key=lambda spot: -len(spot.keys)):
        alike = [group for group in groups if len(group[0] & spot.keys) >= _SHARED * len(spot.keys)]
        if not alike:
            groups.append((set(spot.keys), [spot]))
            continue
        home = max(alike, key=lambda group: len(group[0] & spot.keys))
        home[0].update(spot.keys)
        home[1].append(spot)
    return [members for _, members in groups]


def _entity(
    group: Sequence[Spot],
    pages: Mapping[str, Page],
    told: Mapping[str, frozenset[str]],
    common: frozenset[str],
    names: set[str],
) -> Entity:
    rows: dict[str, dict[str, str]] = defaultdict(dict)
    columns: dict[Spot, Mapping[int, str]] = {}
    unsteady: set[tuple[Spot, int]] = set()
    for spot in group:
        values, restless = _steady(spot)
        unsteady |= {(spot, hole) for hole in restless}
        columns[spot] = _columns(spot, values, rows)
        for key, found in values.items():
            for hole, text in found.items():
                rows[key].setdefault(columns[spot][hole], text)
    for key in rows:
        if key in pages:
            rows[key][_PAGE_TEXT] = _text_of(pages[key], common)
    links = {key: told[key] for key in rows if key in told}
    if links:
        # what a page that was not captured would link to is not known but for the lists that showed its row
        links |= {key: shown for key, shown in _shown_at(group).items() if key not in links}
    table = Table(unique(_name(group), names), {key: rows[key] for key in sorted(rows) if key}, links)
    return Entity(table, tuple(group), columns, frozenset(unsteady))


def _shown_at(group: Sequence[Spot]) -> dict[str, frozenset[str]]:
    """For each row the paths of the pages that show it."""
    found: dict[str, set[str]] = defaultdict(set)
    for spot in group:
        for page, items in zip(spot.kind.pages, spot.items, strict=True):
            for item in items:
                found[item.key].add(page.path)
    return {key: frozenset(paths) for key, paths in found.items()}


def _steady(spot: Spot) -> tuple[dict[str, dict[int, str]], set[int]]:
    """For each row the value of each hole that most pages say, and the holes that not all pages say alike."""
    said: dict[tuple[str, int], Counter[str]] = defaultdict(Counter)
    for items in spot.items:
        for item in items:
            for hole in spot.names:
                said[item.key, hole][item.values.get(hole, "\0")] += 1
    values: dict[str, dict[int, str]] = defaultdict(dict)
    restless = set()
    for (key, hole), counted in said.items():
        text = max(counted, key=lambda text: (counted[text], text))
        if text != "\0":
            values[key][hole] = text
        values.setdefault(key, {})
        if len(counted) > 1:
            restless.add(hole)
    return values, restless


def _columns(
    spot: Spot, values: Mapping[str, Mapping[int, str]], rows: Mapping[str, Mapping[str, str]]
) -> dict[int, str]:
    """A column for each hole: one that says the same of every row both know, else a new one."""
    shared = [key for key in values if key in rows]
    known = {column for key in shared for column in rows[key]} - {_PAGE_TEXT}
    chosen: dict[int, str] = {}
    for hole, name in spot.names.items():
        mine = {key: values[key].get(hole) for key in shared}
        alike = [
            column
            for column in sorted(known - set(chosen.values()), key=lambda column: (column != name, column))
            if len(set(mine.values())) > 1 and all(rows[key].get(column) == text for key, text in mine.items())
        ]
        if alike:
            chosen[hole] = alike[0]
    taken = {column for row in rows.values() for column in row} | set(chosen.values())
    for hole, name in spot.names.items():
        if hole not in chosen:
            chosen[hole] = unique(name, taken)
    return chosen


def _name(group: Sequence[Spot]) -> str:
    """What the items are called, or else the first segment of where they lead."""
    said = Counter(name for spot in group if (name := called(spot.loop.body)))
    if said:
        return said.most_common(1)[0][0]
    first = Counter(key.strip("/").partition("/")[0] for spot in group for key in spot.keys)
    words = re.sub(r"\W+", "_", first.most_common(1)[0][0], flags=re.ASCII).strip("_").lower()
    return words if words and not words[0].isdigit() else "row"


def _text_of(page: Page, common: frozenset[str]) -> str:
    """The visible text of a page, but for what stands on pages of every kind."""
    return " ".join(text for node in page.nodes for text in texts_of(node, UNREAD) if text not in common)


def _common_texts(found: Sequence[Kind]) -> frozenset[str]:
    """Texts that nearly all pages of most kinds have: the site's name, its menus, its footer."""
    shared: Counter[str] = Counter()
    several = [kind for kind in found if len(kind.pages) > 1]
    for kind in several:
        texts = [{text for node in page.nodes for text in texts_of(node, UNREAD)} for page in kind.pages]
        counted = Counter(text for one in texts for text in one)
        shared.update(text for text, count in counted.items() if count > _EVERYWHERE * len(texts))
    return frozenset(text for text, count in shared.items() if count > 1 and 2 * count > len(several))


def _links(page: Page) -> frozenset[str]:
    return frozenset(keys.path_of(target.partition("?")[0]) for target, _ in page.links if target.startswith("/"))


def _own_links(found: Sequence[Kind], pages: Mapping[str, Page]) -> dict[str, frozenset[str]]:
    """For each page the paths that it links to and that tell it from others.

    A menu that all pages share tells nothing, but what else a page says counts even where the menu says it too: the
    trail above an item names the lists that it is in.
    """
    frame = _frame_links(found)
    own = {path: _links(page) - frame for path, page in pages.items()}
    for kind in found:
        placed = [
            frozenset(placed_links(kind.template, data, page)) for page, data in zip(kind.pages, kind.data, strict=True)
        ]
        everywhere = frozenset.intersection(*placed) if placed else frozenset()
        for page, links in zip(kind.pages, placed, strict=True):
            if pages.get(page.path) is page:
                own[page.path] |= {path for _, path in links - everywhere}
    return own


def placed_links(
    template: Sequence[TemplateNode], data: Data, page: Page, place: int = -1
) -> Iterator[tuple[int, str]]:
    """The paths that a page links to on its own host, each with the part of the template that the link stands in."""
    for node in template:
        match node:
            case Same(same):
                yield from ((place, path) for path in _paths(_hrefs(same), page))
            case Option(number, body) if data[number] is not None:
                yield from placed_links((body,), data[number], page, number)
            case Loop(number, body):
                for row in data[number]:
                    yield from placed_links((body,), row, page, number)
            case Choice(number, bodies):
                yield from placed_links((bodies[data[number]],), data, page, number)
            case ElementPart():
                for stands, href in _link(node, data, place) if node.tag in ("a", "area") else ():
                    yield from ((stands, path) for path in _paths((href,), page))
                yield from placed_links(node.children, data, page, place)
            case _:
                pass


def _link(node: ElementPart, data: Data, place: int) -> Iterator[tuple[int, str]]:
    """Where an element leads, by its own hole if it has one."""
    for one in node.attributes:
        if one.name == "href" and (one.present is None or data[one.present.number]):
            yield (one.value.number, str(data[one.value.number])) if isinstance(one.value, Slot) else (place, one.value)


def _hrefs(node: Node) -> Iterator[str]:
    if isinstance(node, Element):
        if node.tag in ("a", "area") and (href := node.get("href")) is not None:
            yield href
        for child in node.children:
            yield from _hrefs(child)


def _paths(hrefs: Iterable[str], page: Page) -> Iterator[str]:
    targets = (page.target(href) for href in hrefs)
    return (keys.path_of(target.partition("?")[0]) for target in targets if target.startswith("/"))


def _frame_links(found: Sequence[Kind]) -> frozenset[str]:
    """Paths that nearly every page links to: they say nothing of any."""
    pages = [page for kind in found for page in kind.pages]
    counted = Counter(path for page in pages for path in _links(page))
    return frozenset(path for path, count in counted.items() if count > _EVERYWHERE * len(pages))
