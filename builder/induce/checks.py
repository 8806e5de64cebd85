"""Queries against the pages that were captured, and what one family of lists shows of another. Pure."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import replace
from urllib.parse import parse_qsl

from builder.induce.listanswer import answer, order_of, read
from builder.induce.listing import Listing, Pairs, Table
from builder.induce.listquery import ListQuery, Order, Why
from builder.induce.tables import filled

BELIEVED = 0.75
"""Share of a list's captured pages that its query must give back to be asked for others."""
RIGHT = 4
"""How many times more pages must come out right than wrong for an approximation to be served."""


def adopted(query: ListQuery, other: ListQuery, linked: Iterable[str]) -> ListQuery:
    """The query with what another family shows of parameters that this family's pages link to with their own path."""
    known = {one.name for one in query.parameters if one.does != "unknown" or one.why.evidence}
    wanted = set(linked) - known
    why = Why(because=f"as in {other.family}: pages link to it")
    tests = [test for test in other.tests if test.name in wanted and test.does != "seen" and not test.default]
    searches = [search for search in other.searches if search.name in wanted and not query.searches]
    usable = {test.name for test in tests} | {search.name for search in searches}
    roles = [
        one for one in other.parameters
        if one.name in wanted and (one.does in ("order", "direction") or one.name in usable)
    ]  # fmt: skip
    sorting = {one.name for one in (*query.parameters, *roles) if one.does in ("order", "direction")}
    have = {order.sort for order in query.orders}
    orders = [
        order for order in other.orders
        if order.sort and order.sort not in have and order.by and not order.path and dict(order.sort).keys() <= sorting
    ]  # fmt: skip
    if not roles and not orders:
        return query
    return replace(
        query,
        parameters=(
            *(one for one in query.parameters if one.name not in {new.name for new in roles}),
            *(replace(one, why=why) for one in roles),
        ),
        tests=(*query.tests, *tests),
        searches=(*query.searches, *searches),
        orders=(*query.orders, *(replace(order, why=replace(why, status=order.why.status)) for order in orders)),
    )


def checked(query: ListQuery, table: Table, listings: Sequence[Listing]) -> ListQuery:
    """The query with the number of pages that it gives back; orders that give more wrong than right are dropped."""
    with closing(filled(table, [query])) as database:
        found = [(listing, answer(database, query, listing.path, _asked(query, listing))) for listing in listings]
    right: dict[Order, int] = defaultdict(int)
    wrong: dict[Order, int] = defaultdict(int)
    exact = 0
    for listing, answered in found:
        if answered is None:
            continue
        exact += answered.rows == listing.rows
        order = _order_for(query, listing)
        if order is not None:
            (right if answered.rows == listing.rows else wrong)[order] += 1
    orders = []
    for order in query.orders:
        if not wrong[order]:
            orders.append(order)
        elif right[order] >= RIGHT * wrong[order]:
            because = f"{wrong[order]} of {wrong[order] + right[order]} pages come out in another order"
            orders.append(replace(order, why=replace(order.why, status="approximate", because=because)))
    return replace(query, orders=tuple(orders), exact=exact, checked=len(listings))


def given_back(query: ListQuery, table: Table, listings: Sequence[Listing]) -> list[bool | None]:
    """For each page whether the query gives back its rows in their order; None where it gives nothing."""
    with closing(filled(table, [query])) as database:
        found = [answer(database, query, listing.path, _asked(query, listing)) for listing in listings]
    return [None if one is None else one.rows == listing.rows for one, listing in zip(found, listings, strict=True)]


def recounted(query: ListQuery, table: Table, listings: Sequence[Listing]) -> ListQuery:
    """The query with the number of pages that it gives back; none of what it says is dropped."""
    return replace(query, exact=given_back(query, table, listings).count(True))


def _asked(query: ListQuery, listing: Listing) -> Pairs:
    """The whole query of a listing's address."""
    return (*parse_qsl(query.family.partition("?")[2]), *listing.pairs)


def _order_for(query: ListQuery, listing: Listing) -> Order | None:
    asked = read(query, listing.path, _asked(query, listing))
    return order_of(query, asked) if asked else None
