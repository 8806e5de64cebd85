"""Pages of lists that have their number in the path, under the path of the first. Pure."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from builder.induce.listing import Listing

_PAGE_WORDS = "page|p|pg|paged|pag|pagina|seite|strona|sida|side|stranka|pagine|paginas"
_TAIL = re.compile(rf"(?<=[/_-])((?:{_PAGE_WORDS})[-_/]?)(\d+)((?:\.\w+)?/?)$", re.I)
_BARE_TAIL = re.compile(r"(?<=/)()(\d+)(/?)$")


@dataclass(frozen=True)
class Turned:
    """A listing under the address of its list's first page."""

    listing: Listing
    number: str = ""
    """What the path says of the page; empty for the first."""
    tail: str = ""
    head: str = ""


def without_path_pages(listings: Sequence[Listing]) -> list[Turned]:
    """The listings with the page taken out of the path, as in "/news/page/2/" or "/news/page-2.html"."""
    by_path = {one.path: one for one in listings}
    linked = by_path.keys() | {path for one in listings for path, _ in one.links}
    tails: dict[str, list[tuple[Listing, str, str]]] = defaultdict(list)
    for one in listings:
        for shape in (_TAIL, _BARE_TAIL):
            if found := shape.search(one.path):
                tails[found[1] + "{}" + found[3]].append((one, one.path[: found.start()], found[2]))
                break
    turned: dict[int, Turned] = {}
    for tail, members in tails.items():
        head = _head(tail, [prefix for _, prefix, _ in members], linked)
        if head is None or (tail.startswith("{}") and not _is_turning(members, head, by_path)):
            continue
        for one, prefix, number in members:
            path = prefix + head
            family = by_path[path].family if path in by_path else _cut_family(one, path)
            turned[id(one)] = Turned(replace(one, path=path, family=family), number, tail, head)
    return [turned.get(id(one), Turned(one)) for one in listings]


def _head(tail: str, prefixes: Sequence[str], linked: Iterable[str]) -> str | None:
    """How the first page's path ends, where the later ones end in the tail; None if no such path is known."""
    ends = Counter[str]()
    for prefix in set(prefixes):
        for path in linked:
            if path.startswith(prefix) and "/" not in path[len(prefix) :] and not re.search(r"\d", path[len(prefix) :]):
                ends[path[len(prefix) :]] += 1
        if tail.format(1) and prefix + tail.format(1) in linked:
            ends[tail.format(1)] += 1
    best = max(ends, key=lambda end: (ends[end], end == "", -len(end)), default=None)
    return best if best is not None and 2 * ends[best] >= len(set(prefixes)) else None


def _is_turning(members: Sequence[tuple[Listing, str, str]], head: str, by_path: Mapping[str, Listing]) -> bool:
    """Whether a bare number at a path's end is a page: the first page links there and shows other rows."""
    for one, prefix, number in members:
        first = by_path.get(prefix + head)
        if first is None or int(number) < 1 or (set(first.rows) & set(one.rows) and first.rows != one.rows):
            return False
        if not any(path.startswith(prefix) and path[len(prefix) :].strip("/").isdecimal() for path, _ in first.links):
            return False
    return True


def _cut_family(one: Listing, path: str) -> str:
    """The family of a list's first page, from that of a later one."""
    old, new, family = one.path.split("/"), path.split("/"), one.family.split("/")
    same = next((n for n, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
    return "/".join(family[:same] + new[same:])
