"""Rows among what stands beside them, and what follows from what."""

import pytest

from builder.behave.contents import template_of
from builder.behave.formulas import english
from builder.behave.history import Act, Episode, Look
from builder.behave.spots import Part, Sight, read
from builder.behave.views import views_of

ACT = Act("POST /add n", {}, (), frozenset(), 302, "/", 1, False)
EMPTY = "<ul><li><p>Nothing here yet</p></li></ul>"


def cart(*lines: tuple[str, int, int]) -> str:
    rows = "".join(
        f'<li><a href="/p/{name}/">{name.title()}</a><b>{count}</b><i>{price}.00</i><u>{count * price}.00</u></li>'
        for name, count, price in lines
    )
    total = sum(count * price for _, count, price in lines)
    return f'<ul>{rows}<li class="sum"><span>Total {total}.00</span></li></ul>' if lines else EMPTY


def part_of(*contents: str) -> tuple[Part, Episode]:
    """The part as it stood after each of some actions of one visitor."""
    template = template_of(contents)
    assert template is not None
    sights = []
    for prior, content in enumerate(contents):
        values = read(template, content)
        assert values is not None
        sights.append(Sight(0 if prior else -1, prior, "/cart", values))
    part = Part("cart", "/cart", ("#cart",), "*", "", (), template, tuple(sights))
    return part, Episode("e1", (ACT,) * (len(contents) - 1), ())


def seen(content: str, prior: int) -> Look:
    return Look("/cart", "/cart", f'<body><div id="cart">{content}</div></body>', prior, False)


LAMP, OIL, WICK = ("lamp", 1, 30), ("oil", 3, 5), ("wick", 2, 2)


def test_what_says_that_there_is_nothing_and_what_says_the_total_are_no_rows() -> None:
    part, episode = part_of(cart(), cart(LAMP), cart(LAMP, OIL), cart(LAMP, OIL, WICK))
    (view,) = views_of(part, [episode])
    assert [len(rows) for rows in view.known.values()] == [0, 1, 2, 3]


def test_a_line_total_follows_and_is_not_kept() -> None:
    part, episode = part_of(cart(), cart(LAMP, OIL), cart(LAMP, OIL, WICK), cart(OIL, ("lamp", 4, 30)))
    (view,) = views_of(part, [episode])
    products = [formula for formula in view.derived.values() if "*" in english(formula)]
    assert len(products) == 1
    assert len(view.stored) == 4


def test_a_list_that_never_changes_is_no_view() -> None:
    part, episode = part_of(cart(LAMP, OIL), cart(LAMP, OIL), cart(LAMP, OIL))
    assert list(views_of(part, [episode])) == []


@pytest.mark.parametrize(
    ("seconds", "scope"),
    [
        ([], "visitor"),
        ([("stranger", cart())], "visitor"),
        ([("stranger", cart(LAMP, OIL))], "everybody"),
        ([("stranger", cart()), ("elsewhere", cart(LAMP, OIL))], "account"),
        ([("stranger", cart()), ("elsewhere", cart())], "visitor"),
    ],
)
def test_whose_rows_they_are_is_told_by_what_others_see(seconds: list[tuple[str, str]], scope: str) -> None:
    part, episode = part_of(cart(), cart(LAMP), cart(LAMP, OIL))
    watched = Episode("e1", episode.acts, (), tuple((whose, seen(content, 2)) for whose, content in seconds))
    (view,) = views_of(part, [watched])
    assert view.scope == scope
