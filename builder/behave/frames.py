"""Which parts of the frame that pages share follow from what a visitor did before. Pure.

A page seen in a situation is laid beside the same page as the fresh visitor saw it. A difference belongs to the frame
if pages of two families show it, or if what it replaces is the same on all of the fresh visitor's pages.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from builder.behave.patches import Change, holds, run_of
from builder.behave.spans import Page, Place, Span, normal

Spot = tuple[Place, str, str]

_MOST_FRESH, _OF_FAMILY = 60, 3
"""Pages of the fresh visitor that are looked at, and how many of one family."""
_MOST_PAIRS = 4000
_PRESENT = 0.5
"""Share of the families of the fresh visitor's pages that have a part of the frame."""
_MESSAGE = re.compile(r"(^|[\s_-])(alert|flash|flashes|message|messages|msg|notice|notification|toast)([\s_-]|$)", re.I)


class Seen(NamedTuple):
    """One page as it was answered in one situation."""

    address: str
    """Path and query."""
    family: str
    source: str


Fragments = tuple[Change, ...]
"""What a situation makes of the frame."""


class _Difference(NamedTuple):
    """One part in which two pages differ."""

    change: Change
    was: str | None
    """What the change was made from, as `Change.new` would say it."""


def fragments(
    fresh: Sequence[Seen], situations: Mapping[int, Sequence[Seen]], before: Mapping[int, Sequence[int]]
) -> dict[int, Fragments]:
    """The changes that each situation makes to the frame; situations that are not known to make any are left out.

    `before` holds the situations that a visitor had been in on the way to each.
    """
    frame = _Frame(fresh)
    looks = {number: [frame.look(page) for page in pages] for number, pages in situations.items()}
    proposed = {number: _proposals(found) for number, found in looks.items()}
    proven = {change.spot for found in proposed.values() for change, where in found.items() if len(where) > 1}
    was: dict[Change, str | None] = {}
    made: dict[int, list[Change]] = {}
    for number, found in looks.items():
        was |= {_plain(one.change): one.was for look in found for one in look.differences}
        kept = [
            change
            for change, where in proposed[number].items()
            if (len(where) > 1 or frame.has(change, change.spot in proven)) and not any(map(_refuted_by(change), found))
        ]
        made[number] = list(_compatible(kept))
    _undo(made, looks, before, was)
    return {number: tuple(_completed(changes, made)) for number, changes in made.items() if changes}


class _Look(NamedTuple):
    """A page of a situation beside the fresh visitor's."""

    before: Page
    after: Page
    family: str
    is_same_page: bool
    differences: tuple[_Difference, ...]


def _proposals(looks: Iterable[_Look]) -> dict[Change, set[str]]:
    """What differs on the pages of one situation, and on which families of them; pages of one's own count as one."""
    where: dict[Change, set[str]] = defaultdict(set)
    first: dict[Change, Change] = {}
    for look in looks:
        for one in look.differences:
            change = first.setdefault(_plain(one.change), one.change)
            where[change].add(look.family if look.is_same_page else "")
    return where


def _plain(change: Change) -> Change:
    """Equal for changes that differ in nothing but tokens."""
    return change._replace(new=None if change.new is None else normal(change.new))


def _refuted_by(change: Change) -> Callable[[_Look], bool]:
    """Tells of a look whether it refutes a change: it could have been made on that page, and was not."""

    plain = _plain(change)

    def refuted(look: _Look) -> bool:
        if not look.is_same_page or any(_plain(one.change) == plain for one in look.differences):
            return False
        return _fits(look.before, change)

    return refuted


def _fits(page: Page, change: Change) -> bool:
    span = page.find(change.place)
    if span is None:
        return False
    return holds(page, span, change) if change.attribute else run_of(page, span, change) is not None


def _compatible(changes: Iterable[Change]) -> Iterator[Change]:
    """At most one change of each spot; where pages disagree the part is not of the frame."""
    by_spot: dict[Spot, list[Change]] = defaultdict(list)
    for change in changes:
        by_spot[change.spot].append(change)
    for found in by_spot.values():
        if len(set(found)) == 1:
            yield found[0]


def _undo(
    made: Mapping[int, list[Change]],
    looks: Mapping[int, Sequence[_Look]],
    before: Mapping[int, Sequence[int]],
    was: Mapping[Change, str | None],
) -> None:
    """Where a part is again as a fresh visitor sees it, and a situation before had changed it: change it back."""
    known = {number: {change.spot: change for change in changes} for number, changes in made.items()}
    for number, found in looks.items():
        earlier = {spot: one for other in before[number] for spot, one in known.get(other, {}).items()}
        for spot, change in earlier.items():
            same = [look for look in found if look.is_same_page and _fits(look.before, change)]
            if spot not in known[number] and any(_fits(look.after, change) for look in same):
                made[number].append(change._replace(new=was[_plain(change)]))


def _completed(changes: Iterable[Change], made: Mapping[int, Sequence[Change]]) -> Iterator[Change]:
    """The changes with all that may stand in their places, whichever situation the page is taken from."""
    variants: dict[Spot, dict[tuple[str, ...], None]] = defaultdict(dict)
    for one in (change for found in made.values() for change in found):
        variants[one.spot] |= dict.fromkeys((*one.olds, said(one)))
    for change in changes:
        yield change._replace(olds=tuple(old for old in variants[change.spot] if old != said(change)))


def said(change: Change) -> tuple[str, ...]:
    """What stands in its place once a change is made, as `Change.olds` would say it."""
    if change.attribute == "class":
        return tuple((change.new or "").split())
    if change.attribute:
        return () if change.new is None else (normal(change.new),)
    page = Page(change.new or "", "")
    return tuple(page.norm(child) for child in page.root.children)


class Fresh:
    """The fresh visitor's pages by their addresses, each taken apart once it is laid beside another."""

    def __init__(self, fresh: Sequence[Seen]) -> None:
        self.seen = {page.address: page for page in reversed(fresh)}
        self._pages: dict[str, Page] = {}

    def page(self, address: str) -> Page | None:
        """The page at an address; None if the fresh visitor saw none there."""
        if address not in self._pages and address in self.seen:
            self._pages[address] = Page(self.seen[address].source, address)
        return self._pages.get(address)


class _Frame:
    """The parts that the fresh visitor's pages share."""

    def __init__(self, fresh: Sequence[Seen]) -> None:
        self._fresh = Fresh(fresh)
        self._sample = [(Page(page.source, page.address), page.family) for page in _spread(fresh)]

    def look(self, seen: Seen) -> _Look:
        """A page beside the same page as the fresh visitor saw it, or the one that is most like it."""
        after = Page(seen.source, seen.address)
        own = self._fresh.page(seen.address)
        before = self._nearest(after) if own is None else own
        family = seen.family if own is None else self._fresh.seen[seen.address].family
        return _Look(before, after, family, own is not None, tuple(differences(before, after)))

    def _nearest(self, page: Page) -> Page:
        norms = {page.norm(span) for span in page.root.walk() if span.children}

        def shared(other: Page) -> int:
            return sum(other.norm(span) in norms for span in other.root.walk() if span.children)

        return max((one for one, _ in self._sample), key=shared, default=page)

    def has(self, change: Change, is_proven: bool) -> bool:
        """Whether what a change replaces is the same on all of the fresh visitor's pages, and most families have it.

        What only comes in addition must stand in a part that is the same as a whole, and must not be a message.
        """
        having = [
            (page, span, family) for page, family in self._sample if (span := page.find(change.place)) is not None
        ]
        families, all_of_them = {family for *_, family in having}, {family for _, family in self._sample}
        if len(families) < 2 or len(families) < _PRESENT * len(all_of_them):
            return False
        found = [(page, span) for page, span, _ in having]
        if change.attribute:
            return all(holds(page, span, change) for page, span in found)
        if is_message(change, found[0][1]):
            return False
        if change.olds == ((),) and not is_proven:
            return len({page.norm(span) for page, span in found}) == 1
        return all(run_of(page, span, change) is not None for page, span in found)


def is_message(change: Change, place: Span) -> bool:
    """Whether a change brings a message that is shown once: by its role, or by what its element is called."""
    heads = re.findall(r"<[a-zA-Z][^>]*>", change.new or "")[:3]
    names = [place.attributes.get(name, "") for name in ("class", "id", "role")] if change.olds == ((),) else []
    for head in heads:
        names += [value[1:-1] for value in re.findall(r"\b(?:class|id|role)=(\"[^\"]*\"|'[^']*')", head)]
    return any(name in ("alert", "status") or _MESSAGE.search(name) for name in names)


def _spread(fresh: Sequence[Seen]) -> list[Seen]:
    """A few pages of each family, and not more than a few dozen."""
    taken: dict[str, list[Seen]] = defaultdict(list)
    for page in fresh:
        if len(taken[page.family]) < _OF_FAMILY:
            taken[page.family].append(page)
    rounds = [page for turn in range(_OF_FAMILY) for pages in taken.values() for page in pages[turn : turn + 1]]
    return rounds[:_MOST_FRESH]


def differences(before: Page, after: Page) -> Iterator[_Difference]:
    """The smallest changes that make one page of another."""
    yield from _within(before, after, before.root, after.root, ())


def _within(before: Page, after: Page, old: Span, new: Span, place: Place) -> Iterator[_Difference]:
    """The changes in two elements of one role."""
    if before.norm(old) == after.norm(new):
        return
    yield from _attributes(before, after, old, new, place)
    mine = [before.norm(child) for child in old.children]
    theirs = [after.norm(child) for child in new.children]
    matcher = SequenceMatcher(None, mine, theirs, autojunk=False)
    for kind, i1, i2, j1, j2 in matcher.get_opcodes():
        if kind != "equal":
            yield from _block(before, after, (old, i1, i2), (new, j1, j2), place)


def _block(
    before: Page, after: Page, mine: tuple[Span, int, int], theirs: tuple[Span, int, int], place: Place
) -> Iterator[_Difference]:
    """Neighbours that differ: those of one role are looked into, the others exchanged as they are."""
    (old, i1, i2), (new, j1, j2) = mine, theirs
    a, b = i1, j1
    for i, j in [*_pairs(old.children[i1:i2], new.children[j1:j2]), (i2 - i1, j2 - j1)]:
        i, j = i1 + i, j1 + j
        if i > a or j > b:
            yield _exchange(before, after, (old, a, i), (new, b, j), place)
        if i == i2:
            return
        one, other = old.children[i], new.children[j]
        if one.tag and _alike(one, other):
            yield from _within(before, after, one, other, _below(before, old, one, place))
        else:
            yield _exchange(before, after, (old, i, i + 1), (new, j, j + 1), place)
        a, b = i + 1, j + 1


def _pairs(mine: Sequence[Span], theirs: Sequence[Span]) -> list[tuple[int, int]]:
    """Which of these stand for each other: of one label, in one order, the most alike together."""
    if len(mine) * len(theirs) > _MOST_PAIRS:
        labels = [one.label for one in mine]
        matcher = SequenceMatcher(None, labels, [one.label for one in theirs], autojunk=False)
        return [(m.a + n, m.b + n) for m in matcher.get_matching_blocks() for n in range(m.size)]
    best = [[0.0] * (len(theirs) + 1) for _ in range(len(mine) + 1)]
    gain = {(i, j): _likeness(one, other) for i, one in enumerate(mine) for j, other in enumerate(theirs)}
    for i in range(len(mine) - 1, -1, -1):
        for j in range(len(theirs) - 1, -1, -1):
            best[i][j] = max(best[i + 1][j], best[i][j + 1], gain[i, j] and gain[i, j] + best[i + 1][j + 1])
    found: list[tuple[int, int]] = []
    i = j = 0
    while i < len(mine) and j < len(theirs):
        if gain[i, j] and best[i][j] == gain[i, j] + best[i + 1][j + 1]:
            found.append((i, j))
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            j += 1
    return found


def _likeness(one: Span, other: Span) -> float:
    """0 if two parts are of another label, above 1 if they share more than that."""
    if one.label != other.label:
        return 0.0
    mine, theirs = set(one.attributes.items()), set(other.attributes.items())
    shared = len(mine & theirs) / len(mine | theirs) if mine | theirs else 0.5
    inner = {child.label for child in one.children}, {child.label for child in other.children}
    alike = len(inner[0] & inner[1]) / len(inner[0] | inner[1]) if inner[0] | inner[1] else 0.5
    return 0.2 + shared + alike


def _alike(one: Span, other: Span) -> bool:
    """Whether it says more to look into two elements than to exchange one for the other."""
    return bool(one.children) == bool(other.children) or not one.children


def _exchange(
    before: Page, after: Page, mine: tuple[Span, int, int], theirs: tuple[Span, int, int], place: Place
) -> _Difference:
    (old, i1, i2), (new, j1, j2) = mine, theirs
    norms = tuple(before.norm(child) for child in old.children[i1:i2])
    text = after.source[new.children[j1].start : new.children[j2 - 1].end] if j2 > j1 else ""
    step = step_of(old, old.children[i1 - 1]) if i1 else ""
    was = before.source[old.children[i1].start : old.children[i2 - 1].end] if i2 > i1 else ""
    return _Difference(Change(place, "", (norms,), after.abstract(text), step), before.abstract(was))


def _attributes(before: Page, after: Page, old: Span, new: Span, place: Place) -> Iterator[_Difference]:
    for name in sorted({*old.attributes, *new.attributes}):
        mine, theirs = old.attributes.get(name), new.attributes.get(name)
        if name == "class":
            had, has = (mine or "").split(), (theirs or "").split()
            gone, come = [one for one in had if one not in has], [one for one in has if one not in had]
            if gone or come:
                yield _Difference(Change(place, name, (tuple(gone),), " ".join(come), ""), " ".join(gone))
            continue
        was = None if mine is None else before.abstract(mine)
        now = None if theirs is None else after.abstract(theirs)
        olds = () if was is None else (normal(was),)
        if olds != (() if now is None else (normal(now),)):
            yield _Difference(Change(place, name, (olds,), now, ""), was)


def step_of(parent: Span, child: Span) -> str:
    """A child by its label, and by which of those with this label it is."""
    same = [one for one in parent.children if one.label == child.label]
    return f"{child.label}:{same.index(child)}"


def _below(page: Page, parent: Span, child: Span, place: Place) -> Place:
    name = child.attributes.get("id", "")
    if name and not re.search(r"\d|:", name) and page.named(name) is child:
        return (f"#{name}",)
    return (*place, step_of(parent, child))
