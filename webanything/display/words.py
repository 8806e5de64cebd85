"""Events in words, shared by the displays for people."""

from collections.abc import Mapping
from typing import Any

from artifacts.events import Event

_HIDDEN = ("done", "of", "stage", "status", "event", "at", "result")
_STATUS = {"skipped": "nothing to do"}
_COUNTED = "of_"
"""Before the name of a count stands the name of its limit: {"pages": 3, "of_pages": 100}."""
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
        status = str(data.get("status"))
        words = f"{data.get('stage')}: {_STATUS.get(status, status)}"
        if "seconds" in data:
            words += f", {data['seconds']:.1f} s"
        rest = _rest(data, ("seconds",))
        return _clean(words + (f", {rest}" if rest else ""))
    subject = next((str(data[key]) for key in _SUBJECTS if data.get(key)), "")
    parts = [event.name, count(data), subject, _rest(data, _SUBJECTS)]
    return _clean(" ".join(part for part in parts if part))


def count(data: Mapping[str, Any]) -> str:
    """How far along, such as "7/60" or "7/60 pages", or "7" where nobody knows the end.

    >>> count({"pages": 3, "of_pages": 100, "actions": 2, "of_actions": 0})
    '3/100 pages, 2 actions'
    """
    if "done" in data:
        return f"{data['done']}/{data['of']}" if data.get("of") else str(data["done"])
    limits = {key.removeprefix(_COUNTED): value for key, value in data.items() if key.startswith(_COUNTED)}
    parts = (
        f"{data[key]}/{limit} {key}" if limit else f"{data[key]} {key}" for key, limit in limits.items() if key in data
    )
    return ", ".join(parts)


def progress(data: Mapping[str, Any]) -> tuple[float, float] | None:
    """What is done and the whole, where the whole is known."""
    if "done" in data:
        return (data["done"], data["of"]) if data.get("of") else None
    pairs = [(data[key.removeprefix(_COUNTED)], value) for key, value in data.items() if key.startswith(_COUNTED)]
    if not pairs or not all(limit for _, limit in pairs):
        return None
    return sum(done for done, _ in pairs), sum(limit for _, limit in pairs)


def _rest(data: Mapping[str, Any], used: tuple[str, ...]) -> str:
    counted = {key for name in data if name.startswith(_COUNTED) for key in (name, name.removeprefix(_COUNTED))}
    shown = {key: value for key, value in data.items() if key not in (*_HIDDEN, *used, *counted)}
    return ", ".join(
        f"{key} {value:.3g}" if isinstance(value, float) else f"{key} {value}"
        for key, value in shown.items()
        if isinstance(value, str | int | float) and value != ""
    )


def _clean(text: str) -> str:
    # titles and addresses come from the site and must not steer the terminal
    plain = "".join(character if character.isprintable() else " " for character in text)
    return plain if len(plain) <= 200 else plain[:199] + "…"
