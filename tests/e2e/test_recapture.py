"""What a served mirror could not answer is asked of the site, and the mirror answers it afterwards."""

from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import pytest
from flask import Flask

from tests.e2e.command import get, serving, webanything
from tests.sites import tiny

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]
SMALL = ("--max-pages", "1", "--max-actions", "1", "--max-time", "1s")


def site() -> Any:
    app = Flask(__name__)

    @app.get("/")
    def home() -> str:
        links = "".join(f'<a href="/page/{n}">page {n}</a> ' for n in range(40))
        return f"<!doctype html><title>Home</title><h1>Home</h1>{links}"

    @app.get("/page/<int:number>")
    def page(number: int) -> str:
        script = f"<script src=/s/{number}.js></script>"
        return f"<!doctype html><title>Page {number}</title><p>words of page {number}</p>{script}"

    @app.get("/s/<int:number>.js")
    def script(number: int) -> tuple[str, int, dict[str, str]]:
        return f"document.body.append('made by {number}')", 200, {"Content-Type": "text/javascript"}

    return app


def test_the_queue_of_unseen_requests_is_worked_off(tmp_path: Path) -> None:
    run = tmp_path / "run"
    with tiny.serve(site()) as url:
        said = webanything("reconstruct", url, "--out", str(run), *SMALL)
        assert said.code == 0, said.errors
        with serving(run) as line:
            assert get(urljoin(line["url"], "/page/39")).status == 404
        again = webanything("recapture", str(run), "--from-unseen")
        assert (again.code, again.last["verdict"]) == (0, "accepted"), again.errors
        nothing = webanything("recapture", str(run), "--from-unseen")
        assert (nothing.code, nothing.errors) == (0, "nothing to recapture\n")
        named = webanything("recapture", str(run), "--url", urljoin(url, "/page/38"))
        assert named.code == 0, named.errors
        on = webanything("reconstruct", url, "--out", str(run), *SMALL)
        assert on.last["scores"] == named.last["scores"], "going on forgot what was recaptured"
    with serving(run) as line:
        for number in (38, 39):
            page = get(urljoin(line["url"], f"/page/{number}"))
            assert (page.status, f"words of page {number}" in page.text) == (200, True)
            assert f"made by {number}" in get(urljoin(line["url"], f"/s/{number}.js")).text
