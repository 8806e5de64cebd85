from builder.induce.entities import entities
from builder.induce.lists import families, link_texts, numbers_in
from builder.induce.naming import named
from builder.induce.pages import Page, address_of, kinds
from builder.induce.rows import inner_names, json_holes, spots
from tests.builder.induce.shelf import HOME, book, listing

LISTS = [
    listing(range(1, 7)),
    listing(range(5, 11), "?page=2"),
    listing((3, 9, 2, 4), "?q=x"),
    listing((8, 1, 6), "?q=y"),
]


def test_pages_are_put_with_their_like_and_given_back() -> None:
    found = kinds([*LISTS, *(book(number) for number in range(1, 6))])
    assert [len(kind.pages) for kind in found] == [5, 4] and not any(kind.kept for kind in found)


def test_where_an_address_leads_is_said_by_path_on_the_pages_own_host() -> None:
    page = Page(f"{HOME}/a/b?c=1", "/a/*", 200, '<html><head><base href="/x/"></head></html>')
    assert page.target("y?z=1&amp;w=2#part") == "/x/y?z=1&w=2"
    assert page.target("http://other.test/y") == "http://other.test/y"
    assert page.target("mailto:a@b.test") == address_of(HOME, HOME, "http://[broken/") == ""


def test_the_list_is_the_loop_with_most_different_pages_and_a_menu_is_none() -> None:
    (kind,) = kinds(LISTS)
    first, *others = spots(kind)
    assert (first.sequences, len(first.keys)) == (4, 10) and all(other.sequences == 1 for other in others)
    assert [item.key for item in first.items[2]] == ["/book/3/", "/book/9/", "/book/2/", "/book/4/"]


def test_holes_are_called_what_their_elements_are_called() -> None:
    (kind,) = kinds(LISTS)
    spot = spots(kind)[0]
    names = set(spot.names.values())
    assert {"url", "image", "image_alt", "price", "has_sale"} <= names and len(names) == len(spot.names)
    assert not any(name.startswith("mt") for name in names)
    (inner,) = json_holes(spot.loop.body)
    assert inner in spot.names and set(inner_names(spot.loop.body).values()) == set(
        named(_body(spot.loop.body)).values()
    )


def _body(node: object) -> object:
    """The body of the only loop in an item."""
    children = getattr(node, "children", ()) or ((node.body,) if hasattr(node, "body") else ())
    found = [child.body if type(child).__name__ == "Loop" else _body(child) for child in children]
    return next((one for one in found if one is not None), None)


def test_rows_hold_what_cards_say_and_what_is_not_there_is_left_out() -> None:
    (entity,) = entities(kinds(LISTS))
    rows = entity.table.rows
    assert entity.table.name == "book" and len(rows) == 10
    assert rows["/book/2/"]["price"] == "£2.50"
    assert "has_sale" in rows["/book/3/"] and "has_sale" not in rows["/book/2/"]
    column = next(name for name, text in rows["/book/2/"].items() if text.startswith("["))
    assert rows["/book/2/"][column].count("{") == 2 and rows["/book/3/"][column] == "[]"


def test_a_token_that_each_page_says_otherwise_is_unsteady() -> None:
    pages = [listing(range(1, 7), "", "aaa"), listing(range(4, 9), "?page=2", "bbb"), listing((1, 8), "?q=x", "ccc")]
    (entity,) = entities(kinds(pages))
    assert [spot.names[hole] for spot, hole in entity.unsteady] == ["csrf_value"]


def test_pages_of_rows_tell_their_words_and_where_they_lead() -> None:
    (entity,) = entities(kinds([*LISTS, *(book(number) for number in range(1, 6))]))
    assert "Of 3 chapters." in entity.table.rows["/book/3/"]["page_text"]
    assert entity.table.links["/book/3/"] == frozenset()  # every page leads to that topic


def test_an_empty_page_belongs_to_a_list_that_it_differs_from_in_one_parameter() -> None:
    empty = [listing((), "?q=zzz"), listing((), "?q=qqq"), listing((), "?a=1&b=2")]
    found = kinds([*LISTS, *empty])
    (family,) = families(found, entities(found))
    assert sorted(page.page.url.partition("?")[2] for page in family.pages) == [
        "",
        "page=2",
        "q=qqq",
        "q=x",
        "q=y",
        "q=zzz",
    ]
    assert {len(page.listing.rows) for page in family.pages if page.spot is None} == {0}
    assert all(1204 in page.listing.numbers for page in family.pages if page.spot)


def test_numbers_are_read_with_their_separators() -> None:
    assert numbers_in("1.204 of 7, v2 3.5 12/2024") == {1204, 7, 12, 2024}


def test_paths_are_called_by_the_links_that_lead_there() -> None:
    assert link_texts(kinds(LISTS))["/topic/sea/"] == "sea"


def test_what_every_page_of_a_kind_was_asked_for_is_a_hole() -> None:
    def nothing(word: str) -> Page:
        return Page(
            f"{HOME}/find?q={word}", "/find", 200, f"<html><body><p>Nothing for <b>{word}</b></p></body></html>"
        )

    (kind,) = kinds([nothing("zebra")])
    (data,) = kind.data
    assert list(data.values()) == ["zebra"]
    (kind,) = kinds([Page(f"{HOME}/find", "/find", 200, "<html><body><p>zebra</p></body></html>")])
    assert kind.data == ({},)
