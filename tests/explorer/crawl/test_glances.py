from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask, Response, redirect, request

from artifacts.run import Lens
from artifacts.store import Store
from explorer.crawl.glances import Glances, reading_of
from explorer.crawl.jars import BrowserJar, PlainJar
from explorer.lens.browser import new_context, open_browser
from explorer.wire.client import Wire
from tests.sites.tiny import serve


@pytest.fixture
def site() -> Iterator[str]:
    app = Flask("glances")

    @app.get("/in")
    def enter() -> Response:
        answer = Response("in")
        answer.set_cookie("sid", "7", httponly=True)
        answer.set_cookie("note", "once")
        return answer

    @app.get("/me")
    def me() -> object:
        if request.cookies.get("sid") != "7":
            return redirect("/door")
        answer = Response(f"<title>Me</title>{request.cookies.get('note', '')}", mimetype="text/html")
        answer.delete_cookie("note")
        answer.set_cookie("seen", "yes")
        return answer

    app.add_url_rule("/door", "door", lambda: "<title>Door</title>")
    app.add_url_rule("/busy", "busy", lambda: ("later", 429))
    with serve(app) as url:
        yield url.rstrip("/")


def glances(wire: Wire, waited: list[None], refused: str = "") -> Glances:
    return Glances(wire, wire.store, lambda: waited.append(None), lambda url: url != refused)


def test_a_stranger_is_sent_away_and_redirects_stop_where_nobody_may_go(site: str, tmp_path: Path) -> None:
    waited: list[None] = []
    with Wire(tmp_path, Store(tmp_path / "store")) as wire:
        far = glances(wire, waited).take([f"{site}/me"], "e1/0/s", PlainJar(), {"User-Agent": "x"})
        near = glances(wire, waited, f"{site}/door").take([f"{site}/me"], "e1/1/s", PlainJar(), {})
        assert [one.url.removeprefix(site) for one in wire.exchanges("e1/0/s")] == ["/me", "/door"]
        assert [one.url.removeprefix(site) for one in wire.exchanges("e1/1/s")] == ["/me"]
    assert far[0].url == f"{site}/me" and far[0].said.startswith(f"200 {site}/door ")
    assert near[0].said.startswith("302 ") and len(waited) == 3


def test_a_strangers_cookies_last_from_page_to_page(site: str, tmp_path: Path) -> None:
    jar = PlainJar()
    with Wire(tmp_path, Store(tmp_path / "store")) as wire:
        first, second, third = glances(wire, []).take([f"{site}/in", f"{site}/me", f"{site}/me"], "e1/0/s", jar, {})
    assert first.said != second.said != third.said
    assert jar.header(f"{site}/x") == "sid=7; seen=yes" and jar.header("http://other.example/") == ""


def test_a_site_that_asks_for_patience_is_asked_no_more(site: str, tmp_path: Path) -> None:
    waited: list[None] = []
    with Wire(tmp_path, Store(tmp_path / "store")) as wire:
        got = glances(wire, waited).take([f"{site}/door", f"{site}/busy", f"{site}/door"], "e1/0/p", PlainJar(), {})
    assert len(got) == 1 and len(waited) == 2


@pytest.mark.browser
def test_browser_and_plain_requests_are_one_visitor(site: str, tmp_path: Path) -> None:
    with (
        Wire(tmp_path, Store(tmp_path / "store")) as wire,
        open_browser(wire.proxy) as browser,
        new_context(browser, Lens()) as context,
    ):
        wire.visit("e1/before")
        page = context.new_page()
        page.goto(f"{site}/in")
        jar = BrowserJar(context)
        (seen,) = glances(wire, []).take([f"{site}/me"], "e1/0/p", jar, {})
        kept = {str(cookie["name"]): cookie for cookie in context.cookies()}
        page.goto(f"{site}/me")
        assert page.title() == "Me" and page.inner_text("body") == ""
    assert seen.said.startswith(f"200 {site}/me ")
    assert kept.keys() == {"sid", "seen"} and kept["sid"]["httpOnly"]


def test_what_cannot_be_read_makes_no_difference() -> None:
    one = '<p>Cart</p><input name=n value=1><input type=hidden name=t value=aaaa><script>var t="aaaa"</script>'
    assert reading_of(one) == reading_of(one.replace("aaaa", "bbbb"))
    assert reading_of(one) != reading_of(one.replace("value=1", "value=2"))
    box = "<input type=checkbox value=1>"
    assert reading_of(box) != reading_of(box.replace("value=1", "value=1 checked"))
