"""Programs for the rows of a loop together."""

from collections.abc import Sequence

from builder.induce.explain import explain_frame
from builder.induce.joint import joint
from builder.induce.parts import Data, TemplateNode, TextPart
from builder.induce.parts import Slot as Hole
from builder.induce.sight import Sight
from builder.induce.slots import Item, Program
from builder.induce.values import computed
from tests.builder.induce.pages import facts

BODY = TextPart(Hole(1), False, "#text")


def _explained(
    _: TemplateNode, sight: Sight, picked: Sequence[int], rows: Sequence[Data]
) -> tuple[dict[int, Program], set[int]]:
    program = computed(sight, picked, [row[1] for row in rows])
    return ({}, {1}) if program is None else ({1: program}, set())


def _joint(said: Sequence[str]) -> tuple[dict[int, Program], set[int]]:
    """What is found where each page has one row, with its letter as a field."""
    pages = [facts(total=number) for number in range(1, len(said) + 1)]
    items: dict[str, Item] = {str(number): {"letter": "ab"[number % 2]} for number in range(len(said))}
    placed = [(number, str(number), {1: text}) for number, text in enumerate(said)]
    return joint(BODY, Sight(pages, "html"), items, placed, _explained)


def test_one_program_writes_all_rows() -> None:
    programs, missing = _joint([f"{'ab'[number % 2]} of {number + 1}" for number in range(900)])
    assert programs[1].jinja() == "(written(item.letter, 'html')) ~ ' of ' ~ (total)" and not missing


def test_a_row_that_was_not_looked_at_at_first_counts_too() -> None:
    said = [f"{'ab'[number % 2]} of {number + 1}" for number in range(900)]
    said[601] = "none of these"
    programs, missing = _joint(said)
    assert (programs, missing) == ({}, {1})


def test_what_nothing_computes_is_missing() -> None:
    assert _joint(["x", "yy", "z.", "q!", "x", "p", "t"]) == ({}, {1})
    assert explain_frame((BODY,), [(facts(), {1: "x"})]).programs[1].jinja() == "'x'"
