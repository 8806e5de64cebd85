"""Which JSON answers are answers of one endpoint: addresses with their variable segments starred. Pure."""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import unquote

from builder.compile import keys
from builder.induce.documents import (
    SURE,
    UNHINTED,
    Document,
    Endpoint,
    Place,
    Way,
    containers,
    extension,
    hint,
    key_of,
    leaves,
    text_at,
    things,
)

_NUMBER = re.compile(r"\d+(\.[a-z]{2,5})?")


def generalized(documents: Sequence[Document]) -> tuple[Document, ...]:
    """The documents with their endpoints' variable segments starred.

    Numbers and tokens are variable, last segments that name what the answer holds, and segments between which answers
    have the same members and do not contradict each other.
    """
    found = [replace(one, endpoint=_without_numbers(one.endpoint)) for one in documents]
    good = [one for one in found if one.status == 200]
    sure = {_starred(one.endpoint) for one in good if _is_named_by_path(one, SURE)}
    counted = Counter(_starred(one.endpoint) for one in good if _is_named_by_path(one, UNHINTED - 1))
    ends = sure | {endpoint for endpoint, count in counted.items() if count > 1}
    found = [replace(one, endpoint=_starred(one.endpoint)) if _starred(one.endpoint) in ends else one for one in found]
    for place in range(max((one.endpoint.path.count("/") for one in found), default=0), 0, -1):
        found = _merged(found, place)
    return tuple(found)


def _without_numbers(endpoint: Endpoint) -> Endpoint:
    parts = endpoint.path.split("/")
    stars = ("*" if _NUMBER.fullmatch(part) or keys.looks_random(part) else part for part in parts)
    return endpoint._replace(path="/".join(stars))


def _merged(documents: Sequence[Document], place: int) -> list[Document]:
    """The documents with one segment starred where those that differ in it alone are of one kind."""
    groups: dict[tuple[Endpoint, frozenset[object]], list[Document]] = defaultdict(list)
    for one in documents:
        parts = one.endpoint.path.split("/")
        if one.status == 200 and place < len(parts) and parts[place] not in ("*", ""):
            groups[_with_star(one.endpoint, place), _members(one)].append(one)
    stars = {
        starred
        for (starred, members), group in groups.items()
        if members and len({one.endpoint.path for one in group}) > 1 and _agree(group)
    }
    alone = {endpoint for endpoint, _ in groups if sum(endpoint == other for other, _ in groups) == 1}
    return [
        replace(one, endpoint=starred) if (starred := _with_star(one.endpoint, place)) in stars & alone else one
        for one in documents
    ]


def _with_star(endpoint: Endpoint, place: int) -> Endpoint:
    parts = endpoint.path.split("/")
    return (
        endpoint._replace(path="/".join([*parts[:place], "*", *parts[place + 1 :]])) if place < len(parts) else endpoint
    )


def _members(document: Document) -> frozenset[object]:
    """What the rows of an answer have, wherever they stand."""
    return frozenset((way, place, frozenset(items[0])) for way, place, items in containers(document.value) if items)


def _agree(group: Sequence[Document]) -> bool:
    """Whether things of one name are the same in all answers."""
    by_spot: dict[tuple[Way, Place], list[list[Any]]] = defaultdict(list)
    for document in group:
        for way, place, items in containers(document.value):
            by_spot[way, place].append(items)
    for (way, _), answers in by_spot.items():
        key = key_of(answers, by_key=way == "by key")
        seen: dict[str, Any] = {}
        items = [item for answer in answers for item in answer]
        if key is not None and any(seen.setdefault(text_at(item, key), item) != item for item in items):
            return False
    return True


def _starred(endpoint: Endpoint) -> Endpoint:
    head, _, last = endpoint.path.rstrip("/").rpartition("/")
    slash = "/" if endpoint.path.endswith("/") else ""
    return endpoint._replace(path=f"{head}/*{slash}") if last else endpoint


def _is_named_by_path(document: Document, most: int) -> bool:
    """Whether the last segment of its path is what the object in the answer has for its identity."""
    last = unquote(document.path.rstrip("/").rpartition("/")[2])
    return any(
        last in (text, f"{text}{extension(last)}") and len(key) == 1 and hint(key) <= most
        for _, _, item in things(document.value)
        for key, text in leaves(item)
    )
