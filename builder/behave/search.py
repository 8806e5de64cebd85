"""The simplest formula or decision that gives every example. Pure."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import combinations
from typing import Any, NamedTuple

from builder.behave.formulas import Env, Formula, Style, amount, holds, read_number, text_of, written

Names = Mapping[str, str]
_MOST_NUMBERS, _MOST_TEXTS, _SURE = 16, 400, 4
"""Variables that are tried in sums and products, and in texts; letters that a text has that is no accident."""


_KINDS = ("in.", "url.", "query.", "old.", "row.", "user", "known", "base.", "e")
"""Variables by their first letters, the likeliest first; those of known things come last but one."""
_ENTITY = len(_KINDS) - 1


class Example(NamedTuple):
    """A text, and what was known where it stood."""

    text: str
    env: Env


def nothing(_: str) -> Sequence[Names]:
    """The rows of views, where there are none to speak of."""
    return ()


def formula_for(
    examples: Sequence[Example], amounts: Sequence[Formula] = (), *, products: bool = False
) -> Formula | None:
    """A formula that gives every example; None if none is found. `amounts` are of what may be counted or summed.

    `products` says that a product is likelier than an equal text.
    """
    targets = [one.text for one in examples]
    same = len(set(targets)) == 1
    if products and not same and (found := next(_products(examples), None)):
        return found
    direct = [name for name in _shared(examples) if all(one.env.names[name] == one.text for one in examples)]
    near = [name for name in direct if _rank(name) < _ENTITY]
    if near and not (same and not targets[0]):
        return ["text", ["var", near[0]]]
    sure = len(examples) == 1 and len(targets[0]) >= _SURE and not targets[0].isdecimal()
    if direct and (not same or sure):
        return ["text", ["var", direct[0]]]
    if not same and (found := next(numbers_for(examples, amounts), None)):
        return found
    if not same or len(examples) == 1:
        found = _around(examples)
        if found:
            return found
    return ["text", *([targets[0]] if targets[0] else [])] if same else None


def _products(examples: Sequence[Example]) -> Iterator[Formula]:
    return (one for one in numbers_for(examples) if one[2][0] == "*")


def _shared(examples: Sequence[Example]) -> list[str]:
    """Variables that every example knows, the request's own first."""
    names = set.intersection(*(set(one.env.names) for one in examples))
    return sorted(names, key=lambda name: (_rank(name), name))[:_MOST_TEXTS]


def _rank(name: str) -> int:
    return next((number for number, kind in enumerate(_KINDS) if name.startswith(kind)), len(_KINDS))


def _around(examples: Sequence[Example]) -> Formula | None:
    """The value of one variable with the same text before and after it everywhere."""
    first, rest = examples[0], examples[1:]
    for name in _shared(examples):
        value = first.env.names[name]
        if not value or (len(value) < _SURE and (not rest or len({one.text for one in examples}) < 2)):
            continue
        at = first.text.find(value)
        if at < 0:
            continue
        before, after = first.text[:at], first.text[at + len(value) :]
        if all(one.text == before + one.env.names[name] + after and one.env.names[name] for one in rest):
            return ["text", *([before] if before else []), ["var", name], *([after] if after else [])]
    return None


def style_of(texts: Sequence[str]) -> tuple[Style, list[Decimal]] | None:
    """How these numbers are written, and what they are; None if they are none or are written in several ways."""
    found = [read_number(text) for text in texts]
    known = [one for one in found if one is not None]
    if len(known) < len(found) or not known:
        return None
    styles = {style._replace(group="", point="") for _, style in known}
    if len(styles) > 1:
        return None
    point = next((style.point for _, style in known if style.point), "")
    group = next((style.group for _, style in known if style.group), "")
    return known[0][1]._replace(group=group, point=point), [value for value, _ in known]


def numbers_for(examples: Sequence[Example], amounts: Iterable[Formula] = ()) -> Iterator[Formula]:
    """Formulas that give every example as a number, the simplest first."""
    styled = style_of([one.text for one in examples])
    if styled is None:
        return
    style, values = styled
    if any(written(value, style) != one.text for value, one in zip(values, examples, strict=True)):
        return
    for candidate in _amounts(examples, [*amounts]):
        worth = [amount(candidate, one.env.names, one.env) for one in examples]
        if worth == values:
            yield ["number", list(style), candidate]
        elif len(set(values)) > 1 and None not in worth:
            for sign in ("+", "-"):
                lit = {_rest(sign, value, one) for value, one in zip(values, worth, strict=True)}
                if len(lit) == 1 and (fixed := lit.pop()) is not None:
                    moved = (
                        ["+", candidate, ["lit", str(fixed)]] if sign == "+" else ["-", ["lit", str(fixed)], candidate]
                    )
                    yield ["number", list(style), moved]


def _rest(sign: str, value: Decimal, worth: Decimal | None) -> Decimal | None:
    if worth is None:
        return None
    return value - worth if sign == "+" else value + worth


def _amounts(examples: Sequence[Example], amounts: Sequence[Formula]) -> Iterator[Formula]:
    yield from amounts
    numeric = [
        name for name in _shared(examples) if all(read_number(one.env.names[name]) is not None for one in examples)
    ]
    own = [name for name in numeric if not name.startswith("e")][:_MOST_NUMBERS]
    others = [name for name in numeric if name.startswith("e")][: 3 * _MOST_NUMBERS]
    for name in own:
        yield ["of", name]
    for one, other in combinations(own, 2):
        yield ["+", ["of", one], ["of", other]]
        yield ["*", ["of", one], ["of", other]]
    for name in others:
        yield ["of", name]
        for one in own:
            yield ["*", ["of", name], ["of", one]]
    for one, other in combinations(own, 2):
        for cap in (*own, *others):
            if cap not in (one, other):
                yield ["min", ["+", ["of", one], ["of", other]], ["of", cap]]


class Choice(NamedTuple):
    """A test that splits examples, and what lies on either side; or one label."""

    label: Any = None
    test: Formula | None = None
    yes: "Choice | None" = None
    no: "Choice | None" = None

    def leaves(self) -> Iterator[Any]:
        if self.test is None:
            yield self.label
        else:
            for side in (self.yes, self.no):
                if side is not None:
                    yield from side.leaves()


def decide(labels: Sequence[Any], envs: Sequence[Env], atoms: Sequence[Formula], depth: int = 4) -> Choice | None:
    """A decision that gives every example its label; None if the atoms cannot tell them apart."""
    if len(set(labels)) == 1:
        return Choice(labels[0])
    if not depth:
        return None
    best: tuple[float, int, list[bool]] | None = None
    for place, atom in enumerate(atoms):
        told = [holds(atom, env) for env in envs]
        if len(set(told)) == 2:
            mixed = sum(
                _impurity([label for label, one in zip(labels, told, strict=True) if one == side])
                for side in (True, False)
            )
            if best is None or mixed < best[0]:
                best = (mixed, place, told)
    if best is None:
        return None
    sides = []
    for side in (True, False):
        chosen = [n for n, one in enumerate(best[2]) if one == side]
        sides.append(decide([labels[n] for n in chosen], [envs[n] for n in chosen], atoms, depth - 1))
    if sides[0] is None or sides[1] is None:
        return None
    return Choice(None, atoms[best[1]], sides[0], sides[1])


def _impurity(labels: Sequence[Any]) -> float:
    counts = [labels.count(label) for label in dict.fromkeys(labels)]
    return sum(count * (1 - count / len(labels)) for count in counts)


def thresholds(
    amounts: Iterable[Formula], envs: Sequence[Env], wanted: Sequence[bool], marks: frozenset[Decimal] = frozenset()
) -> Iterator[Formula]:
    """Tests of one amount against the roundest number that tells the examples apart, if it can be one of the marks."""
    for one in amounts:
        worth = [amount(one, env.names, env) for env in envs]
        if None in worth:
            continue
        yes = [value for value, want in zip(worth, wanted, strict=True) if want and value is not None]
        no = [value for value, want in zip(worth, wanted, strict=True) if not want and value is not None]
        if yes and no and min(yes) > max(no):
            yield ["at least", one, ["lit", str(roundest(max(no), min(yes), marks))]]
        elif yes and no and min(no) > max(yes):
            yield ["not", ["at least", one, ["lit", str(roundest(max(yes), min(no), marks))]]]


def roundest(above: Decimal, upto: Decimal, marks: frozenset[Decimal] = frozenset()) -> Decimal:
    """The number with fewest digits that is greater than one and at most the other, one of the marks if one is.

    >>> str(roundest(Decimal("59.00"), Decimal("61.50"))), str(roundest(Decimal(0), Decimal(1)))
    ('60', '1')
    """
    said = [mark for mark in marks if above < mark <= upto]
    if said:
        return min(said, key=lambda mark: (len(mark.normalize().as_tuple().digits), mark))
    for exponent in range(6, -6, -1):
        unit = Decimal(1).scaleb(exponent)
        number = (upto / unit).to_integral_value(rounding="ROUND_FLOOR") * unit
        if number > above:
            return number.normalize() if exponent < 0 else number.quantize(Decimal(1))
    return upto


def checked(formula: Formula, examples: Sequence[Example]) -> bool:
    """Whether a formula gives every example."""
    return all(text_of(formula, one.env) == one.text for one in examples)


Search = Callable[[Sequence[Example]], Formula | None]
