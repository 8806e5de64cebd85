"""JSON answers of one kind, and where in them rows stand: arrays of objects, objects by key, one object. Pure."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple
from urllib.parse import unquote

from builder.induce.jsontext import Number, parsed
from builder.induce.listing import Pairs

Place = tuple[str, ...]
"""Keys that lead from the top of a value to something in it."""
Way = Literal["objects", "by key", "arrays", "one"]

_DEEPEST = 4
_HINTS: Mapping[str, int] = {
    name: rank
    for rank, names in enumerate(
        ("id", "uuid pk guid databaseid", "slug key sku code handle isbn login username", "url href uri self", "name")
    )
    for name in names.split()
}
SURE, UNHINTED = 2, 9
_EXTENSION = re.compile(r"\.(?=\w*[a-z])\w{2,5}$")


class Endpoint(NamedTuple):
    """Requests that are answered alike: the same address but for its variable pieces, and the same fixed body."""

    host: int
    method: str
    path: str
    """The path with its variable segments starred."""
    fixed: Pairs = ()
    """Leaves of the request's body that are always these; the others are its parameters."""


@dataclass(frozen=True, eq=False)
class Document:
    """One captured JSON answer."""

    name: str
    """What whoever made it knows it by."""
    endpoint: Endpoint
    path: str
    pairs: Pairs
    """What was asked for: the query, or the variables of a query document."""
    status: int
    text: str
    headers: Pairs = ()
    """What it says of itself in headers that are no matter of transport."""
    ignored: frozenset[str] = frozenset()
    """Parameters that decide nothing; they are not among the pairs."""

    @cached_property
    def value(self) -> Any:
        """The body. Raises ValueError for what is no plain JSON."""
        return parsed(self.text)

    @property
    def pieces(self) -> dict[str, str]:
        """What stands at the stars of the path, from "/1" on, and the first value of each parameter."""
        found = dict(reversed(self.pairs))
        pattern = re.escape(self.endpoint.path).replace(r"\*", "([^/]+)")
        match = re.fullmatch(pattern, self.path)
        return found | {f"/{number}": unquote(piece) for number, piece in enumerate(match.groups() if match else (), 1)}


class Row(NamedTuple):
    """One item where it stands."""

    key: str
    item: Any


@dataclass(frozen=True, eq=False)
class Spot:
    """A place in the answers of an endpoint that holds rows, and what it held in each."""

    endpoint: Endpoint
    way: Way
    place: Place
    key: Place
    """Where in an item the text is that names it."""
    rows: Mapping[Document, tuple[Row, ...]]
    source: str = ""
    """For one object, the piece of the request that names it."""
    around: tuple[str, str] = ("", "")
    """What stands before and after the name in that piece."""

    @cached_property
    def keys(self) -> frozenset[str]:
        return frozenset(row.key for rows in self.rows.values() for row in rows)


def at(value: Any, place: Place) -> Any:
    """What stands at a place; None if nothing does."""
    for key in place:
        if not isinstance(value, dict) or key not in value:
            return None
        value = value[key]
    return value


def without(value: Any, place: Place, hole: Any) -> Any:
    """The value with a hole at a place."""
    if not place:
        return hole
    return {key: without(one, place[1:], hole) if key == place[0] else one for key, one in value.items()}


def spots(documents: Sequence[Document]) -> tuple[Spot, ...]:
    """Where the answers of one endpoint hold rows; every answer in one spot at most."""
    good = [one for one in documents if one.status == 200]
    single = _single(good)
    if single is not None:
        return (single,)
    found: dict[tuple[Way, Place], dict[Document, list[Any]]] = defaultdict(dict)
    for document in good:
        for way, place, items in containers(document.value):
            found[way, place][document] = items
    ranked = []
    for (way, place), by_document in found.items():
        key = key_of(list(by_document.values()), by_key=way == "by key")
        if key is not None:
            sequences = {tuple(text_at(item, key) for item in items) for items in by_document.values() if items}
            rank = (-len(sequences), -len({text for one in sequences for text in one}), len(place), place, way)
            ranked.append((rank, key, by_document))
    return tuple(_assigned(documents, sorted(ranked, key=lambda one: one[0])))


def _assigned(documents: Sequence[Document], ranked: Sequence[Any]) -> Iterator[Spot]:
    """Each answer in the best spot that it has rows in, or else in one that is empty in it."""
    if not ranked:
        return
    taken: dict[Document, int] = {}
    for is_empty in (False, True):
        for number, (_, _, by_document) in enumerate(ranked):
            for document, items in by_document.items():
                if document not in taken and (is_empty or items):
                    taken[document] = number
    for number, (rank, key, by_document) in enumerate(ranked):
        rows = {
            document: tuple(Row(text_at(item, key), item) for item in items)
            for document, items in by_document.items()
            if taken[document] == number
        }
        if any(rows.values()):
            yield Spot(documents[0].endpoint, rank[4], rank[3], key, rows)


def containers(value: Any, place: Place = ()) -> Iterator[tuple[Way, Place, list[Any]]]:
    """Everything in a value that may hold rows: how, where, and its items as objects."""
    if isinstance(value, list) and all(isinstance(item, dict) for item in value):
        yield "objects", place, value
    if not isinstance(value, dict) or len(place) > _DEEPEST:
        return
    if len(value) > 1 and all(isinstance(item, dict) and key in _texts(item) for key, item in value.items()):
        yield "by key", place, list(value.values())
    for key, inner in value.items():
        if isinstance(inner, list) and inner and all(isinstance(item, list) for item in inner):
            names = _columns(value, inner)
            items = [dict(zip(names, item, strict=True)) for item in inner] if names else []
            if items:
                yield "arrays", (*place, key), items
        yield from containers(inner, (*place, key))


def _columns(around: Mapping[str, Any], rows: Sequence[Sequence[Any]]) -> list[str] | None:
    """The list of names that stands beside rows written as arrays."""
    for names in around.values():
        is_names = isinstance(names, list) and bool(names) and all(type(name) is str for name in names)
        if is_names and len(set(names)) == len(names) and all(len(row) == len(names) for row in rows):
            return list(names)
    return None


def _texts(item: Any) -> frozenset[str]:
    return frozenset(text for _, text in leaves(item))


def leaves(item: Any, place: Place = ()) -> Iterator[tuple[Place, str]]:
    """The texts and numbers of an object that could name it, lists left out."""
    if isinstance(item, dict) and len(place) < 3:
        for key, inner in item.items():
            yield from leaves(inner, (*place, key))
    elif isinstance(item, str) and item:
        yield place, str(item)


def text_at(item: Any, place: Place) -> str:
    """The text or number at a place; empty for anything else."""
    found = at(item, place)
    return str(found) if isinstance(found, str) else ""


def hint(place: Place) -> int:
    """How much a name speaks of an identity, 0 the most."""
    name = re.sub(r"[\W_]", "", place[-1]).lower()
    return _HINTS.get(name, 5 if name.endswith("id") else UNHINTED)


def extension(segment: str) -> str:
    """What stands after the last dot of a path's segment, the dot with it; empty for anything but an extension."""
    found = _EXTENSION.search(segment)
    return found[0] if found else ""


def key_of(answers: Sequence[Sequence[Any]], *, by_key: bool) -> Place | None:
    """The leaf that names the items, None if there is none.

    It has a value in each, no two items of one answer share it, and it decides what they are.
    """
    counted: Counter[Place] = Counter()
    items = [item for answer in answers for item in answer]
    for item in items:
        counted.update(place for place, _ in leaves(item))
    best: tuple[int, int, int, Place] | None = None
    for number, (place, count) in enumerate(counted.items()):
        if count < len(items) or (best is not None and (hint(place), len(place)) >= best[:2]):
            continue
        texts = [[text_at(item, place) for item in answer] for answer in answers]
        if any(len(set(one)) < len(one) for one in texts):
            continue
        if hint(place) == UNHINTED and not (by_key or _decides(place, items)):
            continue
        best = (hint(place), len(place), number, place)
    return best[3] if best else None


def _decides(place: Place, items: Sequence[Any]) -> bool:
    """Whether items of one name are equal, for names that nothing else speaks for; numbers do not name by chance."""
    seen: dict[str, Any] = {}
    if any(isinstance(at(item, place), Number) for item in items) or len(items) < 3:
        return False
    return all(seen.setdefault(text_at(item, place), item) == item for item in items)


_Vote = tuple[Way, Place, Place, str, tuple[str, str]]


def _single(documents: Sequence[Document]) -> Spot | None:
    """The object that a piece of the request names: it is in every answer, or there is nothing at its place."""
    named = {document: set(_named(document)) for document in documents}
    votes = Counter(vote for found in named.values() for vote in found)
    agreed = [
        vote
        for vote, count in votes.items()
        if 2 * count >= len(documents)
        and all(vote in found or at(one.value, vote[1]) in (None, []) for one, found in named.items())
    ]
    if not agreed:
        return None
    way, place, key, source, around = min(
        agreed, key=lambda one: (hint(one[2]), len(one[1]) + len(one[2]), one[0] != "one", one)
    )
    rows = {}
    for document, found in named.items():
        if (way, place, key, source, around) in found:
            item = next(item for w, p, item in things(document.value) if (w, p) == (way, place))
            rows[document] = (Row(text_at(item, key), item),)
    return Spot(documents[0].endpoint, way, place, key, rows, source, around)


def _named(document: Document) -> Iterator[_Vote]:
    pieces = document.pieces
    is_open = document.endpoint.path.rstrip("/").endswith("/*")
    sources = [f"/{document.endpoint.path.count('*')}"] if is_open else [name for name, _ in document.pairs]
    for source in sources if is_open or len(sources) == 1 else ():
        piece = pieces.get(source, "")
        after = extension(piece) if is_open else ""
        for way, place, item in things(document.value):
            for key, text in leaves(item):
                if len(key) == 1 and hint(key) < UNHINTED and piece in (text, text + after):
                    yield way, place, key, source, ("", after if piece != text else "")


def things(value: Any) -> Iterator[tuple[Way, Place, Any]]:
    """Every object that stands alone: by itself, or as the only item of a list."""
    yield from (("one", place, item) for place, item in _objects(value))
    for way, place, items in containers(value):
        if len(items) == 1 and way != "by key":
            yield way, place, items[0]


def _objects(value: Any, place: Place = ()) -> Iterator[tuple[Place, Any]]:
    if isinstance(value, dict) and len(place) < 3:
        yield place, value
        for key, inner in value.items():
            yield from _objects(inner, (*place, key))
