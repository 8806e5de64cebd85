"""Filling in a form and sending it, as a person would. Pure."""

import re
from collections.abc import Sequence

from artifacts.evidence import Action, Actionable
from explorer.crawl.words import Words, field_value

TEXT_TYPES = frozenset(("text", "search", "", "email", "url", "tel"))


def fill(field: Actionable, value: str) -> Action:
    return Action(act="fill", selector=field.selector, role=field.role, name=field.name, value=value)


def send(form: str, buttons: Sequence[Actionable], *, enter: Actionable | None = None) -> Action:
    """As a person would: by the form's button, else by Enter, else by its script interface."""
    button = next((button for button in buttons if button.visible), None)
    if button:
        return Action(act="click", selector=button.selector, role=button.role, name=button.name)
    if enter:
        return Action(act="press", selector=enter.selector, role=enter.role, name=enter.name, value="Enter")
    return Action(act="submit", selector=form)


def must_fill(field: Actionable, words: Words, *, turn: int = 0) -> Action:
    """Something acceptable for an empty field; `turn` gives a different text."""
    if field.tag == "select":
        value = next((option for option in field.options if option), "")
        return Action(act="select", selector=field.selector, role=field.role, name=field.name, value=value)
    if field.input_type in ("checkbox", "radio"):
        return Action(act="check", selector=field.selector, role=field.role, name=field.name)
    return fill(field, field_value(field, words, turn=turn))


def change(field: Actionable, words: Words) -> Action | None:
    """A different acceptable value for a field that has one already."""
    if field.tag == "select":
        value = next((option for option in field.options if option and option != field.value), None)
        return (
            Action(act="select", selector=field.selector, role=field.role, name=field.name, value=value)
            if value
            else None
        )
    if field.input_type in ("checkbox", "radio", "file", "hidden"):
        return None
    return fill(field, field_value(field, words, turn=1))


def upload(field: Actionable) -> Action:
    """Choose a small file of a kind that the field accepts."""
    accepted = field.attributes.get("accept", "").lower()
    ending = re.search(r"\.(\w{2,5})\b", accepted)
    name = "sample.png" if "image" in accepted else f"sample.{ending[1]}" if ending else "sample.txt"
    return Action(act="upload", selector=field.selector, role=field.role, name=field.name, value=name)


def shortcut_of(item: Actionable) -> str:
    """The keys that a page says do something, as Playwright names them; empty if none can be made out.

    >>> key = lambda **more: Actionable(selector="kbd", role="generic", tag="kbd", **{"name": "", **more})
    >>> shortcut_of(key(name="Ctrl K")), shortcut_of(key(name="/")), shortcut_of(key(name="your name"))
    ('Control+k', '/', '')
    >>> shortcut_of(key(attributes={"aria-keyshortcuts": "Alt+Shift+P"}))
    'Alt+Shift+p'
    """
    said = item.attributes.get("aria-keyshortcuts", "").split(" ")[0]
    if not said and (own := item.attributes.get("accesskey", "")):
        return f"Alt+{own[0].lower()}"
    if not said and item.tag == "kbd":
        said = re.sub(r"\s*\+\s*|\s+", "+", item.name.strip()) if len(item.name) > 1 else item.name
    parts = [_MODIFIERS.get(part.lower(), part) for part in said.split("+")] if said != "+" else ["+"]
    *modifiers, key = parts
    key = _KEYS.get(key.lower(), key.lower() if len(key) == 1 else "")
    if not key or any(modifier not in _MODIFIERS.values() for modifier in modifiers):
        return ""
    return "+".join([*modifiers, key])


_MODIFIERS = {"ctrl": "Control", "control": "Control", "alt": "Alt", "option": "Alt", "shift": "Shift", "⌘": "Control",
              "cmd": "Control", "meta": "Control", "⇧": "Shift"}  # fmt: skip
_KEYS = {"esc": "Escape", "escape": "Escape", "enter": "Enter", "return": "Enter", "space": "Space", "↵": "Enter",
         "up": "ArrowUp", "down": "ArrowDown", "left": "ArrowLeft", "right": "ArrowRight", "tab": "Tab",
         "arrowup": "ArrowUp", "arrowdown": "ArrowDown", "arrowleft": "ArrowLeft", "arrowright": "ArrowRight",
         **{f"f{number}": f"F{number}" for number in range(2, 13)}}  # fmt: skip


def is_empty_required(field: Actionable) -> bool:
    if field.input_type in ("checkbox", "radio"):
        return field.required
    return not field.value and (field.required or field.tag == "textarea" or field.tag == "input")


def is_fillable(item: Actionable) -> bool:
    kinds = ("submit", "button", "image", "reset", "hidden", "file")
    return item.visible and (
        item.tag in ("select", "textarea") or (item.tag == "input" and item.input_type not in kinds)
    )


def submits(item: Actionable) -> bool:
    if not item.visible:
        return False
    if item.tag == "button":
        return item.input_type in ("submit", "")
    return item.tag == "input" and item.input_type in ("submit", "image")
