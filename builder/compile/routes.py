"""Families of addresses as Flask rules a person can read. Pure."""

import keyword
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from artifacts.contract import Route
from artifacts.evidence import PageState
from builder.compile import keys
from builder.compile.answers import Answer
from builder.induce.naming import unique

MOST_ROUTES = 300
_MOST_SIBLINGS = 6
_PLAIN = re.compile(r"[\w.~-]+", re.ASCII)
_OPAQUE = re.compile(r"(?=.*\d)[0-9a-f-]{8,}|[0-9a-f]{16,}|[A-Za-z0-9_-]{24,}", re.I)
_NUMBERED = re.compile(r"(.*?[^\d]|)(\d+)([^\d]*)")
_RESERVED = frozenset({"recorded", "views", "site", "add_routes", "everything_else", "str", "int"})

Shape = tuple[str, ...]
"""Segments of a path; a variable one is written "<>", a number with what surrounds it "a-<#>.html"."""


class _Family(NamedTuple):
    shape: Shape
    slash: bool
    members: tuple[str, ...]


def routes(
    hosts: Sequence[str], given: Iterable[Answer], states: Iterable[PageState]
) -> tuple[tuple[Route, ...], dict[str, str]]:
    """One route a family of the site's own addresses, in order of their rules, and the rule of each path.

    `hosts` are the site's own, the most important first.
    """
    by_path: dict[str, list[Answer]] = defaultdict(list)
    for answer in given:
        if answer.name.host in hosts:
            by_path[answer.name.path].append(answer)
    seen_at: dict[str, list[str]] = defaultdict(list)
    hints: dict[str, Shape] = {}
    for state in sorted(states, key=lambda state: (state.url, state.visit, state.digest)):
        for url in dict.fromkeys((state.requested, state.url)):
            path = keys.path_of(urlsplit(url).path)
            seen_at[path].append(state.digest)
            hints.setdefault(path, _hint(state.template, path))
    families = _families(by_path, hints)
    names: set[str] = set(_RESERVED)
    found: list[Route] = []
    patterns: dict[str, str] = {}
    for family in families:
        pattern = _pattern(family)
        patterns |= dict.fromkeys(family.members, pattern)
        members = [answer for path in family.members for answer in by_path[path]]
        evidence = dict.fromkeys(digest for path in family.members for digest in seen_at[path])
        evidence |= dict.fromkeys(answer.recordings[0].body_digest for answer in members)
        found.append(
            Route(
                name=unique(_name(pattern), names),
                host=min((answer.name.host for answer in members), key=hosts.index),
                methods=tuple(sorted({answer.name.method for answer in members})),
                pattern=pattern,
                evidence=tuple(digest for digest in evidence if digest)[:20],
                answers=len(members),
            )
        )
    return tuple(sorted(found, key=lambda route: route.pattern)), patterns


def _families(by_path: Mapping[str, Sequence[Answer]], hints: Mapping[str, Shape]) -> list[_Family]:
    children: dict[Shape, set[str]] = defaultdict(set)
    for path, members in by_path.items():
        if not _is_static(members):
            segments = _segments(path)
            for length, segment in enumerate(segments):
                children[segments[:length]].add(segment)
    grouped: dict[tuple[Shape, bool], list[str]] = defaultdict(list)
    for path, members in sorted(by_path.items()):
        shape = _static_shape(path) if _is_static(members) else _wider(_shape(path, children), hints.get(path, ()))
        grouped[(shape, path.endswith("/") and "<*>" not in shape)].append(path)
    if len(grouped) > MOST_ROUTES:
        grouped = _by_area(grouped)
    return [_Family(shape, slash, tuple(members)) for (shape, slash), members in grouped.items()]


def _by_area(grouped: Mapping[tuple[Shape, bool], Sequence[str]]) -> dict[tuple[Shape, bool], list[str]]:
    """Too many families to read: those of one top folder together."""
    found: dict[tuple[Shape, bool], list[str]] = defaultdict(list)
    for (shape, slash), members in grouped.items():
        wide = len(shape) > 1
        found[((shape[0], "<*>") if wide else shape or (), slash and not wide)] += members
    if len(found) > MOST_ROUTES:
        return {(("<*>",), False): [path for members in grouped.values() for path in members]}
    return found


def _is_static(members: Sequence[Answer]) -> bool:
    return all(answer.recordings[0].is_static for answer in members)


def _segments(path: str) -> Shape:
    return tuple(segment for segment in path.split("/") if segment)


def _static_shape(path: str) -> Shape:
    segments = _segments(path)
    if len(segments) < 2 or not _is_plain(segments[0]):
        return (segments[0],) if segments and _is_plain(segments[0]) else ("<*>",)
    return (segments[0], "<*>")


def _is_plain(segment: str) -> bool:
    return bool(_PLAIN.fullmatch(unquote(segment)))


def _hint(template: str, path: str) -> Shape:
    """The shape the Explorer filed a path under; empty if it does not fit the path."""
    head = template.partition("?")[0]
    parts = _segments(head)
    if not head.startswith("/"):
        parts = parts[1:]
    segments = _segments(path)
    if len(parts) != len(segments):
        return ()
    return tuple(_variable(own) if "{" in part else _constant(own) for part, own in zip(parts, segments, strict=True))


def _wider(shape: Shape, hint: Shape) -> Shape:
    """The shape with every segment open that either of the two leaves open."""
    if len(hint) != len(shape):
        return shape
    return tuple(own if "<" in own else other for own, other in zip(shape, hint, strict=True))


def _variable(segment: str) -> str:
    """A segment with its number left open, or all of it."""
    found = _NUMBERED.fullmatch(segment)
    if found and _is_plain(found[1] + found[3] or "-") and len(found[1]) < 24:
        return f"{found[1]}<#>{found[3]}" if not re.search(r"\d", found[1]) else "<>"
    return "<>"


def _constant(segment: str) -> str:
    return unquote(segment) if _is_plain(segment) else "<>"


def _shape(path: str, children: Mapping[Shape, set[str]]) -> Shape:
    segments = _segments(path)
    found = []
    for length, segment in enumerate(segments):
        siblings = children[segments[:length]]
        if segment.isdigit():
            found.append("<#>")
        elif _OPAQUE.fullmatch(segment) or (len(siblings) > _MOST_SIBLINGS and length > 0):
            found.append("<>")
        else:
            found.append(_constant(segment))
    return tuple(found)


def _pattern(family: _Family) -> str:
    """The Flask rule: variables are called after what stands before them."""
    out, before, used = [], "", set[str]()
    for segment in family.shape:
        if segment == "<*>":
            out.append(f"<path:{unique('file', used)}>")
        elif segment == "<>":
            out.append(f"<{unique('slug', used)}>")
        elif "<#>" in segment:
            name = _identifier(before) + "_id" if segment == "<#>" and before else "number"
            out.append(segment.replace("<#>", f"<int:{unique(name, used)}>"))
        else:
            out.append(segment)
            before = segment
    return "/" + "/".join(out) + ("/" if family.slash and out else "")


def _identifier(text: str) -> str:
    words = re.sub(r"\W+", "_", text, flags=re.ASCII).strip("_").lower()
    return words if words and not words[0].isdigit() else f"n_{words}".rstrip("_")


def _name(pattern: str) -> str:
    """A Python name that says what a rule is about.

    >>> _name("/"), _name("/catalogue/<slug>/"), _name("/item/<int:item_id>/edit"), _name("/static/<path:file>")
    ('home', 'catalogue_by_slug', 'item_edit', 'static_files')
    """
    words, last = [], ""
    for segment in _segments(pattern):
        variable = re.search(r"<(?:\w+:)?(\w+)>", segment)
        fixed = re.sub(r"<[^>]*>", "", segment)
        fixed = re.sub(r"\.\w+$", "", fixed) if variable else fixed
        if fixed.strip("-_."):
            words.append(_identifier(fixed))
        last = ("files" if variable[1].startswith("file") else f"by_{variable[1]}") if variable else ""
    if last.startswith("by_") and words and last == f"by_{words[-1]}_id":
        last = "by_id"
    name = "_".join([*words, last] if last else words) or "home"
    name = re.sub(r"__+", "_", name)[:60].strip("_")
    return f"{name}_page" if keyword.iskeyword(name) else name
