"""The query behind each family of lists, from the pages that were captured and the table of their rows. Pure."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from builder.induce.checks import BELIEVED, RIGHT, adopted, checked, given_back, recounted
from builder.induce.cutting import listed
from builder.induce.experiments import Doubt, experiments_of
from builder.induce.listanswer import pattern
from builder.induce.listing import Listing, Table
from builder.induce.listquery import By, Condition, ListQuery, Parameter, Search, Stretch, Why
from builder.induce.members import (
    Choice,
    Judge,
    alone,
    conditions,
    filter_test,
    place_options,
    place_test,
    with_default,
    with_test,
)
from builder.induce.orders import Columns
from builder.induce.paging import Seen, lists_of
from builder.induce.pathpages import Turned, without_path_pages
from builder.induce.regimes import derived, regimes_of, runs_of
from builder.induce.roles import Contrasts, as_split, roles_of, split_fields
from builder.induce.rowsets import Keys, RowSets
from builder.induce.searches import Result, blank_of, search_of
from builder.induce.stretches import linked_total, shared, stretches_of

_NOTHING = " "
"""What a search of which only the rows are known is given where it is given nothing: no request says so."""


def induce_queries(listings: Sequence[Listing], table: Table, *, partly: bool = True) -> tuple[ListQuery, ...]:
    """One query for each family of lists; what one family shows of orders serves the others.

    The same input gives the same queries. Each query says how many of its captured pages it gives back exactly.
    `partly` says whether lists of which only a part was seen are answered as far as they were.
    """
    with closing(RowSets(table, (key for one in listings for key in one.rows))) as rows:
        return _induced(listings, rows, partly=partly)


def _induced(listings: Sequence[Listing], rows: RowSets, *, partly: bool) -> tuple[ListQuery, ...]:
    families: dict[str, list[tuple[Turned, Listing]]] = defaultdict(list)
    for turned, listing in zip(without_path_pages(listings), listings, strict=True):
        families[turned.listing.family].append((turned, listing))
    found: dict[str, ListQuery] = {}
    pool: list[tuple[By, ...]] = []
    taken: list[_Family] = []
    for family in sorted(families, key=lambda name: (-len(families[name]), name)):
        members = families[family]
        defaults = [test for query in found.values() for test in query.tests if test.default]
        one = _Family(family, [turned for turned, _ in members], rows, pool, defaults)
        query = checked(one.query(), rows.table, [listing for _, listing in members])
        if query.whole is None and query.exact < query.checked and not one.has_all:
            # what is wrong may be so because rows are missing: nothing proves that they are not
            query = checked(replace(query, whole=one.whole), rows.table, [listing for _, listing in members])
        taken.append(one)
        found[family] = one.as_seen(query, [listing for _, listing in members]) if partly else query
        pool += [order.by for order in query.orders if order.by and order.by not in pool]
    if any(query.stretches for query in found.values()):
        every = [stretch for one in taken for stretch in one.begun]
        for family, query in shared(found, every, {k: v for one in taken for k, v in one.totals.items()}).items():
            if query.stretches != found[family].stretches:
                found[family] = recounted(query, rows.table, [listing for _, listing in families[family]])
    for family, query in list(found.items()):
        shown = families[family]
        own = [(pairs, path in (turned.listing.path, one.path)) for turned, one in shown for path, pairs in one.links]
        linked = {name for pairs, is_own in own if is_own for name, _ in pairs}
        for other in found.values():
            if (wider := adopted(query, other, linked)) is not query:
                query = checked(wider, rows.table, [listing for _, listing in shown])
        found[family] = query
    return tuple(found[family] for family in sorted(found))


class _Members(NamedTuple):
    choice: Choice
    seen: tuple[tuple[str, tuple[str, ...]], ...]
    unknown: frozenset[str]
    """Parameters whose effect on the rows nothing explains."""


@dataclass
class _Family:
    """One family on its way to its query."""

    name: str
    turned: Sequence[Turned]
    rows: RowSets
    pool: Sequence[tuple[By, ...]]
    """Orders that other families showed."""
    defaults: Sequence[Condition]
    """Filters that count in other families where they are absent."""
    doubts: list[Doubt] = field(default_factory=list)

    def __post_init__(self) -> None:
        fields = split_fields([one.listing for one in self.turned])
        self.blank = {name for one in self.turned for name, value in one.listing.pairs if not value.strip()}
        self.turned = [replace(one, listing=_split(one.listing, fields)) for one in self.turned]
        paged = [
            replace(one.listing, pairs=(*one.listing.pairs, ("/page", one.number))) if one.number else one.listing
            for one in self.turned
        ]
        self.contrasts = Contrasts(paged)
        in_path = any(one.number for one in self.turned)
        self.parameters = roles_of(self.contrasts, self.rows, self._filters, may_turn=not in_path)
        why = Why(because="it was only ever empty")
        blank = self.blank - {one.name for one in self.parameters}
        self.parameters = (*self.parameters, *(Parameter(name, "unknown", why) for name in sorted(blank)))
        cursors = {one.name: self.contrasts.cursors(one.name) for one in self.parameters if one.does == "page"}
        self.lists = lists_of(self.turned, self.parameters, self.rows, cursors)
        pieces = {one.path: _pieces(self.name, one.path) for one in self.lists.seen}
        self.judge = Judge(self.lists, self.rows, pieces)

    def query(self) -> ListQuery:
        """The query, not yet checked against the pages."""
        members = self._members()
        if not self.has_all and (members.unknown or any(test.does == "seen" for test in members.choice.tests)):
            # what explains too few rows explains those that are known
            self.judge.lacking = True
            self.doubts.clear()
            members = self._members()
        parameters = tuple(
            replace(one, does="unknown", why=Why(because="nothing explains its rows"))
            if one.name in members.unknown
            else one
            for one in self.parameters
        )
        choice = members.choice
        columns = Columns(self.rows, choice.searches)
        runs = runs_of(self.lists, self._chosen(choice), choice.searches)
        regimes = regimes_of(runs, columns, self.name, self.pool)
        ways = {
            one.name: frozenset(self.contrasts.values[one.name]) for one in self.parameters if one.does == "direction"
        }
        orders = (*(one.order for one in regimes if one.order.by or one.order.rank), *derived(regimes, columns, ways))
        self.doubts += [Doubt("order", one) for one in regimes if one.open is not None]
        ranks = tuple((one.order.rank, one.ranks) for one in regimes if one.ranks)
        query = ListQuery(
            self.name, self.rows.table.name, parameters, choice.tests, choice.searches, tuple(orders), self.lists.pages,
            self._why(choice), seen=members.seen, ranks=ranks,
        )  # fmt: skip
        query = replace(query, whole=self.whole if self._lacks(choice) else None)
        return replace(query, experiments=experiments_of(query, self.lists, self.rows, columns, self.doubts))

    def as_seen(self, query: ListQuery, listings: Sequence[Listing]) -> ListQuery:
        """The query with what was seen of lists that it does not compute for all their pages.

        One that is wrong too often about lists whose rows are all known computes no list at all.
        """
        right = given_back(query, self.rows.table, listings)
        if query.whole is None and all(right):
            return query
        is_right = {id(one.listing): held for one, held in zip(self.turned, right, strict=True)}
        judged = [one for one in self.lists.seen if one.whole or query.whole is None]
        held = [known for one in judged for part in one.parts if (known := is_right[id(part[3])]) is not None]
        if held.count(True) < BELIEVED * max(len(held), 1):
            query = replace(query, whole=())
            is_right = dict.fromkeys(is_right, False)
        lists = [one for one in self.lists.seen if not all(is_right[id(part[3])] for part in one.parts)]
        stretches = stretches_of(self.name, lists, self.lists.seen, self.lists.pages, self.rows)
        counted = any(one.total is not None and not one.whole for one in self.lists.seen)
        more = replace(query, stretches=stretches, totals=tuple(self.totals.items()), counted=counted)
        return recounted(more, self.rows.table, listings)

    @property
    def totals(self) -> dict[str, int]:
        """How many rows lists have, as their pages say, or as many as the last page that they link to allows."""
        said = ((one, one.total or linked_total(one, self.lists.pages)) for one in self.lists.seen)
        return {listed(self.name, one.path, one.given): total for one, total in said if total}

    @property
    def begun(self) -> tuple[Stretch, ...]:
        """All that was seen of all lists."""
        return stretches_of(self.name, self.lists.seen, self.lists.seen, self.lists.pages, self.rows)

    @property
    def whole(self) -> tuple[str, ...]:
        """The lists that were seen whole."""
        return tuple(sorted(listed(self.name, one.path, one.given) for one in self.lists.seen if one.whole))

    @property
    def has_all(self) -> bool:
        """Whether a list that goes on nowhere holds every row of the table."""
        every = [one for one in self.lists.seen if one.rows == self.rows.keys]
        return any(one.whole or not self.lists.lacks(one, one.rows) for one in every)

    def _lacks(self, choice: Choice) -> bool:
        """Whether rows of some list are missing from the table."""
        chosen = ((one, self._chosen(choice)(one)) for one in self.lists.seen if not one.whole)
        return any(rows is not None and self.lists.lacks(one, rows) for one, rows in chosen)

    def _filters(self, name: str) -> tuple[float, str]:
        found = conditions(name, alone(name, self.contrasts.listings), self.rows)
        if not found:
            return 0.0, ""
        bits, test = found[0]
        return bits, f"all rows it leaves meet a condition on {test.column}"

    def _chosen(self, choice: Choice) -> "_Chosen":
        return _Chosen(choice, self.judge)

    def _members(self) -> _Members:
        """Which rows the lists have: by the path first, then by filters, then by searches."""
        place = place_test(self.judge, self.name)
        if place and place[0].does == "seen" and self._is_bare_empty():
            # a search for nothing may find nothing, wherever the path leads
            searched = self._below(())
            if any(one.does == "search" and one.name not in searched.unknown for one in self.parameters):
                return searched
        found = self._below(place)
        if place and place[0].does == "seen":
            # a filter that counts where it is absent hides what the path decides
            names = [one.name for one in self.parameters if one.does == "filter"]
            for option in place_options(self.judge):
                for test in self.defaults:
                    if self.judge.score(Choice((*option, test)), self.judge.with_names(())).holds:
                        self._add_filter(test.name)
                        return self._below((*option, test))
                for name in names:
                    if (counting := with_default(self.judge, option, name)) is not None:
                        return self._below((*option, counting))
        return found

    def _is_bare_empty(self) -> bool:
        """Whether lists that are asked for nothing were seen, and none had rows."""
        plain = self.judge.with_names(())
        return bool(plain) and not any(one.rows for one in plain)

    def _add_filter(self, name: str) -> None:
        if name not in {one.name for one in self.parameters}:
            why = Why(because="as in other lists of these rows: it counts where it is absent")
            self.parameters = (*self.parameters, Parameter(name, "filter", why))

    def _below(self, place: tuple[Condition, ...]) -> _Members:
        """The members by filters and searches, the path's own tests given."""
        choice, unknown = Choice(place), set[str]()
        if place and place[0].does == "seen":
            plain = [one for one in self.lists.seen if one.whole and not one.given]
            for one in plain:
                self.rows.remember(place[0].lists + one.path, one.rows)
        names = {one.name: one.does for one in self.parameters if one.does in ("filter", "selector", "search")}
        for given in place:
            names.pop(given.name, None)
        pending = sorted(names, key=lambda name: (names[name] == "search", name))
        # a filter that was never given without a search is known when the search is
        for _ in range(2):
            choice, pending = self._explained(choice, pending, names)
        unknown |= set(pending)
        choice, dropped = self._without_wrong(choice)
        prefixes = tuple(test.lists for test in choice.tests if test.does == "seen")
        seen = tuple((name, tuple(sorted(keys))) for name, keys in self.rows.seen.items() if name.startswith(prefixes))
        return _Members(choice, seen if prefixes else (), frozenset(unknown | dropped))

    def _explained(self, choice: Choice, pending: Sequence[str], names: Mapping[str, str]) -> tuple[Choice, list[str]]:
        """The choice with what explains some of these parameters, and those that nothing explains yet."""
        left = []
        for name in pending:
            if names[name] == "search" and (search := self._search(choice, name)):
                choice = Choice(choice.tests, (*choice.searches, search))
                continue
            test, rival = filter_test(self.judge, choice, name, self.name)
            if test is None:
                left.append(name)
                continue
            if rival is not None:
                self.doubts.append(Doubt("filter", test, rival))
            if names[name] == "search" and test.does == "seen" and self._is_bare_empty():
                test = replace(test, default=_NOTHING)
                self.rows.remember(test.lists + _NOTHING, frozenset())
            choice = with_test(choice, test)
        return choice, left

    def _search(self, choice: Choice, name: str) -> Search | None:
        """What a search finds among the rows that path and filters leave."""
        results = []
        for one in self.lists.seen:
            texts = [value for n, value in one.given if n == name]
            rest = Seen(one.path, tuple(pair for pair in one.given if pair[0] != name))
            base = choice.rows_of(rest, self.rows, self.judge.pieces[one.path])
            if base is not None:
                results.append(Result(" ".join(texts), base, one.rows, one.whole))
        search, rival = search_of(name, results, self.rows)
        if search is None:
            return None
        if rival is not None:
            self.doubts.append(Doubt("search", search, rival))
        bare = any(name not in dict(one.given) for one in self.lists.seen)
        return replace(search, blank=blank_of(results, bare))

    def _without_wrong(self, choice: Choice) -> tuple[Choice, set[str]]:
        """The choice without the parameters that most often stand in lists that come out wrong."""
        dropped: set[str] = set()
        while True:
            verdicts = [(one, self.judge.verdict(choice, one)) for one in self.lists.seen]
            wrong = [one for one, verdict in verdicts if verdict == "wrong"]
            right = sum(verdict in ("exact", "fits") for _, verdict in verdicts)
            approximate = any(search.why.status == "approximate" for search in choice.searches)
            names = [name for one in wrong for name in {n for n, _ in one.given}]
            if not names or (approximate and right >= RIGHT * len(wrong)):
                return choice, dropped
            worst = max(sorted(set(names)), key=names.count)
            dropped.add(worst)
            tests = tuple(test for test in choice.tests if test.name != worst)
            choice = Choice(tests, tuple(search for search in choice.searches if search.name != worst))

    def _why(self, choice: Choice) -> Why:
        score = self.judge.score(choice, self.lists.seen)
        latent = any(test.does == "seen" for test in choice.tests)
        rough = any(search.why.status == "approximate" for search in choice.searches)
        rough |= score.not_wrong < 0 or not (score.exact or self.lists.totals)
        rival = next((test.why.rival for test in choice.tests if test.why.rival), "")
        because = f"{score.exact} whole lists come out exactly, {score.fits} captured in part agree"
        status = "looked up" if latent else "approximate" if rough else "computed"
        return Why(status, score.exact, rival, because + (f", {-score.not_wrong} do not" if score.not_wrong else ""))  # type: ignore[arg-type]


class _Chosen:
    """The rows of a list by a choice."""

    def __init__(self, choice: Choice, judge: Judge) -> None:
        self.choice, self.judge = choice, judge

    def __call__(self, one: Seen) -> Keys | None:
        return self.choice.rows_of(one, self.judge.rows, self.judge.pieces[one.path])


def _split(listing: Listing, fields: dict[str, frozenset[str]]) -> Listing:
    links = frozenset((path, as_split(pairs, fields)) for path, pairs in listing.links)
    return replace(listing, pairs=as_split(listing.pairs, fields), links=links)


def _pieces(family: str, path: str) -> tuple[str, ...]:
    found = re.fullmatch(pattern(family.partition("?")[0]), path)
    return found.groups() if found else ()
