"""Where a page of a list begins and ends."""

import pytest

from builder.induce.cutting import cut, list_named, listed
from builder.induce.listquery import Asked, Pages

NUMBER = Pages("number", "page", size=10)


@pytest.mark.parametrize(
    ("pages", "page", "size", "found"),
    [
        (NUMBER, "", "", (1, 4, 10, 0, 10)),
        (NUMBER, "4", "", (4, 4, 10, 30, 40)),
        (NUMBER, "5", "", None),
        (NUMBER, "two", "", None),
        (NUMBER, "2", "20", (2, 2, 20, 20, 40)),
        (NUMBER, "", "0", None),
        (Pages("number", "page", size=10, beyond="last"), "9", "", (4, 4, 10, 30, 40)),
        (Pages("number", "page", base=0, size=10), "1", "", (2, 4, 10, 10, 20)),
        (Pages("offset", "from", base=0, size=10), "30", "", (4, 4, 10, 30, 40)),
        (Pages("number", "page", size=10, most=15), "", "40", (1, 3, 15, 0, 15)),
    ],
)
def test_a_page_of_35_rows(pages: Pages, page: str, size: str, found: tuple[int, ...] | None) -> None:
    assert cut(pages, Asked("/l/", {}, (), page, size), 35) == found


def test_a_list_is_named_by_what_chooses_its_rows_in_any_order() -> None:
    given = (("b", "2"), ("a", "1"))
    assert list_named("/l/", given) == list_named("/l/", given[::-1]) != list_named("/m/", given)
    assert listed("/l/?view=old", "/l/", given) == list_named("/l/", (*given, ("view", "old")))
