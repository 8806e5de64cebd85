"""What requests of one form do to the rows of a view, from the rows before and after. Pure."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations
from typing import Any, NamedTuple

from builder.behave import acting
from builder.behave.formulas import Env, Formula, holds, text_of
from builder.behave.pieces import branches
from builder.behave.search import Example, checked, formula_for, nothing, numbers_for, style_of, thresholds
from builder.behave.views import Row, Rows, View, by_key

_MOST_LIMITS, _FEW = 24, 3


class Case(NamedTuple):
    """One request of a form, and the rows on one page before and after it."""

    names: Mapping[str, str]
    before: Rows
    after: Rows
    address: str
    everywhere: Rows = ()
    """The rows of the view on all pages before it."""

    def others(self, _: str) -> Rows:
        return self.everywhere


class Done(NamedTuple):
    """What happened to the rows."""

    do: str
    old: Row | None = None
    new: Row | None = None
    place: int = 0


class Learned(NamedTuple):
    """An effect, and how many requests with how many different outcomes it rests on."""

    effect: dict[str, Any]
    examples: int
    changing: int


def effect_of(view: View, cases: Sequence[Case], naming: frozenset[str] = frozenset()) -> Learned | None:
    """The effect that gives the rows after every request; None if there is none of a known kind.

    `naming` are the variables by which a known thing is found.
    """
    done = [done_of(view, case) for case in cases]
    if any(one is None for one in done):
        return None
    known = [one for one in done if one is not None]
    changing = sum(one.do != "nothing" for one in known)
    page = _page(view, cases, known)
    if page is None:
        return None
    there = [n for n, case in enumerate(cases) if text_of(page, Env(case.names, nothing)) == case.address]
    if not there or any(one.do != "nothing" for n, one in enumerate(known) if n not in there):
        return None
    total = len(cases)
    cases, known = [cases[n] for n in there], [known[n] for n in there]
    for match, said in _readings(view, cases, known):
        effect: dict[str, Any] = {"view": view.name, "page": page, "match": match}
        envs = [acting.env_of(effect, case.before, case.names, case.others) for case in cases]
        choice = _choice(view, cases, said, envs, naming | frozenset(match[:1]))
        if choice is None:
            continue
        effect["choice"] = choice
        if all(
            acting.acted(effect, view.derived, case.before, env) == case.after
            for case, env in zip(cases, envs, strict=True)
        ):
            return Learned(effect, total, changing)
    return None


def cases_of(view: View, case: Case, groups: Sequence[Mapping[str, str]]) -> Iterator[Case]:
    """A request as one case, or as one for each thing that it speaks of, if they explain together what happened."""
    named = _naming(view, case.before, groups)
    if named is None:
        yield case
        return
    variable, cell = named
    after = by_key(view, case.after)
    found: list[Case] = []
    rows = case.before
    for group in groups:
        row = next(one for one in case.before if one.get(cell) == group[variable])
        new = after.get(row[view.key])
        names = {**case.names, **{f"in.{name}": value for name, value in group.items()}}
        found.append(case._replace(names=names, after=_exchanged(case.before, row, new)))
        rows = _exchanged(rows, row, new)
    yield from found if rows == case.after else [case]


def _naming(view: View, rows: Rows, groups: Sequence[Mapping[str, str]]) -> tuple[str, str] | None:
    """The field of each group, and the cell of a row, that are equal."""
    for variable in groups[0] if groups else ():
        for cell in (view.key, *view.stored, *view.derived):
            known = {row.get(cell) for row in rows} - {None, ""}
            if all(group.get(variable) in known for group in groups) and len(known) == len(rows):
                return variable, cell
    return None


def _exchanged(rows: Rows, row: Row, new: Row | None) -> Rows:
    return tuple(new if one is row and new is not None else one for one in rows if one is not row or new is not None)


def below(
    outcome: Mapping[str, Any], choice: dict[str, Any], known: Iterable[Mapping[str, str]], otherwise: Mapping[str, Any]
) -> dict[str, Any]:
    """What is done, below the outcomes that it is known under: under any other it is the other thing."""
    seen = {_branch(outcome, Env(acting.as_address(names), nothing)) for names in known}

    def hung(node: Any, path: str) -> dict[str, Any]:
        parted = _parted(node)
        if parted is None:
            return choice if path in seen else {"leaf": otherwise}
        yes, no = hung(parted[1], path + "y"), hung(parted[2], path + "n")
        return yes if yes == no else {"test": parted[0], "yes": yes, "no": no}

    return hung(outcome, "")


def _branch(node: Any, env: Env) -> str:
    path = ""
    while (parted := _parted(node)) is not None:
        side = holds(parted[0], env)
        node, path = parted[1 if side else 2], path + ("y" if side else "n")
    return path


def _parted(node: Any) -> tuple[Formula, Any, Any] | None:
    """The test and the two sides of an outcome, or of the formula of where it leads; None if there is but one."""
    if isinstance(node, Mapping) and "test" in node:
        return node["test"], node["yes"], node["no"]
    formula = node["leaf"].get("location") if isinstance(node, Mapping) else node
    if not formula or formula[0] != "if" or not {"user", "row"} & {*formula[1], *formula[1][-1]}:
        return None  # where it leads may be a matter of taste; who may go there is not
    return formula[1], formula[2], formula[3]


def done_of(view: View, case: Case) -> Done | None:
    """What happened; None if it was more than one thing."""
    before, after = by_key(view, case.before), by_key(view, case.after)
    gone, come = [key for key in before if key not in after], [key for key in after if key not in before]
    changed = [key for key in before if key in after and before[key] != after[key]]
    if not (gone or come or changed):
        return Done("nothing") if [*before] == [*after] else None
    if gone and not after and (len(gone) > 1 or not come):
        return Done("clear" if len(gone) > 1 else "delete", before[gone[0]])
    if len(gone) + len(come) + len(changed) > 1:
        return None
    if gone:
        return Done("delete", before[gone[0]])
    if changed:
        return Done("update", before[changed[0]], after[changed[0]])
    return Done("insert", None, after[come[0]], [*after].index(come[0]))


def _page(view: View, cases: Sequence[Case], done: Sequence[Done]) -> Formula | None:
    """Which page's rows a request changes."""
    addresses = view.addresses()
    if len(addresses) == 1:
        return ["text", addresses[0]]
    examples = [
        Example(case.address, Env(case.names, nothing))
        for case, one in zip(cases, done, strict=True)
        if one.do != "nothing"
    ]
    return formula_for(examples) if examples else ["text"]


def _readings(view: View, cases: Sequence[Case], done: list[Done]) -> Iterator[tuple[list[str], list[Done]]]:
    """How the changed row is named, with what happened; first with rows that were left as they are as written anew."""
    for match in _matches(view, cases, done):
        rows = [acting.matched({"match": match}, case.before, acting.as_markup(case.names)) for case in cases]
        again = [
            Done("update", dict(row), dict(row)) if one.do == "nothing" and row is not None else one
            for one, row in zip(done, rows, strict=True)
        ]
        if again != done and any(one.do == "update" for one in done):
            yield match, again
        yield match, done


def _matches(view: View, cases: Sequence[Case], done: Sequence[Done]) -> Iterator[list[str]]:
    """The variables and cells that are equal in every request and the row that it changed; at last none."""
    speaking = [
        (case, one.new or one.old) for case, one in zip(cases, done, strict=True) if one.do not in ("nothing", "clear")
    ]
    rows = [(case, row) for case, row in speaking if row is not None]
    if all(one.do in ("nothing", "clear") or (one.do == "insert" and len(cases) > 1) for one in done):
        yield []  # what only ever comes is named by nothing
    if rows:
        names = set.intersection(*(set(case.names) for case, _ in rows))
        cells = [view.key, *(cell for cell in view.stored if cell != view.key), *view.derived]
        for name in sorted(names, key=lambda name: (name.startswith("e"), name)):
            for cell in cells:
                if all(row.get(cell) == case.names[name] and row.get(cell) for case, row in rows):
                    yield [name, cell]
    yield []


def _choice(
    view: View, cases: Sequence[Case], done: Sequence[Done], envs: Sequence[Env], naming: frozenset[str]
) -> dict[str, Any] | None:
    labels = [one.do for one in done]
    if "clear" in labels:  # one row that goes may be all of them
        labels = ["clear" if one == "delete" else one for one in labels]

    def leaf(do: str, chosen: Sequence[int]) -> dict[str, Any] | None:
        return _leaf(view, [(cases[n], done[n], envs[n]) for n in chosen], do, naming)

    return branches(labels, envs, atoms_of(envs, labels), leaf)


def _leaf(
    view: View, found: Sequence[tuple[Case, Done, Env]], do: str, naming: frozenset[str]
) -> dict[str, Any] | None:
    if do not in ("insert", "update"):
        return {"do": do}
    changed = [
        cell
        for cell in view.stored
        if do == "insert" or any(one.old and one.new and one.old.get(cell) != one.new.get(cell) for _, one, _ in found)
    ]
    cells: dict[str, Formula] = {}
    for cell in changed:
        examples = [Example((one.new or {}).get(cell, ""), env) for _, one, env in found]
        formula = _kept_or_grown(cell, examples, naming) if do == "update" else None
        formula = formula or formula_for(examples, _next(view, cell) if do == "insert" else ())
        formula = formula or by_atoms(
            examples, partial(_kept_or_grown, cell, naming=naming) if do == "update" else None
        )
        if formula is None:
            return None
        cells[cell] = formula
    at = _place(found, [*view.stored, *view.derived]) if do == "insert" else "end"
    return None if at is None else {"do": do, "cells": cells, "at": at}


def _next(view: View, cell: str) -> list[Formula]:
    """Numbers that new things are given."""
    return [["+", ["top", view.name, cell], ["lit", "1"]]]


def by_atoms(
    examples: Sequence[Example], likelier: Callable[[Sequence[Example]], Formula | None] | None = None
) -> Formula | None:
    """A formula for each side of the first test that has one."""
    for atom in atoms_of([one.env for one in examples], [one.text for one in examples]):
        told = [holds(atom, one.env) for one in examples]
        parted = [[one for one, side in zip(examples, told, strict=True) if side == wanted] for wanted in (True, False)]
        sides = [(likelier and likelier(one)) or formula_for(one) if one else None for one in parted]
        if None not in sides:
            return ["if", atom, *sides]
    return None


def _kept_or_grown(cell: str, examples: Sequence[Example], naming: frozenset[str]) -> Formula | None:
    """What a field of the request says, or that on top of what the cell was; not what names the row or the thing."""
    fields = sorted({name for one in examples for name in one.env.names if name.startswith(("in.", "query."))} - naming)
    for name in fields:
        if all(one.env.names.get(name) == one.text for one in examples):
            return ["text", ["var", name]]
    own = f"old.{cell}"
    kept = {own, *fields}
    sums = [
        one
        for one in numbers_for([one._replace(env=_only(one.env, kept)) for one in examples])
        if one[2][0] == "+" and ["of", own] in one[2]
    ]
    steps = (_step(own, by, examples) for by in ("1", "-1"))
    return next(iter(sorted(sums, key=lambda one: "lit" in str(one))), None) or next(filter(None, steps), None)


def _step(own: str, by: str, examples: Sequence[Example]) -> Formula | None:
    """One more or one less than before, if every example is that."""
    styled = style_of([one.text for one in examples])
    if styled is None:
        return None
    formula = ["number", list(styled[0]), ["+", ["of", own], ["lit", by]]]
    return formula if checked(formula, examples) else None


def _only(env: Env, kept: set[str]) -> Env:
    return env._replace(names={name: text for name, text in env.names.items() if name in kept or name[0] == "e"})


def _place(found: Sequence[tuple[Case, Done, Env]], cells: Sequence[str]) -> str | None:
    if all(one.place == len(case.after) - 1 for case, one, _ in found):
        return "end"
    if all(one.place == 0 for _, one, _ in found):
        return "start"
    for cell in cells:
        orders = [[acting.order_of(row.get(cell, "")) for row in case.after] for case, _, _ in found]
        told = any(len(set(order)) > 1 for order in orders)
        if told and all(order == sorted(order) for order in orders):
            return cell
    return None


def atoms_of(envs: Sequence[Env], labels: Sequence[object]) -> list[Formula]:
    """Tests that may tell the requests apart, the plainest first."""
    names = sorted(set.intersection(*(set(env.names) for env in envs)))
    own = [name for name in names if name.startswith(("in.", "query."))]
    found: list[Formula] = [["row"], ["said", "known"], ["said", "user"]]
    found += [[kind, name] for name in own for kind in ("said", "zero", "digits")]
    found += [["same", one, other] for one, other in combinations(own, 2)]
    values = {name: {env.names[name] for env in envs} for name in own}
    found += [["is", name, value] for name in own if len(values[name]) <= 3 for value in sorted(values[name])]
    if len(set(labels)) < 2:
        return found
    olds = [name for name in names if name.startswith("old.")]
    for name in olds:
        seen = {env.names[name] for env in envs}
        found += [["is", name, value] for value in sorted(seen) if 1 < len(seen) <= _FEW]
    limits = [name for name in names if name.startswith(("e", "old.")) and not name.startswith("in.")][:_MOST_LIMITS]
    for name in own:
        amounts: list[Formula] = [["of", name], *(["+", ["of", name], ["of", old]] for old in olds)]
        found += [["at least", ["of", limit], amount] for amount in amounts for limit in limits]
        for label in dict.fromkeys(labels):
            found += thresholds(amounts, envs, [one == label for one in labels])
    return found
