"""What is learned of the frame from pages seen before and after."""

from builder.behave.frames import Seen, fragments
from builder.behave.patches import patched


def page(path: str, main: str, badge: str = "0", extra: str = "") -> Seen:
    source = f'<body><header><a href="/">h</a><b id="n">{badge}</b></header>{extra}<main>{main}</main></body>'
    return Seen(path, path, source)


FRESH = [page("/a", "A"), page("/b", "B"), page("/c", "C")]


def test_one_page_is_enough_where_all_of_the_fresh_visitors_pages_agree() -> None:
    found = fragments(FRESH, {1: [page("/a", "A!", "1")]}, {1: []})
    assert [change.place for change in found[1]] == [("#n",)]
    assert patched(FRESH[1].source, "/b", found[1]) == page("/b", "B", "1").source


def test_a_page_of_the_situation_that_shows_the_old_part_refutes_the_change() -> None:
    assert fragments(FRESH, {1: [page("/a", "A", "1"), page("/b", "B", "0")]}, {1: []}) == {}


def test_what_stands_on_one_page_only_is_no_frame() -> None:
    assert fragments(FRESH, {1: [page("/a", "A", extra="<p>Thank you</p>")]}, {1: []}) == {}


def test_what_two_pages_show_is_believed_though_it_comes_in_addition() -> None:
    shown = [page("/a", "A", extra="<p>Hello Ann</p>"), page("/b", "B", extra="<p>Hello Ann</p>")]
    found = fragments(FRESH, {1: shown}, {1: []})
    assert patched(FRESH[2].source, "/c", found[1]) == page("/c", "C", extra="<p>Hello Ann</p>").source


def test_a_page_the_fresh_visitor_never_saw_is_laid_beside_one_like_it() -> None:
    found = fragments(FRESH, {1: [page("/mine", "M", "2")]}, {1: []})
    assert patched(FRESH[0].source, "/a", found[1]) == page("/a", "A", "2").source


def test_only_a_situation_that_came_before_can_be_undone() -> None:
    shown = {1: [page("/a", "A", "1")], 2: [page("/a", "A", "0")], 3: [page("/a", "A", "0")]}
    found = fragments(FRESH, shown, {1: [], 2: [1], 3: []})
    assert patched(page("/b", "B", "1").source, "/b", found[2]) == FRESH[1].source
    assert 3 not in found
