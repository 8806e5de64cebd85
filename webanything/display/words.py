"""Events in words, shared by the displays for people."""

from collections.abc import Mapping
from typing import Any

from artifacts.events import Event

_HIDDEN = ("done", "of", "stage", "status", "event", "at")
_SUBJECTS = ("url", "subject", "behaviour", "what", "name")


def describe(event: Event) -> str:
    """The event as one line without control characters, at most 200 characters long.

    >>> describe(Event("state", {"url": "https://shop.example/", "done": 7, "of": 60}))
    'state 7/60 https://shop.example/'
    >>> describe(Event("stage", {"stage": "explore", "status": "done", "seconds": 3.21}))
    'explore: done, 3.2 s'
    """
    data = event.data
    if event.name == "stage":
        words = f"{data.get('stage')}: {data.get('status')}"
        if "seconds" in data:
            words += f", {data['seconds']:.1f} s"
        rest = _rest(data, ("seconds",))
        return _clean(words + (f", {rest}" if rest else ""))
    subject = next((str(data[key]) for key in _SUBJECTS if data.get(key)), "")
    parts = [event.name, count(data), subject, _rest(data, _SUBJECTS)]
    return _clean(" ".join(part for part in parts if part))


def count(data: Mapping[str, Any]) -> str:
    """How far along, such as "7/60", or "7" where nobody knows the end."""
    if "done" not in data:
        return ""
    return f"{data['done']}/{data['of']}" if data.get("of") else str(data["done"])


def _rest(data: Mapping[str, Any], used: tuple[str, ...]) -> str:
    shown = {key: value for key, value in data.items() if key not in _HIDDEN and key not in used}
    return ", ".join(
        f"{key} {value:.3g}" if isinstance(value, float) else f"{key} {value}"
        for key, value in shown.items()
        if isinstance(value, str | int | float) and value != ""
    )


def _clean(text: str) -> str:
    # titles and addresses come from the site and must not steer the terminal
    plain = "".join(character if character.isprintable() else " " for character in text)
    return plain if len(plain) <= 200 else plain[:199] + "…"
