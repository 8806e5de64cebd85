"""Parts of a page exchanged for others: what a situation makes of the frame that pages share.

Standard library only: a copy of this file is part of every emitted application.
"""

import json
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from builder.behave.spans import Page, Place, Span, concrete, normal

ALL, GONE = "*", "-"
"""Says of a change that it is of all of an element's content; that children of the tags and names in `olds` go."""


class Change(NamedTuple):
    """What one part of a page is exchanged for. Source in it is abstract."""

    place: Place
    """The element that is changed, or whose content is."""
    attribute: str
    """The attribute that is changed; empty if it is some of the content, "*" if it is all of it."""
    olds: tuple[tuple[str, ...], ...]
    """What may stand there before. Content: children, normal. Class: names that go. Attribute: its
    value, nothing where it is missing."""
    new: str | None
    """What stands there after. Content: source. Class: names that come. Attribute: its value.

    None if the attribute is there no longer.
    """
    after: str
    """"label:n" of the child before the content; empty where it begins the element."""

    @property
    def spot(self) -> tuple[Place, str, str]:
        """Changes of one spot exclude each other."""
        return (self.place, self.attribute, self.after)


Edit = tuple[int, int, str]
"""From here to there in the source, and what stands there instead."""


def change_of(text: str) -> Change:
    """A change as `text_of` wrote it."""
    place, attribute, olds, new, after = json.loads(text)
    return Change(tuple(place), attribute, tuple(tuple(old) for old in olds), new, after)


def text_of(change: Change) -> str:
    """A change as one line of JSON."""
    return json.dumps(change, ensure_ascii=False, separators=(",", ":"))


def patched(source: str, address: str, changes: Iterable[Change]) -> str:
    """The page with every change made that fits it; parts that differ from what is known stay."""
    page = Page(source, address)
    heads: dict[int, tuple[Span, str]] = {}
    edits: list[Edit] = []
    for change in changes:
        span = page.find(change.place)
        if span is None:
            continue
        if change.attribute == ALL:
            edits.append((span.inner, span.close, concrete(change.new or "", address)))
        elif change.attribute == GONE:
            gone = [child for child in span.children if called(child) in change.olds]
            edits += [(child.start, child.end, "") for child in gone]
        elif change.attribute:
            head = heads.get(span.start, (span, source[span.start : span.inner]))[1]
            heads[span.start] = (span, changed_head(page, span, head, change))
        elif (edit := edit_of(page, span, change)) is not None:
            edits.append(edit)
    edits += [(span.start, span.inner, head) for span, head in heads.values()]
    out, at = [], 0
    for start, end, text in sorted(edits):
        if start >= at:
            out += [source[at:start], text]
            at = end
    return "".join([*out, source[at:]])


def called(span: Span) -> tuple[str, str]:
    """The tag of an element, and the first word of its class, else its role or id; empty if it has none."""
    given = span.attributes
    return span.tag, next(iter(given.get("class", "").split()), given.get("role") or given.get("id", ""))


def edit_of(page: Page, span: Span, change: Change) -> Edit | None:
    """How the content of an element is changed; None if none of what may stand there does."""
    run = run_of(page, span, change)
    if run is None:
        return None
    start, end = run
    text = concrete(change.new or "", page.address)
    if start < end:
        return span.children[start].start, span.children[end - 1].end, text
    at = span.children[start - 1].end if start else span.inner
    return at, at, text


def run_of(page: Page, span: Span, change: Change) -> tuple[int, int] | None:
    """The children that a change replaces, as the numbers of the first and of the one after the last."""
    norms = [page.norm(child) for child in span.children]
    wanted = _after(span.children, change.after)
    for old in sorted(change.olds, key=len, reverse=True):
        starts = [n for n in range(len(norms) - len(old) + 1) if tuple(norms[n : n + len(old)]) == old]
        if not old or len(starts) > 1:
            starts = [n for n in starts if n == wanted]
        if starts:
            return starts[0], starts[0] + len(old)
    return None


def _after(children: Sequence[Span], step: str) -> int | None:
    if not step:
        return 0
    label, _, number = step.rpartition(":")
    same = [n for n, child in enumerate(children) if child.label == label]
    return same[int(number)] + 1 if int(number) < len(same) else None


def holds(page: Page, span: Span, change: Change) -> bool:
    """Whether an element has what a change of an attribute replaces."""
    value = span.attributes.get(change.attribute)
    if change.attribute == "class":
        have = set((value or "").split())
        return any(set(old) <= have for old in change.olds)
    return (() if value is None else (normal(page.abstract(value)),)) in change.olds


def changed_head(page: Page, span: Span, head: str, change: Change) -> str:
    """An opening tag with a change of an attribute made, if it fits."""
    if not holds(page, span, change):
        return head
    new = change.new
    if change.attribute == "class":
        come = (new or "").split()
        gone = {*come, *(name for old in change.olds for name in old)}
        have = span.attributes.get("class", "").split()
        at = next((n for n, one in enumerate(have) if one in gone), len(have))
        kept = [one for one in have[at:] if one not in gone]
        new = " ".join([*have[:at], *come, *kept]) or None
    elif new is not None:
        new = concrete(new, page.address)
    return _with_attribute(head, change.attribute, new)


def _with_attribute(head: str, name: str, value: str | None) -> str:
    """An opening tag with an attribute set, or without it."""
    given = r"(?:\s*=\s*(?:\"[^\"]*\"|'[^']*'|[^\s>]*))?(?=[\s/>])"
    known = re.compile(rf"\s+{re.escape(name)}{given}", re.I)
    quoted = "'" if value and '"' in value else '"'
    written = "" if value is None else f" {name}={quoted}{value}{quoted}"
    found, times = known.subn(lambda _: written, head, count=1)
    if times or value is None:
        return found
    end = len(head) - (2 if head.endswith("/>") else 1)
    return head[:end].rstrip() + written + head[end:]
