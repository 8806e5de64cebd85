"""Programs that hold for the rows of a loop together, found from some of them and tried on all. Pure."""

from collections.abc import Iterator, Mapping, Sequence

from builder.induce.pagers import Explain
from builder.induce.parts import Data, TemplateNode
from builder.induce.repeats import Body, Repeat
from builder.induce.sight import Sight
from builder.induce.slots import Item, Program

_MOST_ROWS = 700
"""Rows that programs for all of a loop's rows are found from."""
_ATTEMPTS = 3
"""Times that programs for all rows are found, each time from what they got wrong too."""


def joint(
    body: TemplateNode,
    sight: Sight,
    items: Mapping[str, Item],
    placed: Sequence[tuple[int, str, Data]],
    explain: Explain,
) -> tuple[dict[int, Program], set[int]]:
    """Programs for the rows of all roles, computed ones only; and the numbers that have none."""
    chosen = _telling(placed)
    good: dict[int, Program] = {}
    wrong: dict[int, int] = {}
    lacking: set[int] = set()
    for attempt in range(_ATTEMPTS):
        some = [(number, role, row) for number, role, row in placed if number in chosen]
        inner = Sight(sight.pages, sight.spelling, sight.root, [(sight.of_page[n], items[role]) for n, role, _ in some])
        programs, missing = explain(body, inner, range(len(some)), [row for _, _, row in some])
        good = {number: one for number, one in programs.items() if one.learned == "computed"}
        lacking = missing | (programs.keys() - good.keys())
        wrong = _wrong(good, sight, items, [one for one in placed if one[0] not in chosen])
        if not wrong or attempt == _ATTEMPTS - 1:
            break
        chosen |= set(wrong.values())
    return {number: one for number, one in good.items() if number not in wrong}, lacking | wrong.keys()


def _wrong(
    programs: Body, sight: Sight, items: Mapping[str, Item], placed: Sequence[tuple[int, str, Data]]
) -> dict[int, int]:
    """Numbers whose program fails on a row that it was not found from, with the row's instance."""
    found: dict[int, int] = {}
    for instance, role, row in placed:
        for number, value in _values(row):
            program = programs.get(number)
            if program is None or number in found or isinstance(program, Repeat):
                continue
            given = program.value(sight.facts(instance), items[role])
            if given != value if isinstance(value, str) else bool(given) != bool(value):
                found[number] = instance
    return found


def _values(row: Data) -> Iterator[tuple[int, str | bool]]:
    """What stands in a row's slots and flags; empty texts may belong to what is not there, and are left out."""
    for number, value in row.items():
        if isinstance(value, dict):
            yield number, True
            yield from _values(value)
        elif value is None or isinstance(value, bool) or (isinstance(value, str) and value):
            yield number, False if value is None else value


def _telling(placed: Sequence[tuple[int, str, Data]]) -> set[int]:
    """Instances whose rows differ, and then others, as far as rows may be looked at."""
    rows: dict[int, list[Data]] = {}
    for number, _, row in placed:
        rows.setdefault(number, []).append(row)
    different = {repr(many): number for number, many in reversed(rows.items())}
    order = [*sorted(different.values()), *(number for number in rows if number not in set(different.values()))]
    most = max(8, _MOST_ROWS * len(rows) // max(1, len(placed)))
    step = max(1, len(different) // most)
    return set((order[: len(different)][::step] + order[len(different) :])[:most])
