"""Texts with holes, and class tokens."""

import pytest

from builder.induce.sight import Sight, spelling_of
from builder.induce.slots import Constant, Program
from builder.induce.texts import merged, text, tokens
from tests.builder.induce.pages import paged

SHOWN = [
    paged(72, 1, (("q", "lamp"),)),
    paged(72, 2, (("q", "lamp"),)),
    paged(1250, 3, (("q", "a <b>"),)),
    paged(130, 7, (("q", "tin"),)),
]
SIGHT = Sight(SHOWN, "html")
HIDDEN = paged(45678, 12, (("q", "x & y"),))


def _found(targets: list[str]) -> Program:
    found = text(SIGHT, range(len(SHOWN)), targets)
    assert found is not None
    return found


@pytest.mark.parametrize("pattern, expected", [
    ("Page {page} of {pages}", "Page 12 of 2284"),
    ("{first}–{last} of {total}", "221–240 of 45678"),
    ("{total:,} things", "45,678 things"),
    ("({page}/{pages}) q", "(12/2284) q"),
])  # fmt: skip
def test_numbers_are_holes(pattern: str, expected: str) -> None:
    assert _found([pattern.format(**vars(one)) for one in SHOWN]).value(HIDDEN) == expected


def test_what_was_asked_for_is_a_hole_with_its_escapes() -> None:
    words = ["lamp", "lamp", "a &lt;b&gt;", "tin"]
    assert _found([f"About {word}!" for word in words]).value(HIDDEN) == "About x &amp; y!"


def test_a_constant_that_equals_the_only_word_is_a_copy() -> None:
    found = text(SIGHT, [0, 1], ["lamp, page 1", "lamp, page 2"])
    assert found is not None and found.value(HIDDEN) == "x &amp; y, page 12"


def test_a_number_inside_a_longer_one_is_no_hole() -> None:
    assert text(SIGHT, range(4), ["10", "29", "38", "75"]) is None


def test_tokens_have_conditions_and_holes() -> None:
    found = tokens(SIGHT, range(4), ["list", "list paged paged-2", "list paged paged-3", "list paged paged-7"])
    assert found is not None
    assert (found.value(HIDDEN), found.value(paged(20, 1))) == ("list paged paged-12", "list")


def test_tokens_without_an_order_are_not_explained() -> None:
    assert tokens(SIGHT, range(4), ["a b", "b a", "a b", "b a"]) is None


def test_orders_are_merged_unless_they_disagree() -> None:
    assert merged([["a", "c"], ["b", "c"], ["a", "b"]]) == ["a", "b", "c"]
    assert merged([["a", "b"], ["b", "a"]]) is None


def test_the_spelling_of_quotes_is_read_from_the_pages() -> None:
    assert [spelling_of([one]) for one in ("&#x27;", "&#039;a", "x &#34;", "say &quot;it's&quot;", "")] == [
        "html-x27",
        "html-039",
        "html-34",
        "html-attribute",
        "html",
    ]


def test_the_same_everywhere_is_constant() -> None:
    assert _found(["same"] * 4) == Constant("same")
