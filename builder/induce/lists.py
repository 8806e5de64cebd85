"""Which captured pages are pages of one list, and what each showed. Pure."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from builder.compile import keys
from builder.induce.entities import Entity
from builder.induce.listing import Listing, Pairs
from builder.induce.pages import Kind, Page, selected
from builder.induce.parts import Data, Loop, TemplateNode
from builder.induce.rows import Spot, texts

_NUMBER = re.compile(r"(?<![\w.,])\d{1,3}(?:[,.\u00a0\u202f]\d{3})+(?![\w.,]*\d)|(?<![\w.,])\d+(?![\w]|[.,]\d)")
_SEPARATORS = re.compile(r"[,.\u00a0\u202f]")
_WORDS = re.compile(r"[^\W\d_]+")
_LEAST_PAGES = 2


@dataclass(frozen=True, eq=False)
class ListPage:
    """One captured page of a list; a page without rows has no loop that they would stand in."""

    page: Page
    kind: Kind
    data: Data
    spot: Spot | None
    listing: Listing


@dataclass(frozen=True, eq=False)
class Family:
    """The pages of one list: addresses of one kind that show rows of one table."""

    name: str
    entity: Entity
    pages: tuple[ListPage, ...]


def families(
    found: Sequence[Kind], tables: Iterable[Entity], part_of: Mapping[str, str] | None = None
) -> tuple[Family, ...]:
    """Every list of the site, the one with most pages first. `part_of` names the wider family of some."""
    wide = part_of or {}
    home = {spot: entity for entity in tables for spot in entity.spots}
    shown: dict[tuple[str, Entity], list[ListPage]] = defaultdict(list)
    bare: list[tuple[Kind, int]] = []
    for kind in found:
        spot = list_of(kind, home)
        for number, page in enumerate(kind.pages):
            if spot is None or not spot.items[number]:
                bare.append((kind, number))
            else:
                name = wide.get(page.family, page.family)
                shown[name, home[spot]].append(_list_page(kind, number, spot, name))
    for kind, number in bare:
        page = kind.pages[number]
        for (name, _), members in shown.items():
            own = wide.get(page.family, page.family)
            if own == name and any(_is_next_to(page, other.page) for other in members):
                members.append(_list_page(kind, number, None, name))
                break
    made = [
        Family(name, entity, tuple(members))
        for (name, entity), members in shown.items()
        if len(members) >= _LEAST_PAGES
    ]
    return tuple(sorted(made, key=lambda family: (-len(family.pages), family.name)))


def list_of(kind: Kind, home: Mapping[Spot, Entity]) -> Spot | None:
    """The loop of a kind that its pages are lists of: the one whose different pages show most, in no other loop."""
    from_table = [spot for spot in home if spot.kind is kind and spot.sequences > 1 and not _in_loop(spot)]
    return max(from_table, key=lambda spot: (spot.shown, len(spot.keys), spot.path), default=None)


def _in_loop(spot: Spot) -> bool:
    around = set(spot.path[:-1])
    return any(number in around for number in _loop_numbers(spot.kind.template))


def _loop_numbers(template: Sequence[TemplateNode]) -> Iterable[int]:
    for node in template:
        if isinstance(node, Loop):
            yield node.number
        children = getattr(node, "children", None) or ((node.body,) if hasattr(node, "body") else ())
        yield from _loop_numbers(children)


def _list_page(kind: Kind, number: int, spot: Spot | None, family: str) -> ListPage:
    page, data = kind.pages[number], kind.data[number]
    rows = tuple(item.key for item in spot.items[number]) if spot else ()
    outside = " ".join(texts(kind.template, data, frozenset({spot.number} if spot else ())))
    pairs = _without(page.pairs, page.selector)
    listing = Listing(family, page.path, pairs, rows, numbers_in(outside), _links(page), said_in(outside))
    return ListPage(page, kind, data, spot, listing)


def numbers_in(text: str) -> frozenset[int]:
    """The whole numbers in a text, separators of thousands left out.

    >>> sorted(numbers_in("1,204 results, 20 a page, from 3.50"))
    [20, 1204]
    """
    return frozenset(int(_SEPARATORS.sub("", found)) for found in _NUMBER.findall(text) if len(found) < 12)


def said_in(text: str) -> frozenset[tuple[str, int]]:
    """Numbers with the words next to them, where only one number stands so; "#" marks its place.

    >>> sorted(said_in("1,204 rows, of 20"))
    [('# rows', 1204), ('^ # rows', 1204), ('of #', 20), ('of # $', 20)]
    """
    found: dict[str, set[int]] = defaultdict(set)
    for number in _NUMBER.finditer(text):
        if len(number[0]) < 12:
            value = int(_SEPARATORS.sub("", number[0]))
            before = _WORDS.findall(text[max(0, number.start() - 40) : number.start()])[-1:]
            after = _WORDS.findall(text[number.end() : number.end() + 40])[:1]
            left, right = (before or ["^"])[0].casefold(), (after or ["$"])[0].casefold()
            for around in (f"{left} # {right}", f"{left} #", f"# {right}"):
                found[around].add(value)
    edges = ("^ #", "# $")
    single = {around: value for around, values in found.items() if len(values) == 1 for value in values}
    return frozenset((around, value) for around, value in single.items() if around not in edges)


def _links(page: Page) -> frozenset[tuple[str, Pairs]]:
    found = {target for target, _ in page.links if target.startswith("/")}
    apart = [_taken_apart(target) for target in found]
    return frozenset(
        (path, _without(pairs, page.selector))
        if path != page.path or set(page.selector) <= set(pairs)
        else (selected(path, tuple(pair for pair in pairs if pair[0] in dict(page.selector))), pairs)
        for path, pairs in apart
    )


def _without(pairs: Pairs, selector: Pairs) -> Pairs:
    return tuple(pair for pair in pairs if pair not in selector)


def _taken_apart(address: str) -> tuple[str, Pairs]:
    path, _, query = address.partition("?")
    return keys.path_of(path), keys.sent_pairs(query)


def _is_next_to(page: Page, other: Page) -> bool:
    """Whether the two addresses differ in one parameter, so that one is a list because the other is."""
    if page.place != other.place:
        return False
    mine, theirs = Counter(page.pairs), Counter(other.pairs)
    return len({name for name, _ in ((mine - theirs) + (theirs - mine))}) == 1


def link_texts(found: Iterable[Kind]) -> dict[str, str]:
    """Path -> the text that most links to it have; for addresses without a query."""
    said: dict[str, Counter[str]] = defaultdict(Counter)
    for kind in found:
        for page in kind.pages:
            for target, text in set(page.links):
                if text.strip() and target.startswith("/") and "?" not in target:
                    said[keys.path_of(target)][" ".join(text.split())] += 1
    return {path: max(counted, key=lambda text: (counted[text], text)) for path, counted in sorted(said.items())}
