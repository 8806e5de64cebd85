"""A policy that does anything a visitor could do, drawn from a seed."""

import random
import re
from collections.abc import Mapping

from webanything.agents.elements import Element, elements
from webanything.agents.protocol import Action, Observation, PolicyKind, Turn

_CLICKED = {
    "button",
    "link",
    "tab",
    "menuitem",
    "checkbox",
    "radio",
    "switch",
    "option",
    "treeitem",
    "DisclosureTriangle",
}
_FILLED = {"textbox", "searchbox", "spinbutton"}
_KEYS = ("Enter", "Tab", "Escape", "ArrowDown")
_WORD = re.compile(r"[^\W\d_]{3,}")


class RandomPolicy:
    """Picks an enabled, visible element and something fitting to do with it; equal seeds and pages give equal turns."""

    kind: PolicyKind = "random"
    name = "random"

    def __init__(self) -> None:
        self._dice = random.Random(0)
        self._moved = False

    def begin(self, *, seed: int, accounts: Mapping[str, Mapping[str, str]]) -> None:
        self._dice = random.Random(seed)
        self._moved = False

    def act(self, observation: Observation) -> Turn:
        usable = [element for element in elements(observation) if element.visible and not element.disabled]
        choices = [element for element in usable if _is_actionable(element)]
        if not choices or self._dice.random() < 0.1:
            return Action(self._elsewhere())
        self._moved = True
        return Action(self._use(self._dice.choice(choices), usable))

    def _elsewhere(self) -> str:
        """An action that names no element; going back only where there is a page to go back to."""
        calls = ["scroll(0, 400)", "scroll(0, -400)"] + (["go_back()"] if self._moved else [])
        return self._dice.choice(calls)

    def _use(self, element: Element, usable: list[Element]) -> str:
        if element.options and element.role in ("combobox", "listbox"):
            return f"select_option({element.bid!r}, {self._dice.choice(element.options)!r})"
        if element.role in _FILLED or element.role == "combobox":
            if element.value and self._dice.random() < 0.4:
                return f"press({element.bid!r}, {self._dice.choice(_KEYS)!r})"
            return f"fill({element.bid!r}, {self._typed(element, usable)!r})"
        return f"click({element.bid!r})"

    def _typed(self, element: Element, usable: list[Element]) -> str:
        """A number for a number field, otherwise one or two words that the page itself uses."""
        if element.role == "spinbutton":
            return str(self._dice.randint(0, 9))
        words = sorted({word for other in usable for word in _WORD.findall(other.name)}) or ["one"]
        return " ".join(self._dice.sample(words, k=min(len(words), self._dice.randint(1, 2))))


def _is_actionable(element: Element) -> bool:
    return element.role in _CLICKED or element.role in _FILLED or element.role in ("combobox", "listbox")
