"""Loops of the frame explained: pagers, current parameters, breadcrumbs, fixed rows with conditions. Pure."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from builder.induce.facets import facet
from builder.induce.fixed import Rows, role_fields
from builder.induce.joint import joint
from builder.induce.pagers import Explain, pager
from builder.induce.parts import Data, ElementPart, Loop, Option, TemplateNode
from builder.induce.repeats import ALWAYS, Body, Kept, Many, One, Repeat, Trail, fields_of, slots_of, stored
from builder.induce.sight import Sight
from builder.induce.slots import Constant, Item, Program
from builder.induce.texts import merged
from builder.induce.values import decided, looked_up, nearest

_MOST_ROLES = 400
_TOLD_APART = 24
"""Rows that may have programs of their own."""

Lists = Sequence[Sequence[Data]]


def repeat(loop: Loop, sight: Sight, picked: Sequence[int], lists: Lists, explain: Explain) -> Repeat | None:
    """The program of a loop, from the rows that each picked instance had; None if nothing explains it."""
    body = loop.body
    if not any(lists):
        return Repeat(())

    def roles(body: TemplateNode, sight: Sight, picked: Sequence[int], lists: Lists) -> list[One | Many] | None:
        return fixed(body, sight, picked, lists, explain)

    parts = (
        _same(body, lists)
        or pager(body, sight, picked, lists, explain, roles)
        or _listed(body, sight, picked, lists, explain)
        or facet(body, sight, picked, lists, explain)
        or roles(body, sight, picked, lists)
    )
    if parts is not None:
        return Repeat(tuple(parts))
    flat = [[fields_of(body, row) for row in rows] for rows in lists]
    rows = looked_up(sight, picked, flat)
    return None if rows is None else Repeat((Many(rows, stored(body)),))


def closest(loop: Loop, sight: Sight, picked: Sequence[int], lists: Lists) -> Repeat:
    """The rows of the captured page that is most like the one asked for."""
    flat = [[fields_of(loop.body, row) for row in rows] for rows in lists]
    return Repeat((Many(nearest(sight, picked, flat), stored(loop.body)),))


def _same(body: TemplateNode, lists: Lists) -> list[One | Many] | None:
    if any(rows != lists[0] for rows in lists):
        return None
    return [Many(Constant([fields_of(body, row) for row in lists[0]]), stored(body))]


def _listed(
    body: TemplateNode, sight: Sight, picked: Sequence[int], lists: Lists, explain: Explain
) -> list[One | Many] | None:
    """Rows that the request lists: its parameters, or what stands above its path."""
    flat = [[fields_of(body, row) for row in rows] for rows in lists]
    for program in _listings(body, sight, picked, flat):
        given = [program.value(sight.facts(number), sight.items[number]) for number in picked]
        if [len(rows) for rows in given] != [len(rows) for rows in lists]:
            continue
        placed = [
            (sight.of_page[number], item, row)
            for number, items, rows in zip(picked, given, lists, strict=True)
            for item, row in zip(items, rows, strict=True)
        ]
        inner = Sight(sight.pages, sight.spelling, sight.root, [(page, item) for page, item, _ in placed])
        programs, missing = explain(body, inner, range(len(placed)), [row for _, _, row in placed])
        if not missing and all(one.learned == "computed" for one in programs.values()):
            return [Many(program, programs)]
    return None


def _listings(
    body: TemplateNode, sight: Sight, picked: Sequence[int], flat: Sequence[Sequence[Mapping[str, Any]]]
) -> Iterator[Program]:
    kinds = dict(slots_of(body))
    pages = [sight.facts(number) for number in picked]
    sent = {name for page in pages for name, _ in page.pairs}
    for number, kind in kinds.items():
        if kind == "name":
            shown = {row[f"s{number}"] for rows in flat for row in rows}
            absent = tuple(sorted(sent - shown))
            yield Kept(absent)
            yield Kept(tuple(sorted(shown)), inverse=True)
    yield from (Kept((name,), inverse=True) for name in _named(body))
    if any(page.names for page in pages):
        yield from (Trail(start, end) for start in (0, 1, 2) for end in (0, 1))


def _named(node: TemplateNode) -> Iterator[str]:
    """Names that form fields in a row always have."""
    match node:
        case ElementPart():
            names = (one.value for one in node.attributes if one.name == "name")
            yield from (name for name in names if isinstance(name, str))
            for child in node.children:
                yield from _named(child)
        case Option(_, body):
            yield from _named(body)
        case _:
            pass


def fixed(
    body: TemplateNode, sight: Sight, picked: Sequence[int], lists: Lists, explain: Explain
) -> list[One | Many] | None:
    """Rows that are always the same ones, each there under a condition: choices, links, arrows."""
    if not any(lists):
        return []
    flat = [[fields_of(body, row) for row in rows] for rows in lists]
    found = _roles(body, flat)
    if found is None:
        return None
    order, named = found
    is_ordered = merged(named) is not None
    tests = {role: decided(sight, picked, [role in names for names in named]) if is_ordered else None for role in order}
    items = role_fields(order, named, flat, [sight.facts(number).pairs for number in picked])
    placed = [
        (number, role, row)
        for number, names, rows in zip(picked, named, lists, strict=True)
        for role, row in zip(names, rows, strict=True)
    ]
    shared, missing = joint(body, sight, items, placed, explain) if len(order) > 1 else ({}, {-1})
    is_known = None not in tests.values()
    bodies = _bodies(body, sight, order, placed, explain, shared, missing) if is_known else None
    if bodies is None:
        return _remembered(body, sight, picked, flat, [[items[role] for role in names] for names in named], shared)
    first = bodies[order[0]]
    is_alike = all(tests[role] == ALWAYS and bodies[role] is first for role in order)
    if is_alike and len(order) > 1:
        return [Many(Constant([items[role] for role in order]), first)]
    return [One(test, items[role], bodies[role]) for role, test in tests.items() if test is not None]


def _remembered(
    body: TemplateNode, sight: Sight, picked: Sequence[int], flat: Rows, items: Sequence[Sequence[Item]],
    shared: Mapping[int, Program],
) -> list[One | Many] | None:  # fmt: skip
    """Rows as some captured page had them, with everything in them computed that can be."""
    if sight.root is not sight:
        return None
    kept = [f"s{number}" for number, _ in slots_of(body) if number not in shared]
    given = [
        [{**item, **{name: row[name] for name in kept}} for item, row in zip(many, rows, strict=True)]
        for many, rows in zip(items, flat, strict=True)
    ]
    rows = looked_up(sight, picked, given) or nearest(sight, picked, given)
    return [Many(rows, {**stored(body), **shared})]


def _roles(body: TemplateNode, flat: Rows) -> tuple[list[str], list[list[str]]] | None:
    """What tells a loop's rows apart: the roles, and those of each instance's rows. If it can be, in one order."""
    kinds = dict(slots_of(body))
    texts = [number for number, kind in kinds.items() if kind == "#text"]
    rest = [number for number, kind in kinds.items() if kind in ("value", "name", "title", "aria-label", "id", "rel")]
    others = [number for number, kind in kinds.items() if kind[0] != "#" and number not in rest]
    which = [number for number, kind in kinds.items() if kind == "#choice"]
    texts += which
    masked = [[number] for number in (*rest[:4], *texts[:4])] + [texts, [*texts, *rest]]
    whole = [[number] for number in (*rest, *texts, *others)]
    longest = max(map(len, flat))
    best: tuple[list[str], list[list[str]]] | None = None
    loose: tuple[list[str], list[list[str]]] | None = None
    tried: list[tuple[list[int], Callable[[str], str]]] = [(numbers, _masked) for numbers in masked]
    tried += [(numbers, str) for numbers in whole]
    for numbers, written in tried:
        named = [["|".join(written(str(row[f"s{number}"])) for number in numbers) for row in rows] for rows in flat]
        if any(len(set(names)) < len(names) for names in named):
            continue
        order = merged(named)
        most = min(_MOST_ROLES, max(2 * longest, 8)) if best is None else len(best[0]) - 1
        if order is not None and len(order) <= most:
            best = order, named
        if order is None:
            some = list(dict.fromkeys(name for names in named for name in names))
            if len(some) < (_MOST_ROLES if loose is None else len(loose[0])):
                loose = some, named
    if best is None and len({len(rows) for rows in flat}) == 1 and longest <= _TOLD_APART:
        named = [[str(at) for at in range(longest)] for _ in flat]
        return named[0], named
    return best or loose


def _masked(text: str) -> str:
    return re.sub(r"\d+([.,]\d+)*", "0", text) if not text.strip().isdigit() else text


def _bodies(
    body: TemplateNode, sight: Sight, order: Sequence[str], placed: Sequence[tuple[int, str, Data]], explain: Explain,
    shared: Body, missing: set[int],
) -> dict[str, Body] | None:  # fmt: skip
    """Each role's programs: the same for all if such can be computed, else some of its own."""
    if not missing:
        return dict.fromkeys(order, shared)
    if len(order) > _TOLD_APART:
        return None
    found: dict[str, Body] = {}
    for role in order:
        some = [(number, row) for number, one, row in placed if one == role]
        own, unexplained = explain(body, sight, [number for number, _ in some], [row for _, row in some])
        if unexplained:
            return None
        found[role] = own | {
            number: program
            for number, program in shared.items()
            if number in own and not isinstance(own[number], Constant)
        }
    return found
