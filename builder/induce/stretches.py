"""Lists that were captured in part: which rows stand one after the other, from where, and whether the list ends. Pure.

What one address showed of a list holds for every other that asks for the same rows in the same order: with another
cut into pages, with parameters that change nothing, and among fewer of its rows.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import combinations, pairwise

from builder.induce import words
from builder.induce.cutting import listed
from builder.induce.listing import Listing, Pairs
from builder.induce.listquery import Pages, Stretch
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
            chains = _chains(name, parts[0][0], parts, pages, called) or _alone(name, parts, pages, called)
            sorts = [sort for sort, group in alike.items() if group == number]
            found += [each._replace(sort=sort) for each in chains for sort in sorts]
    return tuple(found)


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


def _alone(name: str, parts: Sequence[Part], pages: Pages, called: Mapping[str, Collection[str]]) -> list[Stretch]:
    """Each page by itself, where they contradict one another about what follows on what; none with a rival."""
    found: dict[tuple[int, str], Stretch | None] = {}
    for sort, asked, number, listing in parts:
        before = _before(listing, pages, called)
        start = -1 if before or number is None else number * _size(asked, pages)
        keys = (before, *listing.rows) if before else listing.rows
        if listing.rows and (before or number == 0):
            own = Stretch(name, sort, start, _is_last(listing, asked, pages), keys)
            if found.setdefault((start, before), own) != own:
                found[start, before] = None
    return [one for one in found.values() if one is not None]


def _is_last(listing: Listing, asked: str, pages: Pages) -> bool:
    return len(listing.rows) < _size(asked, pages) or not is_followed(listing, pages)


def _chains(
    name: str, sort: Pairs, parts: Sequence[Part], pages: Pages, called: Mapping[str, Collection[str]]
) -> list[Stretch]:
    after: dict[str, str] = {}
    starts: dict[str, int] = {}
    ends: set[str] = set()
    shown = {key for part in parts for key in part[3].rows}
    strange: dict[str, Stretch] = {}
    for _, asked, number, listing in parts:
        rows, full = listing.rows, _size(asked, pages)
        if not rows:
            continue
        is_last = _is_last(listing, asked, pages)
        steps = list(pairwise(rows))
        before = _before(listing, pages, called)
        if before in shown:
            steps.append((before, rows[0]))
        elif before:
            # a cursor may name a row of a broader list
            strange.setdefault(before, Stretch(name, sort, -1, is_last, (before, *rows)))
        if any(after.setdefault(one, other) != other for one, other in steps):
            return []
        if number is not None and starts.setdefault(rows[0], number * full) != number * full:
            return []
        if is_last:
            ends.add(rows[-1])
    _join(after, starts, parts, pages)
    return [*_walked(name, sort, after, starts, ends, shown), *strange.values()]


def _size(asked: str, pages: Pages) -> int:
    full = int(asked) if asked.isdecimal() else pages.size
    return min(full, pages.most or full)


def _before(listing: Listing, pages: Pages, called: Mapping[str, Collection[str]]) -> str:
    """The row that a page's cursor names, if it names one that stands before the page."""
    cursor = dict(listing.pairs).get(pages.name, "") if pages.style == "cursor" and not pages.inclusive else ""
    named = called.get(cursor) or called.get(words.last_piece(cursor), ()) if cursor else ()
    return next(iter(named)) if len(named) == 1 else ""


def _join(after: dict[str, str], starts: Mapping[str, int], parts: Sequence[Part], pages: Pages) -> None:
    """Lead from the last row of a numbered page to the first of the next."""
    first_at = {place: key for key, place in starts.items()}
    for _, asked, number, listing in parts:
        if number is not None and listing.rows:
            place = number * _size(asked, pages) + len(listing.rows)
            if place in first_at and first_at[place] not in listing.rows:
                after.setdefault(listing.rows[-1], first_at[place])


def _walked(
    name: str, sort: Pairs, after: Mapping[str, str], starts: Mapping[str, int], ends: Collection[str],
    shown: set[str],
) -> list[Stretch]:  # fmt: skip
    """Rows from each that none stands before to where the way ends; nothing where two ways meet or go in a circle."""
    if len(set(after.values())) < len(after):
        return []
    heads = sorted(shown - set(after.values()))
    found: list[Stretch] = []
    for head in heads:
        keys = [head]
        while keys[-1] in after:
            keys.append(after[keys[-1]])
        at = next(((starts[key] - place) for place, key in enumerate(keys) if key in starts), -1)
        if any(key in starts and starts[key] - place != at for place, key in enumerate(keys)):
            return []
        if any(key in ends for key in keys[:-1]):
            return []
        found.append(Stretch(name, sort, at, keys[-1] in ends, tuple(keys)))
    covered = sum(len(one.keys) for one in found)
    found.sort(key=lambda one: (one.start != 0, one.start < 0, one.start, one.keys))
    return found if covered == len(shown) else []
