"""What rows are ordered by: chains of up to three columns that no captured page contradicts. Pure."""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from builder.induce import words
from builder.induce.listing import Pairs
from builder.induce.listquery import Asked, By, ListQuery, Search
from builder.induce.rowsets import Keys, RowSets
from builder.induce.scores import quoted, score

DEPTH = 3
SURPLUS = 5.0
"""Bits that a column must bring beyond the choice among all candidates."""
NAMED = 2.0
"""Bits for a column that the address names."""
_COVER = 0.9
_MOST_REST = 300
Worth = Mapping[str, words.Value]


@dataclass(frozen=True)
class Run:
    """Rows that were seen one after the other, on one page or several."""

    sort: Pairs
    path: str
    filters: tuple[str, ...]
    text: str
    """What was searched for; empty if nothing."""
    keys: tuple[str, ...]
    rest: tuple[str, ...] = ()
    """Rows that are known to come later in the list."""


class Tied(NamedTuple):
    """What the keys so far leave open: a stretch of rows, and rows that come after its last."""

    run: Run
    keys: tuple[str, ...]
    rest: tuple[str, ...]


class Fit(NamedTuple):
    """A chain that nothing contradicts."""

    by: tuple[By, ...]
    bits: float
    open: tuple[Tied, ...]
    """What it leaves undecided."""


class Columns:
    """What rows are worth under every candidate, each worked out once."""

    def __init__(self, rows: RowSets, searches: Sequence[Search] = ()) -> None:
        self.rows, self.searches = rows, searches
        self._scores: dict[tuple[By, str], Worth] = {}
        self._places: dict[tuple[By, str], Mapping[str, int]] = {}
        self.plain = tuple(self._plain())
        fields = sorted({column for search in searches for column in search.columns})
        titles = [By(column, "title", descending=True) for column in fields]
        wholes = [By("", kind, descending=True) for kind in ("found", "bm25", "bm25-stems", "hits")]
        singles = [By(column, kind, descending=True) for column in fields for kind in ("bm25", "hits")]
        self.scores = (*titles, *wholes, *(singles if len(fields) > 1 else ())) if searches else ()

    def _plain(self) -> Iterator[By]:
        for kind in words.KINDS:
            for column in (*self.rows.columns, "key"):
                worth = self.rows.worth(column, kind)
                texts = self.rows.worth(column, "text")
                filled = sum(bool(text) for text in texts.values())
                having = sum(value is not None for value in worth.values())
                if having < _COVER * filled or len(set(worth.values())) < 2:
                    continue
                if kind == "day-first" and worth == self.rows.worth(column, "date"):
                    continue
                missing = (False, True) if having < len(worth) else (False,)
                yield from (By(column, kind, down, first) for down in (False, True) for first in missing)

    def worth(self, by: By, run: Run) -> Worth:
        """Key -> value for the rows of a run."""
        if by not in self.scores:
            return self.rows.worth(by.column, by.kind)
        if (by, run.text) not in self._scores:
            self._scores[by, run.text] = self._scored(by, run.text)
        return self._scores[by, run.text]

    def places(self, by: By, run: Run) -> Mapping[str, int]:
        """Key -> a number that grows from row to row in the order that a key gives; equal where it does not decide."""
        name = (by, run.text if by in self.scores else "")
        if name not in self._places:
            worth = self.worth(by, run)
            values = sorted({value for value in worth.values() if value is not None}, reverse=by.descending)
            found = {value: place for place, value in enumerate(values, 1)}
            missing = 0 if by.missing_first else len(values) + 1
            placed = {key: missing if value is None else found[value] for key, value in worth.items()}
            self._places[name] = defaultdict(lambda: missing, placed)
        return self._places[name]

    def _scored(self, by: By, text: str) -> Worth:
        name = self.searches[0].name
        for column in [by.column] if by.column else self.searches[0].columns:
            self.rows.worth(column, "stems" if by.kind == "bm25-stems" else "words")
        query = ListQuery("", self.rows.table.name, searches=tuple(self.searches))
        asked = Asked("", {name: [text]}, (), "", "")
        value = score(self.rows.database, query, asked, by)
        sql = f"SELECT key, {value.text} FROM {quoted(self.rows.table.name)}"
        return {str(key): number for key, number in self.rows.database.execute(sql, value.values)}


def chain(runs: Sequence[Run], columns: Columns, named: frozenset[str] = frozenset()) -> list[Fit]:
    """The chains that no run contradicts and that have evidence enough, the best first.

    Fewer keys are better, then the kinds of comparison in their order. Columns that the address names come before all.
    """
    start = tuple(Tied(run, run.keys, run.rest) for run in runs)
    candidates = [*columns.plain, *(columns.scores if all(run.text for run in runs) else ())]
    if named:
        ours = [by for by in candidates if by.column in named]
        if fits := _first_keys(start, ours, candidates, columns, NAMED):
            return fits
    each = math.log2(max(len(candidates), 2))
    if fits := _first_keys(start, candidates, candidates, columns, each + SURPLUS):
        return fits
    # a few rows set before all others prove little by themselves, but what follows them may prove the whole
    found = _first_keys(start, candidates, candidates, columns, NAMED)
    return [fit for fit in found if len(fit.by) > 1 and fit.bits >= len(fit.by) * each + SURPLUS]


def _first_keys(
    start: Sequence[Tied], firsts: Iterable[By], others: Sequence[By], columns: Columns, price: float
) -> list[Fit]:
    found: list[tuple[int, int, Fit]] = []
    later = math.log2(max(len(others), 2)) + SURPLUS
    for place, by in enumerate(firsts):
        step = refine(start, by, columns)
        if step is None or step[0] < price:
            continue
        fit = Fit((by,), *step)
        while fit.open and len(fit.by) < DEPTH:
            longer = _longer(fit, others, columns, later)
            if longer is None:
                break
            fit = longer
        found.append((len(fit.by) + bool(fit.open), place, fit))
    found.sort(key=lambda item: item[:2])
    return [fit for _, _, fit in found]


def _longer(fit: Fit, candidates: Iterable[By], columns: Columns, price: float) -> Fit | None:
    """The chain with one more key that brings enough evidence; of several the one that decides most."""
    best: Fit | None = None
    for by in candidates:
        step = refine(fit.open, by, columns)
        if step is not None and step[0] >= price and (best is None or step[0] + fit.bits > best.bits + 0.01):
            best = Fit((*fit.by, by), fit.bits + step[0], step[1])
    return best


def refine(tied: Sequence[Tied], by: By, columns: Columns) -> tuple[float, tuple[Tied, ...]] | None:
    """Bits that a further key brings and what it leaves open; None if a row stands where it must not."""
    placed: list[tuple[Tied, list[int], list[int]]] = []
    for one in tied:
        places = columns.places(by, one.run)
        found = [places[key] for key in one.keys]
        rest = [places[key] for key in one.rest]
        if any(before > after for before, after in pairwise(found)) or (rest and min(rest) < found[-1]):
            return None
        placed.append((one, found, rest))
    bits = 0.0
    left: list[Tied] = []
    for one, found, rest in placed:
        starts = [0, *(at for at in range(1, len(found)) if found[at - 1] < found[at]), len(found)]
        pieces = [one.keys[start:end] for start, end in pairwise(starts)]
        equal = tuple(key for key, place in zip(one.rest, rest, strict=True) if place == found[-1])
        bits += _orders(len(one.keys)) - sum(_orders(len(piece)) for piece in pieces)
        later = len(one.rest) - len(equal)
        if later:
            bits += _orders(len(one.keys) + later) - _orders(len(one.keys)) - _orders(later)
        left += [Tied(one.run, piece, ()) for piece in pieces[:-1] if len(piece) > 1]
        if len(pieces[-1]) > 1 or equal:
            left.append(Tied(one.run, pieces[-1], equal))
    return bits, tuple(left)


@lru_cache(maxsize=10_000)
def _orders(count: int) -> float:
    """Log2 of the number of orders of so many rows."""
    return math.lgamma(count + 1) / math.log(2)


def fits(runs: Sequence[Run], by: Sequence[By], columns: Columns) -> tuple[float, tuple[Tied, ...]] | None:
    """Bits for a whole chain and what it leaves open; None if a run contradicts it."""
    left = tuple(Tied(run, run.keys, run.rest) for run in runs)
    bits = 0.0
    for one in by:
        step = refine(left, one, columns)
        if step is None:
            return None
        bits, left = bits + step[0], step[1]
    return bits, left


def tie_breaker(
    open_of: Mapping[tuple[By, ...], Sequence[Tied]], columns: Columns, known: Sequence[By] = ()
) -> dict[tuple[By, ...], By]:
    """For each chain the key that decides what it leaves open: one for all, or turned where the first key is turned.

    Keys that decide between equal rows elsewhere (`known`) come first.
    """
    for by in known:
        if not any(link.column == by.column for links in open_of for link in links) and all(
            refine(tied, by, columns) is not None for tied in open_of.values()
        ):
            return dict.fromkeys(open_of, by)
    best: tuple[float, dict[tuple[By, ...], By]] = (1.0, {})
    for by in columns.plain:
        if any(link.column == by.column for links in open_of for link in links):
            continue
        for turns in (False, True):
            chosen = {chain: _turned(by, chain[0].descending) if turns and chain else by for chain in open_of}
            bits = 0.0
            for links, tied in open_of.items():
                step = refine(tied, chosen[links], columns)
                if step is None:
                    break
                bits += step[0]
            else:
                if bits > best[0] + 0.01:
                    best = (bits, chosen)
    if best[1] or len(open_of) < 2:
        return best[1]
    return {links: by for links, tied in open_of.items() for by in tie_breaker({links: tied}, columns).values()}


def _turned(by: By, turn: bool) -> By:
    return By(by.column, by.kind, by.descending != turn, by.missing_first)


def ranking(runs: Iterable[Run]) -> tuple[tuple[str, int], ...] | None:
    """An order that agrees with all runs, each row with the number of its stretch; None if they contradict one another.

    Of two rows in one stretch it is known which comes first.
    """
    after: dict[str, dict[str, None]] = {}
    waits: dict[str, int] = {}
    for run in runs:
        for key in run.keys:
            after.setdefault(key, {})
            waits.setdefault(key, 0)
        for one, other in zip(run.keys, run.keys[1:], strict=False):
            if other not in after[one]:
                after[one][other] = None
                waits[other] += 1
    ready = [key for key, count in waits.items() if not count]
    found: list[tuple[str, int]] = []
    stretch, previous = 0, ""
    while ready:
        # going on from the row before keeps stretches long
        place = next((n for n, key in enumerate(ready) if previous and key in after[previous]), 0)
        key = ready.pop(place)
        stretch += bool(found) and key not in after[previous]
        found.append((key, stretch))
        previous = key
        for other in after[key]:
            waits[other] -= 1
            if not waits[other]:
                ready.append(other)
    return tuple(found) if len(found) == len(waits) else None


def thinned(rest: Keys) -> tuple[str, ...]:
    """Rows enough to contradict an order, evenly drawn."""
    ordered = sorted(rest)
    return tuple(ordered[:: max(1, len(ordered) // _MOST_REST)])
