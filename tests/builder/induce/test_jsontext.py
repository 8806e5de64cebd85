"""JSON comes back byte for byte, in whichever style a site writes it."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builder.induce.jsontext import Number, Style, parsed, style_of, written

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)
STYLES = [{}, {"indent": 2}, {"indent": 1, "ensure_ascii": False}, {"separators": (",", ":")}, {"ensure_ascii": False}]


@given(VALUES, st.sampled_from(STYLES), st.sampled_from(["", "\n"]))
def test_a_usual_style_is_found_and_gives_the_text_back(value: object, how: dict[str, object], end: str) -> None:
    text = json.dumps(value, **how) + end  # type: ignore[arg-type]
    style = style_of(text)
    assert style is not None
    assert written(parsed(text), style) == text


@pytest.mark.parametrize("text", ['{"a":1.50,"b":1e3,"c":-0}', '["\\u003cb\\u003e \\u0026"]', '{"u":"http:\\/\\/a"}'])
def test_spelling_is_kept(text: str) -> None:
    assert written(parsed(text), style_of(text) or Style()) == text


@pytest.mark.parametrize("text", ["NaN", '{"a":1,"a":2}', "{", "[" * 100_000])
def test_what_could_not_come_back_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="."):
        parsed(text)


def test_a_style_that_nobody_knows_is_none() -> None:
    assert style_of('{"a" : 1}') is None
    assert parsed('{"a" : 1}') == {"a": Number("1")}
