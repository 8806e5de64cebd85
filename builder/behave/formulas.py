"""What a text is made of: variables, numbers written in the site's way, counts and sums of rows.

Formulas are plain lists, so that they can be stored as JSON and read by people. Standard library
only: a copy of this file is part of every emitted application.

Texts: ["text", piece, ...] with pieces of text and ["var", name]; ["number", style, amount];
["if", test, text, text]. Amounts: ["of", name]; ["lit", "4.90"]; ["+" | "-" | "*" | "min", a, b];
["count", view]; ["sum", view, amount of a row]; ["top", view, cell], the highest number there.
Tests: ["at least", amount, amount];
["same", name, name]; ["said", name]; ["zero", name]; ["digits", name]; ["row"]; ["not", test];
["is", name, text]; ["all", test, ...]; ["always"]; ["never"].
"""

import re
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any, NamedTuple

Formula = Sequence[Any]
Row = Mapping[str, str]
_NUMBER = re.compile(r"(\D*?)(-?)(\d[\d.,'\u00a0\u202f]*)(\D*)", re.S)


class Style(NamedTuple):
    """How a site writes an amount."""

    before: str
    after: str
    decimals: int
    point: str
    group: str


class Env(NamedTuple):
    """What formulas may speak of."""

    names: Mapping[str, str]
    """Variables: in.FIELD, url.N, path, referer, ent.COLUMN, old.CELL, user."""
    rows: Callable[[str], Sequence[Row]]
    """The rows of a view, cells by name."""
    row: bool = False
    """Whether a row was there before that fits the request."""


def read_number(text: str) -> tuple[Decimal, Style] | None:
    """The one number in a text, and how it is written; None if there is none or several.

    >>> read_number("€1,234.50")
    (Decimal('1234.50'), Style(before='€', after='', decimals=2, point='.', group=','))
    """
    found = _NUMBER.fullmatch(text)
    if not found:
        return None
    digits = found[3]
    marks = re.findall(r"\D", digits)
    point = group = ""
    if marks:
        tail = len(digits) - digits.rfind(marks[-1]) - 1
        if len(marks) == 1 and (tail != 3 or digits.startswith("0")) and marks[0] in ".,":
            point = marks[0]
        elif len(set(marks)) == 1:
            group = marks[0]
        else:
            group, point = marks[0], marks[-1]
    whole, _, part = digits.partition(point) if point else (digits, "", "")
    plain = whole.replace(group, "") if group else whole
    try:
        value = Decimal(f"{found[2]}{plain}.{part}" if part else f"{found[2]}{plain}")
    except InvalidOperation:
        return None
    return value, Style(found[1], found[4], len(part), point, group)


def written(value: Decimal, style: Style) -> str:
    """A number as the site writes it.

    >>> written(Decimal("1234.5"), Style("€", "", 2, ".", ","))
    '€1,234.50'
    """
    text = f"{abs(value):.{style.decimals}f}"
    whole, _, part = text.partition(".")
    if style.group and len(whole) > 3:
        whole = f"{int(whole):,}".replace(",", style.group)
    sign = "-" if value < 0 else ""
    return style.before + sign + whole + (style.point + part if part else "") + style.after


def text_of(formula: Formula, env: Env) -> str | None:
    """What a formula says; None where something that it speaks of is missing."""
    kind = formula[0]
    if kind == "text":
        pieces = [one if isinstance(one, str) else env.names.get(one[1]) for one in formula[1:]]
        return None if any(one is None for one in pieces) else "".join(map(str, pieces))
    if kind == "number":
        value = amount(formula[2], env.names, env)
        return None if value is None else written(value, Style(*formula[1]))
    if kind == "if":
        return text_of(formula[2] if holds(formula[1], env) else formula[3], env)
    raise ValueError(f"no formula is called {kind}")


def amount(formula: Formula, names: Mapping[str, str], env: Env) -> Decimal | None:
    """What an amount is worth; None where something that it speaks of is missing or no number."""
    kind = formula[0]
    if kind == "of":
        found = read_number(names.get(formula[1], ""))
        return found[0] if found else None
    if kind == "lit":
        return Decimal(formula[1])
    if kind == "count":
        return Decimal(len(env.rows(formula[1])))
    if kind == "top":
        found_all = [read_number(row.get(formula[2], "")) for row in env.rows(formula[1])]
        return max((one[0] for one in found_all if one is not None), default=Decimal(0))
    if kind == "sum":
        parts = [amount(formula[2], row, env) for row in env.rows(formula[1])]
        return None if any(part is None for part in parts) else sum((p for p in parts if p is not None), Decimal(0))
    one, other = amount(formula[1], names, env), amount(formula[2], names, env)
    if one is None or other is None:
        return None
    if kind == "+":
        return one + other
    if kind == "-":
        return one - other
    return one * other if kind == "*" else min(one, other)


def holds(test: Formula, env: Env) -> bool:
    """Whether a test holds; one that speaks of what is missing does not."""
    kind = test[0]
    if kind == "not":
        return not holds(test[1], env)
    if kind in ("always", "never"):
        return bool(kind == "always")
    if kind == "all":
        return all(holds(one, env) for one in test[1:])
    if kind == "row":
        return env.row
    if kind == "at least":
        one, other = amount(test[1], env.names, env), amount(test[2], env.names, env)
        return one is not None and other is not None and one >= other
    value = env.names.get(test[1], "")
    if kind == "said":
        return bool(value.strip())
    if kind == "digits":
        return value.strip().isdecimal()
    if kind == "zero":
        found = read_number(value)
        return found is not None and found[0] == 0
    return value == (test[2] if kind == "is" else env.names.get(test[2]))


def english(formula: Formula) -> str:
    """A formula as people read it.

    >>> english(["number", ["€", "", 2, ".", ","], ["*", ["of", "row.price"], ["of", "row.n"]]])
    'number(row.price * row.n)'
    """
    kind, rest = formula[0], formula[1:]
    if kind == "text":
        return " & ".join(repr(one) if isinstance(one, str) else one[1] for one in rest) or "''"
    if kind == "number":
        return f"number({english(rest[1])})"
    if kind == "if":
        return f"{english(rest[1])} if {english(rest[0])} else {english(rest[2])}"
    if kind in ("of", "lit", "said", "zero", "digits"):
        return str(rest[0]) if kind in ("of", "lit") else f"{kind}({rest[0]})"
    if kind == "sum":
        return f"sum of {english(rest[1])} in {rest[0]}"
    if kind == "top":
        return f"highest {rest[1]} in {rest[0]}"
    if kind in ("count", "not"):
        return f"count of {rest[0]}" if kind == "count" else f"not {english(rest[0])}"
    if kind in ("always", "never", "all"):
        return " and ".join(map(english, rest)) or str(kind)
    if kind == "row":
        return "there is such a row"
    if kind in ("same", "is"):
        return f"{rest[0]} = {rest[1]!r}" if kind == "is" else f"{rest[0]} = {rest[1]}"
    if kind == "min":
        return f"min({english(rest[0])}, {english(rest[1])})"
    return f"{english(rest[0])} {'>=' if kind == 'at least' else kind} {english(rest[1])}"
