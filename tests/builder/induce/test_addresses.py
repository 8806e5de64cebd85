"""Addresses as edits of the current one, found from a few pages."""

from collections.abc import Callable
from urllib.parse import quote, urlencode

import pytest

from builder.induce.addresses import Edit, edit, looks_like_address
from builder.induce.listing import Facts
from builder.induce.sight import Sight
from builder.induce.values import base
from tests.builder.induce.pages import link, paged, put

SHOWN = [
    paged(90, 1), paged(90, 2), paged(90, 3, (("q", "a b"),)), paged(90, 1, (("q", "x"), ("s", "1"))),
    paged(90, 2, (("s", "2"), ("q", "lamp"))), paged(90, 2, (("f", "red"), ("f", "blue"))),
]  # fmt: skip
HIDDEN = [
    paged(90, 4, (("q", "R&B"), ("f", "red"))), paged(90, 1, (("f", "green"), ("s", "3"))), paged(90, 3, (("s", "1"), ("f", "blue"))),
    paged(90, 1, (("z", "new"), ("q", "y"))),
]  # fmt: skip


def _without(one: Facts, *names: str) -> tuple[tuple[str, str], ...]:
    return tuple(pair for pair in one.pairs if pair[0] not in names)


@pytest.mark.parametrize("write", [
    lambda one: link(one.path, put(one.pairs, page=one.page + 1)),
    lambda one: link(one.path, put(one.pairs, page=None, s="price")),
    lambda one: link("https://x.test" + one.path, _without(one, "page")),
    lambda one: "?" + urlencode([("s", "up"), *_without(one, "page", "s")]).replace("&", "&amp;"),
    lambda one: one.path + "?" + urlencode(put(one.pairs, page=one.page + 1), quote_via=quote).replace("&", "&#038;"),
    lambda one: "?" + urlencode(sorted(put(one.pairs, page=one.page + 1), key=lambda pair: pair[0])).replace("&", "&amp;"),
    lambda one: one.path + "?" + urlencode([("s", dict(one.pairs).get("s", "9")), *_without(one, "page", "s")]).replace("&", "&amp;"),
    lambda one: one.path + "?" + urlencode(put(one.pairs, page=one.page + 1)) + "#list",
])  # fmt: skip
def test_an_edit_is_right_on_other_pages(write: Callable[[Facts], str]) -> None:
    sight = Sight(SHOWN, "html")
    found = edit(sight, range(len(SHOWN)), [write(one) for one in SHOWN], base)
    assert found is not None
    for one in HIDDEN:
        assert found.value(one) == write(one), found.jinja()


def test_a_parameter_that_differs_without_reason_is_no_edit() -> None:
    sight = Sight(SHOWN, "html")
    targets = [f"/list?r={word}" for word in ("u", "k", "z", "p", "e", "o")]
    assert edit(sight, range(len(SHOWN)), targets, base) is None


def test_a_link_for_a_fresh_list_drops_what_nobody_captured() -> None:
    sight = Sight(SHOWN, "html")
    found = edit(sight, range(len(SHOWN)), ["/list?s=1"] * len(SHOWN), base)
    assert isinstance(found, Edit)
    assert found.value(paged(90, 2, (("new", "1"),))) == "/list?s=1"


@pytest.mark.parametrize("values, expected", [
    (["/a?b=1", "/a"], True), (["?x=1"], True), (["https://a.test/?b"], True), (["/a", "/b"], False), (["what? no"], False),
])  # fmt: skip
def test_what_looks_like_an_address_with_a_query(values: list[str], expected: bool) -> None:
    assert looks_like_address(values) is expected
