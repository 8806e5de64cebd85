"""Queries against the pages that were captured."""

from builder.induce.checks import adopted, checked, given_back, recounted
from builder.induce.listing import Listing, Table
from builder.induce.listquery import By, Condition, ListQuery, Order, Parameter

ROWS = {f"/cup/{number}": {"size": str(9 - number), "kind": "ab"[number % 2]} for number in range(6)}
KEYS = tuple(ROWS)
TABLE = Table("cup", ROWS)
QUERY = ListQuery(
    "/cups", "cup", (Parameter("kind", "filter"), Parameter("sort", "order")), (Condition("kind", "=", "kind"),),
    orders=(Order((("sort", "size"),), (By("size", "number"),)), Order((), (By("key", "natural"),))),
)  # fmt: skip
PAGES = [
    Listing("/cups", "/cups", (), KEYS),
    Listing("/cups", "/cups", (("sort", "size"),), KEYS),
    Listing("/cups", "/cups", (("kind", "c"),), ()),
]


def test_each_page_comes_back_or_comes_out_wrong_or_is_not_answered() -> None:
    assert given_back(QUERY, TABLE, PAGES) == [True, False, None]
    assert recounted(QUERY, TABLE, PAGES).exact == 1


def test_an_order_that_a_page_contradicts_is_dropped() -> None:
    found = checked(QUERY, TABLE, PAGES)
    assert ([order.sort for order in found.orders], found.exact, found.checked) == ([()], 1, 3)


def test_what_another_list_shows_of_a_parameter_serves_where_pages_link_to_it() -> None:
    plain = ListQuery("/old", "cup")
    assert adopted(plain, QUERY, ()) is plain
    taken = adopted(plain, QUERY, ("kind",))
    assert ([one.name for one in taken.parameters], [test.name for test in taken.tests]) == (["kind"], ["kind"])
    assert [order.sort for order in adopted(plain, QUERY, ("sort",)).orders] == [(("sort", "size"),)]
