"""Where pages differ with what visitors did: parts of the frame, and parts of the pages of a family. Pure."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from builder.behave.contents import Template, Values, read, template_of
from builder.behave.frames import Fragments, Fresh, Seen, Spot, differences, is_message, said
from builder.behave.history import Episode, Look
from builder.behave.patches import ALL, GONE, Change, called, patched, run_of
from builder.behave.spans import Page, Place, calm, normal, parse

_LISTED = frozenset(("li", "tr", "dd", "dt", "option", "article"))
_MOST_CONTENTS = 60
_PRESENT = 0.5


@dataclass(frozen=True, eq=False)
class Sight:
    """What stood in a part of a page when somebody looked."""

    episode: int
    """Number of the episode; -1 for a fresh visitor."""
    prior: int
    address: str
    values: Values


@dataclass(frozen=True, eq=False)
class Part:
    """A part of pages that follows what visitors did."""

    name: str
    family: str
    """The family of its pages; empty for a part of the frame."""
    place: Place
    attribute: str
    """As a change has it, or "*" for all of an element's content."""
    after: str
    olds: tuple[tuple[str, ...], ...]
    """What was seen there, as a change has it; empty for all of an element's content."""
    template: Template | None
    """None for an attribute: then "o0" says whether it is there, and "s0" what it is."""
    sights: tuple[Sight, ...]


@dataclass(frozen=True, eq=False)
class Message:
    """Something that was shown once, after an action."""

    episode: int
    prior: int
    change: Change


@dataclass(frozen=True, eq=False)
class Found:
    """All parts that follow what visitors did, and all messages."""

    parts: tuple[Part, ...]
    messages: tuple[Message, ...]
    compared: frozenset[tuple[int, int]]
    """Episodes and numbers of actions after which the first page could be compared with the fresh visitor's."""


def find_parts(fresh: Sequence[Seen], episodes: Sequence[Episode], fragments: Mapping[int, Fragments]) -> Found:
    """The parts in which pages that somebody saw after an action differ from what a fresh visitor saw."""
    finder = _Finder(fresh, episodes, fragments)
    parts = [*finder.frame_parts(), *finder.page_parts()]
    return Found(tuple(parts), tuple(finder.messages), frozenset(finder.compared))


class _Finder:
    def __init__(self, fresh: Sequence[Seen], episodes: Sequence[Episode], fragments: Mapping[int, Fragments]) -> None:
        self._fresh = Fresh(fresh)
        self._by_family: dict[str, list[Seen]] = defaultdict(list)
        for page in self._fresh.seen.values():
            self._by_family[page.family].append(page)
        self._sample = [Page(one.source, one.address) for found in self._by_family.values() for one in found[:1]]
        self._variants: dict[Spot, dict[tuple[str, ...], None]] = defaultdict(dict)
        for change in chain.from_iterable(fragments.values()):
            self._variants[change.spot] |= dict.fromkeys((*change.olds, said(change)))
        self._tokens: dict[str, str] = {}
        self.messages: list[Message] = []
        self.compared: set[tuple[int, int]] = set()
        self._looks: list[tuple[int, Look, Page]] = []
        self._places: dict[str, dict[tuple[Place, str], None]] = defaultdict(dict)
        for number, episode in enumerate(episodes):
            for look in episode.looks:
                others = [one for one in episode.looks if one.family == look.family and not one.is_first]
                self._looks.append((number, look, self._taken_in(number, look, others)))

    def _taken_in(self, number: int, look: Look, others: Sequence[Look]) -> Page:
        """The page without messages, its differences from the fresh visitor's noted.

        `others` are looks at such pages in the same episode, those that came first after an action left out.
        """
        page = Page(look.source, look.address)
        base = self._fresh.page(look.address) if look.prior else None
        if base is None:
            return page
        if look.is_first:
            self.compared.add((number, look.prior))
        for one in differences(base, page):
            change = one.change
            if change.spot in self._variants:
                continue
            if look.is_first and self._is_shown_once(change) and not _is_shown_again(change, others):
                self.messages.append(Message(number, look.prior, change))
                shown = change._replace(olds=(said(change),), new="")
                page = Page(patched(page.source, look.address, [shown]), look.address)
            else:
                self._places[look.family].setdefault((_lifted(page, change.place), change.attribute or ALL))
        return page

    def _is_shown_once(self, change: Change) -> bool:
        if change.attribute or change.olds != ((),):
            return False
        found = [span for page in self._sample if (span := page.find(change.place)) is not None]
        if found and is_message(change, found[0]):
            return True
        return bool(change.place) and len(found) > _PRESENT * len(self._sample)

    def _at(self, page: Page, change: Change, episode: int, prior: int) -> Iterator[tuple[int, int, str, str | None]]:
        """What stands there, and when and where."""
        return ((episode, prior, page.address, text) for text in contents_of(page, change, self._tokens))

    def frame_parts(self) -> Iterator[Part]:
        for number, (spot, variants) in enumerate(self._variants.items()):
            place, attribute, after = spot
            change = Change(place, attribute, tuple(variants), "", after)
            contents: list[tuple[int, int, str, str | None]] = []
            for page in self._sample:
                contents += self._at(page, change, -1, 0)
            for episode, look, page in self._looks:
                contents += (
                    (episode, look.prior, page.address, text) for text in contents_of(page, change, self._tokens)
                )
            if part := _part(f"frame_{number + 1}", "", change, contents):
                yield part

    def page_parts(self) -> Iterator[Part]:
        for family, places in sorted(self._places.items()):
            pages = [Page(page.source, page.address) for page in self._by_family[family]]
            seen = [(episode, look, page) for episode, look, page in self._looks if look.family == family]
            for number, (place, attribute) in enumerate(_outermost(places, [page for _, _, page in seen])):
                change = Change(place, attribute, (), "", "")
                contents: list[tuple[int, int, str, str | None]] = []
                for page in pages:
                    contents += self._at(page, change, -1, 0)
                for episode, look, page in seen:
                    contents += (
                        (episode, look.prior, page.address, text) for text in contents_of(page, change, self._tokens)
                    )
                if part := _part(f"{family} {number + 1}", family, change, contents):
                    yield part


def _is_shown_again(change: Change, others: Iterable[Look]) -> bool:
    """Whether what came onto a page stands on one like it that nothing led to: then it stays."""
    text = (change.new or "").strip()
    return bool(text) and any(text in one.source for one in others)


def contents_of(page: Page, change: Change, tokens: dict[str, str]) -> Iterator[str | None]:
    """What stands in a part of a page, if the page has it; None for an attribute that is not there."""
    span = page.find(change.place)
    if span is None:
        return
    if change.attribute == ALL:
        yield calm(page.source[span.inner : span.close], tokens)
    elif change.attribute == "class":
        known = {name for old in change.olds for name in old}
        yield " ".join(name for name in span.attributes.get("class", "").split() if name in known)
    elif change.attribute:
        yield span.attributes.get(change.attribute)
    elif run := run_of(page, span, change):
        children = span.children[run[0] : run[1]]
        text = page.source[children[0].start : children[-1].end] if children else ""
        yield page.abstract(calm(text, tokens))


def values_on(part: Part, page: Page) -> Values | None:
    """What a part says on a page; None if the page has no such part."""
    if part.template is None:
        return None
    change = Change(part.place, part.attribute, part.olds, "", part.after)
    text = next(contents_of(page, change, {}), None)
    return None if text is None else read(part.template, text)


def _part(name: str, family: str, change: Change, contents: Sequence[tuple[int, int, str, str | None]]) -> Part | None:
    """The part with its template; None if it is always the same, or no template gives every content back."""
    different = dict.fromkeys(text for *_, text in contents)
    if len(different) < 2:
        return None
    template: Template | None = None
    sights: list[Sight] = []
    if change.attribute not in ("", ALL):
        for episode, prior, address, text in contents:
            values: Values = {"o0": text is not None} | ({} if text is None else {"s0": text})
            sights.append(Sight(episode, prior, address, values))
    else:
        texts = [text for text in different if text is not None]
        acted = list(dict.fromkeys(text for episode, _, _, text in contents if text is not None and episode >= 0))
        others = [text for text in texts if text not in acted]
        some = [*acted[:_MOST_CONTENTS], *others[:: max(1, len(others) // _MOST_CONTENTS)]]
        template = template_of(some)
        if template is None:
            return None
        tokens: dict[str, str] = {}
        known = {text: steady(read(template, text), tokens) for text in texts}
        for episode, prior, address, text in contents:
            if (found := known.get(text or "")) is not None:
                sights.append(Sight(episode, prior, address, found))
    return Part(name, family, change.place, change.attribute, change.after, change.olds, template, tuple(sights))


def steady(values: Values | None, tokens: dict[str, str]) -> Values | None:
    """The values with every token as the first that was seen in its hole."""
    if values is None:
        return None
    found: Values = {}
    for hole, value in values.items():
        if isinstance(value, list):
            found[hole] = [steady(row, tokens) for row in value]
        elif isinstance(value, str) and "~" in (plain := normal(value)) and plain != value:
            found[hole] = tokens.setdefault(f"{hole} {plain}", value)
        else:
            found[hole] = value
    return found


def _lifted(page: Page, place: Place) -> Place:
    """A place inside one of several like neighbours belongs to what holds them all."""
    for length in range(1, len(place) + 1):
        label = place[length - 1].rpartition(":")[0]
        parent = page.find(place[: length - 1])
        if parent is None or place[length - 1].startswith("#"):
            continue
        same = [child for child in parent.children if child.label == label]
        if same and (same[0].tag in _LISTED or len(same) > 2):
            return place[: length - 1]
    return place


def _outermost(places: Iterable[tuple[Place, str]], pages: Sequence[Page]) -> list[tuple[Place, str]]:
    """The places that lie in no other whose content is exchanged as a whole."""
    known = list(places)

    def within(one: tuple[Place, str], other: tuple[Place, str]) -> bool:
        for page in pages:
            inner, outer = page.find(one[0]), page.find(other[0])
            if inner is not None and outer is not None:
                return inner is not outer and outer.inner <= inner.start and inner.end <= outer.close
        return False

    return [one for one in known if not any(other[1] == ALL and within(one, other) for other in known)]


def without(messages: Sequence[Message]) -> tuple[Change, ...]:
    """The changes that take messages off a page, whatever they say."""
    labels: dict[Place, dict[tuple[str, ...], None]] = defaultdict(dict)
    for one in messages:
        for span in parse(one.change.new or "").children:
            if all(called(span)):
                labels[one.change.place].setdefault(called(span))
    return tuple(Change(place, GONE, tuple(found), "", "") for place, found in labels.items())
