"""What is known of a site's lists: which rows each captured page showed, in what order, under which address. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from builder.induce.counts import Counting

Pairs = tuple[tuple[str, str], ...]
Columns = Mapping[str, str]
"""Column -> text, as it stood on the page; a row lacks the columns it has no value for."""


@dataclass(frozen=True)
class Listing:
    """One captured page of a list."""

    family: str
    """Addresses of one kind: the path with its variable segments starred, such as "/category/*/"."""
    path: str
    """The path as `keys.path_of` writes it."""
    pairs: Pairs
    """The query, decoded, in the order it was sent; repeats and empty values kept."""
    rows: tuple[str, ...]
    """Keys of the rows that the page showed, in order; empty for a page without any."""
    numbers: frozenset[int] = frozenset()
    """Whole numbers that stand in the page's text outside the rows: the total may be among them."""
    links: frozenset[tuple[str, Pairs]] = frozenset()
    """Path and query of every link on the page to the site itself."""
    said: frozenset[tuple[str, int]] = frozenset()
    """Whole numbers outside the rows with the words around them; only those that no other number has around it."""


@dataclass(frozen=True)
class Table:
    """Rows of one kind. A row's key is the address it leads to, path and query."""

    name: str
    rows: Mapping[str, Columns]
    """Key -> its columns."""
    links: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Key -> paths that its card or its own page links to, where known."""


@dataclass(frozen=True)
class Facts:
    """What a list page may say of itself: all of it follows from the address and the rows."""

    path: str
    pairs: Pairs
    page: int = 1
    pages: int = 1
    total: int = 0
    """Rows of the whole list, over all its pages."""
    first: int = 0
    """Number of the first row on this page, from 1; 0 if there is none."""
    last: int = 0
    size: int = 0
    """Rows that a full page holds."""
    shown: int = 0
    names: Mapping[str, str] = field(default_factory=dict)
    """Path -> the text of the links that other pages lead there by."""
    counting: Counting | None = None
    """What counts the rows that a filter would leave, where the list's query is known."""
