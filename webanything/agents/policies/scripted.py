"""A policy that follows a written list of steps, and gives up at the first one the page does not offer.

A script is a JSON file: {"name": .., "steps": [..]}. A step is an action string, or one of

    {"click": TARGET}  {"hover": TARGET}  {"check": TARGET}  {"uncheck": TARGET}  {"clear": TARGET}
    {"fill": TARGET, "with": TEXT}  {"press": TARGET, "key": KEYS}  {"select": TARGET, "options": LABEL or [LABELS]}
    {"goto": ADDRESS}  {"answer": TEXT}

where TARGET is {"role": .., "name": .., "nth": 0}. In texts, {LABEL.user} and {LABEL.password} stand for an account of
the sandbox. An address without a host is taken on the host of the page in front.
"""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

from artifacts.errors import UsageError
from webanything.agents.elements import Element, elements
from webanything.agents.protocol import Action, Answer, GaveUp, Observation, PolicyKind, Turn

_VERBS = ("click", "hover", "check", "uncheck", "clear", "fill", "press", "select", "goto", "answer")
_COMPANION = {"fill": "with", "press": "key", "select": "options"}
_ACCOUNT = re.compile(r"\{([\w-]+)\.(user|password)\}")
_PATIENCE = 3

Step = str | Mapping[str, Any]


class ScriptedPolicy:
    """Follows the steps in order. A target that is not there yet is waited for a little, then the policy gives up."""

    kind: PolicyKind = "scripted"

    def __init__(self, steps: Sequence[Step], *, name: str = "scripted") -> None:
        for number, step in enumerate(steps, 1):
            _check(step, number)
        self.name = name
        self._steps = tuple(steps)
        self._next = 0
        self._waited = 0
        self._accounts: Mapping[str, Mapping[str, str]] = {}

    @classmethod
    def read(cls, path: Path) -> "ScriptedPolicy":
        """The script in this file. Raises UsageError when it is none."""
        try:
            data = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise UsageError(
                f"The script cannot be read: {error}", where=str(path), remedy='Give a JSON file: {"steps": [..]}.'
            ) from error
        steps = data.get("steps") if isinstance(data, dict) else None
        if not isinstance(steps, list):
            raise UsageError("The script has no steps.", where=str(path), remedy='Give a JSON file: {"steps": [..]}.')
        return cls(steps, name=str(data.get("name", path.stem)))

    def begin(self, *, seed: int, accounts: Mapping[str, Mapping[str, str]]) -> None:
        self._next = self._waited = 0
        self._accounts = accounts

    def act(self, observation: Observation) -> Turn:
        if self._next == len(self._steps):
            return Answer("")
        step = self._steps[self._next]
        if isinstance(step, str):
            self._advance()
            return Action(step)
        verb = _verb(step)
        if verb == "answer":
            return Answer(self._filled_in(step["answer"]))
        if verb == "goto":
            self._advance()
            return Action(f"goto({urljoin(str(observation.get('url', '')), self._filled_in(step['goto']))!r})")
        return self._on_element(verb, step, observation)

    def _on_element(self, verb: str, step: Mapping[str, Any], observation: Observation) -> Turn:
        target = find(elements(observation), step[verb])
        if target is None and self._waited < _PATIENCE:
            self._waited += 1
            return Action("noop(500)", think=f"waiting for {step[verb]}")
        if target is None:
            raise GaveUp(f"step {self._next + 1}: no {step[verb]} on {observation.get('url', 'the page')}")
        self._advance()
        name = "select_option" if verb == "select" else verb
        values = [step[_COMPANION[verb]]] if verb in _COMPANION else []
        written = [self._filled_in(value) if isinstance(value, str) else value for value in values]
        return Action(f"{name}({', '.join(repr(value) for value in [target.bid, *written])})", think=str(target.name))

    def _advance(self) -> None:
        self._next += 1
        self._waited = 0

    def _filled_in(self, text: str) -> str:
        def value(match: re.Match[str]) -> str:
            account = self._accounts.get(match[1])
            if account is None:
                raise GaveUp(f"step {self._next + 1}: the environment has no account {match[1]!r}")
            return account[match[2]]

        return _ACCOUNT.sub(value, text)


def find(candidates: Sequence[Element], target: Mapping[str, Any]) -> Element | None:
    """The element of this role and name: an equal name before one that only contains it, case ignored.

    >>> row = [Element("1", "link", "Cart 2"), Element("2", "link", "cart"), Element("3", "button", "Cart")]
    >>> find(row, {"role": "link", "name": "Cart"}).bid, find(row, {"role": "link", "name": "cart", "nth": 1})
    ('2', None)
    >>> find(row, {"role": "link", "name": "Cart 2"}).bid, find(row, {"role": "link"}).bid
    ('1', '1')
    """
    wanted = " ".join(str(target.get("name", "")).split()).casefold()
    role = target.get("role")
    fitting = [element for element in candidates if role in (None, element.role) and not element.disabled]
    exact = [element for element in fitting if element.name.casefold() == wanted]
    chosen = exact or [element for element in fitting if wanted in element.name.casefold()]
    nth = int(target.get("nth", 0))
    return chosen[nth] if nth < len(chosen) else None


def _verb(step: Mapping[str, Any]) -> str:
    return next(verb for verb in _VERBS if verb in step)


def _check(step: object, number: int) -> None:
    """Refuse a step nobody could follow, before anything is run."""
    remedy = f"A step is an action string, or an object with one of: {', '.join(_VERBS)}."
    if isinstance(step, str):
        return
    if not isinstance(step, Mapping) or sum(verb in step for verb in _VERBS) != 1:
        raise UsageError(f"Step {number} of the script is none.", where=str(step), remedy=remedy, code="bad_script")
    verb = _verb(step)
    is_text = verb in ("goto", "answer")
    if not isinstance(step[verb], str if is_text else Mapping):
        kind = "a text" if is_text else "a target"
        raise UsageError(
            f"Step {number} of the script: {verb} needs {kind}.", where=str(step), remedy=remedy, code="bad_script"
        )
    companion = _COMPANION.get(verb)
    if companion is not None and companion not in step:
        message = f"Step {number} of the script: {verb} needs {companion!r}."
        raise UsageError(message, where=str(step), remedy=remedy, code="bad_script")
