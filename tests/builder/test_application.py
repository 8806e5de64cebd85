"""The built application, asked over HTTP as a browser would."""

import json
import re
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from artifacts.run import Account
from builder.emit.seed import sandbox_password
from tests.builder.world import SITE, Visitor, World, application

TOKEN_1, TOKEN_2 = "9f86d081884c7d659a2feaa0c55ad015", "3b4a1c0de5f60718293a4b5c6d7e8f90"
RIGHT, WRONG = "{{password:user}}", "{{secret:ab12}}"
JAR_1, JAR_2 = ("Cookie", "sid=redacted-1111111111111111"), ("Cookie", "sid=redacted-2222222222222222")


def cookie(number: int, more: str = "; Path=/; HttpOnly") -> tuple[str, str]:
    return ("Set-Cookie", f"sid=redacted-{str(number) * 16}{more}")


@pytest.fixture
def shop(tmp_path: Path) -> World:
    """A site with a login, a wrong password, a page for members, a basket and a way out."""
    world = World(tmp_path, accounts=[Account(label="user", login_url="/login", user="maria")])
    world.page("/", "home, sign in")
    world.page("/login", "login form")
    world.page("/basket", "basket is empty")
    world.get("/account", visit="p0004.1", status=302, headers=[("Location", "/login?next=/account")], media="")
    world.get("/login?next=/account", "login form", visit="p0004.1")
    form = {"user": "maria", "password": RIGHT}
    # wrong password
    world.get("/login", "login form", visit="e0005.1/before")
    world.post("/login", {**form, "password": WRONG}, "Wrong password, maria", visit="e0005.1/0")
    world.step("e0005.1", 0, "/login", behaviour="login", safety="account", variant="failing", fill=["maria", "no"])
    # right password, look at the account, out again
    world.get("/login", "login form", visit="e0006.1/before")
    world.post("/login", form, status=302, headers=[("Location", "/"), cookie(1)], media="", visit="e0006.1/0")
    world.get("/", "home, hello maria", visit="e0006.1/0", sent=[JAR_1])
    world.step("e0006.1", 0, "/", behaviour="login", safety="account", fill=["maria", RIGHT])
    world.get("/account", "account of maria", visit="e0006.1/1", sent=[JAR_1])
    world.step("e0006.1", 1, "/account", behaviour="look", safety="read")
    gone = cookie(0, "; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Max-Age=0; Path=/")
    world.post("/logout", {}, status=302, headers=[("Location", "/"), gone], media="", visit="e0006.1/2", sent=[JAR_1])
    world.get("/", "home, sign in", visit="e0006.1/2")
    world.step("e0006.1", 2, "/", behaviour="logout", safety="account")
    # the basket of an anonymous visitor
    world.get("/", "home, sign in", visit="e0007.1/before")
    world.post("/add", {"id": "7"}, status=302, headers=[("Location", "/basket"), cookie(2)], media="",
               visit="e0007.1/0")  # fmt: skip
    world.get("/basket", "basket has one", visit="e0007.1/0", sent=[JAR_2])
    world.step("e0007.1", 0, "/basket", behaviour="add")
    world.post("/add", {"id": "7"}, status=302, headers=[("Location", "/basket")], media="", visit="e0007.1/1",
               sent=[JAR_2])  # fmt: skip
    world.get("/basket", "basket has two", visit="e0007.1/1", sent=[JAR_2])
    world.step("e0007.1", 1, "/basket", behaviour="add")
    return world


def password(label: str = "user") -> str:
    return sandbox_password(SITE, label)


def test_a_login_opens_what_was_closed(shop: World) -> None:
    visitor = shop.visitor()
    assert visitor.open("/account").headers["Location"] == "/login?next=/account"
    answer = visitor.post("/login", {"user": "maria", "password": password()})
    assert (answer.status_code, answer.headers["Location"]) == (302, "/")
    assert visitor.text("/") == "home, hello maria"
    assert visitor.text("/account") == "account of maria"


def test_the_visitors_cookie_is_the_sites_own_by_name_and_kept_from_scripts(shop: World) -> None:
    visitor = shop.visitor()
    assert "Set-Cookie" not in visitor.open("/").headers
    assert visitor.app.extensions["visitor_cookie"] == "sid"
    given = visitor.post("/login", {"user": "maria", "password": password()}).headers.getlist("Set-Cookie")
    assert len(given) == 1
    assert re.fullmatch(r"sid=[0-9a-f]{32}; HttpOnly; Path=/; SameSite=Lax", given[0])


def test_any_wrong_password_is_refused_like_the_recorded_one(shop: World) -> None:
    visitor = shop.visitor()
    for wrong in ("x", "sandbox-000000", "{{password:user}}x"):
        assert visitor.text("/login", method="POST", data={"user": "maria", "password": wrong}) == (
            "Wrong password, maria"
        )
        assert visitor.text("/account", headers={}) == ""
    assert visitor.post("/login", {"user": "maria", "password": password()}).status_code == 302


def test_somebody_elses_right_password_does_not_open_the_account(shop: World) -> None:
    visitor = shop.visitor()
    visitor.post("/login", {"user": "nobody", "password": password()})
    assert visitor.open("/account").status_code == 302


def test_leaving_leads_back_to_where_a_fresh_visitor_is(shop: World) -> None:
    visitor = shop.visitor()
    visitor.post("/login", {"user": "maria", "password": password()})
    assert visitor.post("/logout", {}).status_code == 302
    assert visitor.text("/") == "home, sign in"
    assert visitor.open("/account").status_code == 302
    visitor.post("/login", {"user": "maria", "password": password()})
    assert visitor.text("/account") == "account of maria"


def test_the_same_action_twice_leads_on(shop: World) -> None:
    visitor = shop.visitor()
    assert visitor.text("/basket") == "basket is empty"
    visitor.post("/add", {"id": "7"})
    assert visitor.text("/basket") == "basket has one"
    visitor.post("/add", {"id": "7"})
    assert visitor.text("/basket") == "basket has two"


def test_visitors_do_not_see_each_others_actions(shop: World) -> None:
    one = shop.visitor()
    other = one.again()
    one.post("/add", {"id": "7"})
    assert one.text("/basket") == "basket has one"
    assert other.text("/basket") == "basket is empty"


def test_situations_add_up(shop: World) -> None:
    visitor = shop.visitor()
    visitor.post("/add", {"id": "7"})
    visitor.post("/login", {"user": "maria", "password": password()})
    assert visitor.text("/") == "home, hello maria"
    assert visitor.text("/basket") == "basket has one"


def test_an_action_nobody_tried_is_not_pretended(shop: World) -> None:
    visitor = shop.visitor()
    assert visitor.post("/add", {"id": "8"}).status_code == 404
    assert visitor.text("/basket") == "basket is empty"


def test_nothing_is_stored_before_something_changes(shop: World) -> None:
    visitor = shop.visitor()
    database = database_of(visitor)
    for address in ("/", "/login", "/nowhere"):
        visitor.open(address)
    visitor.post("/login", {"user": "maria", "password": "wrong"})
    assert list(database.execute("SELECT * FROM visitor")) == []
    visitor.post("/add", {"id": "7"})
    assert len(list(database.execute("SELECT * FROM visitor"))) == 1


def database_of(visitor: Visitor) -> sqlite3.Connection:
    """The connection that the application asks for on each request."""
    found: list[sqlite3.Connection] = []

    @visitor.app.before_request
    def keep() -> None:
        from flask import g

        found.append(g.database)

    visitor.open("/")
    return found[0]


def test_answers_equal_for_every_fresh_visitor_are_marked(shop: World) -> None:
    visitor = shop.visitor()
    marks = {}
    for method, address in (("GET", "/"), ("HEAD", "/"), ("POST", "/login"), ("GET", "/nowhere")):
        with visitor.app.test_request_context(address, method=method, base_url=SITE) as context:
            visitor.app.full_dispatch_request()
            marks[(method, address)] = context.request.environ.get("mirror.frozen", False)
    assert marks == {("GET", "/"): True, ("HEAD", "/"): True, ("POST", "/login"): False, ("GET", "/nowhere"): False}


def test_the_caller_may_bring_the_database(shop: World) -> None:
    shop.build()
    folder = shop.folder / "mirror"
    database = sqlite3.connect(":memory:", uri=True, check_same_thread=False)
    database.executescript((folder / "seed.sql").read_text())
    database.execute("ATTACH DATABASE ? AS site", (f"file:{folder / 'site.db'}?mode=ro&immutable=1",))
    try:
        app = application(folder, lambda: database)
        visitor = Visitor(app, SITE)
        visitor.post("/add", {"id": "7"})
        assert visitor.text("/basket") == "basket has one"
        assert list(database.execute("SELECT depth FROM situation")) == [(0,)]
        assert not database.in_transaction
        with pytest.raises(sqlite3.OperationalError, match="readonly"):
            database.execute("DELETE FROM site.request")
    finally:
        database.close()


def test_a_name_nothing_was_recorded_of_is_the_site_itself(shop: World) -> None:
    visitor = shop.visitor()
    assert visitor.text("http://127.0.0.1:5000/") == "home, sign in"
    assert visitor.text("http://shop.test/", headers={"X-Forwarded-Proto": "https"}) == "home, sign in"


def test_nothing_says_what_answers(shop: World) -> None:
    visitor = shop.visitor()
    for address in ("/", "/nowhere", "/site.db", "/contract.json"):
        answer = visitor.open(address)
        told = (answer.get_data(as_text=True) + str(answer.headers)).lower()
        assert not re.search(r"mirror|record|webanything|sandbox|flask", told)


def test_misses_are_told_with_what_came_closest(shop: World) -> None:
    visitor = shop.visitor()
    told: list[dict[str, Any]] = []
    visitor.app.extensions["unseen"] = told.append
    visitor.post("/add", {"id": "8"})
    visitor.open("/")
    assert len(told) == 1
    assert told[0]["method"] == "POST"
    assert told[0]["path"] == "/add"
    assert told[0]["host"] == SITE
    assert told[0]["differing"] == ["id"]
    assert json.loads(told[0]["nearest"]["leaves"]) == {"id": "7"}


def test_a_form_that_is_sent_back_holds_what_was_typed_now(tmp_path: Path) -> None:
    world = World(tmp_path)
    form = '<form method=post><input name=who value="{}"><textarea name=what>{}</textarea><p>{}</p></form>'
    world.page("/wall", form.format("", "", ""))
    sent = {"who": "", "what": "quiet lantern"}
    world.post("/wall", sent, form.format("", sent["what"], "who are you?"), visit="e0001.1/0", status=422)
    world.step("e0001.1", 0, "/wall", variant="failing", safety="write", fill=["quiet lantern"])
    sent = {"who": 'Eve "x"', "what": ""}
    world.post("/wall", sent, form.format("Eve &quot;x&quot;", "", "say something"), visit="e0002.1/0", status=422)
    world.step("e0002.1", 0, "/wall", variant="failing", safety="write", fill=['Eve "x"', ""])
    visitor = world.visitor()
    answer = visitor.post("/wall", {"who": "", "what": "<b>two</b>\r\nlines & more"})
    assert answer.status_code == 422
    assert "what>&lt;b&gt;two&lt;/b&gt;\r\nlines &amp; more</textarea><p>who are you?" in answer.get_data(as_text=True)
    assert 'value="Ann &amp; Bob"' in visitor.post("/wall", {"who": "Ann & Bob", "what": ""}).get_data(as_text=True)
