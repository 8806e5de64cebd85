"""Features of the web that copies of sites tend to lose: each page checks itself, on the mirror as on its source."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest
from playwright.sync_api import Browser, Error, Page

from artifacts.run import Lens
from explorer.lens.browser import new_context, open_browser
from tests.e2e.command import serving, webanything
from tests.sites import tiny
from tests.sites.features import FEATURES

pytestmark = [pytest.mark.browser, pytest.mark.timeout(900)]
_WAIT_MS = 8_000


class Mirror(NamedTuple):
    source: str
    line: dict[str, Any]


class Mode(NamedTuple):
    browser: Browser
    start: str
    is_local: bool


@pytest.fixture(scope="module")
def mirror(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mirror]:
    run = tmp_path_factory.mktemp("features") / "run"
    budget = ("--max-pages", str(len(FEATURES) + 3), "--max-actions", "1", "--requests-per-second", "100")
    with tiny.serve_module("tests.sites.features") as site:
        said = webanything("reconstruct", site.url, "--out", str(run), "--model", "none", *budget)
        assert said.last["event"] == "finished" and said.code in (0, 3), said.errors
    with serving(run) as line:
        yield Mirror(site.url, line)


@pytest.fixture(scope="module", params=["local", "origin"])
def mode(request: pytest.FixtureRequest, mirror: Mirror) -> Iterator[Mode]:
    local = request.param == "local"
    with open_browser(None if local else mirror.line["proxy"]) as browser:
        yield Mode(browser, mirror.line["url"] + "/" if local else mirror.source, local)


@pytest.mark.parametrize("name", FEATURES)
def test_it_works_on_the_mirror(mode: Mode, name: str) -> None:
    with new_context(mode.browser, Lens()) as context:
        page = context.new_page()
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.goto(f"{mode.start}f/{name}")
        assert _result(page) == "ok"
        if mode.is_local:
            assert not [url for url in asked if url.startswith("http") and not url.startswith(mode.start)]


def _result(page: Page) -> str:
    try:
        page.wait_for_function("document.querySelector('#result').textContent !== 'waiting'", timeout=_WAIT_MS)
    except Error as error:
        return str(error)
    return page.locator("#result").inner_text()


def test_the_pages_work_at_their_source() -> None:
    with tiny.serve_module("tests.sites.features") as site, open_browser() as browser:
        for name in FEATURES:
            with new_context(browser, Lens()) as context:
                page = context.new_page()
                page.goto(f"{site.url}f/{name}")
                assert _result(page) == "ok", name
