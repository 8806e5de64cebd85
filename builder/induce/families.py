"""Which kinds of addresses are one, because their pages are built alike. Pure."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from builder.induce.pages import Kind

_NUMBERED = re.compile(r"\*|[^/]*\d[^/]*")


def wider(found: Sequence[Kind]) -> dict[str, str]:
    """Family -> the family it is part of, for those that are part of another.

    A path that stands alone belongs to a starred one that it fits, and two that differ in one segment with a number
    in it belong to a starred one together, where one template gives the pages of both.
    """
    told: dict[str, str] = {}
    for kind in found:
        counted = Counter(page.family for page in kind.pages)
        starred = {*counted, *_shared(counted)}
        for family in counted:
            fitting = [one for one in starred if one != family and fits(one, family)]
            if fitting:
                told.setdefault(family, max(fitting, key=lambda one: (counted[one], one.count("*"), one)))
    return {family: _last(told, family) for family in told}


def fits(starred: str, path: str) -> bool:
    """Whether a path is one of a family.

    >>> fits("/c/*/", "/c/horror_4/"), fits("/c/*/", "/c/*/x/")
    (True, False)
    """
    mine, others = starred.split("/"), path.split("/")
    return len(mine) == len(others) and all(one in ("*", other) for one, other in zip(mine, others, strict=True))


def _shared(families: Iterable[str]) -> set[str]:
    """The starred families of pairs that differ in one numbered segment."""
    known = sorted(families)
    found = set()
    for place, one in enumerate(known):
        for other in known[place + 1 :]:
            mine, theirs = one.split("/"), other.split("/")
            if len(mine) != len(theirs):
                continue
            unlike = [n for n, (a, b) in enumerate(zip(mine, theirs, strict=True)) if a != b]
            if len(unlike) == 1 and all(_NUMBERED.fullmatch(parts[unlike[0]]) for parts in (mine, theirs)):
                found.add("/".join(["*" if n == unlike[0] else part for n, part in enumerate(mine)]))
    return found


def _last(told: dict[str, str], family: str) -> str:
    seen = {family}
    while family in told and told[family] not in seen:
        family = told[family]
        seen.add(family)
    return family
