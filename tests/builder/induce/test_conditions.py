"""Which condition fits what was seen, and how much it takes to believe two together."""

from builder.induce.conditions import Both, Compare, Has, Not, condition
from builder.induce.sight import Sight
from builder.induce.slots import Constant
from tests.builder.induce.pages import facts, paged

PAGES = [paged(total, page, pairs) for total in (5, 72, 130) for page in (1, 2, 4) if page <= -(-total // 20)
         for pairs in ((), (("sort", "price"),), (("q", "x"), ("sort", "name")))]  # fmt: skip
SIGHT = Sight(PAGES, "html")
EVERY = (1 << len(PAGES)) - 1


def _bits(holds: list[bool]) -> int:
    return sum(1 << number for number, held in enumerate(holds) if held)


def test_the_plainest_condition_comes_first() -> None:
    found = condition(SIGHT.tests, _bits([one.page > 1 for one in PAGES]), EVERY)
    assert found is not None and found.jinja() == "page > 1"


def test_what_always_or_never_holds_is_constant() -> None:
    assert condition(SIGHT.tests, EVERY, EVERY) == Constant(True)
    assert condition(SIGHT.tests, 0, EVERY) == Constant(False)


def test_the_opposite_of_a_condition_is_found() -> None:
    found = condition(SIGHT.tests, _bits([one.page >= one.pages for one in PAGES]), EVERY)
    assert isinstance(found, Compare) and found.jinja() == "page >= pages"
    absent = condition(SIGHT.tests, _bits(["q" not in dict(one.pairs) for one in PAGES]), EVERY)
    assert absent == Not(Has("q"))


def test_two_conditions_are_believed_if_they_exclude_enough() -> None:
    found = condition(SIGHT.tests, _bits([one.page > 1 and "sort" in dict(one.pairs) for one in PAGES]), EVERY)
    assert isinstance(found, Both)
    assert all(found.value(one) == (one.page > 1 and "sort" in dict(one.pairs)) for one in PAGES)


def test_two_conditions_for_four_pages_are_not_believed() -> None:
    few = [paged(72, 1), paged(72, 2), paged(72, 3, (("sort", "a"),)), paged(5, 1, (("sort", "b"),))]
    assert condition(Sight(few, "html").tests, 0b0101, 0b1111) is None


def test_only_the_instances_asked_about_count() -> None:
    found = condition(SIGHT.tests, 0b1, 0b1)
    assert found == Constant(True)


def test_a_path_seen_alone_is_a_look_up() -> None:
    places = [facts(path, pairs) for path in ("/a", "/b", "/c") for pairs in ((), (("s", "1"),))]
    sight = Sight(places, "html")
    found = condition(sight.tests, _bits([one.path == "/b" for one in places]), (1 << len(places)) - 1)
    assert found is not None and found.learned == "looked up"
