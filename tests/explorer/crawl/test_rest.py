from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask, Response, request

from artifacts.evidence import Exchange
from artifacts.store import Store
from explorer.crawl.rest import Rest
from explorer.wire.client import Wire
from tests.sites.tiny import serve


@pytest.fixture
def site() -> Iterator[str]:
    app = Flask("rest")

    @app.get("/<name>.csv")
    def rows(name: str) -> Response:
        asked = f"{name},{request.headers['Accept']}"
        return Response(asked, mimetype="text/csv", headers={"Content-Disposition": "attachment"})

    with serve(app) as url:
        yield url.rstrip("/")


def offered(url: str, *sent: tuple[str, str], **others: object) -> Exchange:
    headers = (("content-type", "text/csv"), ("content-disposition", "attachment; filename=a.csv"))
    values = {"order": 1, "visit": "v1", "method": "GET", "url": url, "destination": "document", "status": 200}
    return Exchange(**{**values, "request_headers": sent, "response_headers": headers, "response_bytes": 9, **others})  # type: ignore[arg-type]


def test_a_file_that_was_offered_is_fetched_once_and_never_in_anybodys_name(site: str, tmp_path: Path) -> None:
    with Wire(tmp_path, Store(tmp_path / "store")) as wire:
        wire.visit("v1")
        Rest(wire).fetch_downloads(
            [
                offered(f"{site}/all.csv", ("Accept", "text/x")),
                offered(f"{site}/all.csv"),
                offered(f"{site}/mine.csv", ("Cookie", "sid=redacted-1")),
                offered(
                    f"{site}/large.csv",
                    response_headers=(*offered("x").response_headers, ("content-length", "40000000")),
                ),
                offered(f"{site}/sent.csv", method="POST"),
                offered(f"{site}/whole.csv", response_body="0" * 64),
                offered(f"{site}/shown.csv", response_headers=(("content-type", "text/csv"),)),
            ]
        )
        (got,) = wire.exchanges("v1")
        assert got.url == f"{site}/all.csv" and got.destination == "document"
        assert got.response_body and wire.store.get(got.response_body) == b"all,text/x"


class Heard:
    """A wire over which a style sheet came and something else failed; it notes what is asked for next."""

    def __init__(self, folder: Path, failure: str) -> None:
        self.store = Store(folder)
        self.fetched: list[str] = []
        sheet = self.store.put(b"a{background:url(/dot.svg)}")
        css = (("content-type", "text/css"),)
        self._had = [
            offered("http://a.test/x", status=None, failure=failure),
            offered("http://a.test/s.css", destination="style", response_headers=css, response_body=sheet),
        ]

    def exchanges(self, visit: str) -> list[Exchange]:
        return self._had

    def fetch(self, url: str, **_: object) -> Exchange:
        self.fetched.append(url)
        return offered(url)


@pytest.mark.parametrize(
    ("failure", "fetched"), [("cancelled: the browser gave up", ["http://a.test/dot.svg"]), ("refused: nobody", [])]
)
def test_a_host_is_not_dead_because_the_browser_gave_up(tmp_path: Path, failure: str, fetched: list[str]) -> None:
    wire = Heard(tmp_path, failure)
    Rest(wire).fetch("v1")
    assert wire.fetched == fetched
