"""What can be done to controls outside forms: choose, tick, slide, type, hover, drag, press keys. Pure."""

import re
from collections.abc import Iterator, Sequence

from artifacts.evidence import Action, Actionable
from explorer.crawl import safety
from explorer.crawl.filling import fill, shortcut_of, upload
from explorer.crawl.safety import Judgement
from explorer.crawl.trial import Shown, Trial, Variant
from explorer.crawl.words import LETTERS, NOWHERE, Words, field_value

_MASK = re.compile(r"\d+")
_TYPED = frozenset(("range", "number", "date", "time", "month", "week", "datetime-local", "color"))
_TICKED = frozenset(("checkbox", "radio", "switch", "menuitemcheckbox", "menuitemradio"))


def control_trials(page: Shown, item: Actionable, words: Words) -> Iterator[Trial]:
    """Everything worth trying on one visible control that belongs to no form and leads nowhere by its address."""
    if keys := shortcut_of(item):
        yield _trial(page, item, f"press {keys}", (Action(act="press", value=keys),))
    if item.attributes.get("draggable") == "true":
        yield from _drag_trials(page, item)
    yield from hover_trials(page, item)
    if item.tag == "kbd":
        return
    if item.tag == "select":
        yield from _select_trials(page, item)
    elif item.input_type == "file":
        yield _trial(page, item, f"choose a file for {_label(item)}", (upload(item),))
    elif item.input_type in _TYPED:
        yield from _value_trials(page, item, words)
    elif item.role == "slider":
        press = Action(act="press", selector=item.selector, role=item.role, name=item.name, value="ArrowRight")
        yield _trial(page, item, f"slide {_label(item)}", (press,))
        yield _trial(page, item, f"slide {_label(item)}", (press.replaced(value="ArrowLeft"),), variant="other")
    elif item.input_type in _TICKED or item.role in _TICKED:
        yield from _click_trials(page, item, "toggle")
    elif item.attributes.get("contenteditable") is not None:
        yield _trial(page, item, f"edit {_label(item)}", (fill(item, words.pair),), judgement=_TYPING)
    elif item.role in ("textbox", "searchbox", "combobox") and item.tag in ("input", "textarea"):
        yield from _typing_trials(page, item, words)
    elif item.tag != "input":
        yield from _click_trials(page, item, "open" if opens(item) else "click")


_TYPING = Judgement("read", "typing alone")


def _label(item: Actionable) -> str:
    return _MASK.sub("#", item.name or item.field_name) or item.attributes.get("class", "") or item.role or item.tag


def _trial(
    page: Shown,
    item: Actionable,
    behaviour: str,
    actions: Sequence[Action],
    *,
    variant: Variant = "ordinary",
    judgement: Judgement | None = None,
) -> Trial:
    judged = judgement or safety.of_control(item)
    instance = f"{page.url} {item.selector} {actions[-1].value}"
    return Trial(behaviour[:160], variant, instance, judged, page.url, tuple(actions), judged.safety == "session")


def _value_trials(page: Shown, item: Actionable, words: Words) -> Iterator[Trial]:
    """A value, and another one: what depends on it is told apart from what does not."""
    variants: tuple[Variant, ...] = ("ordinary", "other")
    for turn, variant in enumerate(variants):
        action = fill(item, field_value(item, words, turn=turn))
        yield _trial(page, item, f"set {_label(item)}", (action,), variant=variant)


def _typing_trials(page: Shown, item: Actionable, words: Words) -> Iterator[Trial]:
    """Something that may find things, something that cannot, and something else: what is typed may be looked up."""
    first, second = (field_value(item, words, turn=turn) for turn in (0, 1))
    if first == words.one and not words.name_things:
        first, second = LETTERS
    inputs: tuple[tuple[Variant, str], ...] = (("ordinary", first), ("other", second))
    if first in (words.one, LETTERS[0]):
        inputs = (inputs[0], ("failing", NOWHERE), inputs[1])
    for variant, text in inputs:
        behaviour = f"type into {item.field_name or item.name or item.role}"
        yield Trial(behaviour, variant, f"{page.url} {text}", _TYPING, page.url, (fill(item, text),))


def _drag_trials(page: Shown, item: Actionable) -> Iterator[Trial]:
    """Onto the next thing of its kind that can be dragged, as lists are put in order."""
    kind = (item.tag, item.attributes.get("class", ""))
    alike = [
        other for other in page.items
        if other.attributes.get("draggable") == "true" and (other.tag, other.attributes.get("class", "")) == kind
    ]  # fmt: skip
    if item in alike and (after := alike[alike.index(item) + 1 :]):
        action = Action(act="drag", selector=item.selector, role=item.role, name=item.name, value=after[-1].selector)
        yield _trial(page, item, f"drag {_bar(item)}", (action,))


def _bar(item: Actionable) -> str:
    """What the things that stand side by side with this one have in common."""
    return f"{item.role or item.tag} {item.attributes.get('class', '')}".strip()


def hover_trials(page: Shown, item: Actionable) -> Iterator[Trial]:
    """Rest the pointer on what may open then; once for all entries of one menu bar."""
    if item.attributes.get("submenu") == "hidden" or item.attributes.get("aria-haspopup", "false") != "false":
        action = Action(act="hover", selector=item.selector, role=item.role, name=item.name)
        yield _trial(page, item, f"hover over {_bar(item)}", (action,))


def _select_trials(page: Shown, item: Actionable) -> Iterator[Trial]:
    for number, option in enumerate([option for option in item.options if option != item.value][:2]):
        action = Action(act="select", selector=item.selector, role=item.role, name=item.name, value=option)
        variant: Variant = "ordinary" if number == 0 else "other"
        behaviour = f"choose {item.field_name or item.name or 'select'} outside forms"
        yield Trial(behaviour, variant, option, safety.of_control(item), page.url, (action,))


def _click_trials(page: Shown, item: Actionable, verb: str) -> Iterator[Trial]:
    """Once; and twice in a row: buttons load the next part, count on, or take back what they did."""
    label = _MASK.sub("#", item.name) or item.attributes.get("class", "") or item.tag
    action = Action(act="click", selector=item.selector, role=item.role, name=item.name)
    judgement = safety.of_control(item)
    behaviour = f"{verb} {item.role or item.tag} {label}"[:160]
    instance = f"{page.url} {item.selector}"
    yield Trial(behaviour, "ordinary", instance, judgement, page.url, (action,), judgement.safety == "session")
    if judgement.safety == "read":
        yield Trial(behaviour, "other", instance, judgement, page.url, (action, action))


def opens(item: Actionable) -> bool:
    """Whether the markup says that it opens something."""
    return (
        item.role in ("tab", "menuitem")
        or item.tag == "summary"
        or any(name in item.attributes for name in ("aria-expanded", "aria-haspopup", "data-toggle", "data-bs-toggle"))
    )
