"""A page that shows other texts in place of its secrets while it is looked at, and its own again afterwards.

What is secret, and what stands for it, is decided by whoever looks: the lens knows no secret by sight.
"""

import contextlib
import difflib
import html
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from playwright.sync_api import Error

from explorer.lens.world import Held, World

Hide = Callable[[str], str]
"""What a text, or the markup of a form field, is to show instead: the same text where it holds nothing to hide."""

_MOST_TOKENS = 4_000
"""A longer difference is taken as one: comparing costs the square of its length."""
_TOKEN = re.compile(r"[\w.+%@-]+|\s+|.", re.DOTALL)
_VALUE = re.compile(r' value="([^"]*)">$')


class Veil:
    """Stand-ins over one document, its same-origin frames and its open shadow roots."""

    def __init__(self, held: Held, hide: Hide) -> None:
        self._held = held
        self._hide = hide

    def draw(self) -> bool:
        """Write stand-ins wherever there is something to hide now. False if there was nothing.

        Costs one scan of the page where there is nothing. The page has reacted to what was written on return.
        """
        texts = self._held.call("texts")
        runs, fields = texts["runs"], [_markup(*field) for field in texts["fields"]]
        everything = "\n".join([*(part for run in runs for part in run), *map("".join, runs), *fields])
        if self._hide(everything) == everything:  # one search of all of it is many times quicker than one of each
            return False
        changes: dict[str, list[Any]] = {"runs": [], "fields": []}
        for number, run in enumerate(runs):
            if (shown := veiled_run(run, self._hide)) != run:
                changes["runs"].append((number, shown))
        for number, field in enumerate(fields):
            if (shown_field := self._hide(field)) != field:
                changes["fields"].append((number, _value(shown_field)))
        if not changes["runs"] and not changes["fields"]:
            return False
        self._held.call("write", changes)
        self._held.call("rest")
        return True

    def lift(self) -> None:
        """Give the page its own texts back, but for those that it has changed itself meanwhile."""
        with contextlib.suppress(Error):  # a page that moved on has nothing to get back
            self._held.call("lift")


@contextlib.contextmanager
def veil(world: World, hide: Hide) -> Iterator[Veil]:
    """A veil over the page, not yet drawn, and lifted at the end of the block."""
    with world.hold("veil") as held:
        drawn = Veil(held, hide)
        try:
            yield drawn
        finally:
            drawn.lift()


def veiled_run(parts: Sequence[str], hide: Hide) -> list[str]:
    """What texts that stand side by side show, each alone and then all of them read as one.

    >>> veiled_run(["write to ", "an@x.org", "!"], lambda text: text.replace("an@x.org", "0@y"))
    ['write to ', '0@y', '!']
    >>> veiled_run(["write to an", "@x.org", "!"], lambda text: text.replace("an@x.org", "0@y"))
    ['write to 0@y', '', '!']
    """
    alone = [hide(part) for part in parts]
    if len(parts) == 1:
        return alone
    joined = "".join(alone)
    together = hide(joined)
    return alone if together == joined else spread(alone, together)


def spread(parts: Sequence[str], text: str) -> list[str]:
    """The text cut into as many parts, what is the same where it was, what is new where the old began.

    >>> spread(["(", "a@b.org", ") and ", "c", "@d.org"], "(1@h) and 2@h")
    ['(', '1@h', ') and ', '2@h', '']
    """
    old = "".join(parts)
    starts = [sum(map(len, parts[:number])) for number in range(len(parts))]
    result = [""] * len(parts)
    for start, end, new in _differences(old, text):
        if new is None:
            for number, first in enumerate(starts):
                result[number] += old[max(start, first) : min(end, first + len(parts[number]))]
        else:
            result[bisect_right(starts, start) - 1] += new
    return result


def _differences(old: str, new: str) -> Iterator[tuple[int, int, str | None]]:
    """Places in the old text, in order, with what is there now; None where it is the same."""
    tokens, others = _TOKEN.findall(old), _TOKEN.findall(new)
    if max(len(tokens), len(others)) > _MOST_TOKENS:
        tokens, others = [old], [new]
    matcher = difflib.SequenceMatcher(None, tokens, others, autojunk=False)
    at = 0
    for kind, first, last, other_first, other_last in matcher.get_opcodes():
        length = sum(map(len, tokens[first:last]))
        yield at, at + length, None if kind == "equal" else "".join(others[other_first:other_last])
        at += length


def _markup(kind: str, name: str, value: str) -> str:
    """A field as pages write it: its kind tells what it holds."""
    return f'<input type="{html.escape(kind)}" name="{html.escape(name)}" value="{html.escape(value)}">'


def _value(markup: str) -> str:
    found = _VALUE.search(markup)
    return html.unescape(found[1]) if found else ""
