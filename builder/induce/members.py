"""Which rows a list has: conditions on columns, links, what was seen. Exact on every whole list, or dropped. Pure."""

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from builder.induce import words
from builder.induce.listing import Listing
from builder.induce.listquery import Condition, Search, Why
from builder.induce.paging import Lists, Seen
from builder.induce.roles import IDLE, simple
from builder.induce.rowsets import Keys, RowSets

Shown = Sequence[tuple[str, Keys]]
"""Values of one parameter, each with rows that it left."""
_EQUAL = ("text", "folded", "number", "slug", "date")
_MOST_RIVALS = 6
_SPOKEN = 8.0
"""Bits for a parameter that is named after the column."""
_BOUND_WORDS = {
    "min": frozenset("min from gte ge low lower start since minimum atleast".split()),
    "max": frozenset("max to lte le high upper end until maximum atmost".split()),
    "over": frozenset("gt over above after".split()),
    "under": frozenset("lt under below before".split()),
}


def conditions(name: str, shown: Shown, rows: RowSets) -> list[tuple[float, Condition]]:
    """Tests of one column that every row shown meets, with their bits, the candidates' number taken off; best first."""
    shown = [(value, keys) for value, keys in shown if keys]
    if not shown:
        return []
    tried = 0
    found: list[tuple[float, int, Condition]] = []
    for test in _candidates(name, rows):
        tried += 1
        sets = [(rows.having(test, value), keys) for value, keys in shown[:1]]
        if not _sound(sets):
            continue
        sets = [(rows.having(test, value), keys) for value, keys in shown]
        if _sound(sets):
            bits = sum(rows.bits(kept, keys) for kept, keys in sets if kept is not None)
            bits += _SPOKEN if _speaks(test, rows) else 0.0
            found.append((bits, -tried, test))
    for test in _labelled(name, shown, rows):
        tried += 1
        bits = sum(rows.bits(rows.having(test, value) or rows.keys, keys) for value, keys in shown)
        # half of it went into finding the labels
        found.append((bits / 2, -tried, test))
    price = math.log2(max(tried, 2))
    ranked = sorted(found, key=lambda item: item[:2], reverse=True)
    return [(bits - price, replace(test, why=Why(evidence=round(bits - price, 1)))) for bits, _, test in ranked]


def alone(name: str, listings: Iterable[Listing]) -> Shown:
    """The values of a parameter that stand alone and are one value, not "all" or several, with the rows shown."""
    found = []
    for one in listings:
        values = [value for n, value in one.pairs if n == name]
        if len(values) == 1 and values[0].lower() not in IDLE and values[0][0] not in "!~":
            found.append((values[0], frozenset(one.rows)))
    plain = [pair for pair in found if not re.search(r"[,|;]", pair[0])]
    return plain or found


def _sound(sets: Iterable[tuple[Keys | None, Keys]]) -> bool:
    return all(kept is not None and keys <= kept for kept, keys in sets)


def _speaks(test: Condition, rows: RowSets) -> bool:
    """Whether the parameter's name holds the column's, and the word for a bound if it is one."""
    names = {simple(test.column), simple(rows.captured.get(test.column, ""))} - {""}
    called = simple(test.name)
    rest = min((called.replace(name, "", 1) for name in names if name in called), key=len, default=None)
    if rest is None:
        return False
    return rest in _BOUND_WORDS[test.does] if test.does in _BOUND_WORDS else test.does in ("=", "has")


def _candidates(name: str, rows: RowSets) -> Iterator[Condition]:
    bounds: tuple[Literal["min", "max", "over", "under"], ...] = ("min", "max", "over", "under")
    for column in rows.columns:
        yield from (Condition(name, "=", column, kind) for kind in _EQUAL)
        yield Condition(name, "has", column, "items")
        if not name.startswith("/"):
            yield Condition(name, "prefix", column, "folded")
            yield Condition(name, "contains", column, "folded")
            for kind in ("number", "date"):
                if any(worth is not None for worth in rows.worth(column, kind).values()):
                    yield from (Condition(name, does, column, kind) for does in bounds)
    if not name.startswith("/"):
        yield Condition(name, "prefix", "key", "folded")


def _labelled(name: str, shown: Shown, rows: RowSets) -> Iterator[Condition]:
    """Columns that hold one text for each value, and another for every other value."""
    if len({value for value, _ in shown}) < 2:
        return
    for column in rows.columns:
        labels: dict[str, set[str | None]] = defaultdict(set)
        for value, keys in shown:
            labels[value] |= {rows.rows[key].get(column) for key in keys}
        texts = [text for found in labels.values() for text in found]
        if len(texts) == len(labels) == len(set(texts)) and None not in texts:
            pairs = tuple(sorted((value, next(iter(found)) or "") for value, found in labels.items()))
            yield Condition(name, "=", column, "text", labels=pairs)


@dataclass(frozen=True)
class Choice:
    """What decides which rows a list has."""

    tests: tuple[Condition, ...] = ()
    searches: tuple[Search, ...] = ()

    def rows_of(self, one: Seen, rows: RowSets, family: Sequence[str]) -> Keys | None:
        """The rows that a list has by this choice; None if a value's effect is not known."""
        values: dict[str, list[str]] = defaultdict(list)
        values["/"] = [one.path]
        for number, piece in enumerate(family, 1):
            values[f"/{number}"] = [piece]
        for name, value in one.given:
            values[name].append(value)
        known = {test.name for test in self.tests} | {search.name for search in self.searches}
        if any(name not in known for name, _ in one.given):
            return None
        kept = rows.keys
        for test in self.tests:
            chosen = tested(test, values.get(test.name, []), rows)
            if chosen is None:
                return None
            kept &= chosen
        for search in self.searches:
            text = " ".join(values.get(search.name, []))
            if text or len(self.searches) == 1:
                chosen = rows.searched(search, text)
                if chosen is None:
                    return None
                kept &= chosen
        return kept


def tested(test: Condition, given: Sequence[str], rows: RowSets) -> Keys | None:
    """The rows that all values of one parameter leave, as `listanswer` joins them."""
    given = given or ([test.default] if test.default else [])
    if test.separator:
        given = [piece for value in given for piece in value.split(test.separator) if piece]
    given = [value for value in given if value not in test.idle]
    if test.several == "last":
        given = given[-1:]
    sets = []
    for value in given:
        denied = bool(test.negated) and value.startswith(test.negated)
        kept = rows.having(test, value.removeprefix(test.negated) if denied else value)
        if kept is None:
            return None
        sets.append(rows.keys - kept if denied else kept)
    if not sets:
        return rows.keys
    return frozenset.intersection(*sets) if test.several == "all" else frozenset().union(*sets)


@dataclass(frozen=True, order=True)
class Score:
    """How well a choice explains lists; the greater, the better."""

    not_wrong: int
    """Lists that it gets wrong, below zero."""
    exact: int
    fits: int
    """Lists captured in part whose rows are among those chosen."""

    @property
    def holds(self) -> bool:
        return self.not_wrong == 0 and self.exact + self.fits > 0


class Judge:
    """Lists of one family against choices of rows."""

    def __init__(self, lists: Lists, rows: RowSets, pieces: dict[str, tuple[str, ...]]) -> None:
        """`pieces` holds the variable pieces of every path."""
        self.lists, self.rows, self.pieces = lists, rows, pieces
        self.lacking = False
        """Whether rows may be missing from the table, so that a list may have more than are chosen."""

    def verdict(self, choice: Choice, one: Seen) -> str:
        """exact, fits, wrong, or silent where the choice says nothing."""
        kept = choice.rows_of(one, self.rows, self.pieces[one.path])
        if kept is None:
            return "silent"
        if one.whole:
            return "exact" if kept == one.rows else "wrong"
        told = not self.lists.totals or len(kept) in one.numbers
        if self.lacking:
            told = one.total is None or len(kept) <= one.total
        return "fits" if one.rows <= kept and told else "wrong"

    def score(self, choice: Choice, among: Iterable[Seen]) -> Score:
        found = [self.verdict(choice, one) for one in among]
        return Score(-found.count("wrong"), found.count("exact"), found.count("fits"))

    def with_names(self, names: Iterable[str]) -> list[Seen]:
        """Lists that are given some of these parameters and no other."""
        allowed = frozenset(names)
        return [one for one in self.lists.seen if {name for name, _ in one.given} <= allowed]


def place_test(judge: Judge, family: str) -> tuple[Condition, ...]:
    """What the path alone decides: nothing, rows that link to it, a column equal to a piece of it, or what was seen."""
    plain = judge.with_names(())
    options = place_options(judge)
    if not judge.lists.totals and not any(one.whole for one in plain):
        return _place_below(judge, options)
    scored = [(judge.score(Choice(tests), plain), tests) for tests in options]
    for score, tests in scored:
        if score.holds:
            rivals = [other for also, other in scored if other is not tests and also == score]
            rival = described(rivals[0]) if rivals else ""
            why = Why(evidence=score.exact, rival=rival, because=f"{score.exact} whole lists come out exactly")
            return tuple(replace(test, why=why) for test in tests)
    whole = sum(one.whole for one in plain)
    return (
        Condition("/", "seen", lists=f"{family} ", why=Why("looked up", whole, because="nothing computes its lists")),
    )


def place_options(judge: Judge) -> list[tuple[Condition, ...]]:
    """What a path may decide, the simplest first; what was seen is not among it."""
    rows = judge.rows
    options: list[tuple[Condition, ...]] = [()]
    if any(rows.table.links.values()):
        options.append((Condition("/", "links"),))
    pieces = max((len(found) for found in judge.pieces.values()), default=0)
    for number in range(1, pieces + 1):
        shown = [(judge.pieces[one.path][number - 1], one.rows) for one in judge.lists.seen]
        options += [(test,) for test in fitting(f"/{number}", shown, rows)]
    return options


def _place_below(judge: Judge, options: Sequence[tuple[Condition, ...]]) -> tuple[Condition, ...]:
    """The narrowest choice that leaves all the rows shown, where no list was seen whole and without a filter."""
    best: tuple[int, tuple[Condition, ...]] = (len(judge.rows.keys) * len(judge.lists.seen) + 1, ())
    for tests in options:
        size = 0
        for one in judge.lists.seen:
            bare = Seen(one.path, ())
            kept = Choice(tests).rows_of(bare, judge.rows, judge.pieces[one.path])
            if kept is None or not one.rows <= kept:
                break
            size += len(kept)
        else:
            best = min(best, (size, tests), key=lambda pair: pair[0])
    return best[1]


def filter_test(judge: Judge, choice: Choice, name: str, family: str) -> tuple[Condition | None, Condition | None]:
    """The condition that one parameter sets on the rows chosen so far, None if not even a look-up holds; its rival."""
    names = {test.name for test in choice.tests} | {search.name for search in choice.searches} | {name}
    among = [one for one in judge.with_names(names) if name in dict(one.given)]
    options: list[Condition] = []
    counts = [(one, [value for n, value in one.given if n == name and value.lower() not in IDLE]) for one in among]
    shown = [(values[0], one.rows) for one, values in counts if len(values) == 1]
    options += fitting(name, shown, judge.rows)
    for sign in ("!", "-", "~"):
        if any(value.startswith(sign) for value, _ in shown):
            plain = [(value, keys) for value, keys in shown if not value.startswith(sign)]
            options += [replace(test, negated=sign) for test in fitting(name, plain, judge.rows)]
    for separator in (",", "|", ";", " "):
        if any(separator in value for value, _ in shown):
            plain = [(value, keys) for value, keys in shown if separator not in value]
            options += [replace(test, separator=separator) for test in fitting(name, plain, judge.rows)]
    scored: list[tuple[Score, Condition]] = []
    for test in options:
        scored += [(judge.score(with_test(choice, one), among), one) for one in _variants(test, among, judge, choice)]
    best = max((score for score, _ in scored), default=None)
    if best is not None and best.holds:
        fit = [test for score, test in scored if score == best]
        rival = next((test for test in fit[1:] if telling_value(fit[0], test, judge.rows)), None)
        bits, named = fit[0].why.evidence, described([rival]) if rival else ""
        because = f"{best.exact} whole lists come out exactly, {best.fits} more agree"
        return replace(fit[0], why=Why(evidence=bits, rival=named, because=because)), rival
    return _seen_test(judge, choice, name, among, family), None


def fitting(name: str, shown: Shown, rows: RowSets) -> list[Condition]:
    """The tests that all the rows shown meet and that say more than chance would, best first."""
    return [test for bits, test in conditions(name, shown, rows)[: 2 * _MOST_RIVALS] if bits > 0]


def with_test(choice: Choice, test: Condition) -> Choice:
    """The choice with one test more, instead of another of the same parameter."""
    return Choice((*(one for one in choice.tests if one.name != test.name), test), choice.searches)


def _variants(test: Condition, among: Sequence[Seen], judge: Judge, choice: Choice) -> Iterator[Condition]:
    """The test with what repeated values may mean, and with the values that test nothing."""
    idle = set()
    for one in among:
        for value in (value for n, value in one.given if n == test.name and value.lower() in IDLE):
            rest = Seen(one.path, tuple(pair for pair in one.given if pair[0] != test.name), one.parts, one.whole)
            if judge.verdict(choice, rest) in ("exact", "fits"):
                idle.add(value)
    empty = any(one.whole and not one.rows and test.name in dict(one.given) for one in among)
    test = replace(test, idle=tuple(sorted(idle)), empties=empty and test.does in ("=", "has"))
    yield test
    if test.separator or any(sum(n == test.name for n, _ in one.given) > 1 for one in among):
        yield replace(test, several="all")
        yield replace(test, several="last")


def _seen_test(judge: Judge, choice: Choice, name: str, among: Sequence[Seen], family: str) -> Condition | None:
    """Membership that the filter itself showed on whole lists, if it gives every other whole list that has it.

    Of a family with several paths none is the broadest, so that it must have been seen elsewhere.
    """
    options = list(judge.rows.latent.get(name, ()))
    if not any(judge.pieces.values()) and (latent := seen_lists(name, among)):
        why = Why("looked up", len(latent), because="no column explains it: rows that were seen with each value")
        own = Condition(name, "seen", lists=f"{family}?{name}=", why=why)
        for value, keys in sorted(latent.items()):
            judge.rows.remember(own.lists + value, keys)
        options.append(own)
    for test in options:
        for one in _variants(test, among, judge, choice):
            score = judge.score(with_test(choice, one), among)
            if score.holds:
                judge.rows.latent.setdefault(name, []).append(test)
                return one
    return None


def seen_lists(name: str, among: Iterable[Seen]) -> dict[str, Keys]:
    """Value -> rows of the broadest whole list that is given this value and nothing else that chooses rows."""
    latent: dict[str, Keys] = {}
    for one in among:
        if one.whole and len(one.given) == 1 and one.given[0][0] == name:
            value = one.given[0][1]
            latent[value] = max(latent.get(value, frozenset()), one.rows, key=len)
    return latent


def with_default(judge: Judge, place: tuple[Condition, ...], name: str) -> Condition | None:
    """The test of a parameter with the value that counts where it is absent, if lists without it come out only so."""
    plain = judge.with_names(())
    among = [one for one in judge.with_names((name,)) if one.given]
    shown = [(value, one.rows) for one in among for _, value in one.given if value.lower() not in IDLE]
    for test in fitting(name, shown, judge.rows)[:3] if plain else ():
        values = {value for value, _ in shown}
        texts = {row.get(test.column, "") for row in judge.rows.rows.values()} if test.does == "=" else set()
        for value in [*sorted(values), *sorted(texts - values)[:50]]:
            tried = replace(test, default=value)
            if value and judge.score(Choice((*place, tried)), plain).holds:
                fit = list(_variants(tried, among, judge, Choice(place)))
                scored = [(judge.score(Choice((*place, one)), among), one) for one in fit]
                score, best = max(scored, key=lambda pair: pair[0])
                because = f"{score.exact} whole lists come out exactly; {value!r} where it is absent"
                return replace(best, why=replace(best.why, because=because)) if score.holds else None
    return None


def described(tests: Iterable[Condition]) -> str:
    """Conditions in words."""
    named = {"links": "rows that link to the list", "seen": "rows that were seen"}
    found = [
        named.get(test.does) or f"{test.column} {test.does} {test.name}, compared as {test.kind}" for test in tests
    ]
    return " and ".join(found) or "all rows"


def telling_value(one: Condition, other: Condition, rows: RowSets) -> str:
    """A value for which two tests leave different rows; empty if there is none among the columns' texts."""
    texts = sorted(
        {row[column] for row in rows.rows.values() for column in (one.column, other.column) if column in row}
    )
    for text in texts[:200]:
        for value in (text, *words.words(text)[:1]):
            if rows.having(one, value) != rows.having(other, value):
                return value
    return ""
