"""What is around rows: constants, numbers, addresses, flags, and what the last row says."""

from typing import Any

from builder.induce.documentframe import HOLE, Shown, frame_of
from builder.induce.jsontext import Number
from builder.induce.listing import Facts


def facts(page: int, total: int = 25) -> Facts:
    pairs = (("page", str(page)),) if page > 1 else ()
    first = (page - 1) * 10 + 1
    return Facts(
        "/x", pairs, page, -(-total // 10), total, first, min(first + 9, total), 10, min(10, total - first + 1)
    )


def shown(value: Any, page: int, total: int = 25, last: str = "") -> Shown:
    return Shown(value, facts(page, total), ({}, {"id": last} if last else {}))


def test_totals_and_flags_are_computed() -> None:
    pages = [(1, 25), (2, 25), (3, 25), (1, 7)]
    values = [{"n": Number(str(total)), "more": page * 10 < total, "rows": HOLE} for page, total in pages]
    frame = frame_of([shown(value, *at) for value, at in zip(values, pages, strict=True)])
    assert frame is not None
    assert frame.tree == [
        "object",
        [["n", ["number", "(total) ~ ''"], ""], ["more", ["flag", "page < pages"], ""], ["rows", ["rows"], ""]],
    ]


def test_a_cursor_is_what_the_last_row_says() -> None:
    frame = frame_of([shown({"next": key, "rows": HOLE}, n, last=key) for n, key in ((1, "k7"), (2, "a3"), (3, "z1"))])
    assert frame is not None
    assert frame.tree[1][0][1] == ["edge", -1, "id", "text"]


def test_what_nothing_explains_leaves_no_frame() -> None:
    assert frame_of([shown({"x": x}, 1) for x in ("owl", "elm")]) is None


def test_what_was_seen_for_a_path_is_looked_up() -> None:
    at = [Facts(f"/c/{name}", ()) for name in ("a", "a", "b")]
    frame = frame_of([Shown({"title": t}, f) for t, f in zip(("Owl", "Owl", "Elm"), at, strict=True)])
    assert frame is not None
    assert frame.looked_up == 1
    assert frame.tree[1][0][1][0] == "seen"


def test_what_the_clock_says_stays_as_it_was() -> None:
    frame = frame_of([shown({"query_ms": Number(ms)}, n) for n, ms in ((1, "1.25"), (2, "0.75"), (3, "7.5"))])
    assert frame is not None
    assert frame.tree[1][0][1] == ["value", "1.25"]
