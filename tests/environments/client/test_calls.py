import contextlib

import hypothesis
import hypothesis.strategies as st
import pytest

from environments.client.actions import ACTIONS
from environments.client.calls import Call, bound, parse_calls, signature_text


def test_calls_are_read_with_their_literals() -> None:
    assert parse_calls("scroll(0, -200.5)") == [Call("scroll", (0, -200.5), {})]
    assert parse_calls("select_option('a12', ['x', 'y'])\ngo_back()") == [
        Call("select_option", ("a12", ["x", "y"])),
        Call("go_back"),
    ]
    assert parse_calls("click('1', modifiers=['Shift'])")[0].named == {"modifiers": ["Shift"]}


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('x')",
        "click(__import__('os'))",
        "click(f'{1}')",
        "click(*['1'])",
        "click(**{'bid': '1'})",
        "x = click('1')",
        "click",
        "page.click('1')",
        "click('1'",
        "lambda: click('1')",
        "(" * 500 + ")" * 500,
        "noop(" + "-" * 5000 + "1)",
        "\x00",
        "",
        "x" * 200_000,
    ],
)
def test_everything_else_is_refused_in_words(text: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        parse_calls(text)


@hypothesis.given(st.text(max_size=60))
def test_any_text_is_a_call_or_refused(text: str) -> None:
    with contextlib.suppress(ValueError):
        assert parse_calls(text)


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ("click('12')", {"bid": "12"}),
        ("click(12, 'right')", {"bid": "12", "button": "right"}),
        ("select_option('1', 'x')", {"bid": "1", "options": "x"}),
        ("select_option('1', ['x'])", {"bid": "1", "options": ["x"]}),
        ("mouse_click(1, 2.5)", {"x": 1, "y": 2.5}),
        ("tab_focus(0)", {"index": 0}),
    ],
)
def test_arguments_are_bound_by_name(text: str, arguments: dict[str, object]) -> None:
    (call,) = parse_calls(text)
    assert bound(call, ACTIONS[call.name]) == arguments


@pytest.mark.parametrize(
    "text",
    [
        "click()", "click('1', 'left', [], 4)", "click('1', nothing=1)", "click(1.5)", "fill('1', 2)", "tab_focus('0')",
        "mouse_click('1', 2)", "mouse_click(True, 2)", "select_option('1', [1])", "scroll(1e300, 0)",
        "fill('1', 'x', 'yes')",
    ],
)  # fmt: skip
def test_arguments_of_the_wrong_kind_are_refused(text: str) -> None:
    (call,) = parse_calls(text)
    with pytest.raises(ValueError, match=call.name):
        bound(call, ACTIONS[call.name])


@pytest.mark.parametrize("action", [None, 5, b"noop()", ["noop()"]])
def test_what_is_no_string_is_no_action(action: object) -> None:
    with pytest.raises(ValueError, match="an action is a string"):
        parse_calls(action)


def test_signatures_read_like_calls() -> None:
    assert signature_text(ACTIONS["click"]) == "(bid, button='left', modifiers=[])"
    assert signature_text(ACTIONS["go_back"]) == "()"
