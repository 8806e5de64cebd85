"""How lists are cut into pages, and which lists were captured whole. Pure."""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from builder.induce import words
from builder.induce.listing import Listing, Pairs
from builder.induce.listquery import Pages, Parameter, Why
from builder.induce.pathpages import Turned
from builder.induce.roles import simple
from builder.induce.rowsets import Keys, RowSets

_OFFSETS = frozenset("offset start skip from begin startindex first".split())
_CERTAIN_TOTALS = 0.9
_MOSTLY = 0.8
_NEAR, _FAR = 3, 100
"""Numbers of pages of which one is linked or captured by at least one page, and beyond which few lists go."""
_LISTS = 3
"""Lists that must say different numbers of rows where none was seen whole."""
_SELDOM = 12
"""Rows from which on a page that says their number hardly does so by chance."""


@dataclass
class Seen:
    """One list, all its pages and orders together."""

    path: str
    given: Pairs
    """Filters and searches, sorted by name."""
    parts: list[tuple[Pairs, str, int | None, Listing]] = field(default_factory=list)
    """Sort, size, number of the page from 0 where it is known, and the listing."""
    whole: bool = False
    """Whether every row of it was seen."""
    total: int | None = None
    """How many rows it has, as its pages say."""

    @property
    def rows(self) -> Keys:
        return frozenset(key for part in self.parts for key in part[3].rows)

    @property
    def numbers(self) -> frozenset[int]:
        """Whole numbers that all its pages hold."""
        return frozenset.intersection(*(part[3].numbers for part in self.parts))


@dataclass(frozen=True)
class Lists:
    """All lists of a family."""

    seen: tuple[Seen, ...]
    pages: Pages
    totals: bool
    """Whether pages say how many rows their list has."""

    def lacks(self, one: Seen, rows: Keys) -> bool:
        """Whether rows of a list are missing from those that are said to be all of it.

        It has another number of rows than these are, or goes on after the last page that was captured.
        """
        if self.totals:
            return len(rows) not in one.numbers
        if one.total is not None:
            return len(rows) < one.total
        if rows != one.rows or _is_followed_to_its_end(one, self.pages):
            return False
        return any(_goes_beyond(listing, one, self.pages) for _, _, _, listing in one.parts)


def lists_of(
    turned: Sequence[Turned], parameters: Sequence[Parameter], rows: RowSets, cursors: Mapping[str, int] | None = None
) -> Lists:
    """The lists of a family, from its pages; the pairs of the listings have been through `as_split`.

    `cursors` tells of each parameter how many of its values name the rows that pages end with.
    """
    roles = {one.name: one.does for one in parameters}
    pages = pages_of(turned, parameters, rows, cursors or {})
    found: dict[tuple[str, Pairs], Seen] = {}
    for one in turned:
        listing = one.listing
        chosen = [pair for pair in listing.pairs if roles.get(pair[0]) in ("filter", "search", "selector", "unknown")]
        given = tuple(sorted(chosen, key=lambda pair: pair[0]))
        sort = tuple(sorted(dict(p for p in listing.pairs if roles.get(p[0]) in ("order", "direction")).items()))
        named = dict(listing.pairs)
        size = named.get(pages.size_name, "")
        number = _page_number(one.number or named.get(pages.name, ""), pages, size)
        found.setdefault((listing.path, given), Seen(listing.path, given)).parts.append((sort, size, number, listing))
    seen = tuple(found.values())
    if pages.style == "cursor":
        for one_list in seen:
            one_list.parts = _followed(one_list.parts, pages)
    for one_list in seen:
        one_list.whole = _is_whole(one_list, pages)
    told = [one for one in seen if one.whole and len(one.rows) > 1]
    agreeing = sum(len(one.rows) in one.numbers for one in told)
    totals = len(told) > 2 and agreeing >= _CERTAIN_TOTALS * len(told)
    _say_totals(seen)
    for one_list in seen:
        if one_list.total == len(one_list.rows) > 0:
            one_list.whole = True
        if totals and len(one_list.rows) > pages.size and len(one_list.rows) in one_list.numbers:
            one_list.whole = True
    return Lists(seen, pages, totals)


def _say_totals(seen: Sequence[Seen]) -> None:
    """Give each list the number of its rows, where pages say it between the same words as on lists that are whole."""
    said = [(one, frozenset.intersection(*(part[3].said for part in one.parts))) for one in seen]
    votes: dict[str, list[bool]] = defaultdict(list)
    sizes: dict[str, set[int]] = defaultdict(set)
    for one, numbers in said:
        for around, number in numbers:
            if one.whole and one.rows:
                votes[around].append(number == len(one.rows))
                sizes[around].add(number)
            elif number < len(one.rows):
                votes[around].append(False)
    sure = [around for around, told in votes.items() if all(told) and _tells(sizes[around])] or _steady(said)
    count = Counter(around for _, numbers in said for around, _ in numbers)
    sure.sort(key=lambda around: (-count[around], -len(around), around))
    for one, numbers in said:
        named = dict(numbers)
        one.total = next((named[around] for around in sure if around in named), len(one.rows) if one.whole else None)


def _steady(said: Sequence[tuple[Seen, frozenset[tuple[str, int]]]]) -> list[str]:
    """Words between which every list says a number that its pages and orders do not change, and that its filters do.

    Where no list is whole, that is how one says how many rows it has: no list fewer than it shows, none more than one
    that holds all of its rows.
    """
    shown = [(one, dict(numbers)) for one, numbers in said if one.rows]
    everywhere = frozenset.intersection(*(frozenset(numbers) for _, numbers in shown)) if shown else frozenset()
    found = []
    for around in sorted(everywhere):
        told = [(one, numbers[around]) for one, numbers in shown]
        several = [one for one, _ in told if len({part[3].rows for part in one.parts}) > 1]
        if len({number for _, number in told}) < _LISTS or len(several) < _LISTS:
            continue
        if all(number >= len(one.rows) for one, number in told) and all(
            number <= other
            for one, number in told
            for wide, other in told
            if wide.path == one.path and set(wide.given) < set(one.given)
        ):
            found.append(around)
    return found


def _tells(sizes: Collection[int]) -> bool:
    """Whether lists of these sizes show that a number is their size: two of them, or one that chance seldom hits."""
    return len(sizes) > 1 or any(size >= _SELDOM for size in sizes)


def pages_of(
    turned: Sequence[Turned], parameters: Sequence[Parameter], rows: RowSets, cursors: Mapping[str, int]
) -> Pages:
    """How the lists of a family are cut into pages."""
    name = next((one.name for one in parameters if one.does == "page"), "")
    size_name = next((one.name for one in parameters if one.does == "size"), "")
    plain = [one for one in turned if size_name not in dict(one.listing.pairs)]
    longest = max((len(one.listing.rows) for one in plain), default=0)
    tails = Counter((one.tail, one.head) for one in turned if one.tail)
    if tails:
        (tail, head), count = tails.most_common(1)[0]
        base = _path_base(turned)
        why = Why(evidence=count, because=f"{count} pages have their number in the path")
        pages = Pages("path", tail=tail, head=head, size=longest, base=base, why=why)
    elif name:
        values = sum(n == name for one in turned for n, _ in one.listing.pairs)
        named = cursors.get(name, 0) > 1 and cursors[name] >= _MOSTLY * values
        judge = _by_cursor if named else _by_parameter
        pages = judge(plain or turned, name, longest, rows)
    else:
        pages = Pages(size=_cut_short(plain) if size_name else 0)
    pages = replace(pages, size_name=size_name, most=_most(turned, size_name, pages))
    return replace(pages, beyond=_beyond(turned, pages))


def _path_base(turned: Sequence[Turned]) -> int:
    firsts = {one.listing.path: one.listing.rows for one in turned if not one.number}
    ones = [one.listing for one in turned if one.number == "1" and one.listing.path in firsts]
    return 0 if any(one.rows and one.rows != firsts[one.path] for one in ones) else 1


def _cut_short(plain: Sequence[Turned]) -> int:
    """The length at which lists without pages end, if several do."""
    counts = Counter(len(one.listing.rows) for one in plain)
    longest = max(counts, default=0)
    return longest if counts[longest] > 1 else 0


def _by_parameter(plain: Sequence[Turned], name: str, longest: int, rows: RowSets) -> Pages:
    values = [value for one in plain for n, value in one.listing.pairs if n == name]
    paths = {one.listing.path for one in plain}
    linked = [
        v for one in plain for path, pairs in one.listing.links if path in paths for n, v in pairs if n == name and v
    ]
    if values and not all(value.isdecimal() for value in values):
        return _by_cursor(plain, name, longest, rows)
    numbers = sorted({int(value) for value in [*values, *linked] if value.isdecimal()})
    if not numbers:
        return Pages("none", name)
    why = Why(evidence=len(set(values)), because=f"{len(set(values))} values of {name}")
    beyond_first = [number for number in numbers if number > 1]
    for base in (0, 1):
        fits = longest > 1 and beyond_first and all(number % longest == base for number in beyond_first)
        if fits and (beyond_first[0] == longest + base or simple(name) in _OFFSETS) and 2 - base not in numbers:
            return Pages("offset", name, base, size=longest, why=why)
    if not longest and simple(name) in _OFFSETS:  # every page says its size
        return Pages("offset", name, 0, why=why)
    if beyond_first and beyond_first[0] > _NEAR and beyond_first[-1] > _FAR:
        return _by_cursor(plain, name, longest, rows)  # no pager counts so: these name something
    firsts = {(one.listing.path, one.listing.pairs): one.listing.rows for one in plain}
    moved = False
    for one in plain:
        if (name, "1") in one.listing.pairs and one.listing.rows:
            rest = tuple(pair for pair in one.listing.pairs if pair[0] != name)
            moved |= firsts.get((one.listing.path, rest), one.listing.rows) != one.listing.rows
    return Pages("number", name, 0 if moved or 0 in numbers else 1, size=longest, why=why)


def _by_cursor(plain: Sequence[Turned], name: str, longest: int, rows: RowSets) -> Pages:
    """Pages that begin after, or at, the row that their address names."""
    seen = [(dict(one.listing.pairs)[name], one.listing.rows) for one in plain if name in dict(one.listing.pairs)]
    led = [
        (value, one.listing.rows[-1:])
        for one in plain
        for path, pairs in one.listing.links
        for n, value in pairs
        if n == name and value.strip() and path == one.listing.path and (name, value) not in one.listing.pairs
    ]
    shown_at = len(seen)
    seen = [*seen, *((value, last) for value, last in led if last)]
    for column in ("", *rows.columns):
        called: dict[str, set[str]] = defaultdict(set)
        for key in rows.keys:
            for own in (rows.rows[key].get(column, ""),) if column else words.names_of(key):
                called[own].add(key)
        pieces = [value if column else words.last_piece(value) for value, _ in seen]
        named = [called.get(value) or called.get(piece, set()) for (value, _), piece in zip(seen, pieces, strict=True)]
        told = [(keys, shown) for keys, (_, shown) in zip(named, seen, strict=True) if keys]
        if len(told) >= _MOSTLY * len(seen) and all(len(keys) == 1 for keys, _ in told):
            asked = [(keys, shown) for keys, (_, shown) in zip(named[:shown_at], seen[:shown_at], strict=True) if keys]
            inclusive = bool(asked) and all(bool(shown) and shown[0] in keys for keys, shown in asked)
            why = Why(evidence=len(told), because=f"{len(told)} values of {name} name a row")
            return Pages("cursor", name, size=longest, column=column, inclusive=inclusive, why=why)
    return Pages("cursor", name, size=longest, why=Why("looked up", len(seen), because="no row has these names"))


def _most(turned: Sequence[Turned], size_name: str, pages: Pages) -> int:
    """The largest size that is granted: more were asked for, and a page that links to a next one holds fewer."""
    found = set()
    for one in turned:
        asked = dict(one.listing.pairs).get(size_name, "")
        if size_name and asked.isdecimal() and len(one.listing.rows) < int(asked) and _goes_on(one.listing, pages):
            found.add(len(one.listing.rows))
    return max(found, default=0)


def _goes_beyond(listing: Listing, one: Seen, pages: Pages) -> bool:
    """Whether a page links to one that comes after it and that was not captured."""
    rest = {pair for pair in listing.pairs if pair[0] != pages.name}
    captured = {dict(other.pairs).get(pages.name, "") for _, _, _, other in one.parts}
    for path, pairs in listing.links:
        value = dict(pairs).get(pages.name, "")
        if value and path == listing.path and {pair for pair in pairs if pair[0] != pages.name and pair[1]} == rest:
            own = dict(listing.pairs).get(pages.name, str(pages.base if pages.style == "number" else 0))
            follows = value.isdecimal() and own.isdecimal() and int(value) > int(own)
            if pages.style == "cursor":
                follows = bool(listing.rows) and words.points_to(value, listing.rows[-1])
            if follows and value not in captured:
                return True
    return False


def _is_followed_to_its_end(one: Seen, pages: Pages) -> bool:
    """Whether in one of its orders all rows were captured, from the first page to one that links to no later one."""
    runs: dict[tuple[Pairs, str], dict[int, Listing]] = defaultdict(dict)
    for sort, size, page, listing in one.parts:
        if page is not None:
            runs[sort, size][page] = listing
    return any(
        set(run) == set(range(len(run)))
        and frozenset(key for listing in run.values() for key in listing.rows) == one.rows
        and not _goes_beyond(run[len(run) - 1], one, pages)
        for run in runs.values()
    )


def is_followed(listing: Listing, pages: Pages) -> bool:
    """Whether a page may have one after it: it links to one, or no page of its family does."""
    if pages.style in ("none", "path") or not pages.why.evidence:
        return pages.style != "none"
    if pages.style != "cursor":
        return _goes_on(listing, pages)
    own = {value for name, value in listing.pairs if name == pages.name}
    led = [v for path, pairs in listing.links if path == listing.path for n, v in pairs if n == pages.name]
    return any(value.strip() and value not in own for value in led)


def _goes_on(listing: Listing, pages: Pages) -> bool:
    """Whether a page links to one that comes after it."""
    own = dict(listing.pairs).get(pages.name, str(pages.base if pages.style == "number" else 0))
    for path, pairs in listing.links:
        value = dict(pairs).get(pages.name, "")
        if path == listing.path and value.isdecimal() and own.isdecimal() and int(value) > int(own):
            rest = {pair for pair in pairs if pair[0] != pages.name and pair[1]}
            if rest == {pair for pair in listing.pairs if pair[0] != pages.name}:
                return True
    return False


def _beyond(turned: Sequence[Turned], pages: Pages) -> Literal["empty", "last", "first", "unknown"]:
    """What a page after the last shows; "unknown" if none was captured."""
    by_list: dict[object, list[tuple[int, Keys]]] = defaultdict(list)
    for one in turned:
        value = one.number or dict(one.listing.pairs).get(pages.name, "")
        if not value.isdecimal():
            value = str(pages.base)
        rest = tuple(sorted(pair for pair in one.listing.pairs if pair[0] != pages.name))
        by_list[one.listing.path, rest].append((int(value), frozenset(one.listing.rows)))
    for found in by_list.values():
        found.sort(key=lambda pair: pair[0])
        for place, (number, shown) in enumerate(found):
            earlier = found[:place]
            if number > pages.base and not shown:
                return "empty"
            if earlier and shown and number > pages.base + 1:
                if shown == found[0][1] and found[0][0] == pages.base and any(o != shown for _, o in earlier):
                    return "first"
                if shown == earlier[-1][1] and len(earlier) > 1:
                    return "last"
    return "unknown"


def _followed(
    parts: Sequence[tuple[Pairs, str, int | None, Listing]], pages: Pages
) -> list[tuple[Pairs, str, int | None, Listing]]:
    """The pages of a list numbered from the first on, each by the row that its cursor names."""
    found = list(parts)
    ends = {(sort, size): (0, listing.rows) for sort, size, number, listing in found if number == 0}
    for _ in found:
        for place, (sort, size, number, listing) in enumerate(found):
            before, rows = ends.get((sort, size), (0, ()))
            cursor = dict(listing.pairs).get(pages.name, "")
            named = rows and words.points_to(cursor, rows[-1])
            if number is None and named and not pages.inclusive:
                found[place] = (sort, size, before + 1, listing)
                ends[sort, size] = (before + 1, listing.rows)
    return found


def _is_whole(one: Seen, pages: Pages) -> bool:
    """Whether all pages of a list were captured, in one of its orders."""
    if pages.style == "none":
        return not pages.size or len(one.rows) != pages.size
    runs: dict[tuple[Pairs, str], dict[int, Listing]] = defaultdict(dict)
    for sort, size, page, listing in one.parts:
        if page is not None:
            runs[sort, size][page] = listing
    for (_, asked), run in runs.items():
        full = int(asked) if asked.isdecimal() else pages.size
        full = min(full, pages.most or full)
        for number in range(len(run)):
            if number not in run:
                break
            if len(run[number].rows) < full or (number and not run[number].rows):
                return True
    return _is_unturned(one, pages)


def _is_unturned(one: Seen, pages: Pages) -> bool:
    """Whether a full first page is all there is: it links to no other page, though pages of this family do."""
    first = [listing for _, size, page, listing in one.parts if not size and page == 0]
    if not first or pages.style == "path":
        ends = [re.escape(first_one.path.removesuffix(pages.head) + pages.tail) for first_one in first]
        shapes = [end.replace(r"\{\}", r"\d+") for end in ends]
        return bool(first) and not any(re.fullmatch(s, path) for s in shapes for f in first for path, _ in f.links)
    links = any(pages.name in dict(pairs) for listing in first for path, pairs in listing.links if path == listing.path)
    return not links and bool(pages.why.evidence)


def _page_number(page: str, pages: Pages, size: str) -> int | None:
    """Number of a page from 0; None where only the whole list would tell."""
    if not page:
        return 0
    if pages.style == "cursor" or not page.isdecimal():
        return None
    if pages.style == "offset":
        step = int(size) if size.isdecimal() else pages.size
        return (int(page) - pages.base) // max(step, 1)
    return int(page) - pages.base
