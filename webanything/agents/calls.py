"""Action strings as calls: trajectories keep {"tool", "args", "mode"}, environments are given the string."""

from typing import Any

from environments.client.actions import ACTIONS
from environments.client.calls import bound, parse_calls, signature_text


def parse_call(text: str) -> dict[str, Any]:
    """The one call an action string makes, arguments by name. Raises ValueError, in words, for anything else.

    >>> parse_call("fill('12', 'tea pot')")
    {'tool': 'fill', 'args': {'bid': '12', 'value': 'tea pot'}, 'mode': 'operation'}
    >>> parse_call("click('1'); go_back()")
    Traceback (most recent call last):
    ...
    ValueError: a turn is one action, not 2
    """
    calls = parse_calls(text)
    if len(calls) != 1:
        raise ValueError(f"a turn is one action, not {len(calls)}")
    call = calls[0]
    if call.name not in ACTIONS:
        raise ValueError(f"there is no action {call.name!r}")
    return {"tool": call.name, "args": bound(call, ACTIONS[call.name]), "mode": "operation"}


def tools() -> dict[str, str]:
    """The parameters of every action, by name: what a policy may do here."""
    return {name: signature_text(action) for name, action in ACTIONS.items()}
