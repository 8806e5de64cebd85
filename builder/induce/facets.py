"""Facets explained: the values of a filter that a page offers, each with the rows that it would leave. Pure.

The rows of the loop are told apart first, then tied to values of a parameter that chooses rows; the numbers that stand
in them say among which rows they were counted. All of it must be so on every captured page.
"""

import html
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, product
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from builder.induce.counts import AMONG, pair_of
from builder.induce.fixed import role_fields
from builder.induce.joint import joint
from builder.induce.listing import Facts, Pairs
from builder.induce.pagers import Explain
from builder.induce.parts import Data, TemplateNode
from builder.induce.repeats import Body, Facet, Many, One, Repeat, fields_of, slots_of
from builder.induce.sight import Sight
from builder.induce.slots import Item
from builder.induce.texts import merged

Row = Mapping[str, Any]
Rows = Sequence[Sequence[Row]]
Names = Sequence[Sequence[str]]
Counts = Sequence[Mapping[str, dict[str, Any]]]
"""For each page what is counted of each value."""
_MOST_VALUES = 120
_LEAST_COUNTS = 3
"""Different counts, of different values, that one must have seen to believe that they are counts."""
_NUMBER = re.compile(r"\d{1,3}(?:[,.\u00a0\u202f]\d{3})+(?!\d)|\d+")
_COUNTED = re.compile(r"\W*\d+\W*$")
_ZEROS = ("hidden", "shown", "chosen", "only")


def facet(
    body: TemplateNode, sight: Sight, picked: Sequence[int], lists: Sequence[Sequence[Data]], explain: Explain
) -> list[One | Many] | None:
    """The rows of a loop as values of a filter; None if they are none, or if their numbers are not its counts."""
    pages = [sight.facts(number) for number in picked]
    if sight.root is not sight or any(page.counting is None for page in pages):
        return None
    flat = [[fields_of(body, row) for row in rows] for rows in lists]
    kinds = list(slots_of(body))
    slots = _Slots(
        [f"s{number}" for number, kind in kinds if kind == "#text"],
        [f"s{number}" for number, kind in kinds if kind[0] != "#"],
    )
    for found in _facets(pages, flat, slots):
        written = _body(found, body, sight, picked, lists, flat, explain)
        if written is not None:
            program, programs = written
            return [Many(program, programs)]
    return None


@dataclass(frozen=True)
class _Slots:
    """Fields of a row that hold text, as `fields_of` names them."""

    texts: list[str]
    attributes: list[str]

    def __iter__(self) -> Iterator[str]:
        return iter((*self.texts, *self.attributes))


@dataclass(frozen=True)
class _Tied:
    """The rows of every page as values of one parameter, and the facet that gives them."""

    named: Names
    """For each page the value of each row."""
    program: Facet


def _facets(pages: Sequence[Facts], flat: Rows, slots: _Slots) -> Iterator[_Tied]:
    """Facets that give the rows of every page, what stands in them left out."""
    tried: set[tuple[str, tuple[tuple[str, ...], ...]]] = set()
    for name, named in _identities(pages, flat, slots):
        key = name, tuple(map(tuple, named))
        if key not in tried:
            tried.add(key)
            if (program := _program(name, named, pages, flat, slots)) is not None:
                yield _Tied(named, program)


def _identities(pages: Sequence[Facts], flat: Rows, slots: _Slots) -> Iterator[tuple[str, Names]]:
    """Parameters, with the value that each row of each page may stand for."""
    filters = _filters(pages)
    for name in filters:
        named = [
            [next((v for slot in slots if (v := told(row[slot], name, page.pairs))), "") for row in rows]
            for page, rows in zip(pages, flat, strict=True)
        ]
        if _is_key(named) and all(value for values in named for value in values):
            yield name, named
    for roles in _roles(flat, slots):
        for name in filters:
            values = _values(roles, name, pages, flat, slots)
            if values is not None:
                yield name, [[values[role] for role in names] for names in roles]
        plain = [[html.unescape(role) for role in names] for names in roles]
        yield from ((name, plain) for name in filters)


def _filters(pages: Sequence[Facts]) -> list[str]:
    """Parameters that every page's list can be counted by."""
    every = [page.counting.filters for page in pages if page.counting is not None]
    return [name for name in every[0] if all(name in names for names in every)]


def _is_key(named: Names) -> bool:
    different = {name for names in named for name in names}
    return len(different) <= _MOST_VALUES and all(len(set(names)) == len(names) for names in named)


def _roles(flat: Rows, slots: _Slots) -> Iterator[Names]:
    """Texts that tell rows apart, each or all together, as they are or without the number at their end."""
    for some in (*([slot] for slot in slots), slots.texts):
        said = [[" ".join(filter(None, (str(row[slot]).strip() for slot in some))) for row in rows] for rows in flat]
        for named in (said, [[_COUNTED.sub("", text) for text in texts] for texts in said]):
            if _is_key(named):
                yield named


def told(text: Any, name: str, pairs: Pairs) -> str:
    """The value of a parameter that an address, as it stands in a page, puts there or takes away; empty if none.

    >>> told("/films?genre=noir&amp;q=a", "genre", (("q", "a"),)), told("/films?q=a", "genre", (("genre", "noir"),))
    ('noir', 'noir')
    """
    plain = html.unescape(str(text))
    if not plain.startswith(("/", "?", "http")) and "?" not in plain:
        return ""
    try:
        asked = parse_qsl(urlsplit(plain).query, keep_blank_values=True)
    except ValueError:
        return ""
    new, old = _of(name, asked), _of(name, pairs)
    more, less = new - old, old - new
    for changed in (more, less if not more else Counter[str](), new if len(new) == 1 and not less else Counter[str]()):
        if changed.total() == 1 or (changed is not less and len(changed) == 1):
            return next(iter(changed))
    return ""


def _of(name: str, pairs: Iterable[tuple[str, str]]) -> Counter[str]:
    base, head = pair_of(name, "")
    return Counter(
        value.removeprefix(head) for one, value in pairs if one == base and value != head and value.startswith(head)
    )


def _values(roles: Names, name: str, pages: Sequence[Facts], flat: Rows, slots: _Slots) -> dict[str, str] | None:
    """Role -> the value that its rows' addresses put there or take away on every page; one role may be for no value."""
    common: dict[str, set[str]] = {}
    for names, page, rows in zip(roles, pages, flat, strict=True):
        for role, row in zip(names, rows, strict=True):
            said = {value for slot in slots if (value := told(row[slot], name, page.pairs))}
            if said:
                common[role] = common[role] & said if role in common else said
    values = {role: next(iter(found)) if len(found) == 1 else "" for role, found in common.items()}
    every = dict.fromkeys((role for names in roles for role in names), "") | values
    if not values or len(set(every.values())) < len(every):
        return None
    return every


def _program(name: str, named: Names, pages: Sequence[Facts], flat: Rows, slots: _Slots) -> Facet | None:
    """The facet that offers these values on these pages, if their numbers are counts of it."""
    values = list(dict.fromkeys(value for names in named for value in names))
    items = tuple({"value": value} for value in values)
    for among in AMONG:
        plain = Facet(name, items, among, "shown")
        for rest in (None, *_unlike(plain, named, pages, flat, slots)):
            told_apart = replace(plain, rest=rest)
            counted = [{row["value"]: row for row in told_apart.value(page)} for page in pages]
            if _shows_counts(counted, named, flat, slots) and (found := _arranged(told_apart, counted, named)):
                return found
    return None


def _unlike(plain: Facet, named: Names, pages: Sequence[Facts], flat: Rows, slots: _Slots) -> list[str]:
    """The only value whose number is never its count: it may stand for the rows without any."""
    counted = [{row["value"]: row["count"] for row in plain.value(page)} for page in pages]
    found = []
    for slot in slots:
        right: Counter[str] = Counter()
        wrong: Counter[str] = Counter()
        for counts, names, rows in zip(counted, named, flat, strict=True):
            for value, row in zip(names, rows, strict=True):
                if (number := last_number(row[slot])) is not None:
                    (right if counts[value] == number else wrong)[value] += 1
        if len(wrong) == 1 and len(right) > 1 and not right.keys() & wrong.keys():
            found += list(wrong)
    return list(dict.fromkeys(found))


def last_number(text: Any) -> int | None:
    """The last whole number in a text.

    >>> last_number("1990s (1,204)"), last_number("none")
    (1204, None)
    """
    found = _NUMBER.findall(html.unescape(str(text)))
    return int(re.sub(r"\D", "", found[-1])) if found else None


def _shows_counts(counted: Counts, named: Names, flat: Rows, slots: _Slots) -> bool:
    """Whether one text of the rows ends in the count wherever it has a number, and chance is no explanation."""
    for slot in slots:
        seen: set[tuple[str, int]] = set()
        for counts, names, rows in zip(counted, named, flat, strict=True):
            for value, row in zip(names, rows, strict=True):
                number = last_number(row[slot])
                if number is not None and counts[value]["count"] != number:
                    break
                seen |= {(value, number)} if number is not None else set()
            else:
                continue
            break
        else:
            if len(seen) >= _LEAST_COUNTS:
                return True
    return False


def _arranged(plain: Facet, counted: Counts, named: Names) -> Facet | None:
    """Which values stand there, and in what order."""
    longest = max(map(len, named))
    for zeros, order, first in product(_ZEROS, ("fixed", "count"), (False, True)):
        found = _in_order(replace(plain, zeros=zeros, order=order, first=first), counted, named)
        for limit in (0, longest):
            if found is not None and _gives(replace(found, limit=limit), counted, named):
                return replace(found, limit=limit)
    return None


def _in_order(plain: Facet, counted: Counts, named: Names) -> Facet | None:
    """The facet with its items in the one order that decides where nothing else does; None if there is none."""
    runs: list[list[str]] = []
    for counts, names in zip(counted, named, strict=True):
        keys = {
            name: (plain.first and counts[name]["on"], plain.order == "count" and counts[name]["count"])
            for name in names
        }
        runs += [list(run) for _, run in groupby(names, key=keys.__getitem__)]
    order = merged(runs)
    if order is None:
        return None
    alphabet = sorted(order, key=str.casefold)
    if all([name for name in alphabet if name in run] == run for run in runs):
        order = alphabet
    return replace(plain, items=tuple({"value": value} for value in order))


def _gives(program: Facet, counted: Counts, named: Names) -> bool:
    return all(
        [row["value"] for row in program.arranged([counts[str(item["value"])] for item in program.items])]
        == list(names)
        for counts, names in zip(counted, named, strict=True)
    )


def _body(
    tied: _Tied, body: TemplateNode, sight: Sight, picked: Sequence[int], lists: Sequence[Sequence[Data]], flat: Rows,
    explain: Explain,
) -> tuple[Facet, Body] | None:  # fmt: skip
    """The facet with what its items say, and the programs that write its rows; None if something has none."""
    order = [str(item["value"]) for item in tied.program.items]
    fields = role_fields(order, tied.named, flat, [sight.facts(number).pairs for number in picked])
    program = replace(tied.program, items=tuple({"value": value, **fields[value]} for value in order))
    items: dict[str, Item] = {}
    placed: list[tuple[int, str, Data]] = []
    for number, names, rows in zip(picked, tied.named, lists, strict=True):
        given = {row["value"]: row for row in program.value(sight.facts(number))}
        for value, row in zip(names, rows, strict=True):
            items[f"{number} {value}"] = given[value]
            placed.append((number, f"{number} {value}", row))
    programs, missing = joint(body, sight, items, placed, explain)
    return None if missing else (_pruned(program, programs), programs)


def _pruned(program: Facet, programs: Body) -> Facet:
    """The facet with those fields only that its rows' programs read."""
    if any(isinstance(one, Repeat) for one in programs.values()):
        return program
    read = {name for one in programs.values() for name in re.findall(r"\bitem\.(\w+)", one.jinja())}
    kept = [{name: field for name, field in item.items() if name in read | {"value"}} for item in program.items]
    return replace(program, items=tuple(kept))
