"""Whether a list goes on, from what answers say of it."""

from typing import Any

import pytest

from builder.induce.documentlinks import Said, linked, renamed
from builder.induce.jsontext import Number
from builder.induce.listing import Listing, Pairs


def listing(rows: int, *pairs: tuple[str, str], links: frozenset[tuple[str, Pairs]] = frozenset()) -> Listing:
    return Listing("/x", "/x", pairs, tuple(f"id={n}" for n in range(rows)), links=links)


@pytest.mark.parametrize(
    ("around", "goes_on"),
    [({"has_more": True}, True), ({"has_more": False}, False), ({"next": None}, False), ({"next": "abc"}, True),
     ({"total": Number("25")}, True), ({"total": Number("10")}, False), ({}, True)],
)  # fmt: skip
def test_signs_of_more(around: Any, goes_on: bool) -> None:
    first, second = linked([Said(listing(10), around, 1), Said(listing(5, ("page", "2")), {"has_more": False}, 1)], {})
    assert first.links == (frozenset({("/x", (("page", "2"),))}) if goes_on else frozenset())
    assert second.links == frozenset()


def test_offsets_and_cursors_lead_on_in_their_own_way() -> None:
    said = [Said(listing(10), {"more": True}, 1), Said(listing(10, ("offset", "10")), {"more": True}, 1)]
    assert [one.links for one in linked(said, {})] == [{("/x", (("offset", "10"),))}, {("/x", (("offset", "20"),))}]
    (one,) = linked([Said(listing(3), {"more": True}, 1)], {"after": "id"})
    assert one.links == {("/x", (("after", "id=2"),))}


def test_answers_that_link_are_believed() -> None:
    own = frozenset({("/x", (("page", "2"),))})
    said = [Said(listing(10, links=own), {}, 1), Said(listing(10, ("page", "2")), {}, 1)]
    assert [one.links for one in linked(said, {})] == [own, frozenset()]


def test_parameters_of_pages_have_plain_names() -> None:
    assert renamed(listing(1, ("page[offset]", "5"), ("filter[x]", "1"))).pairs == (("offset", "5"), ("filter[x]", "1"))
