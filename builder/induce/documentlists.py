"""JSON answers as pages of lists: what each showed, said and linked to, and the cursors that name rows. Pure."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from builder.compile import keys
from builder.induce.documentrows import Kind, row_key, shape_of
from builder.induce.documents import Document, Spot, without
from builder.induce.jsontext import Number, parsed
from builder.induce.listing import Listing, Pairs
from builder.induce.lists import numbers_in
from builder.induce.roles import simple

_SHAPING = frozenset(
    "fields field select include expand embed shape format view populate with props columns only exclude output extra"
    " projection".split()
)
_PAGING = frozenset("page p offset start skip from limit size perpage pagesize".split())
_LINK = re.compile(r"<([^>]*)>\s*((?:;\s*[\w*]+=(?:\"[^\"]*\"|[^;,]*)\s*)+)(?:,|$)")


@dataclass(frozen=True)
class Shaping:
    """Which parameters decide how answers are written, and which spot each of their values leads to."""

    names: tuple[str, ...]
    spots: Mapping[Pairs, Spot]
    """Values of these parameters, sorted -> the spot."""

    def asked(self, pairs: Pairs) -> Pairs:
        return tuple(sorted(pair for pair in pairs if pair[0] in self.names))

    def rest(self, pairs: Pairs) -> Pairs:
        return tuple(pair for pair in pairs if pair[0] not in self.names)


def split_by_members(spot: Spot) -> tuple[Spot, ...]:
    """The spot as several, where a parameter decides which members its items have."""
    sets = {
        document: frozenset(shape_of([row.item for row in rows]).cells())
        for document, rows in spot.rows.items()
        if rows
    }
    if len(set(sets.values())) < 2:
        return (spot,)
    for name in sorted({name for document in sets for name, _ in document.pairs}):
        groups: dict[str, list[Document]] = {}
        for document in spot.rows:
            groups.setdefault("\0".join(v for n, v in document.pairs if n == name), []).append(document)
        is_told = all(len({sets[one] for one in group if one in sets}) < 2 for group in groups.values())
        is_plain = not name.isdigit() and 2 * len(groups) <= len(spot.rows) and name != spot.source
        numbers = all(value.isdecimal() for value in groups if value)
        if is_told and (simple(name) in _SHAPING or (is_plain and not numbers)):
            return tuple(replace(spot, rows={one: spot.rows[one] for one in group}) for group in groups.values())
    return (spot,)


def shaping_of(found: Sequence[Spot]) -> Shaping | None:
    """The parameters that tell an endpoint's spots apart, and those that always have one value; None if none do."""
    home = {document: spot for spot in found for document in spot.rows}
    names = sorted({name for document in home for name, _ in document.pairs})
    names = [name for name in names if all(spot.source != name for spot in found)]
    fixed = tuple(
        n for n in names if len(home) > 1 and len({tuple(v for m, v in d.pairs if m == n) for d in home}) == 1
    )
    open_names = [name for name in names if name not in fixed]
    for count in range(3):
        for chosen in combinations(open_names, count):
            told: dict[Pairs, set[Spot]] = {}
            shaping = Shaping((*fixed, *chosen), {})
            for document, spot in home.items():
                told.setdefault(shaping.asked(document.pairs), set()).add(spot)
            if all(len(spots) == 1 for spots in told.values()) and (not count or 2 * len(told) <= len(home) + 2):
                return replace(shaping, spots={asked: spots.pop() for asked, spots in told.items()})
    return None


def hole_of(spot: Spot, document: Document, hole: Any) -> Any:
    """The answer with a hole where its rows stand."""
    return without(document.value, spot.place, hole)


def link_header(text: str) -> dict[str, str] | None:
    """Relation -> address of a Link header; None if it says more than that.

    >>> link_header('<http://a.test/x?page=2>; rel="next", </x>; rel="first"')
    {'next': 'http://a.test/x?page=2', 'first': '/x'}
    """
    found = {}
    for target, parameters in _LINK.findall(text):
        rel = re.fullmatch(r';\s*rel="([^"]*)"\s*', parameters)
        if rel is None or rel[1] in found:
            return None
        found[rel[1]] = target
    said = ", ".join(f'<{target}>; rel="{rel}"' for rel, target in found.items())
    return found if said == text else None


def listing_of(spot: Spot, document: Document, kind: Kind, shaping: Shaping, family: str) -> Listing:
    """What one answer shows as a page of a list."""
    around = hole_of(spot, document, None)
    said = [*_leaves(around), *(Number(value) for _, value in document.headers if value.isdecimal())]
    numbers = {number for one in said if isinstance(one, Number) for number in numbers_in(str(one))}
    targets = [one for one in said if not isinstance(one, Number)]
    for name, value in document.headers:
        if name.lower() == "link":
            targets += (link_header(value) or {}).values()
    links = frozenset(
        (path if not document.endpoint.fixed else family, shaping.rest(pairs)) for path, pairs in _addresses(targets)
    )
    rows = tuple(row_key(kind.key_name, row.key) for row in spot.rows[document])
    path = family if document.endpoint.fixed else document.path
    return Listing(family, path, shaping.rest(document.pairs), rows, frozenset(numbers), links)


def _leaves(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for inner in value.values():
            yield from _leaves(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _leaves(inner)
    elif isinstance(value, str):
        yield value


def _addresses(texts: Iterable[str]) -> Iterator[tuple[str, Pairs]]:
    for text in texts:
        if re.match(r"(https?://[^/]+)?/[^\s]*\?|\?", text):
            try:
                parts = urlsplit(text)
            except ValueError:
                continue
            yield keys.path_of(parts.path), tuple(parse_qsl(parts.query, keep_blank_values=True))


def scalars_of(kind: Kind, key: str) -> dict[str, str]:
    """Column -> text, of the columns of a row that hold one text or number."""
    found = {}
    for column, source in kind.sources[key].items():
        if source[:1] == '"' or source[:1].isdigit() or source[:1] == "-":
            found[column] = str(parsed(source))
    return found


def cursors_of(listings: Sequence[Listing], kind: Kind) -> dict[str, str]:
    """Parameters whose values name the row that a page begins after -> the column that they name it by."""
    unique = _unique_columns(kind)
    found = {}
    for name in sorted({name for one in listings for name, _ in one.pairs}):
        if simple(name) in _PAGING:
            continue
        for column, rows in unique.items():
            if _names_the_row_before(name, rows, listings):
                found[name] = column
                break
    return found


def _unique_columns(kind: Kind) -> dict[str, dict[str, str]]:
    """Column -> text -> key, of the columns that no two rows share a text of; the identity first."""
    texts: dict[str, list[tuple[str, str]]] = {}
    for key in kind.table.rows:
        for column, text in scalars_of(kind, key).items():
            texts.setdefault(column, []).append((text, key))
    found = {column: dict(pairs) for column, pairs in texts.items() if len(dict(pairs)) == len(pairs)}
    return dict(sorted(found.items(), key=lambda one: (one[0] != kind.key_name, one[0])))


def _names_the_row_before(name: str, rows: Mapping[str, str], listings: Sequence[Listing]) -> bool:
    last: dict[tuple[str, Pairs], set[str]] = {}
    for one in listings:
        if one.rows:
            last.setdefault((one.path, _without(one.pairs, name)), set()).add(one.rows[-1])
    followed = 0
    for one in listings:
        value = next((value for n, value in one.pairs if n == name and value), "")
        if value:
            key = rows.get(value)
            if key is None or key in one.rows:
                return False
            followed += key in last.get((one.path, _without(one.pairs, name)), ())
    return followed > 0


def _without(pairs: Pairs, name: str) -> Pairs:
    return tuple(sorted(pair for pair in pairs if pair[0] != name))


def translated(listing: Listing, cursors: Mapping[str, str], kind: Kind) -> Listing:
    """The listing with the keys of rows in place of cursors."""
    if not cursors:
        return listing
    unique = _unique_columns(kind)
    pairs = tuple(
        (name, unique[cursors[name]].get(value, value) if name in cursors else value) for name, value in listing.pairs
    )
    return replace(listing, pairs=pairs)


def varying_headers(documents: Sequence[Document]) -> list[str]:
    """Names of the headers that say something of each answer."""
    said: Counter[str] = Counter()
    values: dict[str, set[str]] = {}
    for document in documents:
        for name, value in document.headers:
            said[name] += 1
            values.setdefault(name, set()).add(value)
    return [name for name in said if said[name] < len(documents) or len(values[name]) > 1]
