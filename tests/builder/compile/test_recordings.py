import pytest

from artifacts.evidence import Exchange
from builder.compile.recordings import is_answer, recordings

CSV, SAVED = ("Content-Type", "text/csv"), ("Content-Disposition", "Attachment; filename=a.csv")
ZIP, JSON = ("Content-Type", "application/zip"), ("Content-Type", "application/problem+json; charset=utf-8")


def cut(order: int, *headers: tuple[str, str], **others: object) -> Exchange:
    values = {
        "order": order,
        "visit": "v",
        "method": "GET",
        "url": "https://a.test/f",
        "destination": "document",
        "status": 200,
    }
    named = tuple((name.lower(), value) for name, value in headers)
    return Exchange(**{**values, "response_headers": named, "response_bytes": 9, **others})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("headers", "destination", "expected"),
    [
        ((CSV, SAVED), "document", True),
        ((CSV, SAVED), "iframe", True),
        ((CSV, SAVED), "", True),
        ((CSV, SAVED), "empty", False),
        ((CSV, ("Content-Disposition", "inline")), "document", False),
        ((CSV,), "document", False),
        ((ZIP,), "document", True),
        ((JSON,), "document", False),
        ((("Content-Type", "application/xhtml+xml"),), "document", False),
        ((), "document", False),
    ],
)
def test_of_what_was_cut_off_a_download_can_be_answered(
    headers: tuple[tuple[str, str], ...], destination: str, expected: bool
) -> None:
    assert is_answer(cut(1, *headers, destination=destination)) is expected


def test_a_whole_file_stands_for_the_one_that_was_cut_off() -> None:
    whole = cut(2, CSV, SAVED, response_body="0" * 64)
    other = cut(3, CSV, SAVED, url="https://a.test/g")
    bare = cut(4, CSV, SAVED, url="https://a.test/f?")
    found = recordings([cut(1, CSV, SAVED), whole, other, bare], lambda _: b"rows")
    assert [(one.order, one.body) for one in found] == [(2, b"rows"), (3, b"")]


def test_what_was_sent_is_not_answered_by_another_file() -> None:
    whole = cut(2, CSV, SAVED, response_body="0" * 64, method="POST")
    assert [one.order for one in recordings([cut(1, CSV, SAVED, method="POST"), whole], lambda _: b"")] == [1, 2]
