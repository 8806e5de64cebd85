"""What requests do to rows, from the rows before and after."""

from typing import Any

from builder.behave import acting
from builder.behave.effects import Case, below, cases_of, effect_of
from builder.behave.search import nothing
from builder.behave.views import Rows, View, views_of
from tests.builder.behave.test_views import LAMP, OIL, WICK, cart, part_of


def view_of(*states: tuple[tuple[str, int, int], ...]) -> tuple[View, list[Rows]]:
    """The view of a cart that was seen in these states, and its rows in each."""
    part, episode = part_of(*(cart(*state) for state in states))
    (view,) = views_of(part, [episode])
    return view, list(view.known.values())


def grouped(*lines: tuple[str, int]) -> dict[str, str]:
    fields = {"form-TOTAL": str(len(lines))}
    for number, (name, count) in enumerate(lines):
        fields |= {f"form-{number}-id": f"/p/{name}/", f"form-{number}-count": str(count)}
    return fields


def sent(fields: dict[str, str]) -> dict[str, str]:
    return acting.request_names("/cart", "/cart", fields, ())


def test_a_form_for_all_lines_is_one_request_for_each_line() -> None:
    view, rows = view_of(
        (), (LAMP, OIL), (("lamp", 2, 30), OIL), (("lamp", 2, 30),), (OIL, WICK), (("oil", 5, 5), WICK)
    )
    steps = [
        (grouped(("lamp", 2), ("oil", 3)), rows[1], rows[2]),
        (grouped(("lamp", 2), ("oil", 0)), rows[2], rows[3]),
        (grouped(("oil", 5), ("wick", 2)), rows[4], rows[5]),
    ]
    cases: list[Case] = []
    for fields, before, after in steps:
        cases += cases_of(view, Case(sent(fields), before, after, "/cart"), acting.grouped(fields)[1])
    assert len(cases) == 6
    learned = effect_of(view, cases)
    assert learned is not None
    fields = grouped(("oil", 0), ("wick", 9))
    done = acting.all_acted(learned.effect, view.derived, rows[4], sent(fields), acting.grouped(fields)[1], nothing)
    assert done is not None
    (row,) = done
    assert {"/p/wick/", "9", "18.00"} <= set(row.values())


def test_two_things_at_once_are_not_understood() -> None:
    view, rows = view_of((), (LAMP, OIL), (WICK,), (LAMP, OIL, WICK))
    assert effect_of(view, [Case({"in.id": "/p/wick/"}, rows[1], rows[2], "/cart")]) is None


def test_requests_that_never_reach_the_page_of_the_rows_are_not_understood() -> None:
    view, rows = view_of((), (LAMP, OIL), (("lamp", 2, 30), OIL))
    assert effect_of(view, [Case({"in.id": "/p/oil/"}, rows[1], rows[1], "/elsewhere")]) is None


def test_what_was_seen_under_one_outcome_is_not_done_under_another() -> None:
    outcome: dict[str, Any] = {
        "test": ["said", "user"],
        "yes": {"leaf": {"status": 302}},
        "no": {"leaf": {"status": 403}},
    }
    choice = {"leaf": {"do": "clear"}}
    hung = below(outcome, choice, [{"user": "ann"}], {"do": "nothing"})
    assert hung == {"test": ["said", "user"], "yes": choice, "no": {"leaf": {"do": "nothing"}}}
    assert below(outcome, choice, [{"user": "ann"}, {"user": ""}], {"do": "nothing"}) == choice


def test_a_field_that_is_sent_as_it_stands_writes_the_same_again() -> None:
    lines = [(("lamp", n, 30), OIL) for n in (1, 3, 3, 2)] + [(OIL, WICK), (("oil", 4, 5), WICK)]
    view, rows = view_of((), *lines)
    counts = [(rows[1], rows[2], "lamp", "3"), (rows[2], rows[2], "lamp", "3"), (rows[2], rows[4], "lamp", "2"),
              (rows[4], rows[4], "lamp", "2"), (rows[5], rows[6], "oil", "4")]  # fmt: skip
    cases = [
        Case(sent({"id": f"/p/{name}/", "count": count}), before, after, "/cart")
        for before, after, name, count in counts
    ]
    learned = effect_of(view, cases)
    assert learned is not None
    names = sent({"id": "/p/oil/", "count": "1"})
    after = acting.acted(learned.effect, view.derived, rows[6], acting.env_of(learned.effect, rows[6], names, nothing))
    assert after is not None and {"1", "5.00"} <= set(after[0].values())
