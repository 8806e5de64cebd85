"""What a handler does to the rows of a view, to who is signed in, and where it leads.

Standard library only: a copy of this file is part of every emitted application, so that what was
checked against every recorded action when handlers were learned is what acts.

A choice is {"leaf": what} or {"test": test, "yes": choice, "no": choice}. An effect is {"view": name,
"page": formula, "match": [variable, cell], "choice": choice of what is done}; what is done is
{"do": "nothing" | "insert" | "update" | "delete" | "clear", "cells": {cell: formula}, "at": "end" | "start" |
cell that rows are in order of}.
"""

import html
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any
from urllib.parse import quote

from builder.behave.formulas import Env, Row, holds, read_number, text_of

Rows = tuple[dict[str, str], ...]
Spec = Mapping[str, Any]
_ANY = "[^/]+"
_GROUPED = re.compile(r"([A-Za-z_]+)[-_.\[]+(\d{1,4})[-_.\[\]]+([A-Za-z]\w*)\]?")


def chosen(choice: Spec, env: Env) -> Any:
    """The leaf that a choice comes to."""
    while "test" in choice:
        choice = choice["yes" if holds(choice["test"], env) else "no"]
    return choice["leaf"]


def matched(effect: Spec, rows: Sequence[Row], names: Mapping[str, str]) -> Row | None:
    """The row that a request speaks of."""
    if not effect["match"]:
        return None
    variable, cell = effect["match"]
    wanted = names.get(variable)
    return next((row for row in rows if wanted is not None and row.get(cell) == wanted), None)


def env_of(effect: Spec, rows: Sequence[Row], names: Mapping[str, str], others: Callable[[str], Sequence[Row]]) -> Env:
    """What the formulas of an effect may speak of."""
    names = as_markup(names)
    old = matched(effect, rows, names)
    known = {**names, **{f"old.{cell}": value for cell, value in (old or {}).items()}}
    return Env(known, others, old is not None)


def all_acted(
    effect: Spec,
    derived: Spec,
    rows: Rows,
    names: Mapping[str, str],
    groups: Sequence[Mapping[str, str]],
    others: Callable[[str], Sequence[Row]],
) -> Rows | None:
    """The rows after a request, what it says of each of several things done one after the other."""
    for group in groups or ({},):
        said = {**names, **{f"in.{name}": value for name, value in group.items()}}
        found = acted(effect, derived, rows, env_of(effect, rows, said, others))
        if found is None:
            return None
        rows = found
    return rows


def acted(effect: Spec, derived: Spec, rows: Rows, env: Env) -> Rows | None:
    """The rows after a request; None where a formula speaks of what is missing."""
    done = chosen(effect["choice"], env)
    if done["do"] == "nothing":
        return rows
    if done["do"] == "clear":
        return ()
    old = matched(effect, rows, env.names)
    if done["do"] == "delete":
        return tuple(row for row in rows if row is not old)
    cells = {cell: text_of(formula, env) for cell, formula in done["cells"].items()}
    if any(text is None for text in cells.values()):
        return None
    said = {cell: str(text) for cell, text in cells.items()}
    if done["do"] == "update":
        return tuple(completed({**row, **said}, derived) if row is old else row for row in rows)
    return placed(rows, completed(said, derived), done["at"])


def completed(row: Row, derived: Spec) -> dict[str, str]:
    """A row with the cells that follow from others."""
    names = {f"row.{cell}": text for cell, text in row.items()}
    env = Env(names, lambda _: ())
    return {**row, **{cell: text_of(formula, env) or "" for cell, formula in derived.items()}}


def placed(rows: Rows, row: dict[str, str], at: str) -> Rows:
    """The rows with one more."""
    if at == "start":
        return (row, *rows)
    if at == "end":
        return (*rows, row)
    return tuple(sorted((*rows, row), key=lambda one: order_of(one.get(at, ""))))


def order_of(text: str) -> tuple[Decimal, str]:
    """What a text is put in order by: its number, then its letters."""
    found = read_number(text)
    return (found[0] if found else Decimal(0), text)


def request_names(
    family: str, path: str, leaves: Mapping[str, str], pairs: Iterable[tuple[str, str]]
) -> dict[str, str]:
    """The variables that a request gives; `family` is its path with the variable segments starred."""
    found = re.fullmatch(pattern_of(family), path)
    plain, groups = grouped(leaves)
    return {
        **{f"in.{name}": value.removeprefix("=") for name, value in {**plain, **(groups[0] if groups else {})}.items()},
        **{f"query.{name}": value for name, value in pairs},
        **{f"url.{number}": text for number, text in enumerate(found.groups() if found else ())},
        "path": path,
        "up": path.rstrip("/").rpartition("/")[0] + "/",
    }


def grouped(leaves: Mapping[str, str]) -> tuple[dict[str, str], tuple[dict[str, str], ...]]:
    """The fields of a form, and those that it has once for each of several things, by thing.

    >>> grouped({"f-0-id": "7", "f-0-n": "1", "f-1-id": "9", "f-1-n": "2", "code": ""})
    ({'code': ''}, ({'f-#-id': '7', 'f-#-n': '1'}, {'f-#-id': '9', 'f-#-n': '2'}))
    """
    found = {name: match for name in leaves if (match := _GROUPED.fullmatch(name))}
    suffixes: dict[str, set[str]] = {}
    for match in found.values():
        suffixes.setdefault(match[1], set()).add(match[3])
    plain: dict[str, str] = {}
    groups: dict[tuple[str, int], dict[str, str]] = {}
    for name, value in leaves.items():
        one = found.get(name)
        if one is None or len(suffixes[one[1]]) < 2:
            plain[name] = value
        else:
            groups.setdefault((one[1], int(one[2])), {})[f"{one[1]}-#-{one[3]}"] = value
    return plain, tuple(group for _, group in sorted(groups.items()))


def fields_of(leaves: Mapping[str, str]) -> set[str]:
    """The names of a form's fields, those of all things alike."""
    plain, groups = grouped(leaves)
    return {*plain, *(name for group in groups for name in group)}


def as_markup(names: Mapping[str, str]) -> dict[str, str]:
    """The variables with what a visitor typed written as text of a page, so that it is never markup.

    Pages show white space of any kind as one space.
    """
    return {
        name: html.escape(" ".join(value.split()), quote=False) if name.startswith(("in.", "query.", "url.")) else value
        for name, value in names.items()
    }


def as_address(names: Mapping[str, str]) -> dict[str, str]:
    """The variables, and those that are addresses as they are written in the query of another."""
    quoted = {f"{name}:quoted": quote(names[name], safe="") for name in ("path", "referer", "up") if name in names}
    return {**names, **quoted}


def pattern_of(family: str) -> str:
    """A family of paths as a regular expression.

    >>> re.fullmatch(pattern_of("/item/*/"), "/item/7/")[1]
    '7'
    """
    return f"({_ANY})".join(re.escape(part) for part in family.split("*"))


def form_of(method: str, family: str, fields: Iterable[str]) -> str:
    """What requests of one form have in common, in one line."""
    return f"{method} {family} {','.join(sorted(fields))}".rstrip()


def filled(holes: Spec, env: Env, shown: Callable[[str], Sequence[Mapping[str, Any]]]) -> dict[str, Any] | None:
    """What stands in the holes of a part; None where a formula speaks of what is missing.

    `shown` gives the rows of a view as the template wants them.
    """
    found: dict[str, Any] = {}
    for hole, made in holes.items():
        value = _value(hole, made, env, shown)
        if value is None or (isinstance(value, list) and None in value):
            if hole.startswith("s"):
                continue
            return None
        found[hole] = value
    return found


def _value(hole: str, made: Sequence[Any], env: Env, shown: Callable[[str], Sequence[Mapping[str, Any]]]) -> Any:
    if made[0] == "view":
        return list(shown(made[1]))
    if made[0] == "each":
        return [filled(one, env, shown) for one in made[1]]
    if made[0] == "roles":
        return [filled(one, env, shown) for test, one in made[1] if holds(test, env)]
    if made[0] == "mixed":
        return [item for one in made[1:] for item in _value(hole, one, env, shown)]
    return holds(made, env) if hole.startswith("o") else text_of(made, env)
