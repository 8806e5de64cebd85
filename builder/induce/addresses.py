"""Addresses as edits of the request's own address, found from those that stood on several pages. Pure."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple
from urllib.parse import unquote_plus

from builder.induce import wording
from builder.induce.conditions import condition
from builder.induce.listing import Facts
from builder.induce.sight import Sight
from builder.induce.slots import NO_ITEM, Constant, Item, Learned, Program, literal, worst
from builder.induce.texts import merged, text

Pairs = list[tuple[str, str]]
Solve = Callable[[Sight, Sequence[int], Sequence[str]], Program | None]
_ORDERS = ("place", "end", "group", "front", "sorted")
_AMPERSANDS = ("&amp;", "&#038;", "&#38;", "&#x26;")


@dataclass(frozen=True)
class Step:
    """What is done to one parameter; where the condition does not hold, `unless` is done instead."""

    verb: str
    key: str
    value: Program | None = None
    when: Program | None = None
    unless: str = "drop"

    def plain(self, facts: Facts, item: Item) -> tuple[Any, ...]:
        if self.when is not None and not self.when.value(facts, item):
            return (self.unless, self.key)
        return (self.verb, self.key) if self.value is None else (self.verb, self.key, self.value.value(facts, item))

    def jinja(self) -> str:
        verb, value = literal(self.verb), "" if self.value is None else f", {self.value.jinja()}"
        if self.when is not None:
            verb = f"({verb} if {self.when.jinja()} else {literal(self.unless)})"
        return f"[{verb}, {literal(self.key)}{value}]"


@dataclass(frozen=True)
class Edit:
    """The current address with other pairs."""

    base: Program
    """What stands before the query."""
    steps: tuple[Step, ...] = ()
    others: bool = True
    """Whether parameters without a step stay."""
    order: str | tuple[str, ...] = "place"
    form: str = "+"
    amp: str = "&amp;"
    end: str = ""
    bare: bool = False
    alone: Program | None = None
    """The base where no query is left, if it is another one."""

    @property
    def learned(self) -> Learned:
        return worst([self.base, *(one for step in self.steps for one in (step.value, step.when) if one is not None)])

    @property
    def cost(self) -> float:
        return self.base.cost + 4.0 * len(self.steps) + 2.0

    def value(self, facts: Facts, item: Item = NO_ITEM) -> str:
        steps = [step.plain(facts, item) for step in self.steps]
        base = str(self.base.value(facts, item))
        alone = None if self.alone is None else str(self.alone.value(facts, item))
        return wording.address(
            base, facts.pairs, steps, self.others, self.order, self.form, self.amp, self.end, self.bare, alone
        )

    def jinja(self) -> str:
        steps = ", ".join(step.jinja() for step in self.steps)
        usual = Edit(self.base)
        named = [
            f", {name}={literal(getattr(self, name))}"
            for name in ("others", "order", "form", "amp", "end", "bare")
            if getattr(self, name) != getattr(usual, name)
        ]
        named += [f", alone={self.alone.jinja()}"] if self.alone is not None else []
        return f"address({self.base.jinja()}, [{steps}]{''.join(named)})"


class _Parsed(NamedTuple):
    base: str
    pairs: Pairs
    end: str


def looks_like_address(values: Sequence[str]) -> bool:
    """Whether texts are addresses of pages, or at least empty or queries alone."""
    return any("?" in value for value in values) and all(
        re.match(r"(https?:/)?/|\?|#|[\w./%-]+(\?|$)|$", value) and " " not in value.strip() for value in values
    )


def edit(sight: Sight, picked: Sequence[int], targets: Sequence[str], solve: Solve) -> Program | None:
    """An edit of the current address that gives every target, or None. `solve` finds what stands before the query."""
    amp = next((amp for amp in _AMPERSANDS if any(amp in target for target in targets)), "")
    plain = [target.replace(amp, "&") if amp else target for target in targets]
    parsed = list(map(_parsed, plain))
    if None in parsed:
        return None
    good = [one for one in parsed if one is not None]
    ends = {one.end for one in good}
    if len(ends) > 1:
        return None
    bases = _bases(sight, picked, good, solve)
    if bases is None:
        return None
    now = [list(sight.facts(number).pairs) for number in picked]
    steps = _steps(sight, picked, now, [one.pairs for one in good])
    if steps is None:
        return None
    forms = _forms([one.partition("?")[2].partition("#")[0] for one in plain])
    if not amp and any("&" in one for one in plain):
        amp = "&"
    found = Edit(
        bases[0], tuple(steps), form=forms[0], amp=amp or "&amp;", end=ends.pop(), bare=forms[1], alone=bases[1]
    )
    names = merged([list(dict.fromkeys(name for name, _ in one.pairs)) for one in good])
    return _arranged(sight, picked, targets, _simplified(found, now), names)


def _bases(
    sight: Sight, picked: Sequence[int], parsed: Sequence[_Parsed], solve: Solve
) -> tuple[Program, Program | None] | None:
    """What stands before a query, and what stands there where no query is left."""
    whole = [at for at, one in enumerate(parsed) if one.pairs]
    alone = [at for at, one in enumerate(parsed) if not one.pairs]
    if whole and alone and {parsed[at].base for at in whole} == {""}:
        without = solve(sight, [picked[at] for at in alone], [parsed[at].base for at in alone])
        return None if without is None else (Constant(""), without)
    base = solve(sight, picked, [one.base for one in parsed])
    return None if base is None else (base, None)


def _arranged(
    sight: Sight, picked: Sequence[int], targets: Sequence[str], found: Edit, names: list[str] | None
) -> Program | None:
    """The edit with its parameters in the order that the targets show."""
    if names:
        rank = {name: at for at, name in enumerate(names)}
        found = replace(found, steps=tuple(sorted(found.steps, key=lambda step: rank.get(step.key, len(rank)))))
    orders: list[str | tuple[str, ...]] = [*_ORDERS, *([tuple(names)] if names else [])]
    for order in orders:
        tried = replace(found, order=order)
        if sight.agrees(tried, picked, targets):
            return tried
    return None


def _parsed(address: str) -> _Parsed | None:
    rest, mark, end = address.partition("#")
    base, question, query = rest.partition("?")
    if question and not query:
        return None
    pairs = []
    for part in query.split("&") if query else ():
        name, _, value = part.partition("=")
        if not part:
            return None
        pairs.append((unquote_plus(name), unquote_plus(value)))
    return _Parsed(base, pairs, mark + end)


def _forms(queries: Sequence[str]) -> tuple[str, bool]:
    """How spaces and special characters are written, and whether empty parameters go without "="."""
    words = [word for query in queries for part in query.split("&") for word in part.split("=", 1)]
    plus = any("+" in word for word in words) or not any("%20" in word for word in words)
    safe = "".join(sorted({c for word in words for c in word if not c.isalnum() and c not in "_.-~%+" and c.isascii()}))
    bare = any(part and "=" not in part for query in queries for part in query.split("&"))
    return ("+" if plus else "%20") + safe, bare


def _steps(sight: Sight, picked: Sequence[int], now: Sequence[Pairs], wanted: Sequence[Pairs]) -> list[Step] | None:
    found: list[Step] = []
    for key in dict.fromkeys(name for pairs in (*wanted, *now) for name, _ in pairs):
        before = [[value for name, value in pairs if name == key] for pairs in now]
        after = [[value for name, value in pairs if name == key] for pairs in wanted]
        step = _step(sight, picked, key, before, after)
        if step is None:
            return None
        found.append(step)
    return found


def _step(
    sight: Sight, picked: Sequence[int], key: str, before: list[list[str]], after: list[list[str]]
) -> Step | None:
    if before == after:
        return Step("keep", key)
    if not any(after):
        return Step("drop", key)
    if after == [[value for value in values if value] for values in before]:
        return Step("filled", key)
    if all(len(values) == 1 for values in after) and not _defaulted(before, after):
        value = _value(sight, picked, key, [values[0] for values in after])
        if value is not None:
            return Step("set", key, value)
    return (
        _default(key, before, after)
        or _changed(sight, picked, key, before, after)
        or _when(sight, picked, key, before, after)
    )


def _defaulted(before: list[list[str]], after: list[list[str]]) -> bool:
    """Whether what is there is kept, and something else put where nothing is."""
    given = [(old, new) for old, new in zip(before, after, strict=True) if any(old)]
    return len({value for old, _ in given for value in old}) > 1 and all(old == new for old, new in given)


def _default(key: str, before: list[list[str]], after: list[list[str]]) -> Step | None:
    missing = {tuple(new) for old, new in zip(before, after, strict=True) if not any(old)}
    if len(missing) == 1 and all(old == new for old, new in zip(before, after, strict=True) if any(old)):
        (only,) = missing
        if len(only) == 1:
            return Step("default", key, Constant(only[0]))
    return None


def _changed(
    sight: Sight, picked: Sequence[int], key: str, before: list[list[str]], after: list[list[str]]
) -> Step | None:
    """Add, remove or toggle one value among those of the same name."""
    values: list[str] = []
    verbs: set[str] = set()
    for old, new in zip(before, after, strict=True):
        if len(new) > len(old) and new[:-1] == old:
            values.append(new[-1])
            verbs.add("again" if new[-1] in old else "add")
        elif len(new) < len(old):
            gone = [value for value in old if value not in new]
            if not gone or new != [value for value in old if value != gone[0]]:
                return None
            values.append(gone[0])
            verbs.add("remove")
        else:
            return None
    verb = {frozenset(("add",)): "toggle", frozenset(("remove",)): "remove", frozenset(("add", "remove")): "toggle",
            frozenset(("again",)): "add", frozenset(("add", "again")): "add"}.get(frozenset(verbs))  # fmt: skip
    value = _value(sight, picked, key, values)
    if verb is None or value is None:
        return None
    if verbs == {"add"} and not any(v in old for v, old in zip(values, before, strict=True)):
        verb = "toggle" if any(before) else "add"
    return Step(verb, key, value)


def _when(
    sight: Sight, picked: Sequence[int], key: str, before: list[list[str]], after: list[list[str]]
) -> Step | None:
    """A step that is done on some pages only."""
    among = sum(1 << number for number in picked)
    for unless, stays in (("drop", [not new for new in after]), ("keep", list(map(list.__eq__, before, after)))):
        there = [at for at, stay in enumerate(stays) if not stay]
        if not there or len(there) == len(stays):
            continue
        test = condition(sight.tests, sum(1 << picked[at] for at in there), among)
        if test is None:
            continue
        numbers = [picked[at] for at in there]
        inner = _step(sight, numbers, key, [before[at] for at in there], [after[at] for at in there])
        if inner is not None and inner.when is None:
            return replace(inner, when=test, unless=unless)
    return None


def _value(sight: Sight, picked: Sequence[int], key: str, wanted: Sequence[str]) -> Program | None:
    """What a parameter is set to: a number or a field of the row, a constant, a text."""
    is_paged = key in sight.page_keys or "n" in sight.fields
    if is_paged or len(set(wanted)) > 1:
        for number, vector in sight.numbers:
            if all(vector[at] == value for at, value in zip(picked, wanted, strict=True)):
                return number
    for hole, _ in sight.copies if len(set(wanted)) > 1 else ():
        plain = replace(hole, ways=hole.ways[:-1]) if hole.ways[-1:] == (sight.spelling,) else hole
        if sight.agrees(plain, picked, wanted):
            return plain
    if len(set(wanted)) == 1:
        return Constant(wanted[0])
    return text(sight, picked, wanted)


def _simplified(found: Edit, now: Sequence[Pairs]) -> Edit:
    """The edit with one rule for every parameter that no step is for: stay, or go."""
    there = {name for pairs in now for name, _ in pairs}
    keep = [step for step in found.steps if step.verb == "keep" and step.key in there]
    drop = [step for step in found.steps if step.verb == "drop"]
    others = len(keep) >= len(drop) or (bool(keep) and len(drop) <= 1) or (len(drop) == 1 and not keep)
    idle = keep if others else drop
    return replace(found, others=others, steps=tuple(step for step in found.steps if step not in idle))
