"""What is known of the things that requests name."""

from builder.behave.pools import pools_of
from builder.induce.pages import Page, kinds
from builder.induce.site import Induced

GOODS = (("7", "Oil", "5"), ("9", "Wick", "2"), ("11", "Soap", "12"))


def page(body: str) -> Page:
    return Page("http://stall.example/", "/", 200, f"<!doctype html><title>Stall</title><body>{body}</body>")


def test_a_single_page_tells_of_the_things_it_lists() -> None:
    forms = "".join(
        f'<form method=post action=take><input type=hidden name=item value="{key}"><b>{name}</b> {price} <button>take</button></form>'
        for key, name, price in GOODS
    )
    (pool,) = pools_of(Induced(kinds([page(f"<nav><a href=/>Home</a></nav>{forms}")])))
    assert [set(row.values()) for row in pool.rows] == [set(thing) for thing in GOODS]
    column = next(column for column, known in pool.index.items() if "9" in known)
    assert pool.rows[pool.index[column]["9"]] == pool.rows[1]


def test_neighbours_that_nothing_can_be_done_to_are_no_things() -> None:
    assert pools_of(Induced(kinds([page("<p>One</p><p>Two</p><p>Three</p>")]))) == ()
