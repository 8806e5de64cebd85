"""One slot's value: what is tried first, and what last."""

from builder.induce.sight import Sight
from builder.induce.slots import Constant, LookUp, Nearest, Split, Volatile
from builder.induce.values import chosen, computed, decided, looked_up, nearest
from tests.builder.induce.pages import facts, paged

SHOWN = [
    paged(total, page, (("q", word),))
    for word, total in (("lamp", 72), ("tin", 1), ("a b", 0), ("chair", 45))
    for page in range(1, max(1, -(-total // 20)) + 1)
]
SIGHT = Sight(SHOWN, "html")
ALL = range(len(SHOWN))


def test_alternatives_are_told_apart_by_conditions() -> None:
    texts = ["none" if not one.total else "one" if one.total == 1 else f"{one.total} in all" for one in SHOWN]
    found = computed(SIGHT, ALL, texts)
    assert isinstance(found, Split) and found.learned == "computed"
    assert [found.value(paged(total, 1)) for total in (0, 1, 33)] == ["none", "one", "33 in all"]


def test_chance_is_any_value_and_so_is_a_time_that_nothing_explains() -> None:
    tokens = [f"9f86d081884c7d659a2feaa0c55ad0{number:02}" for number in ALL]
    assert isinstance(computed(SIGHT, ALL, tokens), Volatile)
    assert isinstance(computed(SIGHT, ALL, [f"made at 10:{37 + 3 * n % 7}" for n in ALL]), Volatile)


def test_words_without_reason_are_not_computed() -> None:
    assert (
        computed(SIGHT, ALL, ["mild", "warm", "cold", "wet", "dry", "far", "low", "odd", "raw", "new"][: len(SHOWN)])
        is None
    )


def test_the_smallest_table_that_was_seen_twice_is_looked_up() -> None:
    places = [facts(path, (("t", tag),)) for path in ("/a", "/b", "/c") for tag in ("x", "y")]
    sight = Sight(places, "html")
    found = looked_up(sight, range(6), ["ex", "why"] * 3)
    assert isinstance(found, LookUp) and found.table == (("x", "ex"), ("y", "why"))
    by_path = looked_up(sight, range(6), ["1", "1", "2", "2", "3", "3"])
    assert isinstance(by_path, LookUp) and [by_path.value(facts(path)) for path in ("/b", "/zz")] == ["2", "1"]


def test_the_nearest_page_leaves_out_what_makes_no_difference() -> None:
    places = [facts("/a", (("f", f), ("s", s))) for f in ("1", "2") for s in ("up", "down")]
    sight = Sight(places, "html")
    found = nearest(sight, range(4), ["one", "one", "two", "two"])
    assert isinstance(found, Nearest) and found.without == ("s",)
    assert found.value(facts("/a", (("f", "2"), ("s", "new")))) == "two"


def test_one_of_several_kinds_is_chosen_by_conditions() -> None:
    found = chosen(SIGHT, ALL, [0 if not one.total else 2 if one.page > 1 else 1 for one in SHOWN])
    assert found is not None and [found.value(one) for one in (paged(0, 1), paged(90, 1), paged(90, 3))] == [0, 1, 2]


def test_a_flag_is_a_condition() -> None:
    assert decided(SIGHT, ALL, [True] * len(SHOWN)) == Constant(True)
    found = decided(SIGHT, ALL, [one.page < one.pages for one in SHOWN])
    assert found is not None and found.jinja() == "page < pages"
