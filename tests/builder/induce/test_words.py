"""Text compared as people mean it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builder.induce import words


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("£51.77", 51.77), ("1.234,50 €", 1234.5), ("1 234,5 kr", 1234.5), ("12,345", 12345), ("0,5", 0.5), ("(12)", 12),
        ("4.5 out of 5", 4.5), ("1.2k views", 1200), ("3 km", 3), ("−3", -3), ("1'000'000", 1e6), ("no number", None),
        ("a long sentence that happens to hold 3 numbers", None), ("", None), ("1.234.567", 1234567),
    ],
)  # fmt: skip
def test_numbers_are_read_as_they_are_written_in_several_countries(text: str, number: float | None) -> None:
    assert words.number_of(text) == number


@pytest.mark.parametrize(
    "text",
    ["2024-03-04", "4 March 2024", "March 4, 2024", "4. März 2024", "le 4 mars 2024", "4 de marzo de 2024", "04.03.2024",
     "Mon, 4 Mar 2024", "Mar 4th, 2024", "3/4/2024", "2024/03/04"],
)  # fmt: skip
def test_dates_are_read_as_they_are_written_in_several_languages(text: str) -> None:
    assert words.date_of(text) == 1709510400


def test_what_a_date_with_slashes_means_is_a_choice_and_a_day_above_twelve_settles_it() -> None:
    assert words.typed("date", "3/4/2024") != words.typed("day-first", "3/4/2024")
    assert words.typed("date", "23/4/2024") == words.typed("day-first", "23/4/2024") == words.date_of("2024-04-23")


def test_the_time_of_day_counts() -> None:
    morning, evening = words.date_of("Mar 4, 2024 8:05 AM"), words.date_of("Mar 4, 2024 8:05 PM")
    assert morning is not None and evening is not None and evening - morning == 12 * 3600
    assert words.date_of("12:30 am, 4 March 2024") == 1709510400 + 1800


@pytest.mark.parametrize("text", ["yesterday", "", "32 March 2024", "March", "version 1.2.3"])
def test_what_is_no_date_has_none(text: str) -> None:
    assert words.date_of(text) is None


def test_natural_order_counts_and_alphanumeric_order_spells() -> None:
    titles = ["Part 10", "part 2", "Part 1"]
    assert sorted(titles, key=lambda t: str(words.typed("natural", t))) == ["Part 1", "part 2", "Part 10"]
    assert sorted(titles, key=lambda t: str(words.typed("alphanumeric", t))) == ["Part 1", "Part 10", "part 2"]


@given(st.integers(0, 10**12), st.integers(0, 10**12))
def test_natural_order_of_numbers_is_their_order(one: int, other: int) -> None:
    assert (str(words.typed("natural", f"n{one}")) < str(words.typed("natural", f"n{other}"))) == (one < other)


@pytest.mark.parametrize(
    ("word", "stem"),
    [
        ("caresses", "caress"), ("ponies", "poni"), ("cats", "cat"), ("feed", "feed"), ("plastered", "plaster"),
        ("motoring", "motor"), ("sing", "sing"), ("conflated", "conflat"), ("hopping", "hop"), ("falling", "fall"),
        ("filing", "file"), ("happy", "happi"), ("sky", "sky"), ("relational", "relat"), ("rational", "ration"),
        ("vietnamization", "vietnam"), ("hopefulness", "hope"), ("electrical", "electr"), ("revival", "reviv"),
        ("adjustment", "adjust"), ("adoption", "adopt"), ("probate", "probat"), ("rate", "rate"), ("controll", "control"),
        ("generalizations", "gener"), ("oscillators", "oscil"), ("running", "run"),
    ],
)  # fmt: skip
def test_stems_are_those_of_porters_rules(word: str, stem: str) -> None:
    assert words.stem(word) == stem


@given(st.text(max_size=30))
def test_folding_twice_changes_nothing(text: str) -> None:
    assert words.fold(words.fold(text)) == words.fold(text)


@given(st.text(max_size=30))
def test_any_text_has_a_value_of_each_kind_or_none(text: str) -> None:
    for kind in (*words.KINDS, "slug", "items", "words", "stems"):
        assert isinstance(words.typed(kind, text), str | float | None)
