"""Lists that were captured in part: which rows stand one after the other, from where, and whether the list ends. Pure.

What one address showed of a list holds for every other that asks for the same rows in the same order: with another
cut into pages, with parameters that change nothing, and among fewer of its rows.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, pairwise
from typing import NamedTuple

from builder.induce import words
from builder.induce.cutting import listed
from builder.induce.listing import Listing, Pairs
from builder.induce.listquery import ListQuery, Pages, Stretch
from builder.induce.paging import Seen, is_followed
from builder.induce.rowsets import RowSets

_ENOUGH = 12
"""Rows in the same order from which on two ways to ask for an order are one."""
Part = tuple[Pairs, str, int | None, Listing]


def stretches_of(
    family: str, lists: Iterable[Seen], every: Sequence[Seen], pages: Pages, rows: RowSets
) -> tuple[Stretch, ...]:
    """What was seen of these lists, the stretch that begins each first; nothing where pages contradict one another.

    `every` holds all lists of the family, which tell what ways to ask for an order are one.
    """
    called: dict[str, set[str]] = {}
    for key in rows.keys if pages.style == "cursor" else ():
        for name in (rows.rows[key].get(pages.column, ""),) if pages.column else words.names_of(key):
            called.setdefault(name, set()).add(key)
    alike = _alike(every)
    found: list[Stretch] = []
    for one in lists:
        name = listed(family, one.path, one.given)
        groups: dict[int, list[Part]] = defaultdict(list)
        for part in one.parts:
            groups[alike[part[0]]].append(part)
        for number, parts in sorted(groups.items()):
            chains = _chains(name, parts[0][0], parts, pages, called)
            sorts = [sort for sort, group in alike.items() if group == number]
            found += [each._replace(sort=sort) for each in chains for sort in sorts]
    return tuple(found)


def linked_total(one: Seen, pages: Pages) -> int | None:
    """The most rows that a list can have that says no number: as many as fill the last page it links to."""
    last = -1
    for _, asked, _, listing in one.parts:
        for path, pairs in listing.links:
            if asked or not pages.size:
                continue
            value = dict(pairs).get(pages.name, "")
            if pages.style == "path" and path.startswith(stem := listing.path.removesuffix(pages.head)):
                found = re.fullmatch(re.escape(pages.tail).replace(r"\{\}", r"(\d{1,6})"), path[len(stem) :])
                value, path = (found[1], listing.path) if found else ("", path)
            if path == listing.path and re.fullmatch(r"\d{1,9}", value) and _is_same(pairs, listing.pairs, pages.name):
                number = int(value) - pages.base
                last = max(last, number // pages.size if pages.style == "offset" else number)
    return (last + 1) * pages.size if last > 0 and pages.style in ("number", "offset", "path") else None


def _is_same(pairs: Pairs, other: Pairs, name: str) -> bool:
    """Whether two queries differ in nothing but the page."""
    return {pair for pair in pairs if pair[0] != name and pair[1]} == {pair for pair in other if pair[0] != name}


def shared(
    queries: Mapping[str, ListQuery], every: Sequence[Stretch], totals: Mapping[str, int]
) -> dict[str, ListQuery]:
    """The queries, each list of which the beginning was seen going on as another that begins with the same rows does.

    Both must say the same number of rows or pages, if they say one.
    """
    found = {}
    begun = [one for one in every if one.start == 0 and len(one.keys) > _ENOUGH]
    for family, query in queries.items():
        more: list[Stretch] = []
        said = dict(query.totals)
        for one in query.stretches:
            longer = [
                other
                for other in begun
                if one.start == 0 and not one.ends and _ENOUGH <= len(one.keys) < len(other.keys)
                and other.keys[: len(one.keys)] == one.keys
                and totals.get(other.list) == totals.get(one.list)
            ]  # fmt: skip
            best = max(longer, key=lambda other: (len(other.keys), other.ends), default=None)
            more.append(one if best is None else one._replace(ends=best.ends, keys=best.keys))
            if best is not None and best.ends:
                said[one.list] = len(best.keys)
        found[family] = replace(query, stretches=tuple(more), totals=tuple(said.items()))
    return found


def _alike(lists: Iterable[Seen]) -> dict[Pairs, int]:
    """Every way to ask for an order -> a number that those have in common which show the same rows in the same order.

    Two are alike if pages that differ in nothing else are the same, and not one is another.
    """
    pages: dict[tuple[int, str, object], dict[Pairs, tuple[str, ...]]] = defaultdict(dict)
    for place, one in enumerate(lists):
        for sort, size, number, listing in one.parts:
            turned = number if number is not None else listing.pairs
            if len(listing.rows) > 1:
                pages[place, size, turned].setdefault(sort, listing.rows)
    same: Counter[tuple[Pairs, Pairs]] = Counter()
    unlike: set[tuple[Pairs, Pairs]] = set()
    for shown in pages.values():
        for pair in combinations(sorted(shown), 2):
            if shown[pair[0]] == shown[pair[1]]:
                same[pair] += len(shown[pair[0]])
            else:
                unlike.add(pair)
    sorts = sorted({part[0] for one in lists for part in one.parts})
    found = {sort: number for number, sort in enumerate(sorts)}
    for pair, rows in sorted(same.items()):
        if rows >= _ENOUGH and pair not in unlike:
            first, second = sorted((found[pair[0]], found[pair[1]]))
            merged = sorted(sort for sort, number in found.items() if number in (first, second))
            if not any(both in unlike for both in combinations(merged, 2)):
                found |= dict.fromkeys(merged, first)
    return found


def _is_last(listing: Listing, asked: str, pages: Pages) -> bool:
    return len(listing.rows) < _size(asked, pages) or not is_followed(listing, pages)


def _chains(
    name: str, sort: Pairs, parts: Sequence[Part], pages: Pages, called: Mapping[str, Collection[str]]
) -> list[Stretch]:
    """The stretches of one list in one order. A page that contradicts those before it is left out of them."""
    way = _Way({}, {}, {}, set(), set())
    shown = {key for part in parts for key in part[3].rows}
    strange: dict[str, Stretch | None] = {}
    for _, asked, number, listing in parts:
        rows, before = listing.rows, _before(listing, pages, called)
        if not rows:
            continue
        is_last = _is_last(listing, asked, pages)
        steps = [*([(before, rows[0])] if before in shown else []), *pairwise(rows)]
        start = None if number is None else number * _size(asked, pages)
        if way.takes(rows, steps, start, is_last) and (before in shown or not before):
            continue
        # a cursor may name a row of a broader list, or one that stood elsewhere
        if before:
            own = Stretch(name, sort, -1, is_last, (before, *rows))
            if strange.setdefault(before, own) != own:
                strange[before] = None
    return [*way.walked(name, sort), *(one for one in strange.values() if one is not None)]


class _Way(NamedTuple):
    """What stands after what, as far as pages agree."""

    after: dict[str, str]
    before: dict[str, str]
    places: dict[str, int]
    """Rows of the list before a row, where that is known."""
    ends: set[str]
    shown: set[str]

    def takes(self, rows: Sequence[str], steps: Sequence[tuple[str, str]], start: int | None, is_last: bool) -> bool:
        """Add a page, unless it contradicts what is there."""
        placed = {} if start is None else {key: start + number for number, key in enumerate(rows)}
        taken = {place: key for key, place in self.places.items()} if placed else {}
        if (
            len(set(rows)) < len(rows)
            or any(self.after.get(a, b) != b or self.before.get(b, a) != a or a in self.ends for a, b in steps)
            or any(self.places.get(key, place) != place for key, place in placed.items())
            or any(taken.get(place, key) != key for key, place in placed.items())
            or (is_last and rows[-1] in self.after)
        ):
            return False
        self.after.update(steps)
        self.before.update((b, a) for a, b in steps)
        self.places.update(placed)
        self.shown.update(rows)
        if is_last:
            self.ends.add(rows[-1])
        return True

    def walked(self, name: str, sort: Pairs) -> list[Stretch]:
        """Rows from each that none stands before to where the way ends; none of a way that places contradict."""
        at = {place: key for key, place in self.places.items()}
        for key, place in self.places.items():
            if (follower := at.get(place + 1)) is not None and key not in self.after and follower not in self.before:
                self.after[key], self.before[follower] = follower, key
        found: list[Stretch] = []
        for head in sorted(self.shown - self.before.keys()):
            keys = [head]
            while keys[-1] in self.after:
                keys.append(self.after[keys[-1]])
            starts = {self.places[key] - number for number, key in enumerate(keys) if key in self.places}
            if len(starts) < 2 and not self.ends.intersection(keys[:-1]):
                found.append(Stretch(name, sort, next(iter(starts), -1), keys[-1] in self.ends, tuple(keys)))
        return sorted(found, key=lambda one: (one.start != 0, one.start < 0, one.start, one.keys))


def _size(asked: str, pages: Pages) -> int:
    full = int(asked) if asked.isdecimal() else pages.size
    return min(full, pages.most or full)


def _before(listing: Listing, pages: Pages, called: Mapping[str, Collection[str]]) -> str:
    """The row that a page's cursor names, if it names one that stands before the page."""
    cursor = dict(listing.pairs).get(pages.name, "") if pages.style == "cursor" and not pages.inclusive else ""
    named = called.get(cursor) or called.get(words.last_piece(cursor), ()) if cursor else ()
    return next(iter(named)) if len(named) == 1 else ""
