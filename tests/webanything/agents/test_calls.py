import doctest

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from webanything.agents import calls

letters = st.text("ab19 '\"\\\n(),=é☃", max_size=8)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(letters, letters)
def test_any_text_survives_being_an_argument(bid: str, value: str) -> None:
    assert calls.parse_call(f"fill({bid!r}, {value!r})")["args"] == {"bid": bid, "value": value}


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(letters)
def test_no_text_at_all_is_anything_but_a_call_or_a_refusal(text: str) -> None:
    with pytest.raises(ValueError, match="."):
        calls.parse_call(text)


@pytest.mark.parametrize(
    "text",
    ["", "click", "click(1)(2)", "click('1'); go_back()", "os.system('x')", "click(__import__('os'))", "shout('x')",
     "click('1', 'left', [], 4)", "click('1', bid='2')", "click(*['1'])", "click(**{'bid': '1'})", "(" * 5000],
)  # fmt: skip
def test_what_is_no_single_call_with_literals_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="."):
        calls.parse_call(text)


def test_every_tool_says_what_it_takes() -> None:
    assert calls.tools()["fill"].startswith("(bid, value")


def test_doctests() -> None:
    assert doctest.testmod(calls).failed == 0
