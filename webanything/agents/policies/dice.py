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
_ASIDE = 0.1
"""How often something is done that names no element."""
_KEYS = ("Enter", "Tab", "Escape", "ArrowDown")
_WORD = re.compile(r"[^\W\d_]{3,}")


class RandomPolicy:
    """Picks an enabled, visible element and something fitting to do with it; equal seeds and pages give equal turns."""

    kind: PolicyKind = "random"
    name = "random"

    def __init__(self) -> None:
        self.begin(seed=0, accounts={})

    def begin(self, *, seed: int, accounts: Mapping[str, Mapping[str, str]]) -> None:
        self._dice = random.Random(seed)
        self._trail: list[str] = []
        """Addresses that led here, so that going back never leaves the site."""
        self._went_back = False

    def act(self, observation: Observation) -> Turn:
        self._follow(str(observation.get("url", "")))
        usable = [element for element in elements(observation) if element.visible and not element.disabled]
        choices = [element for element in usable if _is_actionable(element)]
        if not choices:
            return Action(self._away())
        if self._dice.random() < _ASIDE:
            aside = self._dice.choice(["scroll(0, 400)", "scroll(0, -400)", ""])
            return Action(aside or self._away())
        return Action(self._use(self._dice.choice(choices), usable))

    def _follow(self, url: str) -> None:
        if self._went_back and len(self._trail) > 1:
            self._trail.pop()
        elif not self._trail or self._trail[-1] != url:
            self._trail.append(url)
        self._went_back = False

    def _away(self) -> str:
        """Out of a page with nothing to do: back where there is a way back, else to the first page once more."""
        self._went_back = len(self._trail) > 1
        return "go_back()" if self._went_back else f"goto({self._trail[0]!r})"

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
