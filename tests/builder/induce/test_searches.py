"""What a search finds is learned from whole results."""

from collections.abc import Iterator
from contextlib import closing

import pytest

from builder.induce.listing import Table
from builder.induce.listquery import Search
from builder.induce.rowsets import RowSets
from builder.induce.searches import Result, blank_of, search_of, telling_text, telling_words
from tests.builder.induce.list_site import rows_of

ROWS = rows_of(80, 6)
TEXTS = [
    "red",
    "lamp",
    "red lamp",
    "river the stone",
    "gar",
    "books",
    "running",
    "letter",
    "zzz",
    "Blue",
    "paint night",
]


@pytest.fixture(scope="module")
def rows() -> Iterator[RowSets]:
    with closing(RowSets(Table("t", ROWS), ())) as found:
        yield found


@pytest.mark.parametrize("match", ["word", "stem", "prefix", "substring", "literal"])
@pytest.mark.parametrize("every", [True, False])
@pytest.mark.parametrize("columns", [("title",), ("title", "body")])
def test_every_form_of_search_is_recognised(rows: RowSets, match: str, every: bool, columns: tuple[str, ...]) -> None:
    true = Search("q", columns, match, every or match == "literal")  # type: ignore[arg-type]
    results = [Result(text, rows.keys, rows.searched(true, text) or frozenset(), True) for text in TEXTS]
    found, _ = search_of("q", results, rows)
    assert found is not None and found.why.status == "computed"
    for text in ["small table", "qui", "cooks", "painted", "island harbour", "silver"]:
        assert rows.searched(found, text) == rows.searched(true, text)


def test_a_search_that_is_mostly_right_is_said_to_be_approximate(rows: RowSets) -> None:
    true = Search("q", ("title",))
    results = [Result(text, rows.keys, rows.searched(true, text) or frozenset(), True) for text in TEXTS]
    results[0] = results[0]._replace(rows=results[0].rows | {"/item/14"})
    found, _ = search_of("q", results, rows)
    assert found is not None and found.why.status == "approximate"


def test_what_no_words_explain_is_no_search(rows: RowSets) -> None:
    odd = [Result(text, rows.keys, frozenset(sorted(rows.keys)[n : n + 3]), True) for n, text in enumerate(TEXTS)]
    assert search_of("q", odd, rows) == (None, None)
    part = [Result("red", rows.keys, frozenset(), False)]
    assert search_of("q", part, rows) == (None, None)


def test_a_rival_comes_with_a_text_that_tells(rows: RowSets) -> None:
    one, other = Search("q", ("title",)), Search("q", ("title",), "prefix")
    text = telling_text(one, other, rows)
    assert text and rows.searched(one, text) != rows.searched(other, text)
    assert telling_text(one, one, rows) == ""


def test_a_search_for_nothing(rows: RowSets) -> None:
    assert blank_of([Result("", rows.keys, rows.keys, True)], False) == "all"
    assert blank_of([Result(" ", rows.keys, frozenset(), True)], True) == "none"
    assert blank_of([], True) == "all" and blank_of([], False) == "unknown"


def test_words_to_try_tell_ways_to_search_apart(rows: RowSets) -> None:
    texts = dict(telling_words(rows, ()))
    assert len(texts) >= 6
    forms = [
        Search("q", columns, match, every)
        for columns in (("title",), ("title", "body"))
        for match in ("word", "stem", "prefix", "substring")
        for every in (True, False)
    ]  # type: ignore[arg-type]
    found = {tuple(rows.searched(form, text) for text in texts) for form in forms}
    assert len(found) >= len(forms) - 4  # a few words leave little open
    assert next(iter(texts)) not in dict(telling_words(rows, [next(iter(texts))]))


def test_rows_without_words_give_none_to_try() -> None:
    with closing(RowSets(Table("t", {"/a": {"price": "3"}, "/b": {"price": "4"}}), ())) as bare:
        assert not list(telling_words(bare, ()))
