"""Pages that have their number in the path."""

from builder.induce.listing import Listing
from builder.induce.pathpages import without_path_pages


def page(path: str, rows: tuple[str, ...], *links: str) -> Listing:
    return Listing("/news/*/", path, (), rows, frozenset(), frozenset((link, ()) for link in links))


def test_later_pages_are_the_first_ones_list() -> None:
    pages = [page("/news/sea/", ("/a", "/b"), "/news/sea/page/2/"), page("/news/sea/page/2/", ("/c",), "/news/sea/")]
    first, second = without_path_pages(pages)
    assert (first.number, first.listing.path) == ("", "/news/sea/")
    assert (second.number, second.listing.path, second.listing.family) == ("2", "/news/sea/", "/news/*/")


def test_a_number_that_no_page_leads_to_is_no_page() -> None:
    pages = [page("/news/2024", ("/a",)), page("/news/2025", ("/b",))]
    assert [one.number for one in without_path_pages(pages)] == ["", ""]
