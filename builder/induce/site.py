"""A site beyond what was captured of it: kinds of pages, tables, lists as queries, frames. Pure."""

import sqlite3
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from typing import Any

from builder.induce.checks import BELIEVED
from builder.induce.counts import Counting
from builder.induce.details import Detail, details
from builder.induce.entities import Entity, entities
from builder.induce.explain import Frame, explain_frame
from builder.induce.families import wider
from builder.induce.listanswer import answer
from builder.induce.listing import Facts
from builder.induce.listquery import ListQuery
from builder.induce.lists import Family, ListPage, families, link_texts
from builder.induce.pages import Kind, Page, kinds
from builder.induce.parts import Data
from builder.induce.queries import induce_queries
from builder.induce.rows import Spot, inner_names, json_holes
from builder.induce.tables import columns_of, filled


@dataclass(frozen=True, eq=False)
class View:
    """How pages of a list are written that are of one kind."""

    kind: Kind
    spot: Spot | None
    """Where the rows stand; None for a page that says there are none."""
    frame: Frame
    columns: Mapping[int, str]
    """Hole of a row -> what the row calls it."""
    json_columns: frozenset[str]
    paths: frozenset[str]
    """Paths of the captured pages of this kind."""
    fields: Mapping[str, str] = field(default_factory=dict)
    """For a page about one row: what the frame calls the row's columns -> the columns."""

    @property
    def has_rows(self) -> bool:
        """Whether pages of this kind are for lists with rows."""
        return self.spot is not None or bool(self.fields)

    @property
    def is_bound(self) -> bool:
        """Whether something on the pages is known for paths that were captured only."""
        return any(program.learned == "looked up" for program in self.frame.programs.values())


@dataclass(frozen=True, eq=False)
class List:
    """A list that answers for pages nobody captured."""

    family: Family
    query: ListQuery
    views: tuple[View, ...]


@dataclass(frozen=True, eq=False)
class Induced:
    """All that the captured pages let one know of others."""

    kinds: tuple[Kind, ...] = ()
    entities: tuple[Entity, ...] = ()
    lists: tuple[List, ...] = ()
    open: tuple[Family, ...] = ()
    """Lists whose captured pages no query gives back."""
    names: Mapping[str, str] | None = None
    """Path -> the text of the links that lead there."""
    part_of: Mapping[str, str] | None = None
    """Family of addresses -> the wider one that it is part of."""


def induce_site(pages: Sequence[Page]) -> Induced:
    """What is known of a site of which these pages were captured, each address once."""
    found = kinds(pages)
    tables = entities(found)
    part_of = wider(found)
    told = families(found, tables, part_of)
    names = link_texts(found)
    queries: dict[Family, ListQuery] = {}
    for entity in tables:
        mine = [family for family in told if family.entity is entity]
        listings = [page.listing for family in mine for page in family.pages]
        by_name = {query.family: query for query in induce_queries(listings, entity.table)} if mine else {}
        queries |= {family: by_name[family.name] for family in mine if family.name in by_name}
    known = {family: query for family, query in queries.items() if query.exact >= BELIEVED * max(query.checked, 1)}
    with ExitStack() as open_databases:
        databases = {
            entity: open_databases.enter_context(closing(filled(entity.table, known.values())))
            for entity in dict.fromkeys(family.entity for family in known)
        }
        read = {
            family: tuple(_facts(databases[family.entity], family, query, names)) for family, query in known.items()
        }
        frames = _frames(read)
    made = []
    for family, query in known.items():
        views = tuple(_views(family, read[family], frames))
        if any(not view.is_bound for view in views) or (views and (query.parameters or query.pages.style != "none")):
            made.append(List(family, query, views))
    settled = {one.family for one in made}
    made += [_about(one) for one in details(found, tables, names, part_of)]
    return Induced(found, tables, tuple(made), tuple(one for one in told if one not in settled), names, part_of)


def _about(one: Detail) -> List:
    """Pages about single rows, as lists of one row."""
    view = View(one.kind, None, one.frame, {}, frozenset(), frozenset(), one.fields)
    return List(Family(one.family, one.entity, ()), one.query, (view,))


def _facts(
    database: sqlite3.Connection, family: Family, query: ListQuery, names: Mapping[str, str]
) -> Iterator[tuple[ListPage, Facts]]:
    """The pages that the query gives back, with what each may say of itself as long as the database is open."""
    known: dict[tuple[Any, ...], Any] = {}
    for page in family.pages:
        path, pairs = page.page.path, page.page.pairs
        found = answer(database, query, path, pairs)
        if found is not None and found.rows == page.listing.rows:
            numbers = (found.page, found.pages, found.total, found.first, found.last, found.size, len(found.rows))
            yield page, Facts(path, pairs, *numbers, names, Counting(database, query, path, pairs, known))


def _frames(read: Mapping[Family, Sequence[tuple[ListPage, Facts]]]) -> dict[Kind, Frame]:
    of_kind: dict[Kind, list[tuple[Facts, Data]]] = defaultdict(list)
    skip: dict[Kind, set[int]] = defaultdict(set)
    for pages in read.values():
        for page, facts in pages:
            of_kind[page.kind].append((facts, page.data))
            if page.spot is not None:
                skip[page.kind].add(page.spot.number)
    return {kind: explain_frame(kind.template, pages, frozenset(skip[kind])) for kind, pages in of_kind.items()}


def _views(family: Family, read: Sequence[tuple[ListPage, Facts]], frames: Mapping[Kind, Frame]) -> Iterator[View]:
    by_kind: dict[tuple[Kind, Spot | None], list[ListPage]] = defaultdict(list)
    for page, _ in read:
        by_kind[page.kind, page.spot].append(page)
    names = columns_of(family.entity.table)
    for (kind, spot), pages in sorted(by_kind.items(), key=lambda item: -len(item[1])):
        columns: dict[int, str] = {}
        jsons: frozenset[str] = frozenset()
        # A page without rows may be of the kind that has them: its template speaks of rows too.
        shown = spot or next((other for of, other in by_kind if of is kind and other is not None), None)
        if shown is not None:
            own = {hole: names.get(name, name) for hole, name in family.entity.columns[shown].items()}
            columns = {**inner_names(shown.loop.body), **own}
            jsons = frozenset(own[hole] for hole in json_holes(shown.loop.body))
        yield View(kind, spot, frames[kind], columns, jsons, frozenset(page.listing.path for page in pages))
