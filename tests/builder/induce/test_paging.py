"""How lists are cut into pages, and which were captured whole."""

from dataclasses import replace

from builder.induce.listing import Listing, Pairs, Table
from builder.induce.listquery import Pages, Parameter
from builder.induce.paging import Lists, lists_of
from builder.induce.pathpages import without_path_pages
from builder.induce.rowsets import RowSets

KEYS = tuple(f"/i/{n}" for n in range(100, 125))
PAGE = (Parameter("page", "page"), Parameter("n", "size"), Parameter("kind", "filter"))


def page(rows: tuple[str, ...], *pairs: tuple[str, str], links: tuple[Pairs, ...] = (), path: str = "/l/") -> Listing:
    return Listing(path, path, pairs, rows, frozenset({len(KEYS)}), frozenset(("/l/", one) for one in links))


def lists(*pages: Listing, parameters: tuple[Parameter, ...] = PAGE, cursors: int = 0) -> Lists:
    rows = RowSets(Table("t", {key: {} for key in KEYS}), ())
    found = lists_of(without_path_pages(pages), parameters, rows, {"page": cursors})
    rows.close()
    return found


def style(found: Lists) -> tuple[str, int, int]:
    return found.pages.style, found.pages.base, found.pages.size


def test_pages_are_numbered_from_one_or_from_zero() -> None:
    second = ((("page", "2"),),)
    assert style(lists(page(KEYS[:10], links=second), page(KEYS[10:20], ("page", "2")))) == ("number", 1, 10)
    zero = lists(page(KEYS[:10], links=((("page", "1"),),)), page(KEYS[10:20], ("page", "1")))
    assert style(zero) == ("number", 0, 10)
    named = lists(page(KEYS[:10]), page(KEYS[:10], ("page", "0")), page(KEYS[20:], ("page", "2")))
    assert style(named) == ("number", 0, 10)


def test_offsets_are_multiples_of_the_size() -> None:
    assert style(lists(page(KEYS[:10]), page(KEYS[10:20], ("page", "10")), page(KEYS[20:], ("page", "20")))) == (
        "offset", 0, 10,
    )  # fmt: skip
    assert style(lists(page(KEYS[:10]), page(KEYS[10:20], ("page", "11")))) == ("offset", 1, 10)


def test_cursors_name_the_row_before_or_the_first() -> None:
    after = lists(page(KEYS[:10]), page(KEYS[10:20], ("page", "109")), page(KEYS[20:], ("page", "119")), cursors=2)
    assert style(after)[0] == "cursor" and not after.pages.inclusive
    assert after.seen[0].whole
    first = lists(page(KEYS[:10]), page(KEYS[10:20], ("page", "110")), page(KEYS[20:], ("page", "120")), cursors=2)
    assert first.pages.inclusive


def test_a_list_is_whole_if_its_last_page_is_short_or_links_to_none() -> None:
    second = ((("page", "2"),),)
    short = page(KEYS[:4], ("kind", "a"))
    full = page(KEYS[:10], links=second)
    found = {one.given: one.whole for one in lists(full, short, page(KEYS[20:], ("page", "3"))).seen}
    assert found == {(): False, (("kind", "a"),): True}
    assert lists(full, page(KEYS[10:20], ("page", "2")), page(KEYS[20:], ("page", "3"))).seen[0].whole


def test_sizes_and_their_limit() -> None:
    more = ((("n", "99"), ("page", "2")),)
    found = lists(page(KEYS[:5]), page(KEYS[5:10], ("page", "2")), page(KEYS[:12], ("n", "99"), links=more))
    assert (found.pages.size, found.pages.size_name, found.pages.most) == (5, "n", 12)


def test_what_a_page_beyond_the_last_shows() -> None:
    pages = [page(KEYS[:10]), page(KEYS[10:20], ("page", "2")), page(KEYS[20:], ("page", "3"))]
    assert lists(*pages).pages.beyond == "unknown"
    assert lists(*pages, page((), ("page", "4"))).pages.beyond == "empty"
    assert lists(*pages, page(KEYS[20:], ("page", "4"))).pages.beyond == "last"
    assert lists(*pages, page(KEYS[:10], ("page", "4"))).pages.beyond == "first"


def test_pages_in_the_path_belong_to_the_list_of_the_first() -> None:
    pages = [
        Listing("/c/*/", "/c/a/", (), KEYS[:5]),
        Listing("/c/*/page/*/", "/c/a/page/2/", (), KEYS[5:10]),
        Listing("/b/*/index.html", "/b/x/index.html", (), KEYS[:5]),
        Listing("/b/*/*", "/b/x/page-2.html", (), KEYS[5:8]),
        Listing("/b/*/*", "/b/y/page-3.html", (), KEYS[9:10]),
    ]
    turned = without_path_pages(pages)
    assert [(one.listing.family, one.listing.path, one.number) for one in turned] == [
        ("/c/*/", "/c/a/", ""), ("/c/*/", "/c/a/", "2"), ("/b/*/index.html", "/b/x/index.html", ""),
        ("/b/*/index.html", "/b/x/index.html", "2"), ("/b/*/index.html", "/b/y/index.html", "3"),
    ]  # fmt: skip
    assert (turned[3].tail, turned[3].head) == ("page-{}.html", "index.html")


def test_a_number_at_the_end_of_a_path_is_a_page_only_if_the_first_page_leads_there() -> None:
    links = frozenset({("/news/2/", ())})
    turning = [Listing("/news/", "/news/", (), KEYS[:5], links=links), Listing("/news/*/", "/news/2/", (), KEYS[5:9])]
    assert [one.listing.path for one in without_path_pages(turning)] == ["/news/", "/news/"]
    items = [Listing("/user/*/", "/user/7/", (), KEYS[:5]), Listing("/user/*/", "/user/9/", (), KEYS[5:9])]
    assert [one.listing.path for one in without_path_pages(items)] == ["/user/7/", "/user/9/"]


def test_totals_on_the_pages_prove_a_list_whole() -> None:
    def told(rows: tuple[str, ...], *pairs: tuple[str, str]) -> Listing:
        return Listing("/l/", "/l/", pairs, rows, frozenset({len(rows)}))

    pages = [told(KEYS[n : n + 3], ("kind", str(n))) for n in range(4)]
    whole = Listing("/l/", "/l/", (("page", "2"),), KEYS[5:10], frozenset({10}))
    first = Listing("/l/", "/l/", (), KEYS[:5], frozenset({10}), frozenset({("/l/", (("page", "3"),))}))
    found = lists(*pages, whole, first)
    assert found.totals and {one.given: one.whole for one in found.seen}[()]
    assert found.pages == Pages("number", "page", size=5, size_name="n", why=found.pages.why)


def test_a_list_says_how_many_rows_it_has_between_the_words_that_whole_lists_say_it() -> None:
    def counted(total: int, *pairs: tuple[str, str], rows: int, links: tuple[Pairs, ...] = ()) -> Listing:
        said = frozenset({("# coins", total), ("in #", 1900 + rows)})
        return replace(page(KEYS[:rows], *pairs, links=links), said=said)

    second = ((("page", "2"),),)
    few, none, many = (
        counted(4, ("kind", "a"), rows=4),
        counted(7, ("kind", "b"), rows=7),
        counted(480, rows=10, links=second),
    )
    found = {one.given: (one.total, one.whole) for one in lists(few, none, many).seen}
    assert found == {(("kind", "a"),): (4, True), (("kind", "b"),): (7, True), (): (480, False)}
    wrong = replace(none, said=frozenset({("# coins", 9)}))
    assert {one.given: one.total for one in lists(few, wrong, many).seen}[()] is None


def test_where_no_list_is_whole_the_number_that_only_filters_change_is_that_of_the_rows() -> None:
    def part(total: int, number: str, *pairs: tuple[str, str]) -> Listing:
        at = 10 * (int(number) - 1)
        shown = page(KEYS[at : at + 10], *pairs, ("page", number), links=((*pairs, ("page", "9")),))
        return replace(shown, said=frozenset({("# coins", total), ("page #", int(number)), ("in #", 1900)}))

    kinds = [(480, ()), (230, (("kind", "a"),)), (150, (("kind", "b"),))]
    pages = [part(total, number, *pairs) for total, pairs in kinds for number in ("1", "2")]
    assert {one.given: one.total for one in lists(*pages).seen} == {pairs: total for total, pairs in kinds}
