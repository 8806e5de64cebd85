"""Action strings as calls and back: trajectories keep {"tool", "args"}, environments are given BrowserGym's string."""

import ast
from typing import Any

SIGNATURES: dict[str, tuple[str, ...]] = {
    "noop": ("wait_ms",),
    "send_msg_to_user": ("text",),
    "report_infeasible": ("reason",),
    "fill": ("bid", "value", "enable_autocomplete_menu"),
    "select_option": ("bid", "options"),
    "click": ("bid", "button", "modifiers"),
    "dblclick": ("bid", "button", "modifiers"),
    "hover": ("bid",),
    "press": ("bid", "key_comb"),
    "focus": ("bid",),
    "clear": ("bid",),
    "check": ("bid",),
    "uncheck": ("bid",),
    "drag_and_drop": ("from_bid", "to_bid"),
    "scroll": ("delta_x", "delta_y"),
    "scroll_at": ("x", "y", "dx", "dy"),
    "mouse_move": ("x", "y"),
    "mouse_up": ("x", "y", "button"),
    "mouse_down": ("x", "y", "button"),
    "mouse_click": ("x", "y", "button"),
    "mouse_dblclick": ("x", "y", "button"),
    "mouse_drag_and_drop": ("from_x", "from_y", "to_x", "to_y"),
    "keyboard_press": ("key",),
    "keyboard_up": ("key",),
    "keyboard_down": ("key",),
    "keyboard_type": ("text",),
    "keyboard_insert_text": ("text",),
    "goto": ("url",),
    "go_back": (),
    "go_forward": (),
    "new_tab": (),
    "tab_close": (),
    "tab_focus": ("index",),
    "upload_file": ("bid", "file"),
    "mouse_upload_file": ("x", "y", "file"),
}
"""Names and parameters of BrowserGym's actions, in its order."""


def parse_call(text: str) -> dict[str, Any]:
    """The call an action string makes. Raises ValueError, in words, for anything but one call with literal arguments.

    >>> parse_call("fill('12', 'tea pot')")
    {'tool': 'fill', 'args': {'bid': '12', 'value': 'tea pot'}, 'mode': 'operation'}
    >>> parse_call("go_back()")["args"]
    {}
    >>> parse_call("click(open('x'))")
    Traceback (most recent call last):
    ...
    ValueError: an argument of click is no literal
    """
    try:
        node = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        raise ValueError(f"this is no action: {text[:80]!r}") from error
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        raise ValueError(f"this is no action: {text[:80]!r}")
    tool = node.func.id
    if tool not in SIGNATURES:
        raise ValueError(f"there is no action {tool!r}")
    names = SIGNATURES[tool]
    if len(node.args) > len(names):
        raise ValueError(f"{tool} takes at most {len(names)} arguments")
    args: dict[str, Any] = {}
    for name, value in [*zip(names, node.args, strict=False), *((word.arg, word.value) for word in node.keywords)]:
        if name not in names or name in args:
            raise ValueError(f"{tool} has no argument {name!r} to give here")
        try:
            args[name] = ast.literal_eval(value)
        except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError) as error:
            raise ValueError(f"an argument of {tool} is no literal") from error
    return {"tool": tool, "args": args, "mode": "operation"}


def render_call(call: dict[str, Any]) -> str:
    """The action string of a call, arguments by name wherever one before them is left out.

    >>> render_call({"tool": "click", "args": {"bid": "a12", "modifiers": ["Shift"]}})
    "click('a12', modifiers=['Shift'])"
    """
    args, parts, skipped = call["args"], [], False
    for name in SIGNATURES[call["tool"]]:
        if name not in args:
            skipped = True
            continue
        parts.append(f"{name}={args[name]!r}" if skipped else repr(args[name]))
    return f"{call['tool']}({', '.join(parts)})"
