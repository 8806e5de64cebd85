"""Runs written as archives that other tools open, and archives of other tools made into mirrors, by the command."""

import json
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import urljoin

import pytest

from artifacts.run import Lens
from explorer.lens.browser import new_context, open_browser
from explorer.wire.fetch import path_and_query
from tests.e2e.command import ACCOUNTS, evidence, get, of_kind, serving, webanything
from tests.e2e.conftest import Reconstructed

pytestmark = [pytest.mark.browser, pytest.mark.timeout(900)]


@pytest.fixture(scope="module")
def archives(shop: Reconstructed, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    found = {}
    for kind in ("wacz", "har"):
        found[kind] = tmp_path_factory.mktemp("archives") / f"shop.{kind}"
        said = webanything("export-web", str(shop.run), f"--{kind}", "--out", str(found[kind]))
        assert said.code == 0, said.errors
        assert said.last["exchanges"] > 100
    return found


@pytest.fixture(params=["wacz", "har"])
def archive(request: pytest.FixtureRequest, archives: dict[str, Path]) -> Path:
    return archives[request.param]


def test_the_reference_validator_accepts_the_collection(archives: dict[str, Path]) -> None:
    script = Path(sys.executable).with_name("wacz")
    checked = subprocess.run([script, "validate", "-f", archives["wacz"]], capture_output=True, text=True, timeout=120)
    assert "Validation succeeded" in checked.stdout, checked.stdout + checked.stderr


def test_playwright_replays_the_archive_without_the_site(archives: dict[str, Path], shop: Reconstructed) -> None:
    part = evidence(shop.run)
    states = [s for s in part.states if s.status == 200 and s.identity == "anonymous" and not s.visit.startswith("e")]
    shown = 0
    with open_browser() as browser, new_context(browser, Lens()) as context:
        context.route_from_har(archives["har"], not_found="abort")
        page = context.new_page()
        for state in states[:4]:
            page.goto(state.requested)
            assert page.title() == state.title
            styled = page.evaluate("[...document.styleSheets].filter(sheet => sheet.cssRules.length).length")
            shown += styled > 0
    assert shown == 4


def test_no_secret_of_the_site_is_in_it(archive: Path) -> None:
    assert b"paper-boats-72" not in archive.read_bytes()


def test_a_mirror_built_from_the_archive_gives_the_same_pages(
    archive: Path, shop: Reconstructed, tmp_path: Path
) -> None:
    run = tmp_path / "imported"
    said = webanything("import", str(archive), "--out", str(run))
    assert said.code == 0, said.errors
    assert json.loads((run / "run.json").read_bytes())["request"]["url"] == shop.url
    built = webanything("build", str(run))
    assert built.code == 0, built.errors
    states = [s for s in evidence(shop.run).states if s.status == 200 and not s.visit.startswith("e")]
    states = [s for s in states if s.identity == "anonymous"]
    assert len(states) >= 5
    with serving(run) as line:
        for state in states:
            answer = get(urljoin(line["url"], path_and_query(state.requested)))
            title = re.search(r"<title>(.*?)</title>", answer.text)
            assert (answer.status, title and title[1].replace("&amp;", "&")) == (200, state.title)


def test_a_fresh_visitor_of_the_mirror_is_given_all_that_was_sent_without_a_cookie(
    archive: Path, shop: Reconstructed, tmp_path: Path
) -> None:
    run = tmp_path / "imported"
    for arguments in (("import", str(archive), "--out", str(run)), ("build", str(run))):
        assert webanything(*arguments).code == 0
    sent = {
        path_and_query(one.url): one.status
        for one in evidence(shop.run).exchanges
        if one.method == "GET" and one.status in (200, 302, 303) and one.url.startswith(shop.url)
        and not any(name.lower() == "cookie" for name, _ in one.request_headers)
    }  # fmt: skip
    assert len(sent) > 30
    with serving(run) as line:
        missing = {path: status for path, status in sent.items() if get(urljoin(line["url"], path)).status == 404}
    assert not missing


def test_where_somebody_logged_in_the_closing_words_name_the_option_that_lets_them_in_again(
    archive: Path, tmp_path: Path
) -> None:
    for arguments, expected in (((), True), (("--accounts", str(ACCOUNTS)), False)):
        said = webanything("import", str(archive), "--out", str(tmp_path / str(expected)), *arguments)
        assert ("--accounts" in said.errors) is expected, said.errors


def test_importing_twice_into_one_folder_is_done_once(archive: Path, tmp_path: Path) -> None:
    run = tmp_path / "imported"
    first = webanything("import", str(archive), "--out", str(run))
    second = webanything("import", str(archive), "--out", str(run))
    assert (first.code, second.code) == (0, 0)
    assert [event.get("status") for event in second.events if event["event"] == "stage"] == ["skipped"]


def test_what_cannot_be_done_is_said_in_three_lines(
    shop: Reconstructed, archives: dict[str, Path], tmp_path: Path
) -> None:
    for arguments, code in (
        (("export-web", str(shop.run)), "no_format"),
        (("export-web", str(shop.run), "--har", "--out", str(shop.run / "run.json" / "such.har")), "bad_file"),
        (("import", str(tmp_path / "nothing.har")), "no_file"),
        (("import", str(shop.run / "run.json")), "bad_archive"),
        (("import", str(archives["har"]), "--out", str(shop.run)), "other_run"),
    ):
        said = webanything(*arguments)
        (error,) = of_kind(said.events, "error")
        assert (said.code != 0, error["code"]) == (True, code), said.errors
        assert error["remedy"]
