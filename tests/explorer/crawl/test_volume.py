from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask, Response, redirect, request

from artifacts.evidence import Exchange
from artifacts.store import Store
from explorer.crawl.rest import Rest
from explorer.crawl.volume import browser_headers, fetch_pages, links_of
from explorer.wire.client import Wire
from tests.sites.tiny import serve


@pytest.fixture
def site() -> Iterator[str]:
    app = Flask("volume")

    @app.get("/item/<int:number>")
    def item(number: int) -> str:
        agent = request.headers["User-Agent"]
        picture = f'<img src="/picture/{number}.svg">'
        picture += '<img src="/picture/0.svg">'
        return f'<title>{agent}</title>{picture}<a href="/item/{number + 1}">Next <b>one</b></a><a href="/old">Old</a>'

    @app.get("/old")
    def old() -> object:
        return redirect("/item/1")

    @app.get("/picture/<int:number>.svg")
    def picture(number: int) -> Response:
        return Response(f"<svg xmlns='http://www.w3.org/2000/svg' id='p{number}'/>", mimetype="image/svg+xml")

    with serve(app) as url:
        yield url.rstrip("/")


def test_pages_come_with_their_links_and_what_they_name(site: str, tmp_path: Path) -> None:
    waited: list[None] = []
    with Wire(tmp_path, Store(tmp_path / "store")) as wire:
        wire.visit("g1")
        rest = Rest(wire)
        got = list(
            fetch_pages(
                wire,
                [f"{site}/item/1", f"{site}/old", f"{site}/none", f"{site}/item/1"],
                visit="g1",
                headers={"User-Agent": "the browser's own"},
                fetch_needs=rest.fetch_needs,
                wait=lambda: waited.append(None),
            )
        )
        asked = Counter(exchange.url.removeprefix(site) for exchange in wire.exchanges("g1"))
        exchanges = {exchange.url.removeprefix(site): exchange for exchange in wire.exchanges("g1")}
        body = exchanges["/item/1"].response_body
        assert body and b"the browser's own" in wire.store.get(body)
    assert got[0].links == ((f"{site}/item/2", "Next one"), (f"{site}/old", "Old"))
    assert got[1].links == ((f"{site}/item/1", ""),)
    assert got[2].links == () and len(waited) == 4
    assert asked == {"/item/1": 2, "/picture/1.svg": 1, "/picture/0.svg": 1, "/old": 1, "/none": 1}
    assert [exchanges[path].status for path in ("/item/1", "/old", "/none")] == [200, 302, 404]


def test_plain_requests_speak_like_the_browser_did() -> None:
    sent = (
        ("User-Agent", "Mozilla/5.0 X"),
        ("Accept", "text/html"),
        ("Cookie", "sid=1"),
        ("Sec-Ch-Ua", '"X"'),
        ("Host", "a"),
    )
    document = Exchange(order=2, visit="p", method="GET", url="http://a/", destination="document", request_headers=sent)
    style = document.replaced(order=1, destination="style", request_headers=(("User-Agent", "other"),))
    headers = browser_headers([style, document])
    assert headers == {
        "User-Agent": "Mozilla/5.0 X", "Accept": "text/html", "Sec-Ch-Ua": '"X"',
        "Sec-Fetch-Dest": "document", "Sec-Fetch-Mode": "navigate",
    }  # fmt: skip


@pytest.mark.parametrize(
    "html",
    ["", "no markup", "<a href='http://[bad'>x</a>", "<a>x</a><a href=''>y</a>", "\x00<a href=javascript:x>z</a>"],
)
def test_odd_markup_gives_no_wrong_links(html: str) -> None:
    assert all(url == "http://h.example/" for url, _ in links_of(html, "http://h.example/"))


def test_links_that_may_be_there_to_be_unseen_are_not_taken_from_pages_nobody_looked_at() -> None:
    hidden = '<div hidden><a href="/b">b</a></div><span aria-hidden="true"><a href="/c">c</a></span><a href="/d" style="left: -999px">d</a>'
    menu = '<nav style="display: none"><a href="/e">e</a></nav><ul hidden><li><a href="/f">f</a><li><a href="/g">g</a></ul>'
    html = (
        f'<a href="/">home</a><a href="/a" rel="ugc nofollow">a</a>{hidden}{menu}<p hidden>Words <a href="/h">h</a></p>'
    )
    assert [url.rpartition("/")[2] for url, _ in links_of(html, "http://a.example/")] == ["", "e", "f", "g", "h"]
