"""The helpers that page templates call."""

import doctest
from urllib.parse import parse_qsl

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builder.induce import wording
from builder.induce.wording import address, edited, encoded, nearest, pager

PAIRS = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(("", "1", "2", "x y"))), max_size=5)


def test_the_examples_hold() -> None:
    assert doctest.testmod(wording).failed == 0


@given(
    PAIRS,
    st.sampled_from("abc"),
    st.sampled_from(("1", "new")),
    st.sampled_from(("place", "end", "front", "group", "sorted")),
)
def test_setting_leaves_one_pair_of_the_name_and_all_others(
    pairs: list[tuple[str, str]], name: str, value: str, order: str
) -> None:
    found = edited(pairs, [("set", name, value)], order=order)
    assert [pair for pair in found if pair[0] == name] == [(name, value)]
    assert sorted(pair for pair in found if pair[0] != name) == sorted(pair for pair in pairs if pair[0] != name)


@given(PAIRS, st.sampled_from("abc"), st.sampled_from(("1", "9")))
def test_toggling_twice_gives_the_same_pairs_but_for_repeats(
    pairs: list[tuple[str, str]], name: str, value: str
) -> None:
    twice = edited(edited(pairs, [("toggle", name, value)]), [("toggle", name, value)])
    assert set(twice) == set(pairs)


@given(PAIRS, st.sampled_from(("+", "%20", "+:/", "%20,")))
def test_a_query_is_read_back_as_it_was(pairs: list[tuple[str, str]], form: str) -> None:
    assert parse_qsl(encoded(pairs, form), keep_blank_values=True) == pairs


@pytest.mark.parametrize("steps, order, expected", [
    ([("drop", "page")], "place", "/l?q=a&amp;s=1&amp;q=b"),
    ([("set", "s", "2"), ("drop", "page")], "place", "/l?q=a&amp;s=2&amp;q=b"),
    ([("set", "s", "2"), ("drop", "page")], "end", "/l?q=a&amp;q=b&amp;s=2"),
    ([("set", "s", "2"), ("drop", "page")], "front", "/l?s=2&amp;q=a&amp;q=b"),
    ([("add", "s", "3"), ("drop", "page")], "group", "/l?q=a&amp;s=1&amp;s=3&amp;q=b"),
    ([("remove", "q", "a"), ("drop", "page")], "place", "/l?s=1&amp;q=b"),
    ([("default", "s", "9"), ("default", "d", "8"), ("drop", "page")], ("d", "s", "q"), "/l?d=8&amp;s=1&amp;q=a&amp;q=b"),
])  # fmt: skip
def test_an_address_is_edited(steps: list[tuple[str, ...]], order: str | tuple[str, ...], expected: str) -> None:
    pairs = (("q", "a"), ("s", "1"), ("page", "3"), ("q", "b"))
    assert address("/l", pairs, steps, order=order) == expected


def test_an_empty_query_may_have_a_base_of_its_own() -> None:
    assert address("", (("a", "1"),), [("drop", "a")], alone="/l") == "/l"


@pytest.mark.parametrize("family, sizes, expected", [
    ("window", (2,), [7, 8, 9, 10, 11]),
    ("fixed", (5,), [7, 8, 9, 10, 11]),
    ("block", (5,), [6, 7, 8, 9, 10]),
    ("ends", (1, 1, 0), [1, 0, 8, 9, 10, 0, 20]),
    ("steady", (1, 1), [1, 0, 8, 9, 10, 0, 20]),
    ("shifted", (1, 2), [1, 2, 0, 7, 8, 9, 10, 11, 0, 19, 20]),
    ("slider", (1,), [1, 2, 0, 8, 9, 10, 0, 19, 20]),
    ("first", (3,), [1, 2, 3]),
])  # fmt: skip
def test_a_family_of_pagers(family: str, sizes: tuple[int, ...], expected: list[int]) -> None:
    assert [row["n"] for row in pager(9, 20, family, *sizes)] == expected


@given(
    st.integers(1, 40),
    st.integers(1, 40),
    st.sampled_from(
        [
            ("all", ()),
            ("window", (2,)),
            ("fixed", (7,)),
            ("block", (10,)),
            ("ends", (2, 3, 1)),
            ("steady", (1, 2)),
            ("shifted", (1, 4)),
            ("slider", (3,)),
        ]
    ),
)
def test_every_family_offers_growing_pages_and_the_current_one(
    page: int, pages: int, family: tuple[str, tuple[int, ...]]
) -> None:
    page = min(page, pages)
    numbers = [row["n"] for row in pager(page, pages, family[0], *family[1], gaps=False)]
    assert numbers == sorted(set(numbers))
    assert page in numbers
    assert 1 <= numbers[0] <= numbers[-1] <= pages


def test_the_nearest_page_has_the_same_path_then_the_same_parameters() -> None:
    seen = [("/a", [("s", "1")]), ("/b", [("s", "1"), ("t", "2")]), ("/b", [])]
    values = [("first", [0]), ("second", [1]), ("third", [2])]
    assert nearest(seen, values, "/b", [("s", "1")]) == "second"
    assert nearest(seen, values, "/b", [("x", "1")]) == "third"
    assert nearest(seen, values, "/b", [("s", "1")], without=("s", "t")) == "second"
    assert nearest(seen, values, "/c", [("s", "1")]) == "first"
