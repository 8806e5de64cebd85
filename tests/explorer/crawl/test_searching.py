"""Searches by plain requests: the form that most pages have, and words that tell how a site searches."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from artifacts.evidence import Actionable
from explorer.crawl.searching import MOST_SEARCHES, SearchForm, main_search, telling_texts, titles_of
from explorer.crawl.trial import Shown
from explorer.crawl.urls import Templates

SHOP = "http://shop.example"
TITLES = ["The Quiet Harbour", "Harbour Lights", "Winter Lights", "A Lantern", "Quiet Winter", "The Orchards"]


def form(action: str = "/search/", **given: object) -> tuple[Actionable, ...]:
    common = {"role": "", "name": "", "tag": "input", "form": f"#{action}", "form_method": "get", "form_action": action}
    fields = (
        {"selector": "#q", "input_type": "search", "field_name": "q"},
        {"selector": "#h", "input_type": "hidden", "field_name": "kind", "value": "book", "visible": False},
        {"selector": "#s", "tag": "select", "field_name": "sort", "value": "new", "options": ("new", "old")},
    )
    return tuple(Actionable.model_validate({**common, **one, **given}) for one in fields)


def shown(path: str, *items: Actionable) -> Shown:
    return Shown(SHOP + path, "t", items)


def test_the_form_that_most_pages_have_is_asked_with_its_other_fields_as_they_stand() -> None:
    pages = [
        shown("/", *form(), *form("/help/")),
        shown("/a", *form()),
        shown("/b", *form("/help/")),
        shown("/c", *form()),
    ]
    found = main_search(pages)
    assert found == SearchForm(f"{SHOP}/search/", "q", (("kind", "book"), ("sort", "new")))
    assert found.address("a & b") == f"{SHOP}/search/?q=a+%26+b&kind=book&sort=new"
    assert found.asked([found.address("a & b"), f"{SHOP}/search/?kind=x", f"{SHOP}/other/?q=c"]) == {"a & b"}


@pytest.mark.parametrize("given", [{"form_method": "post"}, {"input_type": "password"}, {"input_type": "email"}])
def test_forms_that_do_more_than_search_are_left_alone(given: dict[str, str]) -> None:
    assert main_search([shown("/", *form(**given))]) is None


def test_texts_tell_ways_to_search_apart() -> None:
    texts = telling_texts(TITLES)
    words = {word for title in TITLES for word in title.casefold().split()}
    assert texts[0] in words and sum(texts[0] in title.casefold() for title in TITLES) == 1
    assert sum(texts[1] in title.casefold() for title in TITLES) == 2
    assert {"two words": any(" " in text for text in texts), "large": any(text.isupper() for text in texts)} == {
        "two words": True, "large": True,
    }  # fmt: skip
    inner = [text for text in texts if not text.isupper() and " " not in text and text not in words]
    assert len(inner) >= 3 and all(any(text in word or word in text for word in words) for text in inner)


def test_few_titles_give_no_texts() -> None:
    assert telling_texts(TITLES[:2]) == telling_texts(["1", "2", "3", "4", "5"]) == ()


@given(st.lists(st.text("abcdefgh ", max_size=30), max_size=20))
def test_texts_are_the_same_for_the_same_titles_and_bounded(titles: list[str]) -> None:
    texts = telling_texts(titles)
    assert texts == telling_texts(titles) and len(texts) <= MOST_SEARCHES and len(set(texts)) == len(texts)


def test_titles_are_those_of_pages_with_paths_or_where_there_are_hardly_any_of_queries() -> None:
    items = [(f"{SHOP}/item?id={number}", title) for number, title in enumerate(TITLES)]
    books = [(f"{SHOP}/book/{number}/", title.upper()) for number, title in enumerate(TITLES)]
    templates = Templates(url for url, _ in (*items, *books))
    assert titles_of([*items, *books], templates) == [title.upper() for title in TITLES]
    assert titles_of([*items, *books[:2], (f"{SHOP}/search?q=x", "")], templates) == TITLES
