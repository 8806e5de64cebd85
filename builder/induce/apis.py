"""JSON endpoints that answer from tables: what was captured of them, their queries, and how they write. Pure."""

import re
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from builder.induce import documentanswer
from builder.induce.cutting import Answered
from builder.induce.documentanswer import plain_name
from builder.induce.documentfamilies import generalized
from builder.induce.documentlinks import Said, linked, renamed, signs
from builder.induce.documentlists import (
    Shaping,
    cursors_of,
    hole_of,
    listing_of,
    shaping_of,
    split_by_members,
    translated,
)
from builder.induce.documentrows import Kind, kinds_of
from builder.induce.documents import Document, Endpoint, Spot, spots
from builder.induce.documentviews import View, alike, asked_of, missing_view, seen_with, view_of
from builder.induce.listanswer import answer as list_answer
from builder.induce.listing import Facts, Listing, Pairs
from builder.induce.listquery import ListQuery
from builder.induce.queries import induce_queries
from builder.induce.scores import quoted
from builder.induce.slots import Program
from builder.induce.tables import Statement, columns_of, in_memory, tables_sql

_BELIEVED = 0.75
"""Share of a list's captured answers that its query must give back."""
_BEYOND = 4
"""Captured pages after the last from which it is learnt what such pages say."""
_FREE = frozenset(("page", "size", "order", "direction", "nothing"))
"""What a parameter may do that leaves all rows of a list in it."""
_SPEAKS = re.compile(r"\b(total|pages)\b")


@dataclass(eq=False)
class Api:
    """An endpoint that answers requests nobody captured."""

    endpoint: Endpoint
    kind: Kind
    query: ListQuery | None
    """None for the object that a piece of the request names."""
    views: tuple[View, ...]
    missing: View | None
    plain: dict[str, Any]
    """What `documentanswer` reads, its views left out."""
    exact: int = 0
    """Captured answers that come back."""
    checked: int = 0

    def spec(self) -> dict[str, Any]:
        """All that `documentanswer` reads."""
        views = [view.plain() | more for view, more in zip(self.views, self.plain["views"], strict=True)]
        missing = None if self.missing is None else self.missing.plain()
        for view in views if self.query else ():
            view.pop("with")
        return {**self.plain, "views": views, "missing": missing}

    @property
    def programs(self) -> dict[str, Program]:
        return {
            name: one for view in (*self.views, *filter(None, [self.missing])) for name, one in view.programs.items()
        }


@dataclass(eq=False)
class Apis:
    """All endpoints that answer from tables, and the tables."""

    kinds: tuple[Kind, ...] = ()
    apis: tuple[Api, ...] = ()

    def statements(self, kind: Kind) -> tuple[str, tuple[Statement, ...]]:
        """The tables of one kind as SQL: the schema, and what fills it."""
        return tables_of(kind, [api.query for api in self.apis if api.kind is kind and api.query])


def tables_of(kind: Kind, queries: Iterable[ListQuery]) -> tuple[str, tuple[Statement, ...]]:
    """The schema and the statements that fill it; "T:json" holds every value of a row as JSON."""
    schema, statements = tables_sql(kind.table, queries)
    name = quoted(f"{kind.table.name}:json")
    schema += (
        f"CREATE TABLE {name} (key TEXT NOT NULL, field TEXT NOT NULL, source TEXT NOT NULL,"
        " PRIMARY KEY (key, field)) WITHOUT ROWID;\n"
    )
    cells: list[Statement] = [
        (f"INSERT INTO {name} VALUES (?, ?, ?)", (key, column, source.encode("utf-8", "backslashreplace").decode()))
        for key in kind.table.rows
        for column, source in sorted(kind.sources[key].items())
    ]
    return schema, (*statements, *cells)


def induce_apis(documents: Sequence[Document], reserved: frozenset[str] = frozenset()) -> Apis:
    """The endpoints of which captured answers come back, and the tables that they answer from.

    Tables have none of the reserved names. The same documents give the same.
    """
    by_endpoint: dict[Endpoint, list[Document]] = defaultdict(list)
    for document in generalized([one for one in documents if _is_plain(one)]):
        by_endpoint[document.endpoint].append(document)
    found = {
        endpoint: [part for spot in spots(members) for part in split_by_members(spot)]
        for endpoint, members in sorted(by_endpoint.items())
    }
    kinds = kinds_of([spot for members in found.values() for spot in members], reserved)
    made: list[Api] = []
    for kind in kinds:
        mine = [_Captured(one, by_endpoint[one], kind, members) for one, members in found.items()]
        captured = [one for one in mine if one.spots and one.shaping is not None]
        lists = [one for one in captured if not one.is_single]
        made += _lists(lists, kind)
        whole = any(api.plain["whole_at"] is None for api in made if api.kind is kind)
        made += [api for one in captured if one.is_single and (api := _single(one, whole))]
    apis = [checked for api in made if (checked := _checked(api))]
    used = tuple(kind for kind in kinds if any(api.kind is kind for api in apis))
    return Apis(used, tuple(sorted(apis, key=lambda api: api.endpoint)))


def _is_plain(document: Document) -> bool:
    try:
        return document.value is not None
    except ValueError:
        return False


class _Captured:
    """What was captured of one endpoint's rows of one kind."""

    def __init__(self, endpoint: Endpoint, documents: Sequence[Document], kind: Kind, found: Sequence[Spot]) -> None:
        self.endpoint, self.documents, self.kind = endpoint, documents, kind
        self.spots = [spot for spot in found if spot in kind.columns]
        self.is_single = any(spot.source for spot in self.spots)
        self.shaping: Shaping | None = shaping_of(self.spots) if self.spots else None
        self.family = endpoint.path
        if endpoint.fixed:
            self.family = f"{endpoint.path.rstrip('/')}/{_label(endpoint)}"
        self.listings: dict[Document, Listing] = {}
        self.cursors: dict[str, str] = {}
        if self.shaping is not None and not self.is_single:
            shown = {
                document: listing_of(spot, document, kind, self.shaping, self.family)
                for spot in self.spots
                for document in spot.rows
            }
            self.cursors = cursors_of(list(shown.values()), kind)
            home = {document: spot for spot in self.spots for document in spot.rows}
            pages = [
                Said(
                    renamed(translated(one, self.cursors, kind)),
                    hole_of(home[document], document, None),
                    home[document],
                )
                for document, one in shown.items()
            ]
            self.listings = dict(zip(shown, linked(pages, self.cursors), strict=True))

    def plain(self) -> dict[str, Any]:
        """What an `Api` has in any case."""
        endpoint, names = self.endpoint, columns_of(self.kind.table)
        return {
            "host": endpoint.host,
            "method": endpoint.method,
            "path": endpoint.path,
            "fixed": [list(pair) for pair in endpoint.fixed],
            "list": self.family if endpoint.fixed else "",
            "table": self.kind.table.name,
            "shaping": list(self.shaping.names if self.shaping else ()),
            "cursors": {name: names[column] for name, column in self.cursors.items()},
            "ignored": sorted({name for document in self.documents for name in document.ignored}),
            "idle": {},
            "only": {},
            "whole_at": [],
            "listed": [],
            "beyond": False,
            "one": None,
        }

    def shapes(self, views: Sequence[View]) -> list[dict[str, Any]]:
        """For each view, the parameters that it is asked for with."""
        assert self.shaping is not None
        return [
            {"asked": asked_of(self.shaping.spots, view.spot), "with": seen_with(view.documents, self._left_out())}
            for view in views
            if view.spot is not None
        ]

    def _left_out(self) -> list[str]:
        return [*(self.shaping.names if self.shaping else ()), *(spot.source for spot in self.spots)]


def _label(endpoint: Endpoint) -> str:
    """A name for requests with this body, distinct for each body."""
    text = "\n".join(value for _, value in endpoint.fixed)
    named = re.search(r"\b(?:query|subscription)\s+(\w+)", text)
    from builder.compile import keys

    return f"{named[1] if named else 'query'}-{keys.body_key(dict(endpoint.fixed))[:6]}"


def _lists(captured: Sequence[_Captured], kind: Kind) -> Iterator[Api]:
    """The lists of one kind; they share what they show of its orders."""
    listings = [one for each in captured for one in each.listings.values()]
    queries = {query.family: query for query in induce_queries(listings, kind.table, partly=False)} if listings else {}
    for one in captured:
        query = queries.get(one.family)
        if query is None or query.exact < _BELIEVED * max(query.checked, 1):
            continue
        answered = _answered(one, query)
        facts = {document: _facts(document, found) for document, found in answered.items()}
        beyond = [document for document, one_page in facts.items() if one_page.page > one_page.pages]
        if len(beyond) < _BEYOND:  # too few to learn from, and what they say would spoil the rest
            facts = {document: found for document, found in facts.items() if document not in beyond}
        roles = {parameter.name: parameter.does for parameter in query.parameters}
        sent = {name for document in one.listings for name, _ in document.pairs}
        turning = frozenset(name for name in sent if name in one.cursors or roles.get(plain_name(name)) == "page")
        views = [view for spot in one.spots if (view := view_of(spot, kind, facts, turning, bool(one.cursors)))]
        if not views:
            continue
        idle: dict[str, list[str]] = {name: [] for name, does in roles.items() if does in ("nothing", "selector")}
        for listing in one.listings.values():
            for name, value in listing.pairs:
                if name in idle and value not in idle[name]:
                    idle[name].append(value)
        only = {name: seen for view in views for name, seen in view.only().items()}
        plain = one.plain() | {"idle": idle, "only": only, "views": one.shapes(views)}
        if len(views) > 1:  # the same rows may be asked for in another shape
            plain["listed"] = [[document.path, sorted(map(list, one.listings[document].pairs))] for document in facts]
        plain["beyond"] = len(beyond) >= _BEYOND
        plain["whole_at"] = _whole_at(one, query, answered, views)
        yield Api(one.endpoint, kind, query, tuple(views), None, plain)


def _answered(one: _Captured, query: ListQuery) -> dict[Document, Answered]:
    """The captured answers whose rows the query gives."""
    found = {}
    with closing(database_of(one.kind, [query])) as database:
        for document, listing in one.listings.items():
            answered = list_answer(database, query, listing.path, listing.pairs)
            if answered is not None and answered.rows == listing.rows:
                found[document] = answered
    return found


def _facts(document: Document, found: Answered) -> Facts:
    return Facts(
        document.path, document.pairs, found.page, found.pages, found.total, found.first, found.last, found.size,
        len(found.rows),
    )  # fmt: skip


def _whole_at(
    one: _Captured, query: ListQuery, answered: Mapping[Document, Answered], views: Sequence[View]
) -> list[str] | None:
    """Paths whose list is known with all its rows; None if that is every row of the table."""
    roles = {parameter.name: parameter.does for parameter in query.parameters}
    tells = any(_SPEAKS.search(expression) for view in views for expression in view.programs)
    home = {document: spot for spot in one.spots for document in spot.rows}
    found: dict[str, int] = {}
    for document, shown in answered.items():
        listing = one.listings[document]
        if any(roles.get(name) not in _FREE for name, value in listing.pairs if value):
            continue
        if any(signs(hole_of(home[document], document, None), listing, max(shown.first - 1, 0)).values()):
            continue  # there is more than was seen
        is_last = shown.page == shown.pages and (
            shown.last - shown.first + 1 < shown.size or query.pages.style == "none"
        )
        if tells or (is_last and not (query.pages.style == "none" and query.pages.size)):
            found[listing.path] = shown.total
    if any(total == len(one.kind.table.rows) for total in found.values()):
        return None
    return sorted(found)


def _single(one: _Captured, whole: bool) -> Api | None:
    """The object that a piece of the request names."""
    kind, spot = one.kind, one.spots[0]
    facts = {document: Facts(document.path, document.pairs) for each in one.spots for document in each.rows}
    views = [view for each in one.spots if (view := view_of(each, kind, facts))]
    if not views:
        return None
    left = [document for document in one.documents if document not in facts and document.status in (200, 404, 410)]
    numbers = all(re.fullmatch(r"0|[1-9]\d*", key.partition("=")[2]) for key in kind.table.rows)
    plain = one.plain() | {"views": one.shapes(views)}
    plain["one"] = {
        "source": spot.source,
        "before": spot.around[0],
        "after": spot.around[1],
        "key": kind.key_name,
        "names": r"0|[1-9]\d*" if numbers else r"[\w-]+",
    }
    return Api(one.endpoint, kind, None, tuple(views), missing_view(left, plain["one"]) if whole else None, plain)


def database_of(kind: Kind, queries: Sequence[ListQuery]) -> sqlite3.Connection:
    """The tables of a kind in memory, as the emitted application has them."""
    return in_memory(*tables_of(kind, queries))


def _checked(api: Api) -> Api | None:
    """The endpoint with how many captured answers come back; None if one comes back otherwise."""
    documents = [document for view in (*api.views, *filter(None, [api.missing])) for document in view.documents]
    spec, programs = api.spec(), api.programs
    with closing(database_of(api.kind, [api.query] if api.query else [])) as database:
        for document in documents:
            made = made_of(database, spec, api.query, programs, document.path, document.pairs)
            api.checked += made is not None
            api.exact += made is not None and alike(made.value, document.value)
    return api if api.exact and api.exact == api.checked else None


def made_of(
    database: sqlite3.Connection, spec: Mapping[str, Any], query: ListQuery | None, programs: Mapping[str, Program],
    path: str, pairs: Pairs,
) -> documentanswer.Made | None:  # fmt: skip
    """What the emitted application would answer, worked out with the programs themselves."""

    def do(path: str, pairs: Pairs, numbers: Mapping[str, int], expression: str) -> Any:
        return programs[expression].value(Facts(path, pairs, **dict[str, Any](numbers)))

    return documentanswer.answer(database, spec, query, path, pairs, do)
