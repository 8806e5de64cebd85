"""Filling in a form and sending it, as a person would. Pure."""

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


def must_fill(field: Actionable, words: Words) -> Action:
    if field.tag == "select":
        value = next((option for option in field.options if option), "")
        return Action(act="select", selector=field.selector, role=field.role, name=field.name, value=value)
    if field.input_type in ("checkbox", "radio"):
        return Action(act="check", selector=field.selector, role=field.role, name=field.name)
    return fill(field, field_value(field, words))


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
