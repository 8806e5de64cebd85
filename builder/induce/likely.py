"""Texts that nothing explains whole: that of the page most like this one, with what it copies of its own request. Pure.

"1,204 songs by Ada, sorted by year" may be beyond any one rule, and yet a page of 7 songs does not say 1,204.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from builder.induce.listing import Facts
from builder.induce.sight import Sight
from builder.induce.slots import NO_ITEM, Argument, Grouped, Hole, Item, Learned, Nearest, Number, Program, Words
from builder.induce.values import nearest
from builder.induce.wording import grouped, written

_MOSTLY = 0.8
"""Share of the pages that copy something where any is taken to do so."""
_LEAST = 2
"""Characters of a value that is looked for."""
_MARKS = (",", ".", " ", "\u00a0", "\u202f", "'")


@dataclass(frozen=True)
class Likely:
    """The text of the captured page that is most like this one, what it copies replaced by what this page copies."""

    which: Nearest
    """Which of the forms."""
    forms: tuple[Words, ...]
    learned: Learned = "looked up"

    @property
    def cost(self) -> float:
        return self.which.cost + sum(form.cost for form in self.forms)

    def value(self, facts: Facts, item: Item = NO_ITEM) -> str:
        form: int = self.which.value(facts, item)
        return self.forms[form].value(facts, item)

    def jinja(self) -> str:
        if len(self.forms) == 1:
            return self.forms[0].jinja()
        return f"[{', '.join(form.jinja() for form in self.forms)}][{self.which.jinja()}]"


def likely(sight: Sight, picked: Sequence[int], targets: Sequence[str]) -> Program:
    """What stands there on the page most like this one; its copies of numbers and of the request are this page's."""
    if sight.root is sight and any(" " in target for target in targets):
        told = _copying(sight, picked, targets)
        forms = [_form(sight, number, target, told) for number, target in zip(picked, targets, strict=True)]
        different = tuple(dict.fromkeys(forms))
        if len(different) < len(set(targets)) and sight.agrees(
            found := Likely(nearest(sight, picked, [different.index(form) for form in forms]), different),
            picked, targets,
        ):  # fmt: skip
            return found
    return nearest(sight, picked, targets)


def _copies(sight: Sight, number: int) -> Iterator[tuple[str, str, Program]]:
    """What a page may copy: a name for it, how it is written, and the program that writes it."""
    facts = sight.facts(number)
    if facts.total:
        yield "", str(facts.total), Number("total")
        for mark in _MARKS if facts.total > 999 else ():
            yield "", grouped(facts.total, mark), Grouped(Number("total"), mark)
    for key, value in dict(reversed(facts.pairs)).items():
        if len(value) >= _LEAST and key not in sight.page_keys:
            yield key, written(value, sight.spelling), Hole(Argument(key), (sight.spelling,))


def _copying(sight: Sight, picked: Sequence[int], targets: Sequence[str]) -> set[str]:
    """What most pages copy that have it to copy."""
    having: dict[str, list[bool]] = {}
    for number, target in zip(picked, targets, strict=True):
        here: dict[str, bool] = {}
        for name, text, _ in _copies(sight, number):
            here[name] = here.get(name, False) or bool(_whole(text).search(target))
        for name, held in here.items():
            having.setdefault(name, []).append(held)
    return {name for name, held in having.items() if held.count(True) >= _MOSTLY * len(held)}


def _form(sight: Sight, number: int, target: str, told: set[str]) -> Words:
    """A page's text with holes where it copies."""
    parts: list[str | Program] = [target]
    copies = [copy for copy in _copies(sight, number) if copy[0] in told]
    for name, text, program in sorted(copies, key=lambda copy: -len(copy[1])):
        # a number leads, and a value follows on what may be called as it is
        for place, part in list(enumerate(parts))[:: -1 if name else 1]:
            found = list(_whole(text).finditer(part)) if isinstance(part, str) else []
            if found and isinstance(part, str):
                one = found[-1 if name else 0]
                parts[place : place + 1] = [part[: one.start()], program, part[one.end() :]]
                break
    return Words(tuple(part for part in parts if part != ""))


def _whole(text: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w.,]){re.escape(text)}(?![\w]|[.,]\d)")
