"""What is known of instances before any program is tried."""

from builder.induce.sight import Sight
from builder.induce.slots import Number, Stem
from tests.builder.induce.pages import facts, paged


def test_a_parameter_that_counts_pages_or_rows_is_known() -> None:
    by_number = Sight([paged(72, n, (("q", "7"),)) for n in (1, 2, 3)], "html")
    assert by_number.page_keys == {"page"}
    by_rows = Sight([facts("/l", (("start", str(20 * n - 20)), ("n", "20")), 72, n) for n in (1, 2, 3)], "html")
    assert by_rows.page_keys == {"start"}


def test_a_path_that_counts_pages_has_a_stem() -> None:
    sight = Sight([facts("/a/", (), 72, 1), facts("/a/page/2/", (), 72, 2), facts("/b/page/3/", (), 72, 3)], "html")
    assert sight.stems[0] == Stem("page/", "/")
    assert [sight.stems[0].value(one) for one in sight.pages] == ["/a/", "/a/", "/b/"]
    assert Sight([paged(72, 2)], "html").stems == []


def test_rows_share_the_conditions_of_their_page() -> None:
    pages = [paged(72, 1), paged(72, 2)]
    root = Sight(pages, "html")
    rows = Sight(pages, "html", root, [(0, {"n": 1}), (0, {"n": 2}), (1, {"n": 2})])
    held = {test.jinja(): bits for test, bits in rows.tests}
    assert held["page > 1"] == 0b100
    assert held["item.n == page"] == 0b101


def test_values_of_a_program_stand_in_the_order_of_instances() -> None:
    sight = Sight([paged(72, 3), paged(72, 1)], "html")
    assert sight.values(Number("page")) == ["3", "1"]
    assert sight.agrees(Number("page"), [1], [1]) and not sight.agrees(Number("page"), [0, 1], [1, 1])
