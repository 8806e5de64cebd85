"""What stands in the holes of a part, as formulas over rows and over who is signed in. Pure."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import combinations
from typing import Any

from builder.behave.contents import Values
from builder.behave.formulas import Env, Formula, amount, holds, read_number, text_of
from builder.behave.search import Example, decide, formula_for, thresholds
from builder.behave.spots import Part, Sight
from builder.behave.views import View, shape_of

RowsOf = Callable[[str], Sequence[Mapping[str, str]]]
"""The rows of a view, by its name."""
_SURE = 4
"""Different examples that make a formula a finding and not an accident."""


def amounts_of(views: Sequence[View]) -> list[Formula]:
    """What may be counted or summed, the likeliest first: products, rows, what changes by itself, and the rest."""
    found: list[tuple[int, Formula]] = []
    for view in views:
        found.append((1, ["count", view.name]))
        rows = [row for rows in view.known.values() for row in rows]
        numeric = [
            cell
            for cell in dict.fromkeys(cell for row in rows for cell in row)
            if rows and all(read_number(row.get(cell, "")) is not None for row in rows)
        ]
        for cell in numeric:
            formula = view.derived.get(cell)
            if formula is None or formula[0] != "number" or formula[2][0] == "*":
                rank = 0 if formula is not None else 2 if _moves(view, rows, cell) else 3
                found.append((rank, ["sum", view.name, ["of", cell]]))
        found += [(4, ["sum", view.name, ["*", ["of", a], ["of", b]]]) for a, b in combinations(numeric, 2)]
    return [formula for _, formula in sorted(found, key=lambda item: item[0])]


def _moves(view: View, rows: Sequence[Mapping[str, str]], cell: str) -> bool:
    """Whether one row has been seen with several values there."""
    values: dict[str, set[str]] = {}
    for row in rows:
        values.setdefault(row[view.key], set()).add(row[cell])
    return any(len(found) > 1 for found in values.values())


def explained(
    part: Part,
    sights: Sequence[Sight],
    views: Sequence[View],
    bases: Sequence[Values],
    rows: Sequence[RowsOf],
    users: Sequence[str],
    marks: frozenset[Decimal],
) -> dict[str, Any] | None:
    """Hole -> formula, test, or the view whose rows stand there; None if a hole is not explained.

    For each sight of the part: what a fresh visitor sees there, the rows of the views, and who is signed in. `marks`
    are numbers that the site speaks of.
    """
    mine = {view.loop: view for view in views if view.part is part}
    amounts = amounts_of(views)
    envs = []
    for base, of, user in zip(bases, rows, users, strict=True):
        known = {f"base.{hole}": value for hole, value in base.items() if isinstance(value, str)}
        envs.append(Env({**known, "user": user}, of))
    told = [(sight.values, env) for sight, env in zip(sights, envs, strict=True)]
    return _explained(told, mine, amounts, marks)


def _explained(
    told: Sequence[tuple[Values, Env]],
    mine: Mapping[str, View],
    amounts: Sequence[Formula],
    marks: frozenset[Decimal],
) -> dict[str, Any] | None:
    found: dict[str, Any] = {}
    for hole in dict.fromkeys(hole for values, _ in told for hole in values):
        there = [(values[hole], env) for values, env in told if hole in values]
        made: Any = _mixed(there, mine[hole], amounts, marks) if hole in mine else _one(there, amounts, marks)
        if made is None:
            return None
        found[hole] = made
    return found


def _one(there: Sequence[tuple[Any, Env]], amounts: Sequence[Formula], marks: frozenset[Decimal]) -> Any | None:
    """What stands in one hole; rows of which there are always as many are explained one by one."""
    values = [value for value, _ in there]
    if all(isinstance(value, bool) for value in values):
        return _test(values, [env for _, env in there], amounts, marks)
    if all(isinstance(value, str) for value in values):
        return piecewise([Example(value, env) for value, env in there], amounts, marks=marks)
    if len({len(value) for value in values}) > 1:
        return _roles(there, amounts, marks)
    rows = [_explained([(value[n], env) for value, env in there], {}, amounts, marks) for n in range(len(values[0]))]
    return None if None in rows else ["each", rows]


def _mixed(
    there: Sequence[tuple[Any, Env]], view: View, amounts: Sequence[Formula], marks: frozenset[Decimal]
) -> Any | None:
    """The rows of a view, with what may stand before and after them."""
    shapes = view.shapes
    if shapes is None:
        return ["view", view.name]
    sides: list[list[tuple[Any, Env]]] = [[], []]
    for items, env in there:
        rows = [n for n, item in enumerate(items) if shape_of(item) in shapes]
        first = rows[0] if rows else len(items)
        others = [[item for item in part if shape_of(item) not in shapes] for part in (items[:first], items[first:])]
        for side, found in zip(sides, others, strict=True):
            side.append((found, env))
    made = [_roles(side, amounts, marks) for side in sides]
    return None if None in made else ["mixed", made[0], ["view", view.name], made[1]]


def _roles(there: Sequence[tuple[Any, Env]], amounts: Sequence[Formula], marks: frozenset[Decimal]) -> Any | None:
    """Rows that are told apart by what is in them, each of which may be there or not."""
    longest = max((value for value, _ in there), key=len)
    order = [shape_of(row) for row in longest]
    lists = [[shape_of(row) for row in value] for value, _ in there]
    if any(len(set(shapes)) < len(shapes) or [one for one in order if one in shapes] != shapes for shapes in lists):
        return None
    found = []
    for shape in order:
        tests = [shape in shapes for shapes in lists]
        test = _test(tests, [env for _, env in there], amounts, marks)
        rows = [
            (value[shapes.index(shape)], env)
            for (value, env), shapes in zip(there, lists, strict=True)
            if shape in shapes
        ]
        holes = _explained(rows, {}, amounts, marks)
        if test is None or holes is None:
            return None
        found.append([test, holes])
    return ["roles", found]


def _test(
    values: Sequence[bool], envs: Sequence[Env], amounts: Sequence[Formula], marks: frozenset[Decimal]
) -> Formula | None:
    if len(set(values)) == 1:
        return ["always" if values[0] else "never"]
    for test in _tests(values, envs, amounts, marks):
        if all(holds(test, env) == value for value, env in zip(values, envs, strict=True)):
            return test
    return None


def _tests(
    values: Sequence[bool], envs: Sequence[Env], amounts: Sequence[Formula], marks: frozenset[Decimal]
) -> Iterator[Formula]:
    if [holds(["said", "user"], env) for env in envs] in (list(values), [not value for value in values]):
        yield from (["said", "user"], ["not", ["said", "user"]])
    for one in amounts:
        if one[0] == "count":
            some: Formula = ["at least", one, ["lit", "1"]]
            yield from (some, ["not", some])
            yield ["all", ["said", "user"], some]
    yield from thresholds(amounts, envs, values, marks)


def piecewise(
    examples: Sequence[Example], amounts: Sequence[Formula], depth: int = 2, marks: frozenset[Decimal] = frozenset()
) -> Formula | None:
    """One formula for all examples, or one for each side of a test."""
    whole = formula_for(examples, amounts)
    if whole is not None and all(text_of(whole, one.env) == one.text for one in examples):
        return whole
    for inner in range(depth):  # two plain sides are likelier than a side that is parted again
        for test in _splits(examples, amounts, marks):
            told = [holds(test, one.env) for one in examples]
            if len(set(told)) < 2:
                continue
            sides = [[one for one, side in zip(examples, told, strict=True) if side == want] for want in (True, False)]
            yes = piecewise(sides[0], amounts, inner, marks)
            no = piecewise(sides[1], amounts, inner, marks) if yes is not None else None
            if no is not None:
                return ["if", test, yes, no]
    return None


def _splits(examples: Sequence[Example], amounts: Sequence[Formula], marks: frozenset[Decimal]) -> Iterator[Formula]:
    """Tests that may part the examples.

    For each text that is common, the tests that tell it from the rest; where numbers are an amount with one of two
    numbers added, the tests that tell the two apart.
    """
    envs = [one.env for one in examples]
    for text in dict.fromkeys(one.text for one in examples):
        wanted = [one.text == text for one in examples]
        if sum(wanted) > 1 or len(examples) <= _SURE:
            yield from _tests(wanted, envs, amounts, marks)
    values = [found[0] if (found := read_number(one.text)) else None for one in examples]
    for part in amounts if None not in values else ():
        worth = [amount(part, env.names, env) for env in envs]
        rest = [None if one is None or value is None else value - one for value, one in zip(values, worth, strict=True)]
        if len(set(rest)) == 2 and None not in rest:
            yield from _tests([one == rest[0] for one in rest], envs, amounts, marks)
    yield ["said", "user"]


def branches(
    labels: Sequence[Any],
    envs: Sequence[Env],
    atoms: Sequence[Formula],
    leaf: Callable[[Any, Sequence[int]], Any | None],
) -> dict[str, Any] | None:
    """The decision that gives the labels, each leaf made of the examples that come to it; None if one cannot be."""
    choice = decide(labels, envs, atoms)
    if choice is None:
        return None

    def built(node: Any, chosen: Sequence[int]) -> dict[str, Any] | None:
        if node.test is None:
            made = leaf(node.label, chosen)
            return None if made is None else {"leaf": made}
        yes = built(node.yes, [n for n in chosen if holds(node.test, envs[n])])
        no = built(node.no, [n for n in chosen if not holds(node.test, envs[n])])
        return None if yes is None or no is None else {"test": node.test, "yes": yes, "no": no}

    return built(choice, range(len(labels)))
