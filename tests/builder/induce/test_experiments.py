"""Doubts come with the look at the site that settles them."""

from urllib.parse import parse_qsl, urlsplit

from builder.induce.experiments import address
from builder.induce.listquery import ListQuery, Pages
from builder.induce.queries import induce_queries
from tests.builder.induce.list_site import Site, captured, rows_of


def test_addresses_are_written_as_the_site_writes_them() -> None:
    numbered = ListQuery("/l/", "t", pages=Pages("number", "page", 0))
    assert address(numbered, "/l/", [("q", "a b")], 3) == "/l/?q=a+b&page=2"
    assert address(numbered, "/l/", [("f:brand", "x")]) == "/l/?f=brand%3Ax"
    in_path = ListQuery("/l/", "t", pages=Pages("path", tail="page-{}.html", head="index.html"))
    assert address(in_path, "/l/index.html", [], 2) == "/l/page-2.html"
    offset = ListQuery("/l/", "t", pages=Pages("offset", "start", 0, size=20))
    assert address(offset, "/l/", [], 4) == "/l/?start=60"


def test_an_experiment_is_one_that_the_site_answers_with_news() -> None:
    site = Site(rows_of(60, 7))
    pages = captured(site)
    queries = induce_queries(pages, site.table())
    asked = {experiment.address for query in queries for experiment in query.experiments}
    told = {f"{page.path}?" + "&".join("=".join(pair) for pair in page.pairs) for page in pages}
    assert asked and not asked & told
    beyond = site.page("/items/", (("page", "9"),))
    again = induce_queries([*pages, beyond], site.table())
    assert [query.pages.beyond for query in again] == ["empty"]
    assert "/items/?page=9" not in {experiment.address for query in again for experiment in query.experiments}


def test_a_list_of_one_row_and_an_empty_one_are_asked_for_until_they_were_seen() -> None:
    rows = rows_of(60, 7)
    rows["/item/7"] = {**rows["/item/7"], "title": "extraordinary lamp"}
    site = Site(rows)
    pages = [page for page in captured(site) if "q" not in dict(page.pairs)]
    words = ("red", "lamp", "stone", "lamp red", "river")
    searches = [site.page("/items/", (("q", word),)) for word in words]
    pages += [page for page in searches if len(page.rows) > 1]
    queries = induce_queries(pages, site.table())
    asked = {one.text: one.address for query in queries for one in query.experiments}
    address = asked["a list of one row: what its page says"]
    (pair,) = parse_qsl(urlsplit(address).query)
    one = site.page("/items/", (pair,))
    assert len(one.rows) == 1
    again = induce_queries([*pages, one], site.table())
    assert not any(found.text.startswith("a list of one row") for query in again for found in query.experiments)
