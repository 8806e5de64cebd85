"""What rows belong to, told by where the links on their own pages stand."""

from collections.abc import Iterator, Sequence

import pytest

from builder.induce.entities import Entity, entities, placed_links
from builder.induce.pages import Page, kinds

HOME = "http://plants.test"
SHELVES = {"herbs": range(1, 9), "trees": range(9, 20), "shrubs": range(20, 27)}


def _page(path: str, inside: str, *, open_shelf: str = "") -> Page:
    """Every page has the menu of all shelves; the open one shows what is below it."""
    menu = "".join(
        f'<li><a href="/shelf/{name}/">{name}</a>'
        + (f'<ul><li><a href="/shelf/{name}/rare/">rare {name}</a></li></ul>' if name == open_shelf else "")
        + "</li>"
        for name in SHELVES
    )
    first = path.split("/")[1]
    return Page(
        HOME + path, f"/{first}/*/", 200, f"<html><body><nav><ul>{menu}</ul></nav><main>{inside}</main></body></html>"
    )


def _shelf(name: str) -> Page:
    rows = "".join(f'<article><a href="/plant/{n}/">plant {n}</a><i>{n % 7} cm</i></article>' for n in SHELVES[name])
    return _page(f"/shelf/{name}/", f"<h1>{name}</h1>{rows}")


def _plant(shelf: str, number: int, *, trail: bool, open_menu: bool) -> Page:
    above = f'<ol><li><a href="/">Home</a></li><li><a href="/shelf/{shelf}/">{shelf}</a></li></ol>' if trail else ""
    inside = f"{above}<h1>plant {number}</h1><p>{'tall ' * (number % 5)}</p>"
    return _page(f"/plant/{number}/", inside, open_shelf=shelf if open_menu else "")


def _plants(*, trail: bool = True, open_menu: bool = False) -> Iterator[Page]:
    for shelf, numbers in SHELVES.items():
        yield from (_plant(shelf, number, trail=trail, open_menu=open_menu) for number in numbers)


def _entity(pages: Sequence[Page]) -> Entity:
    (entity,) = entities(kinds(pages))
    return entity


def _members(entity: Entity, name: str) -> set[str]:
    return {key for key, paths in entity.table.links.items() if f"/shelf/{name}/" in paths}


@pytest.mark.parametrize("name", SHELVES)
def test_a_trail_says_what_a_row_belongs_to_even_where_the_menu_repeats_it(name: str) -> None:
    entity = _entity([*map(_shelf, SHELVES), *_plants()])
    assert _members(entity, name) == {f"/plant/{number}/" for number in SHELVES[name]}


def test_what_an_open_menu_shows_counts_and_what_it_always_shows_does_not() -> None:
    entity = _entity([*map(_shelf, SHELVES), *_plants(trail=False, open_menu=True)])
    assert "/shelf/herbs/rare/" in entity.table.links["/plant/3/"]
    assert not {"/shelf/herbs/", "/shelf/trees/", "/shelf/trees/rare/"} & entity.table.links["/plant/3/"]


def test_a_row_whose_own_page_is_missing_belongs_to_the_lists_that_showed_it() -> None:
    plants = [page for page in _plants() if page.path != "/plant/12/"]
    entity = _entity([*map(_shelf, SHELVES), *plants])
    assert entity.table.links["/plant/12/"] == {"/shelf/trees/"}
    assert _members(entity, "trees") == {f"/plant/{number}/" for number in SHELVES["trees"]}


def test_where_no_page_of_a_row_is_known_nothing_is_said_of_what_rows_belong_to() -> None:
    assert not _entity(list(map(_shelf, SHELVES))).table.links


def test_links_are_told_by_the_part_of_the_template_that_they_stand_in() -> None:
    (kind,) = kinds([*_plants()])
    places = [set(placed_links(kind.template, data, page)) for page, data in zip(kind.pages, kind.data, strict=True)]
    varying = set().union(*places) - set.intersection(*places)
    assert {path for _, path in varying} == {f"/shelf/{name}/" for name in SHELVES}
