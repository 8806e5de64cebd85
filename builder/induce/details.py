"""Pages of single things that nobody opened, made of what lists say of them. Pure.

Where pages of some rows of a table were captured, their template is filled for the other rows: what the captured pages
copy from their rows' cards, and what follows from the address. What nothing tells stays empty; it is never another
row's. A page is made only where its heading is known, at least half of the holes of such pages, and enough of their
words that it is more than a heading.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from builder.induce.entities import Entity
from builder.induce.explain import Frame, explain_frame
from builder.induce.families import fits
from builder.induce.listing import Facts
from builder.induce.listquery import Condition, ListQuery, Why
from builder.induce.pages import Kind
from builder.induce.parts import Choice, Data, ElementPart, Loop, Option, Raw, Same, Slot, TemplateNode, TextPart
from builder.induce.repeats import Repeat
from builder.induce.rows import texts
from builder.induce.slots import Constant, Item, Program
from builder.induce.tables import columns_of

LEAST_PAGES = 4
"""Captured pages that must show how one is made of its row."""
_SHARE = 0.6
"""Share of a kind's pages that are about rows of the table."""
ENOUGH = 0.5
"""Share of the holes of captured pages that what is known of their rows must fill rightly."""
LEAST_SHOWN = 0.4
"""Share of the words of captured pages, menus and all, that a page must show: else it is a heading over nothing."""


@dataclass(frozen=True, eq=False)
class Detail:
    """How pages of a table's rows are written that nobody opened."""

    family: str
    entity: Entity
    kind: Kind
    frame: Frame
    fields: Mapping[str, str]
    """What the frame calls a column of the row -> the column, as SQL names it."""
    query: ListQuery
    known: float
    """Share of the holes of the captured pages that are filled as the site did."""


def details(
    found: Sequence[Kind], tables: Iterable[Entity], names: Mapping[str, str], part_of: Mapping[str, str]
) -> Iterator[Detail]:
    """For each table the pages of its rows that can be made, the table with most rows first."""
    for entity in tables:
        for kind in found:
            if detail := _detail(kind, entity, names, part_of):
                yield detail


def _detail(kind: Kind, entity: Entity, names: Mapping[str, str], part_of: Mapping[str, str]) -> Detail | None:
    rows = entity.table.rows
    opened = [number for number, page in enumerate(kind.pages) if page.path in rows and not page.pairs]
    if len(opened) < max(LEAST_PAGES, _SHARE * len(kind.pages)):
        return None
    families = Counter(part_of.get(kind.pages[n].family, kind.pages[n].family) for n in opened)
    family, count = families.most_common(1)[0]
    paths = {page.path for page in (*kind.pages, *kind.kept)}
    unopened = [key for key in rows if key not in paths and fits(family, key) and "?" not in key]
    if "*" not in family or count < len(opened) or not unopened:
        return None
    sql = columns_of(entity.table)
    columns = sorted({column for key in unopened for column in rows[key]} - {"page_text"})
    calls = {column: number for number, column in enumerate(columns)}
    items = [_item(rows[kind.pages[number].path], calls) for number in opened]
    facts = [Facts(kind.pages[number].path, (), names=names) for number in opened]
    read = [(one, kind.data[number]) for one, number in zip(facts, opened, strict=True)]
    frame = explain_frame(kind.template, read, items=items)
    frame = replace(frame, programs=_honest(kind.template, frame, [kind.data[number] for number in opened]))
    known = _known(frame, read, items)
    if known < ENOUGH or not _heads(kind.template, frame) or _shown(frame, read, items) < LEAST_SHOWN:
        return None
    fields = {f"s{number}": sql[column] for column, number in calls.items()}
    because = f"made of what lists say: {known:.0%} of the holes of such pages are known"
    why = Why("approximate", len(opened), because=because)
    query = ListQuery(family, entity.table.name, tests=(Condition("/", "=", "key"),), members=why)
    return Detail(family, entity, kind, frame, fields, query, known)


def _item(row: Mapping[str, str], calls: Mapping[str, int]) -> dict[str, Any]:
    """A row under the names that programs use: its texts, and which of them it has."""
    texts = {f"s{calls[column]}": text for column, text in row.items() if column in calls}
    return {**texts, **{f"h{number}": column in row for column, number in calls.items()}}


def _honest(template: Sequence[TemplateNode], frame: Frame, datas: Sequence[Data]) -> dict[int, Program]:
    """The programs that were computed; for the rest nothing, and of several forms of one part the commonest."""
    found: dict[int, Program] = {}
    for number, empty in _empties(template, datas):
        program = frame.programs.get(number)
        is_known = program is not None and number not in frame.open and program.learned == "computed"
        found[number] = program if is_known and program is not None else empty
    return found


def _empties(nodes: Sequence[TemplateNode], datas: Sequence[Data]) -> Iterator[tuple[int, Program]]:
    """Every number outside loops with what stands there if nothing is known."""
    for node in nodes:
        match node:
            case TextPart(text, space, _):
                yield text.number, Constant("")
                yield from _flags((space,), datas)
            case Raw(number):
                yield number, Constant("")
            case Option(number, body):
                yield number, Constant(False)
                yield from _empties((body,), [data[number] for data in datas if data.get(number) is not None])
            case Choice(number, bodies):
                counted = Counter(int(data[number]) for data in datas)
                yield number, Constant(max(counted, key=lambda which: (counted[which], -which), default=0))
                for which, body in enumerate(bodies):
                    yield from _empties((body,), [data for data in datas if data[number] == which])
            case Loop(number, _):
                yield number, Repeat(())
            case ElementPart():
                yield from _flags((node.space, node.end_space), datas)
                if isinstance(node.close, Slot):
                    yield node.close.number, Constant(_commonest(node.close.number, datas))
                for one in node.attributes:
                    if one.present is not None:
                        yield from _flags((one.present,), datas)
                    if isinstance(one.value, Slot):
                        yield one.value.number, Constant("")
                yield from _empties(node.children, datas)
            case Same():
                pass


def _flags(flags: Iterable[bool | Slot], datas: Sequence[Data]) -> Iterator[tuple[int, Program]]:
    for flag in flags:
        if isinstance(flag, Slot):
            yield flag.number, Constant(_commonest(flag.number, datas))


def _commonest(number: int, datas: Sequence[Data]) -> Any:
    counted = Counter(data[number] for data in datas if number in data)
    return counted.most_common(1)[0][0] if counted else False


def _known(frame: Frame, read: Sequence[tuple[Facts, Data]], items: Sequence[Item]) -> float:
    """Share of the holes of the captured pages that the programs fill as the site did; a loop is one hole."""
    right = there = 0
    for (facts, data), item in zip(read, items, strict=True):
        good, many = _alike(frame.data(facts, item), data)
        right, there = right + good, there + many
    return right / there if there else 0.0


def _shown(frame: Frame, read: Sequence[tuple[Facts, Data]], items: Sequence[Item]) -> float:
    """Share of the words of the captured pages, their frame included, that the programs give."""
    given = there = 0
    for (facts, data), item in zip(read, items, strict=True):
        truth = Counter(" ".join(texts(frame.template, data)).split())
        mine = Counter(" ".join(texts(frame.template, frame.data(facts, item))).split())
        given, there = given + (truth & mine).total(), there + truth.total()
    return given / there if there else 0.0


def _alike(mine: Data, truth: Data) -> tuple[int, int]:
    right = there = 0
    for number, value in truth.items():
        if isinstance(value, dict):
            inner = mine.get(number)
            good, many = _alike(inner if isinstance(inner, dict) else {}, value)
            right, there = right + good, there + many
        else:
            right, there = right + (mine.get(number) == value), there + 1
    return right, there


def _heads(template: Sequence[TemplateNode], frame: Frame) -> bool:
    """Whether a heading or the title says what the row says, and not the same for all."""
    return any(
        number in frame.programs and not isinstance(frame.programs[number], Constant)
        for tag, number in _tagged(template)
        if tag in ("title", "h1", "h2")
    )


def _tagged(nodes: Sequence[TemplateNode], tag: str = "") -> Iterator[tuple[str, int]]:
    """Holes for text, each with the title or heading that it stands in."""
    for node in nodes:
        match node:
            case TextPart(text, _, _):
                yield tag, text.number
            case ElementPart():
                yield from _tagged(node.children, node.tag if node.tag in ("title", "h1", "h2") else tag)
            case Option(_, body):
                yield from _tagged((body,), tag)
            case _:
                pass
