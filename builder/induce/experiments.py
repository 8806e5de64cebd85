"""The looks at a site that would tell most about its lists: where two explanations fit, what tells them apart. Pure."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple
from urllib.parse import urlencode

from builder.induce.listquery import Condition, Experiment, ListQuery, Search
from builder.induce.members import described as test_in_words
from builder.induce.members import telling_value
from builder.induce.orders import Columns
from builder.induce.paging import Lists, Seen
from builder.induce.regimes import Regime, described, pages_differ
from builder.induce.rowsets import Keys, RowSets
from builder.induce.searches import described as search_in_words
from builder.induce.searches import telling_text, telling_words

_MOST = 16
_MOST_VALUES = 100
_NOWHERE = "zqxjkvbwq"
"""A word that no site has."""
_ENOUGH_WORDS = 8
"""Different searches that settle what a search finds, more often than not."""


class Doubt(NamedTuple):
    """An explanation, and another that fits as well."""

    of: str
    one: Condition | Search | Regime
    other: Condition | Search | None = None


def experiments_of(
    query: ListQuery, lists: Lists, rows: RowSets, columns: Columns, doubts: Iterable[Doubt]
) -> tuple[Experiment, ...]:
    """The most telling looks first, sixteen at most."""
    found: dict[str, Experiment] = {}
    largest = max(lists.seen, key=lambda one: (bool(one.rows), not one.given, len(one.rows)), default=None)
    if largest is None:
        return ()
    for one in [
        *_of_doubts(query, largest, rows, columns, doubts),
        *_of_sizes(query, lists, largest, rows),
        *_of_pages(query, lists, largest),
        *_of_words(query, lists, largest, rows),
        *_of_orders(query, largest),
    ]:
        found.setdefault(one.address, one)
    return tuple(found.values())[:_MOST]


def address(query: ListQuery, path: str, pairs: Sequence[tuple[str, str]], page: int = 1) -> str:
    """Path and query of a page, numbered from 1. A "name:field" parameter is written as the site writes it."""
    written = [
        (name.partition(":")[0], f"{name.partition(':')[2]}:{value}") if ":" in name else (name, value)
        for name, value in pairs
    ]
    pages = query.pages
    if page > 1 and pages.style == "path":
        path = path.removesuffix(pages.head) + pages.tail.format(page - 1 + pages.base)
    elif page > 1 and pages.name:
        step = pages.size if pages.style == "offset" else 1
        written.append((pages.name, str((page - 1) * step + pages.base)))
    return path + ("?" + urlencode(written) if written else "")


def _of_doubts(
    query: ListQuery, largest: Seen, rows: RowSets, columns: Columns, doubts: Iterable[Doubt]
) -> Iterator[Experiment]:
    for of, one, other in doubts:
        if isinstance(one, Condition) and isinstance(other, Condition):
            value = telling_value(one, other, rows)
            if value:
                text = f"{one.name}={value}: tells {test_in_words([one])} from {test_in_words([other])}"
                yield Experiment(text, address(query, largest.path, [(one.name, value)]))
        elif isinstance(one, Search) and isinstance(other, Search):
            if value := telling_text(one, other, rows):
                text = f"search for {value!r}: tells {search_in_words(one)} from {search_in_words(other)}"
                yield Experiment(text, address(query, largest.path, [(one.name, value)]))
        elif isinstance(one, Regime) and of == "order":
            yield from _of_order(query, one, largest, columns)


def _of_order(query: ListQuery, one: Regime, largest: Seen, columns: Columns) -> Iterator[Experiment]:
    """The last page on which an order and the nearest that fits as well differ."""
    for rival in one.rivals:
        keys = sorted(largest.rows)
        if page := pages_differ(one.order.by, rival, keys, columns, query.pages):
            sort = " ".join(f"{name}={value}" for name, value in one.order.sort) or "no sort given"
            text = f"{sort}, page {page}: tells {described(one.order.by)} from {described(rival)}"
            yield Experiment(text, address(query, largest.path, (*_words_of(query, largest), *one.order.sort), page))
            return


def _words_of(query: ListQuery, largest: Seen) -> list[tuple[str, str]]:
    """What a list is searched for, where it has no rows without."""
    searched = {one.name for one in query.parameters if one.does == "search"}
    return [(name, value) for name, value in largest.given if name in searched]


def _of_words(query: ListQuery, lists: Lists, largest: Seen, rows: RowSets) -> Iterator[Experiment]:
    """Words to search for, as long as few were: each tells ways to search apart that nothing else does."""
    for name in [one.name for one in query.parameters if one.does == "search"]:
        asked = {value for one in lists.seen for n, value in one.given if n == name}
        if len(asked) < _ENOUGH_WORDS:
            for text, why in telling_words(rows, asked):
                yield Experiment(f"search for {text!r}: {why}", address(query, largest.path, [(name, text)]))


def _of_sizes(query: ListQuery, lists: Lists, largest: Seen, rows: RowSets) -> Iterator[Experiment]:
    """A list of one row and one of none, where no such was seen: what is said of many may be said otherwise of one."""
    sizes = {len(one.rows) for one in lists.seen if one.whole}
    wanted = {size: text for size, text in ((1, "a list of one row"), (0, "an empty list")) if size not in sizes}
    for pair, found in _chosen_by(query, rows) if wanted else ():
        if found is not None and len(found) in wanted:
            yield Experiment(f"{wanted.pop(len(found))}: what its page says", address(query, largest.path, [pair]))


def _chosen_by(query: ListQuery, rows: RowSets) -> Iterator[tuple[tuple[str, str], Keys | None]]:
    """Values of filters and words of searches, each with the rows that it leaves."""
    for test in query.tests:
        if test.does == "=" and not test.labels and not test.name.startswith("/"):
            texts = sorted({row[test.column] for row in rows.rows.values() if test.column in row})
            yield from (((test.name, text), rows.having(test, text)) for text in texts[:_MOST_VALUES])
    for search in query.searches:
        texts = [text for text, _ in telling_words(rows, ())]
        yield from (((search.name, text), rows.searched(search, text)) for text in (*texts, _NOWHERE))


def _of_pages(query: ListQuery, lists: Lists, largest: Seen) -> Iterator[Experiment]:
    if query.pages.style in ("number", "offset", "path") and query.pages.beyond == "unknown" and query.pages.size:
        page = -(-len(largest.rows) // query.pages.size) + 1
        yield Experiment("a page beyond the last: what it shows", address(query, largest.path, largest.given, page))
    if not any(one.whole for one in lists.seen) and query.pages.size:
        page = -(-len(largest.rows) // query.pages.size) + 1
        yield Experiment(
            "the pages that follow: no list was seen whole", address(query, largest.path, largest.given, page)
        )
    for search in query.searches:
        if search.blank == "unknown":
            yield Experiment("a search for nothing", address(query, largest.path, [(search.name, "")]))


def _of_orders(query: ListQuery, largest: Seen) -> Iterator[Experiment]:
    for order in query.orders:
        if not order.why.evidence and order.sort:
            text = f"expected: {described(order.by)}; {order.why.because}"
            yield Experiment(text, address(query, largest.path, (*_words_of(query, largest), *order.sort)))
