"""Rows among what stands beside them, and what follows from what."""

from dataclasses import replace

import pytest

from builder.behave.contents import template_of
from builder.behave.formulas import english
from builder.behave.history import Act, Episode, Look
from builder.behave.pools import Pool
from builder.behave.spots import Part, Sight, read
from builder.behave.views import NUMBER, views_of

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


def wall(*notes: tuple[str, str]) -> str:
    return "".join(f"<li><b>{who}</b>{' ' + what if what else ''}</li>" for who, what in notes)


ANN, BEN = ("ann", "fine weather"), ("ben", "a long walk")


def test_rows_that_nothing_names_are_numbered_where_they_only_ever_come() -> None:
    part, episode = part_of(wall(ANN), wall(ANN, BEN), wall(ANN, BEN, BEN), wall(ANN, BEN, BEN, ("cay", ""), ANN))
    (view,) = views_of(part, [episode])
    assert view.key == NUMBER
    assert [row[NUMBER] for row in list(view.known.values())[-1]] == ["1", "2", "3", "4", "5"]
    newest_first, episode = part_of(wall(ANN), wall(BEN, ANN), wall(BEN, BEN, ANN))
    (view,) = views_of(newest_first, [episode])
    assert [row[NUMBER] for row in list(view.known.values())[-1]] == ["3", "2", "1"]
    some_go, episode = part_of(wall(ANN, BEN), wall(ANN, BEN, BEN), wall(BEN, BEN))
    assert not any(view.key == NUMBER for view in views_of(some_go, [episode]))


def test_pages_of_one_path_that_always_show_the_same_are_one_page() -> None:
    part, episode = part_of(wall(ANN), wall(ANN, BEN), wall(ANN, BEN, BEN))
    again = tuple(Sight(one.episode, one.prior, "/cart?sent=1", one.values) for one in part.sights)
    (view,) = views_of(replace(part, sights=(*part.sights, *again)), [episode])
    assert view.addresses() == ["/cart"]
    other = tuple(Sight(one.episode, one.prior, "/cart?page=2", part.sights[0].values) for one in part.sights)
    (view,) = views_of(replace(part, sights=(*part.sights, *other)), [episode])
    assert view.addresses() == ["/cart", "/cart?page=2"]


def test_what_a_list_says_of_a_thing_gives_the_total_of_its_line() -> None:
    def line(name: str, count: int, price: int) -> str:
        return f"<li><a href='/p/{name}'>{name}</a><b>{count}</b><u>{count * price}</u></li>"

    contents = [
        EMPTY, line("oil", 1, 5), line("oil", 3, 5), line("oil", 3, 5) + line("wick", 1, 7),
        line("oil", 3, 5) + line("wick", 4, 7),
    ]  # fmt: skip
    part, episode = part_of(*contents)
    (plain,) = views_of(part, [episode])
    assert plain.plain is None and not any("*" in english(formula) for formula in plain.derived.values())
    goods = Pool(
        "goods", ({"name": "oil", "price": "5"}, {"name": "wick", "price": "7"}, {"name": "soap", "price": "9"})
    )
    (told,) = views_of(part, [episode], [goods])
    assert told.plain is not None
    assert sum("*" in english(formula) for formula in told.derived.values()) == 1
    assert len(told.stored) == len(told.plain.stored)  # the price is kept instead of the total
