from builder.induce.entities import entities
from builder.induce.families import fits, wider
from builder.induce.lists import families
from builder.induce.pages import Page, kinds
from tests.builder.induce.shelf import listing


def page(path: str, family: str, *numbers: int) -> Page:
    made = listing(numbers, path=path)
    return Page(made.url, family, made.status, made.source)


SHELVES = [
    page("/c/sea_3/", "/c/*/", 1, 2, 3, 4),
    page("/c/war_5/", "/c/*/", 3, 4, 5, 6),
    page("/c/art_4/", "/c/art_4/", 5, 6, 7, 8),
    page("/d/old_1/", "/d/old_1/", 1, 3, 5, 7),
    page("/d/new_2/", "/d/new_2/", 2, 4, 6, 8),
    page("/books/", "/books/", 1, 2, 3, 4, 5, 6),
]


def test_a_path_alone_belongs_to_the_starred_one_whose_pages_are_built_alike() -> None:
    found = kinds(SHELVES)
    assert wider(found) == {"/c/art_4/": "/c/*/", "/d/new_2/": "/d/*/", "/d/old_1/": "/d/*/"}
    told = families(found, entities(found), wider(found))
    assert sorted((family.name, len(family.pages)) for family in told) == [("/c/*/", 3), ("/d/*/", 2)]
    assert {one.listing.family for family in told for one in family.pages} == {"/c/*/", "/d/*/"}


def test_pages_built_otherwise_are_no_part_of_a_family() -> None:
    other = Page("http://books.test/c/about_1/", "/c/about_1/", 200, "<html><body><p>About us.</p></body></html>")
    assert "/c/about_1/" not in wider(kinds([*SHELVES, other]))
    assert not fits("/c/*/", "/c/a/b/")
