"""The shop in a browser: what its scripts do, and that its pages fit."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from artifacts.run import Lens
from explorer.lens.browser import new_context, open_browser
from tests.sites import tiny

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with tiny.serve_module("tests.sites.shop") as site:
        yield site.url


@pytest.fixture(scope="module")
def context() -> Iterator[BrowserContext]:
    with open_browser() as browser, new_context(browser, Lens()) as made:
        yield made


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    page = context.new_page()
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
    yield page
    page.close()
    assert not wrong


def test_suggestions_follow_the_words_typed(page: Page, url: str) -> None:
    page.goto(url)
    box, options = page.get_by_role("combobox", name="Search the shop"), page.locator("#suggestions a")
    box.press_sequentially("la", delay=20)
    expect(options).to_have_count(5)
    box.fill("lantern")
    expect(options).to_have_text(["Storm Lantern€42.00"])
    box.press("Escape")  # which also empties a search field
    expect(page.locator("#suggestions")).to_be_hidden()
    box.fill("lantern")
    box.press("Enter")
    expect(page.locator("h1")).to_have_text("Results for “lantern”")


def test_tabs_pictures_and_late_pictures_of_a_product(page: Page, url: str) -> None:
    page.goto(f"{url}product/reading-lamp/")
    page.get_by_role("tab", name="Care").click()
    expect(page.locator("#panel-care")).to_be_visible()
    expect(page.locator("#panel-details")).to_be_hidden()
    page.get_by_role("tab", name="Care").press("ArrowRight")
    expect(page.get_by_role("tab", name="Delivery")).to_be_focused()
    page.get_by_role("button", name="Material").click()
    assert (page.locator("#gallery-main").get_attribute("src") or "").endswith("-material.png")
    late = page.locator("img.late").first
    late.scroll_into_view_if_needed()
    expect(late).to_have_js_property("naturalWidth", 400)


def test_the_theme_is_remembered(page: Page, url: str) -> None:
    page.goto(url)
    page.get_by_role("button", name="Dark").click()
    page.goto(f"{url}about/")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    page.get_by_role("button", name="Dark").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "light")


def test_choosing_an_order_sorts_the_list(page: Page, url: str) -> None:
    page.goto(f"{url}shop/garden/")
    page.get_by_label("Sort by").select_option("price-desc")
    expect(page.locator(".card h3").first).to_have_text("Folding Stool")
    assert page.url.endswith("?sort=price-desc")


@pytest.mark.parametrize("width", [390, 768, 1280])
@pytest.mark.parametrize("path", ["", "shop/", "product/fountain-pen/", "search?q=lamp", "login", "about/"])
def test_pages_fit_and_their_fields_have_names(page: Page, url: str, path: str, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 720})
    page.goto(f"{url}{path}")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    unnamed = "e => !e.labels?.length && !e.getAttribute('aria-label')"
    fields = "input:not([type=hidden]), select"
    assert not page.evaluate(f"[...document.querySelectorAll('{fields}')].filter({unnamed}).map(e => e.outerHTML)")
    assert not page.evaluate("[...document.images].filter(i => !i.hasAttribute('alt')).map(i => i.src)")


def test_the_menu_opens_on_a_narrow_screen(page: Page, url: str) -> None:
    page.set_viewport_size({"width": 390, "height": 720})
    page.goto(url)
    expect(page.locator("#menu")).to_be_hidden()
    page.get_by_role("button", name="Menu").click()
    page.locator("#menu").get_by_role("link", name="Garden").click()
    expect(page.locator("h1")).to_have_text("Garden")
