"""How an endpoint writes: rows, members that say which row this is, headers, and what is not there."""

from typing import Any

from builder.induce.documentrows import kinds_of
from builder.induce.documents import spots
from builder.induce.documentviews import alike, missing_view, view_of
from builder.induce.jsontext import parsed
from builder.induce.listing import Facts
from tests.builder.induce.json_documents import document

ROWS = [{"id": n, "size": n * 7 % 5} for n in range(1, 13)]
ONE = {"source": "/1", "before": "", "after": ""}


def listed(headers: Any = lambda page: ()) -> Any:
    """Three pages of four rows, each row with its number, and what is known of each page."""
    pages = [
        [{"id": row["id"], "rank": 100 + n * 4 + at} for at, row in enumerate(ROWS[::-1][n * 4 :][:4])]
        for n in range(3)
    ]
    others = [[{"id": row["id"], "rank": 100 + at} for at, row in enumerate(ROWS[:4])]]
    documents = [document(f"/x?page={n + 1}", rows, headers=headers(n + 1)) for n, rows in enumerate([*pages, *others])]
    (spot,) = spots(documents)
    numbers = [(1, 1), (2, 5), (3, 9), (1, 1)]
    facts = {
        one: Facts("/x", (), page, 3, 12, first, first + 3, 4, 4)
        for one, (page, first) in zip(documents, numbers, strict=True)
    }
    (kind,) = kinds_of([spot], frozenset())
    return spot, kind, facts


def test_a_member_that_counts_rows_is_worked_out() -> None:
    view = view_of(*listed())
    assert view is not None
    assert view.row == ["members", [["id", ["identity", True]], ["rank", ["place", "", 99, False, True]]]]


def test_a_header_of_lists_that_nothing_explains_leaves_no_view() -> None:
    assert view_of(*listed(lambda page: (("X-Total-Count", str(page * 31 + 5)),))) is None
    view = view_of(*listed(lambda page: (("X-Served", f"by {page * 31}"), ("X-Total-Pages", "3"))))
    assert view is not None
    assert view.left_out == ("X-Served",)


def test_what_is_not_there_is_said_of_other_names_too() -> None:
    gone = document("/x/9", {"detail": "No thing 9.", "code": 19}, status=404, path="/x/*")
    view = missing_view([gone], ONE)
    assert view is not None
    assert view.frame == ["value", '{"detail":"No thing NAMEOFWHATISASKEDFOR.","code":19}']
    assert missing_view([], ONE) is None


def test_answers_are_compared_with_the_order_of_keys_and_the_spelling_of_numbers() -> None:
    assert not alike(parsed('{"a": 1, "b": 2}'), parsed('{"b": 2, "a": 1}'))
    assert not alike(parsed("[1.0]"), parsed("[1]"))
    assert not alike(parsed('["1"]'), parsed("[1]"))
