"""Figures of a list's rows that a page may speak of: counts of a filter's values, least and most of a column. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from builder.induce.counts import AMONG
from builder.induce.listing import Facts
from builder.induce.slots import NO_ITEM, Hole, Item, Learned, Program, literal

_MOST_VALUES = 40
"""Values of one filter that are counted."""
_MOST_TEXTS = 6
"""Different texts of a column whose rows are counted."""
LEAST_DIFFERENT = 3
"""Different values that a figure must have to be believed: with fewer, chance finds one that fits."""


CURSORS = ("key", "sorted", "order,key")


@dataclass(frozen=True)
class Cursor:
    """What the page after this one is named by, in one of the `CURSORS` forms."""

    form: str
    learned: Learned = "computed"
    cost: float = 6.0

    def value(self, facts: Facts, item: Item = NO_ITEM) -> str:
        return facts.counting.cursor(self.form) if facts.counting is not None else ""

    def jinja(self) -> str:
        return f"cursor({literal(self.form)})"


@dataclass(frozen=True)
class Counted:
    """How many rows a value of a filter leaves."""

    name: str
    text: str
    among: str = "list"
    learned: Learned = "computed"
    cost: float = 9.0

    def value(self, facts: Facts, item: Item = NO_ITEM) -> int:
        return facts.counting.count(self.name, self.text, self.among) if facts.counting else 0

    def jinja(self) -> str:
        among = "" if self.among == "list" else f", {literal(self.among)}"
        return f"count({literal(self.name)}, {literal(self.text)}{among})"


@dataclass(frozen=True)
class Figure:
    """A figure of the list's rows; see `counts.Counting.figure`."""

    verb: Literal["least", "most", "having", "different"]
    column: str
    text: str = ""
    learned: Learned = "computed"
    cost: float = 9.0

    def value(self, facts: Facts, item: Item = NO_ITEM) -> str:
        return facts.counting.figure(self.verb, self.column, self.text) if facts.counting else ""

    def jinja(self) -> str:
        text = f", {literal(self.text)}" if self.verb == "having" else ""
        return f"figure({literal(self.verb)}, {literal(self.column)}{text})"


def figures(
    pages: Sequence[Facts], spelling: str
) -> tuple[list[tuple[Program, list[str]]], list[tuple[Hole, list[str]]]]:
    """Numbers and texts that all pages can be asked for, with what each gives there; those that vary enough."""
    numbers: list[tuple[Program, list[str]]] = []
    texts: list[tuple[Hole, list[str]]] = []
    if not pages or any(page.counting is None for page in pages):
        return numbers, texts
    seen: set[tuple[str, ...]] = set()
    for program in _programs(pages):
        is_text = isinstance(program, Figure) and program.verb in ("least", "most")
        hole = Hole(program, (spelling,)) if is_text else None
        values = [str((hole or program).value(page)) for page in pages]
        if len(set(values)) < LEAST_DIFFERENT or tuple(values) in seen:
            continue
        seen.add(tuple(values))
        if hole is not None:
            texts.append((hole, values))
        else:
            numbers.append((program, values))
    return numbers, texts


def _programs(pages: Sequence[Facts]) -> Iterator[Program]:
    every = [page.counting for page in pages if page.counting is not None]
    first = every[0]
    for name in first.filters:
        if all(name in one.filters for one in every):
            for text in first.values(name, _MOST_VALUES):
                yield from (Counted(name, text, among) for among in AMONG)
    columns = set(first.columns).intersection(*(one.columns for one in every[1:]))
    for column in sorted(columns):
        yield from (Figure("least", column), Figure("most", column), Figure("different", column))
        yield from (Figure("having", column, text) for text in first.texts(column, _MOST_TEXTS))
