"""What the loop does next, and what the frontier knows of an address."""

from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple

from artifacts.evidence import PageState
from explorer.crawl.trial import Trial
from explorer.crawl.urls import Templates


class Step(NamedTuple):
    """Look at a page, look at one again, try a behaviour, see pages as an account, fetch a file, or fetch pages."""

    kind: Literal["page", "repeat", "trial", "tour", "file", "fetch"]
    url: str
    trial: Trial | None = None
    """Of a tour, the login that it begins with."""
    limit: int = 1
    """Steps a trial may take together with the looks at its effect."""
    batch: tuple[str, ...] = ()
    """Pages to fetch without rendering them."""
    looks: tuple[str, ...] = ()
    """Pages that a tour looks at."""
    leave: bool = False
    """Whether a tour ends by logging out."""


class Found(NamedTuple):
    """An address and where it was found."""

    url: str
    depth: int
    where: str
    text: str = ""
    """Of the links that lead there."""


def first_of_kinds(looked: Mapping[str, PageState], templates: Templates, most: int) -> Iterator[str]:
    """Keys of one page of each of the first `most` templates, as far as they could be shown."""
    seen: set[str] = set()
    for key, state in looked.items():
        template = templates.of(state.requested)
        if template in seen or state.status >= 400:
            continue
        seen.add(template)
        if len(seen) > most:
            return
        yield key
