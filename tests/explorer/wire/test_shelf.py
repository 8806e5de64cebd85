from pathlib import Path
from typing import Any

import pytest
from mitmproxy import http

from artifacts.store import Store
from explorer.wire.client import Wire
from explorer.wire.shelf import MAX_ITEM, MAX_TOTAL, Shelf
from tests.sites.tiny import serve

URL = "http://shop.example/static/site.css"


def request(url: str = URL, *, method: str = "GET", **headers: str) -> http.Request:
    sent = {"sec-fetch-dest": "style", "accept-encoding": "gzip"} | {
        name.replace("_", "-"): value for name, value in headers.items()
    }
    return http.Request.make(method, url, headers=sent)


def answer(body: bytes = b"a{}", *, status: int = 200, **headers: str) -> http.Response:
    said = {"content-type": "text/css", "cache-control": "max-age=60"}
    said |= {name.replace("_", "-"): value for name, value in headers.items()}
    return http.Response.make(status, body, said)


def test_what_the_site_sent_once_is_answered_as_it_was() -> None:
    shelf = Shelf()
    shelf.keep(request(), answer(b"packed", content_encoding="gzip"), b"packed")
    again = shelf.take(request())
    assert again is not None and again.raw_content == b"packed" and again.headers["content-encoding"] == "gzip"
    assert shelf.take(request()) is not again


@pytest.mark.parametrize(
    "asked",
    [
        request("http://shop.example/static/other.css"),
        request(URL + "?v=2"),
        request(method="POST"),
        request(sec_fetch_dest="document"),
        request(sec_fetch_dest="empty"),
        request(accept_encoding="br"),
        request(origin="http://other.example"),
        request(range="bytes=0-1"),
        request(cache_control="no-cache"),
    ],
)
def test_another_request_is_the_sites_to_answer(asked: http.Request) -> None:
    shelf = Shelf()
    shelf.keep(request(), answer(), b"a{}")
    assert shelf.take(asked) is None


@pytest.mark.parametrize(
    "said",
    [
        answer(cache_control="no-store"),
        answer(cache_control="private, max-age=60"),
        answer(cache_control="no-cache"),
        answer(set_cookie="a=b"),
        answer(vary="Cookie"),
        answer(vary="Accept-Language, Accept-Encoding"),
        answer(cache_control=""),
        answer(status=404),
        answer(status=206),
    ],
)
def test_what_no_browser_would_keep_is_not_kept(said: http.Response) -> None:
    shelf = Shelf()
    shelf.keep(request(), said, b"a{}")
    assert shelf.take(request()) is None


def test_the_shelf_is_bounded_and_lets_go_of_what_was_used_least() -> None:
    shelf = Shelf()
    body = bytes(MAX_ITEM)
    urls = [f"http://shop.example/{number}.css" for number in range(MAX_TOTAL // MAX_ITEM + 1)]
    for url in urls:
        shelf.keep(request(url), answer(), body)
        shelf.take(request(urls[0]))
    assert shelf.take(request(urls[0])) is not None
    assert shelf.take(request(urls[1])) is None
    assert shelf.take(request(urls[-1])) is not None
    shelf.keep(request(), answer(), bytes(MAX_ITEM + 1))
    assert shelf.take(request()) is None


@pytest.mark.parametrize("size", [1, 1_000, 70_000, 400_000])
def test_through_the_proxy_the_site_is_asked_once_and_every_visit_has_the_whole_body(size: int, tmp_path: Path) -> None:
    asked: list[str] = []

    def site(environ: dict[str, Any], start_response: Any) -> list[bytes]:
        asked.append(environ["PATH_INFO"])
        start_response(
            "200 OK", [("Content-Type", "text/css"), ("Cache-Control", "max-age=60"), ("Content-Length", str(size))]
        )
        return [b"x" * size]

    with serve(site) as url, Wire(tmp_path, Store(tmp_path / "store")) as wire:
        taken = []
        for visit in ("one", "two", "three"):
            wire.visit(visit)
            taken.append(wire.ask(url + "site.css", headers={"Sec-Fetch-Dest": "style"}).exchange)
    assert asked == ["/site.css"]
    assert [(each.visit, each.response_bytes) for each in taken] == [("one", size), ("two", size), ("three", size)]
    assert len({each.response_body for each in taken}) == 1 and taken[0].response_body
