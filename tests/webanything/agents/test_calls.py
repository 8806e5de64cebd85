import doctest
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from webanything.agents import calls

letters = st.text("ab19 '\"\\\n(),=é☃", max_size=8)
literal = st.recursive(
    st.one_of(letters, st.integers(), st.booleans(), st.none(), st.floats(allow_nan=False, allow_infinity=False)),
    lambda inner: st.lists(inner, max_size=3),
    max_leaves=5,
)


@st.composite
def made_calls(draw: st.DrawFn) -> dict[str, Any]:
    tool = draw(st.sampled_from(sorted(calls.SIGNATURES)))
    names = [name for name in calls.SIGNATURES[tool] if draw(st.booleans())]
    return {"tool": tool, "args": {name: draw(literal) for name in names}, "mode": "operation"}


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(made_calls())
def test_a_call_survives_its_string(call: dict[str, Any]) -> None:
    assert calls.parse_call(calls.render_call(call)) == call


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(letters)
def test_no_text_at_all_is_anything_but_a_call_or_a_refusal(text: str) -> None:
    try:
        call = calls.parse_call(text)
    except ValueError:
        return
    assert call["tool"] in calls.SIGNATURES


@pytest.mark.parametrize(
    "text",
    ["", "click", "click(1)(2)", "click('1'); go_back()", "os.system('x')", "click(__import__('os'))", "shout('x')",
     "click('1', 'left', [], 4)", "click('1', bid='2')", "click(*['1'])", "click(**{'bid': '1'})", "(" * 5000],
)  # fmt: skip
def test_what_is_no_single_call_with_literals_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"action|argument"):
        calls.parse_call(text)


def test_doctests() -> None:
    assert doctest.testmod(calls).failed == 0
