"""Answers as listings: links, numbers, cursors, and the parameters that decide the shape."""

from builder.induce.documentlists import cursors_of, link_header, listing_of, shaping_of, split_by_members, translated
from builder.induce.documentrows import kinds_of
from builder.induce.documents import spots
from tests.builder.induce.json_documents import document

ROWS = [{"id": n, "code": f"c{n}", "size": n * 7 % 5} for n in range(1, 7)]


def test_a_link_header_is_taken_apart_only_if_it_can_be_put_together_again() -> None:
    assert link_header('<http://a.test/?page=2>; rel="next"') == {"next": "http://a.test/?page=2"}
    assert link_header('<http://a.test/>; rel="next"; title="x"') is None


def test_numbers_and_links_around_the_rows() -> None:
    one = document("/x?page=1", {"total": 12, "next": "http://s.test/x?page=2", "rows": ROWS})
    found = spots([one])
    (kind,), shaping = kinds_of(found, frozenset()), shaping_of(found)
    assert shaping is not None
    listing = listing_of(found[0], one, kind, shaping, "/x")
    assert listing.numbers == {12}
    assert listing.links == {("/x", (("page", "2"),))}
    assert listing.rows[:2] == ("id=1", "id=2")


def test_a_parameter_that_decides_the_shape() -> None:
    plain, bare = document("/x", {"rows": ROWS}), document("/x?shape=array", ROWS)
    more, less = document("/x?kind=1", {"rows": ROWS[:3]}), document("/x?kind=1&shape=array", ROWS[:3])
    shaping = shaping_of(spots([plain, bare, more, less]))
    assert shaping is not None
    assert shaping.names == ("shape",)
    assert shaping.rest(less.pairs) == (("kind", "1"),)


def test_a_parameter_that_decides_the_members() -> None:
    short = [{"id": row["id"]} for row in ROWS]
    found = spots([document("/x", ROWS), document("/x?fields=id", short)])
    assert [len(part.rows) for spot in found for part in split_by_members(spot)] == [1, 1]


def test_a_cursor_names_the_row_before_its_page() -> None:
    pages = [document("/x", ROWS[:2]), document("/x?after=c2", ROWS[2:4]), document("/x?after=c4", ROWS[4:])]
    found = spots(pages)
    (kind,), shaping = kinds_of(found, frozenset()), shaping_of(found)
    assert shaping is not None
    listings = [listing_of(found[0], one, kind, shaping, "/x") for one in pages]
    assert cursors_of(listings, kind) == {"after": "code"}
    assert translated(listings[1], {"after": "code"}, kind).pairs == (("after", "id=2"),)
