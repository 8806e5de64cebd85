"""Where lists in JSON go on: answers that link nowhere say so by flags, totals and cursors. Pure."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from builder.induce.documentanswer import plain_name
from builder.induce.jsontext import Number
from builder.induce.listing import Listing
from builder.induce.roles import HINTS, simple

_MORE = re.compile(r"has_?(next|more)|is_?truncated|more", re.I)
_NEXT = re.compile(r"^_?next|next$|^continue", re.I)
_TOTAL = re.compile(r"total|count|^found$|^hits$", re.I)
_OFFSETS = frozenset("offset start skip from begin startindex".split())


class Said(NamedTuple):
    """A listing, what is around its rows, and which way of writing it is of."""

    listing: Listing
    around: Any
    way: object


def linked(said: Sequence[Said], cursors: Mapping[str, str]) -> list[Listing]:
    """The listings, with links to the next page where their way of writing has none.

    Cursors in the listings are keys of rows already.
    """
    listings = [one.listing for one in said]
    name = _turns(listings, cursors)
    if not name:
        return listings
    linking = {one.way for one in said if any(name in dict(pairs) for _, pairs in one.listing.links)}
    longest = max((len(one.rows) for one in listings), default=0)
    found = []
    for one in said:
        listing = one.listing
        before = _before(listing, name, longest)
        told = signs(one.around, listing, before)
        goes_on = next((told[sign] for sign in ("more", "next", "total") if sign in told), len(listing.rows) == longest)
        if one.way not in linking and goes_on and listing.rows:
            listing = _with_next(listing, name, name in cursors, before)
        found.append(listing)
    return found


def _turns(listings: Sequence[Listing], cursors: Mapping[str, str]) -> str:
    """The parameter that turns pages, by its name; empty if there is none."""
    names = sorted({name for one in listings for name, value in one.pairs if value})
    if cursors:
        return sorted(cursors)[0]
    for name in names:
        values = [value for one in listings for n, value in one.pairs if n == name and value]
        if simple(name) in HINTS["page"] and all(value.isdecimal() for value in values):
            return name
    return ""


def signs(around: Any, one: Listing, before: int | None) -> dict[str, bool]:
    """What an answer says of whether its list goes on, by kind of sign."""
    found: dict[str, bool] = {}
    for name, value in _named(around):
        if isinstance(value, bool) and _MORE.search(name):
            found["more"] = value
        elif _NEXT.search(name) and not isinstance(value, bool):
            found["next"] = value is not None and value != ""
        elif isinstance(value, Number) and value.isdecimal() and _TOTAL.search(name) and "page" not in name.lower():
            found |= {} if before is None else {"total": int(value) > before + len(one.rows)}
    return found


def _named(value: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _named(inner, key)
    elif not isinstance(value, list):
        yield name, value


def _before(one: Listing, name: str, longest: int) -> int | None:
    """How many rows come before those of an answer; None where a cursor says so."""
    value = dict(one.pairs).get(name, "")
    if not value:
        return 0
    if not value.isdecimal():
        return None
    return int(value) if simple(name) in _OFFSETS else max(int(value) - 1, 0) * longest


def _with_next(one: Listing, name: str, is_cursor: bool, before: int | None) -> Listing:
    rest = tuple(pair for pair in one.pairs if pair[0] != name)
    if is_cursor:
        following = one.rows[-1]
    elif simple(name) in _OFFSETS:
        following = str((before or 0) + len(one.rows))
    else:
        following = str(int(dict(one.pairs).get(name) or "1") + 1)
    return replace(one, links=one.links | {(one.path, (*rest, (name, following)))})


def renamed(listing: Listing) -> Listing:
    """The listing with parameters called by what they say of pages: "page[offset]" is "offset"."""
    pairs = tuple((plain_name(name), value) for name, value in listing.pairs)
    links = frozenset(
        (path, tuple((plain_name(name), value) for name, value in found)) for path, found in listing.links
    )
    return replace(listing, pairs=pairs, links=links)
