"""The frame follows what a visitor did, on pages that were never seen after it."""

import runpy
from pathlib import Path

import pytest

from artifacts.run import Account
from tests.builder.recorder import plain
from tests.builder.test_application import JAR_1, JAR_2, RIGHT, cookie, password
from tests.builder.world import World

TOKENS = ("9f86d081884c7d659a2feaa0c55ad015", "3b4a1c0de5f60718293a4b5c6d7e8f90", "1dd6ab3c5e4f4f4d8a9b0c1d2e3f4a5b")


def page(path: str, main: str, *, name: str = "", cart: int = 0, flash: str = "", token: int = 0) -> str:
    """A page as a site with an account and a cart would write it."""
    tools = (
        f'<div class="menu"><b>{name}</b><form action="/logout" method="post">'
        f'<input type="hidden" name="csrf" value="{TOKENS[token]}"></form></div>'
        if name
        else f'<a href="/login?next={path}">Log in</a>'
    )
    empty = "" if cart else " data-empty"
    message = f'<p class="flash" role="status">{flash}</p>' if flash else ""
    here = ' aria-current="page"' if path == "/shop/" else ""
    return (
        f'<!doctype html><html><head><title>{main}</title></head><body class="{"member" if name else "guest"} plain">\n'
        f'<header class="top"><a href="/">Home</a> <a href="/shop/"{here}>Shop</a> <div class="tools">{tools}'
        f'<a href="/cart">Cart <span id="badge" class="badge"{empty}>{cart}</span></a></div></header>\n'
        f"{message}<main><h1>{main}</h1></main><footer>bye</footer></body></html>"
    )


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World(tmp_path, accounts=[Account(label="user", login_url="/login", user="maria")])
    for path, main in (
        ("/", "Home"),
        ("/shop/", "Shop"),
        ("/about/", "About"),
        ("/cart", "Nothing"),
        ("/login", "Login"),
    ):
        world.page(path, page(path, main))
    form = {"user": "maria", "password": RIGHT}
    world.post("/login", form, status=302, headers=[("Location", "/"), cookie(1)], media="", visit="e0001.1/0")
    world.get("/", page("/", "Home", name="Maria", flash="Welcome"), visit="e0001.1/0", sent=[JAR_1])
    world.step("e0001.1", 0, "/", behaviour="login", safety="account")
    world.get("/shop/", page("/shop/", "Shop", name="Maria", token=1), visit="e0001.1/1", sent=[JAR_1])
    world.step("e0001.1", 1, "/shop/", behaviour="look", safety="read")
    world.post(
        "/add", {"id": "7"}, status=302, headers=[("Location", "/cart")], media="", visit="e0001.1/2", sent=[JAR_1]
    )
    world.get("/cart", page("/cart", "A lamp", name="Maria", cart=1, token=2), visit="e0001.1/2", sent=[JAR_1])
    world.step("e0001.1", 2, "/cart", behaviour="add")
    world.post("/empty", {}, status=302, headers=[("Location", "/cart")], media="", visit="e0001.1/3", sent=[JAR_1])
    world.get("/cart", page("/cart", "Nothing", name="Maria"), visit="e0001.1/3", sent=[JAR_1])
    world.step("e0001.1", 3, "/cart", behaviour="empty")
    world.post("/add", {"id": "7"}, status=302, headers=[("Location", "/cart"), cookie(2)], media="", visit="e0002.1/0")
    world.get("/cart", page("/cart", "A lamp", cart=1, flash="Added"), visit="e0002.1/0", sent=[JAR_2])
    world.step("e0002.1", 0, "/cart", behaviour="add")
    return world


def test_after_login_every_page_has_the_members_header(world: World) -> None:
    visitor = world.visitor()
    assert visitor.text("/about/") == page("/about/", "About")
    visitor.post("/login", {"user": "maria", "password": password()})
    assert visitor.text("/") == page("/", "Home", name="Maria", flash="Welcome")
    assert plain(visitor.text("/about/")) == plain(page("/about/", "About", name="Maria"))
    assert visitor.again().text("/about/") == page("/about/", "About")


def test_a_message_that_is_shown_once_is_on_no_other_page(world: World) -> None:
    visitor = world.visitor()
    visitor.post("/add", {"id": "7"})
    assert "Added" in visitor.text("/cart")
    assert visitor.text("/about/") == page("/about/", "About", cart=1)


def test_the_badge_counts_on_pages_seen_by_nobody_after_the_action_even_if_one_page_told(world: World) -> None:
    visitor = world.visitor()
    visitor.post("/add", {"id": "7"})
    for path, main in (("/", "Home"), ("/shop/", "Shop"), ("/login", "Login")):
        assert visitor.text(path) == page(path, main, cart=1)


def test_situations_add_up_and_can_be_undone(world: World) -> None:
    visitor = world.visitor()
    visitor.post("/login", {"user": "maria", "password": password()})
    visitor.post("/add", {"id": "7"})
    shop = visitor.text("/shop/")
    assert "Maria" in shop and '<span id="badge" class="badge">1</span>' in shop
    visitor.post("/empty", {})
    shop = visitor.text("/shop/")
    assert "Maria" in shop and '<span id="badge" class="badge" data-empty>0</span>' in shop


def test_the_not_found_page_has_the_frame_too(world: World) -> None:
    world.get("/nowhere", page("/nowhere", "Not found"), visit="p0009.1", status=404)
    world.not_found = world.site + "/nowhere"
    visitor = world.visitor()
    visitor.post("/add", {"id": "7"})
    answer = visitor.open("/elsewhere")
    assert answer.status_code == 404
    assert '<span id="badge" class="badge">1</span>' in answer.get_data(as_text=True)


def test_what_says_how_fresh_a_page_is_is_left_out_where_the_page_was_changed(world: World) -> None:
    headers = [("ETag", '"7"'), ("Last-Modified", "Mon, 10 Jun 2024 08:00:00 GMT")]
    world.get("/terms/", page("/terms/", "Terms"), visit="p0008.1", headers=headers)
    visitor = world.visitor()
    assert visitor.open("/terms/").headers["ETag"] == '"7"'
    visitor.post("/add", {"id": "7"})
    answer = visitor.open("/terms/", headers={"If-None-Match": '"7"'})
    assert answer.status_code == 200
    assert "ETag" not in answer.headers
    assert int(answer.headers["Content-Length"]) == len(answer.get_data())


def test_a_handler_only_changes_rows_that_some_page_shows(world: World) -> None:
    world.build()
    told = runpy.run_path(str(world.folder / "mirror" / "handlers.py"))
    assert told["FORMS"]
    assert {effect["view"] for form in told["FORMS"] for effect in form["effects"]} <= told["VIEWS"].keys()
