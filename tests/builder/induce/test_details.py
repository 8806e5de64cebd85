"""Pages of things that nobody opened say what lists say of them, and nothing of what only their own page would."""

from collections.abc import Iterable

import jinja2

from builder.emit.pages import jinja_of
from builder.induce import wording
from builder.induce.details import Detail, details
from builder.induce.entities import entities
from builder.induce.families import wider
from builder.induce.lists import link_texts
from builder.induce.pages import Page, kinds
from builder.induce.site import induce_site
from builder.induce.tree import texts_of

HOME = "http://plants.test"
MENU = "<ul><li><a href='/'>Nursery</a></li><li><a href='/help/'>How to water plants in dry weather</a></li></ul>"
NAMES = ["Acer", "Birch", "Cedar", "Dogwood", "Elm", "Fir", "Gorse", "Hazel", "Iris", "Juniper", "Kale", "Lime"]
STORIES = ["likes shade", "needs much sun", "grows slowly", "flowers in May", "is seldom seen", "smells sweet"]


def price(number: int) -> str:
    return f"{3 + number}.{number:02}"


def listing(numbers: Iterable[int], path: str) -> Page:
    cards = "".join(
        f"<li class=plant><h3><a href='/plant/{n}/'>{NAMES[n]}</a></h3><b class=price>{price(n)}</b>"
        + ("<i class=rare>rare</i>" if n % 3 == 0 else "")
        + "</li>"
        for n in numbers
    )
    source = f"<html><head><title>Plants</title></head><body>{MENU}<ol>{cards}</ol></body></html>"
    return Page(HOME + path, "/list/*/", 200, source)


def plant(number: int, story: str) -> Page:
    rare = "<em class=note>Only few left</em>" if number % 3 == 0 else ""
    source = (
        f"<html><head><title>{NAMES[number]} - Nursery</title></head><body>{MENU}<h1>{NAMES[number]}</h1>"
        f"<p class=price>£{price(number)} a pot</p>{rare}<div class=story>{story}</div></body></html>"
    )
    return Page(f"{HOME}/plant/{number}/", "/plant/*/", 200, source)


def captured(opened: Iterable[int], long: int = 1) -> list[Page]:
    lists = [listing(range(6), "/list/a/"), listing(range(6, 12), "/list/b/"), listing(range(3, 9), "/list/c/")]
    return [*lists, *(plant(n, f"{STORIES[n % 6]} {n} " * long) for n in opened)]


def found(pages: list[Page]) -> list[Detail]:
    grouped = kinds(pages)
    return list(details(grouped, entities(grouped), link_texts(grouped), wider(grouped)))


def made(one: Detail, number: int) -> str:
    source = jinja_of(one.kind.template, one.frame, {}, one.fields)
    row = one.entity.table.rows[f"/plant/{number}/"]
    row = {column: row.get(column) for column in one.fields.values()}
    context = wording.context(f"/plant/{number}/", (), {}, page=1, pages=1, total=1)
    return jinja2.Environment().from_string(source).render(rows=[row], **context)


def said(page: Page) -> list[str]:
    return [word for node in page.nodes for text in texts_of(node) for word in text.split()]


def test_what_the_card_says_stands_in_the_page_and_the_rest_stays_empty() -> None:
    (one,) = found(captured(range(8)))
    for number in range(8, 12):
        page, true = Page(HOME, "", 200, made(one, number)), plant(number, "")
        assert said(page) == said(true)
    assert one.query.members.status == "approximate" and "holes" in one.query.members.because


def test_only_what_a_list_shows_and_nobody_opened_is_made() -> None:
    assert found(captured(range(12))) == []
    assert found(captured(range(2))) == []
    induced = induce_site(captured(range(8)))
    (listed,) = [one for one in induced.lists if not one.family.pages]
    assert (listed.family.name, listed.views[0].has_rows) == ("/plant/*/", True)


def test_a_heading_over_nothing_is_no_page() -> None:
    assert found(captured(range(8), long=40)) == []
