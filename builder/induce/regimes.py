"""Which order holds where: by what the address asks for, from coarse to fine. Pure."""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from builder.induce import words
from builder.induce.listing import Listing, Pairs
from builder.induce.listquery import By, Order, Pages, Search, Why
from builder.induce.orders import NAMED, Columns, Fit, Run, Tied, chain, fits, ranking, thinned, tie_breaker
from builder.induce.paging import Lists, Seen
from builder.induce.roles import DIRECTIONS, simple, sort_parts
from builder.induce.rowsets import Keys, RowSets

_DOWN = frozenset("desc descending d down -1 descend absteigend -".split())
_VALUES = ("date", "day-first", "number", "ident")
"""Ways to compare that a column's own values leave no choice about."""


def runs_of(lists: Lists, members: Callable[[Seen], Keys | None], searches: Sequence[Search]) -> list[Run]:
    """The rows that each list showed one after the other, pages that follow on one another joined."""
    names = {search.name for search in searches}
    found = []
    for one in lists.seen:
        chosen = members(one)
        text = " ".join(value for name, value in one.given if name in names)
        filters = tuple(sorted(dict.fromkeys(name for name, _ in one.given if name not in names)))
        groups: dict[tuple[Pairs, str], dict[int, Listing]] = defaultdict(dict)
        for number, (sort, size, page, listing) in enumerate(one.parts):
            groups[sort, size][-number - 1 if page is None else page] = listing
        for (sort, _), pages in groups.items():
            for first, keys in _joined(pages):
                if len(set(keys)) == len(keys) and keys:
                    rest = thinned(chosen - set(keys)) if first and chosen is not None and chosen >= set(keys) else ()
                    found.append(Run(sort, one.path, filters, text, keys, rest))
    return found


def _joined(pages: Mapping[int, Listing]) -> list[tuple[bool, tuple[str, ...]]]:
    """Pages in a row as one, and whether it begins with the first."""
    found: list[tuple[bool, tuple[str, ...]]] = []
    last: int | None = None
    for number, listing in sorted(pages.items(), key=lambda pair: pair[0]):
        if last is not None and number == last + 1 and last >= 0 and not set(found[-1][1]) & set(listing.rows):
            found[-1] = (found[-1][0], found[-1][1] + listing.rows)
        else:
            found.append((number == 0, listing.rows))
        last = number
    return found


@dataclass(frozen=True)
class Regime:
    """An order with the runs that it rests on."""

    order: Order
    runs: tuple[Run, ...]
    open: Fit | None = None
    rivals: tuple[tuple[By, ...], ...] = ()
    """Other chains that fit."""
    ranks: tuple[tuple[str, int], ...] = ()


def regimes_of(runs: Sequence[Run], columns: Columns, family: str, pool: Iterable[tuple[By, ...]] = ()) -> list[Regime]:
    """The orders of a family, those with most conditions first. `pool` holds orders that were found elsewhere."""
    found: list[Regime] = []
    pool = list(pool)
    # an order that one part of the lists proves may serve the others
    for sort in sorted({run.sort for run in runs}):
        mine = [run for run in runs if run.sort == sort]
        found += _regimes(Order(sort), mine, columns, family, pool)
    found = _with_ties(found, columns)
    return sorted(found, key=lambda one: (one.order.sort, not one.order.path, one.order.filters is None,
                                          one.order.searching is None, one.order.path))  # fmt: skip


def _regimes(
    order: Order, runs: Sequence[Run], columns: Columns, family: str, pool: list[tuple[By, ...]]
) -> list[Regime]:
    """One order for all runs, else one for each part of them; what nothing explains is a ranking."""
    if fit := _fit(order, runs, columns, pool):
        if fit.order.by not in pool:
            pool.append(fit.order.by)
        return [fit]
    splits: tuple[Callable[[Run], Order], ...] = (
        lambda run: replace(order, searching=bool(run.text)),
        lambda run: replace(order, searching=bool(run.text), filters=run.filters),
        lambda run: replace(order, searching=bool(run.text), filters=run.filters, path=run.path),
    )
    for split in splits:
        parts: dict[Order, list[Run]] = defaultdict(list)
        for run in runs:
            parts[split(run)].append(run)
        if len(parts) > 1:
            return [one for part, mine in parts.items() for one in _regimes(part, mine, columns, family, pool)]
    ranks = ranking(runs)
    if ranks is None or order.searching:
        return []
    name = f"{family}?{order.sort} {order.filters} {order.path}"
    why = Why("looked up", len(runs), because="no column explains it: the order that was seen")
    return [Regime(replace(order, rank=name, why=why), tuple(runs), ranks=ranks)]


def _fit(order: Order, runs: Sequence[Run], columns: Columns, pool: Sequence[tuple[By, ...]]) -> Regime | None:
    named = named_columns(order.sort, columns.rows)
    found = chain(runs, columns, named)
    price = math.log2(len(pool) + 1) + NAMED
    told = any(len(run.keys) > 1 or run.rest for run in runs)
    named_first = bool(found) and found[0].by[0].column in named
    if named and not named_first and (plain := _unproved(order.sort, runs, columns, named)):
        return _regime(order, runs, [plain, *found], "the address names the column; the rows seen do not tell")
    for by in pool:
        step = fits(runs, by, columns) if not named or by[0].column in named else None
        if step is None or step[0] < (found[0].bits - 1 if found else price if told else 0):
            continue
        return _regime(order, runs, [Fit(by, *step), *found], "the order of other lists; no row contradicts it")
    because = "a column that the address names; no row contradicts it" if named_first else "no row contradicts it"
    return _regime(order, runs, found, because) if found else None


def _unproved(sort: Pairs, runs: Sequence[Run], columns: Columns, named: frozenset[str]) -> Fit | None:
    """The named column, where the rows seen neither contradict nor prove it, and what orders them below it."""
    down = any(_is_down(value if value.lower() in DIRECTIONS else sort_parts(value)[1]) for _, value in sort)
    down |= any(simple(sort_parts(name)[1]) in _DOWN for name, _ in sort)
    for by in columns.plain:
        if by.column in named and by.descending == down and (step := fits(runs, (by,), columns)) is not None:
            below = chain([Run(one.run.sort, one.run.path, one.run.filters, one.run.text, one.keys, one.rest)
                           for one in step[1]], columns)  # fmt: skip
            return Fit((by, *below[0].by[:2]), step[0], below[0].open) if below else Fit((by,), *step)
    return None


def _regime(order: Order, runs: Sequence[Run], found: Sequence[Fit], because: str) -> Regime:
    found = [found[0], *(fit for fit in found[1:] if fit.by[0] != found[0].by[0])]
    rival = described(found[1].by) if len(found) > 1 else ""
    why = Why(evidence=round(found[0].bits, 1), rival=rival, because=because)
    rivals = tuple(fit.by for fit in found[1:6])
    return Regime(replace(order, by=found[0].by, why=why), tuple(runs), found[0], rivals)


def _with_ties(found: list[Regime], columns: Columns) -> list[Regime]:
    """The regimes with the key that decides between equal rows, where one fits all of them."""
    last: dict[tuple[By, ...], By] = {}
    for sorted_by_address in (False, True):
        open_of: dict[tuple[By, ...], list[Tied]] = defaultdict(list)
        for one in found:
            if one.open is not None and one.open.open and bool(one.order.sort) == sorted_by_address:
                open_of[one.order.by] += one.open.open
        sorts = [one.order.by for one in found if bool(one.order.sort) == sorted_by_address]
        known = dict.fromkeys(link for links in sorts for link in links[1:])
        last |= tie_breaker(open_of, columns, tuple(known))
    return [
        replace(one, order=replace(one.order, by=(*one.order.by, last[one.order.by])))
        if one.order.by in last and last[one.order.by] not in one.order.by
        else one
        for one in found
    ]


def named_columns(sort: Pairs, rows: RowSets) -> frozenset[str]:
    """The columns that the values of sort parameters name, by their names on the page or in the table."""
    stems = {simple(sort_parts(value)[0]) for _, value in sort if value.lower() not in DIRECTIONS} - {""}
    names = {column: {simple(column), simple(rows.captured[column])} for column in rows.columns}
    exact = frozenset(column for column, called in names.items() if called & stems)
    if exact:
        return exact
    if stems & {"id", "key", "pk"}:
        return frozenset(("key",))
    long = {stem for stem in stems if len(stem) > 3}
    return frozenset(
        c for c, called in names.items() if any(s in n or (len(n) > 3 and n in s) for s in long for n in called)
    )


def derived(regimes: Sequence[Regime], columns: Columns, ways: Mapping[str, frozenset[str]]) -> list[Order]:
    """Orders of sort values that nobody captured: the other way round, and columns that a value names.

    `ways` holds the values seen for each parameter that only gives a direction.
    """
    seen = {one.order.sort for one in regimes if one.order.by}
    taken = {one.order.sort for one in regimes}
    found: dict[Pairs, Order] = {}
    for one in regimes:
        if not one.order.by or not one.order.sort:
            continue
        for sort, turned in _turned_sorts(one.order.sort, regimes, ways):
            if sort not in taken:
                by, sure = _turned_chain(one.order.by, regimes, columns) if turned else (one.order.by, True)
                status: Literal["computed", "approximate"] = "computed" if sure else "approximate"
                why = Why(status, because="a value that was seen, the other way round; this one was not")
                found.setdefault(sort, replace(one.order, sort=sort, by=by, why=why))
    naming = [sort for sort in seen if sort and named_columns(sort, columns.rows)]
    for sort in naming:
        found |= {s: o for s, o in _for_columns(sort, regimes, columns).items() if s not in taken and s not in found}
    return list(found.values())


def _turned_sorts(
    sort: Pairs, regimes: Sequence[Regime], ways: Mapping[str, frozenset[str]]
) -> list[tuple[Pairs, bool]]:
    """The sorts that say another way than this one, in words that other sorts use."""
    found = []
    spelled = {sort_parts(value)[1] for one in regimes for name, value in one.order.sort if name not in ways}
    for place, (name, value) in enumerate(sort):
        stem, way = sort_parts(value)
        others = ways[name] - {value} if name in ways else {_spell(stem, other) for other in spelled if other != way}
        for other in others:
            before, after = (
                _is_down(value if name in ways else way),
                _is_down(other if name in ways else sort_parts(other)[1]),
            )
            found.append(((*sort[:place], (name, other), *sort[place + 1 :]), before != after))
    return found


def _spell(stem: str, way: str) -> str:
    return way + stem if way in ("-", "+", "!") else stem + way


def _is_down(way: str) -> bool:
    return way.strip("-_:.,| ").lower() in _DOWN or way in ("-", "!")


def _turned_chain(by: tuple[By, ...], regimes: Sequence[Regime], columns: Columns) -> tuple[tuple[By, ...], bool]:
    """The chain with its first key turned, its later keys too if orders seen do so; and whether that is sure."""
    later = {
        (one.order.by[0].descending, one.order.by[1:]) for one in regimes if one.order.sort and len(one.order.by) > 1
    }
    ups, downs = ({rest for down, rest in later if down == way} for way in (False, True))
    turned = {tuple(_flip(one) for one in rest) for rest in downs}
    turning = bool(ups & turned) and not ups & downs
    worth = columns.worth(by[0], Run((), "", (), "", ()))
    sure = len(set(worth.values())) == len(worth) or bool(ups & turned) != bool(ups & downs)
    return (_flip(by[0]), *(_flip(one) if turning else one for one in by[1:])), sure


def _flip(by: By) -> By:
    return replace(by, descending=not by.descending)


def _for_columns(sort: Pairs, regimes: Sequence[Regime], columns: Columns) -> dict[Pairs, Order]:
    """The sorts that name another column where this one names its own."""
    own = next((one.order for one in regimes if one.order.sort == sort and one.order.by), None)
    if own is None:
        return {}
    found = {}
    kinds = [one.order.by[0].kind for one in regimes if one.order.by and one.order.by[0].kind in words.KINDS]
    for place, (name, value) in enumerate(sort):
        stem, way = sort_parts(value)
        first = own.by[0].column
        if simple(stem) not in (simple(first), simple(columns.rows.captured.get(first, first))):
            continue
        for column in columns.rows.columns:
            options = [by for by in columns.plain if by.column == column and by.descending == own.by[0].descending]
            if column == first or not options:
                continue
            best = min(options, key=lambda by: _likely(by.kind, kinds))
            other = _spell(columns.rows.captured[column], way)
            clear = best.kind in _VALUES or len({_ranked(by, columns) for by in options}) == 1
            why = Why("computed" if clear else "approximate", because=f"{name} names columns; this value was not seen")
            by = (best, *(one for one in own.by[1:] if one.column != column))
            key = (*sort[:place], (name, other), *sort[place + 1 :])
            found[key] = replace(own, sort=key, by=by, why=why)
    return found


def _likely(kind: str, seen: Sequence[str]) -> tuple[bool, bool, int]:
    """How likely a column is compared so: as what it is, as other columns are, without case; the less the likelier."""
    return kind not in _VALUES, kind not in seen, ("folded", "text", *words.KINDS).index(kind)


def _ranked(by: By, columns: Columns) -> tuple[str, ...]:
    """The table in this order."""
    return tuple(sorted_by(columns.rows.rows, (by,), columns, Run((), "", (), "", ())))


def pages_differ(
    one: tuple[By, ...], other: tuple[By, ...], keys: Sequence[str], columns: Columns, pages: Pages
) -> int:
    """Number of the last page, from 1, on which two orders of the same rows differ; 0 if there is none."""
    run = Run((), "", (), "", tuple(keys))
    orders = [sorted_by(keys, by, columns, run) for by in (one, other)]
    places = [place for place, (a, b) in enumerate(zip(*orders, strict=True)) if a != b]
    return places[-1] // (pages.size or len(keys)) + 1 if places else 0


def sorted_by(keys: Iterable[str], by: Sequence[By], columns: Columns, run: Run) -> list[str]:
    """The keys as a chain orders them; rows that it does not tell apart stay as they were."""
    found = list(keys)
    for one in reversed(by):
        worth = columns.worth(one, run)
        have = [key for key in found if worth.get(key) is not None]
        lack = [key for key in found if worth.get(key) is None]
        have.sort(key=lambda key: worth[key], reverse=one.descending)  # type: ignore[arg-type, return-value]
        found = [*lack, *have] if one.missing_first else [*have, *lack]
    return found


def described(by: Iterable[By]) -> str:
    """An order in words.

    >>> described((By("price", "number", True), By("key", "natural")))
    'price as number descending, then key as natural'
    """
    parts = []
    for one in by:
        named = f"{one.column} as {one.kind}" if one.column and one.kind in words.KINDS else f"{one.kind} {one.column}"
        parts.append(named.strip() + (" descending" if one.descending else ""))
    return ", then ".join(parts)
