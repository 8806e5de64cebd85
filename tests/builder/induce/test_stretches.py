"""What was seen of a list stands in stretches, and no stretch says more than its pages did."""

from hypothesis import given
from hypothesis import strategies as st

from builder.induce.listing import Listing, Pairs, Table
from builder.induce.listquery import ListQuery, Pages, Stretch, Why
from builder.induce.paging import Seen
from builder.induce.rowsets import RowSets
from builder.induce.stretches import linked_total, shared, stretches_of

KEYS = tuple(f"/coin/{number}" for number in range(40))
NUMBERED = Pages("number", "page", size=5, why=Why(evidence=2))
CURSOR = Pages("cursor", "after", size=5, why=Why(evidence=2))
UP: Pairs = (("by", "year"),)
DOWN: Pairs = (("by", "weight"),)


def page(rows: tuple[str, ...], *pairs: tuple[str, str], on: tuple[str, str] | None = None) -> Listing:
    links = frozenset({("/coins", (on,))} if on else ())
    return Listing("/coins", "/coins", pairs, rows, frozenset(), links)


def found(pages: Pages, *parts: tuple[Pairs, int | None, Listing]) -> tuple[Stretch, ...]:
    rows = RowSets(Table("coin", {key: {} for key in KEYS}), ())
    seen = Seen("/coins", (), [(sort, "", number, listing) for sort, number, listing in parts])
    made = stretches_of("/coins", [seen], [seen], pages, rows)
    rows.close()
    return made


def test_pages_that_follow_on_one_another_are_one_stretch_that_ends_with_the_last() -> None:
    made = found(
        NUMBERED,
        ((), 0, page(KEYS[:5], on=("page", "2"))),
        ((), 1, page(KEYS[5:10], ("page", "2"), on=("page", "3"))),
        ((), 4, page(KEYS[20:23], ("page", "5"))),
    )
    assert [(one.start, one.ends, one.keys) for one in made] == [(0, False, KEYS[:10]), (20, True, KEYS[20:23])]


def test_a_cursor_leads_from_the_row_that_it_names() -> None:
    made = found(
        CURSOR,
        ((), 0, page(KEYS[:5], on=("after", "4"))),
        ((), None, page(KEYS[5:10], ("after", "4"), on=("after", "9"))),
        ((), None, page(KEYS[30:35], ("after", "29"), on=("after", "34"))),
    )
    assert [(one.start, one.keys) for one in made] == [
        (0, KEYS[:10]), (-1, KEYS[30:35]), (-1, KEYS[29:35]),
    ]  # fmt: skip


def test_orders_that_show_the_same_pages_share_what_was_seen() -> None:
    rows = KEYS[:12]
    pages = Pages("cursor", "after", size=12, why=Why(evidence=2))
    later = page(KEYS[12:24], ("by", "year"), ("after", "11"), on=("after", "23"))
    made = found(
        pages,
        ((), 0, page(rows, on=("after", "11"))),
        (UP, 0, page(rows, ("by", "year"), on=("after", "11"))),
        (UP, None, later),
        (DOWN, 0, page(rows[::-1], ("by", "weight"), on=("after", "0"))),
    )
    by_sort = {one.sort: one.keys for one in made}
    assert by_sort == {(): KEYS[:24], UP: KEYS[:24], DOWN: rows[::-1]}


def test_pages_that_contradict_one_another_stand_alone() -> None:
    made = found(
        CURSOR,
        ((), 0, page(KEYS[:5], on=("after", "4"))),
        ((), None, page((KEYS[6], KEYS[3], KEYS[8]), ("after", "4"), on=("after", "8"))),
        ((), None, page((KEYS[3], KEYS[6], KEYS[9]), ("after", "8"), on=("after", "9"))),
    )
    assert {one.keys for one in made} == {
        KEYS[:5], (KEYS[4], KEYS[6], KEYS[3], KEYS[8]), (KEYS[8], KEYS[3], KEYS[6], KEYS[9]),
    }  # fmt: skip
    assert [one.start for one in made] == [0, -1, -1]


@given(st.integers(1, 7), st.integers(0, 40), st.sets(st.integers(0, 12)))
def test_every_stretch_is_a_part_of_the_list(size: int, length: int, captured: set[int]) -> None:
    rows = KEYS[:length]
    pages = Pages("number", "page", size=size, why=Why(evidence=2))
    parts = []
    for number in sorted(captured):
        shown = rows[number * size : (number + 1) * size]
        on = ("page", str(number + 2)) if (number + 1) * size < length else None
        parts.append(((), number, page(shown, *([("page", str(number + 1))] if number else []), on=on)))
    made = found(pages, *parts)
    for one in made:
        assert one.keys == rows[one.start : one.start + len(one.keys)]
        assert one.ends == (one.start + len(one.keys) == length)
    assert {key for one in made for key in one.keys} == {key for part in parts for key in part[2].rows}


def test_a_list_of_which_the_beginning_was_seen_goes_on_as_its_like() -> None:
    short = Stretch("/coins []", (), 0, False, KEYS[:14])
    whole = Stretch("/news []", (), 0, True, KEYS[:30])
    other = Stretch("/odd []", (), 0, True, (*KEYS[:13], KEYS[20], KEYS[13]))
    few = short._replace(list="/few []", keys=KEYS[:5])
    queries = {"/coins": ListQuery("/coins", "coin", stretches=(short, few))}
    made = shared(queries, [short, whole, other, few], {})["/coins"]
    assert [one.keys for one in made.stretches] == [KEYS[:30], KEYS[:5]]
    assert dict(made.totals) == {"/coins []": 30}
    apart = shared(queries, [short, whole], {"/coins []": 80, "/news []": 40})["/coins"]
    assert apart == queries["/coins"]


def test_the_last_page_that_is_linked_says_how_many_rows_there_may_be() -> None:
    links = frozenset(("/coins", (("page", str(number)),)) for number in (2, 3, 9))
    first = Listing("/coins", "/coins", (), KEYS[:5], frozenset(), links)
    assert linked_total(Seen("/coins", (), [((), "", 0, first)]), NUMBERED) == 45
    assert linked_total(Seen("/coins", (), [((), "", 0, page(KEYS[:5]))]), NUMBERED) is None
    assert linked_total(Seen("/coins", (), [((), "", 0, first)]), CURSOR) is None
