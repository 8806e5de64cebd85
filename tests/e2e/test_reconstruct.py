"""The main job on a site of our own, by the command alone, with the source gone afterwards."""

import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urljoin, urlsplit

import pytest
from playwright.sync_api import Page

from artifacts.evidence import Part, probe_visit
from artifacts.report import Report
from artifacts.run import Lens
from artifacts.store import Store
from explorer.lens.browser import new_context, open_browser
from tests.e2e.command import SHOP, control, evidence, get, kill_group, of_kind, serving, start, webanything
from tests.e2e.conftest import Reconstructed
from tests.sites import tiny

pytestmark = [pytest.mark.browser, pytest.mark.timeout(900)]


@pytest.fixture(scope="module")
def served(shop: Reconstructed) -> Iterator[dict[str, Any]]:
    with serving(shop.run) as line:
        yield line


@pytest.fixture
def page(served: dict[str, Any]) -> Iterator[Page]:
    control(served, "POST", "/reset", {"session": None})
    with open_browser() as browser, new_context(browser, Lens()) as context:
        yield context.new_page()


def there(url: str) -> str:
    """An address without its host, as it is the same on source and mirror."""
    parts = urlsplit(url)
    return parts.path + (f"?{parts.query}" if parts.query else "")


def titles(text: str) -> list[str]:
    return re.findall(r'<h3><a href="[^"]+">([^<]+)</a>', text)


def test_it_is_accepted_and_says_so(shop: Reconstructed) -> None:
    assert shop.said.last["event"] == "finished", shop.said.errors
    report = Report.from_bytes((shop.run / "report.json").read_bytes())
    assert (shop.said.last["verdict"], shop.said.code) == ("accepted", 0), [
        report.because, *((one.subject, one.what, one.expected, one.seen) for one in report.findings)
    ]  # fmt: skip
    assert Path(shop.said.last["environment"]).joinpath("environment.json").is_file()
    assert not [check.url for check in report.states if check.foreign_requests]
    assert shop.run.joinpath("report.html").stat().st_size > 10_000


def test_no_password_of_the_source_is_anywhere_on_disk(shop: Reconstructed) -> None:
    found = [path for path in shop.run.rglob("*") if path.is_file() and b"paper-boats-72" in path.read_bytes()]
    assert not found


def test_every_captured_page_answers_with_its_own_title(shop: Reconstructed, served: dict[str, Any]) -> None:
    part = evidence(shop.run)
    later = {act.after for act in part.interactions}  # reached by doing something, not by address alone
    states = [state for state in part.states if state.digest not in later and state.identity == "anonymous"]
    states = [state for state in states if state.status == 200]
    assert len({state.url for state in states}) >= 10
    wrong = []
    for state in states:
        answer = get(urljoin(served["url"], there(state.requested)))
        title = re.search(r"<title>(.*?)</title>", answer.text)
        if answer.status != 200 or not title or title[1].replace("&amp;", "&") != state.title:
            wrong.append((state.requested, answer.status, title and title[1], state.title))
    assert not wrong


def test_assets_are_the_sources_bytes(shop: Reconstructed, served: dict[str, Any]) -> None:
    store = Store(shop.run / "store")
    seen = {e.url: e for e in evidence(shop.run).exchanges if e.destination in ("image", "style", "script")}
    checked = 0
    for url, exchange in seen.items():
        if exchange.status == 200 and exchange.response_body:
            answer = get(urljoin(served["url"], there(url)))
            assert answer.body == store.get(exchange.response_body), url
            checked += 1
    assert checked >= 10


def test_a_recorded_search_finds_the_same(shop: Reconstructed, served: dict[str, Any]) -> None:
    store, searched = Store(shop.run / "store"), 0
    for exchange in evidence(shop.run).exchanges:
        query = parse_qs(urlsplit(exchange.url).query).get("q")
        if urlsplit(exchange.url).path == "/search" and query and exchange.response_body:
            recorded = store.get(exchange.response_body).decode()
            assert titles(get(urljoin(served["url"], there(exchange.url))).text) == titles(recorded), exchange.url
            searched += 1
    assert searched


def test_an_unknown_address_has_the_sites_own_page(served: dict[str, Any]) -> None:
    answer = get(urljoin(served["url"], "/no/such/thing"))
    assert answer.status == 404 and "Nothing on this shelf" in answer.text


def test_login_works_with_the_sandbox_password_only(served: dict[str, Any], page: Page) -> None:
    (account,) = [account for account in served["accounts"] if account["label"] == "user"]
    for password, heading in (("wrong", "Log in"), (account["password"], "Hello, Ada Brook")):
        page.goto(urljoin(served["url"], "/login"))
        page.get_by_label("E-mail address").fill(account["user"])
        page.get_by_label("Password").fill(password)
        with page.expect_navigation():
            page.locator("main").get_by_role("button", name="Log in").click()
        page.goto(urljoin(served["url"], "/account/"))
        assert page.locator("h1").inner_text() == heading


def test_a_reset_undoes_what_a_visitor_did_and_proves_it(served: dict[str, Any], page: Page) -> None:
    before = get(served["url"]).body
    product = next(link for link in _links(served) if "/product/" in link)
    page.goto(product)
    page.get_by_role("button", name="Add to cart").click()
    page.wait_for_load_state()
    assert page.locator("#cart-badge").inner_text() == "1"
    assert control(served, "GET", "/sessions/default/diff")["tables"]
    proof = control(served, "POST", "/reset", {"session": None})
    assert proof["state"] == proof["seed"] and proof["ms"] < 1000
    assert not control(served, "GET", "/sessions/default/diff")["tables"]
    assert get(served["url"]).body == before
    page.goto(served["url"])
    assert page.locator("#cart-badge").inner_text() == "0"


def test_pages_nobody_rendered_after_a_step_show_what_it_did(
    shop: Reconstructed, served: dict[str, Any], page: Page
) -> None:
    part, store = evidence(shop.run), Store(shop.run / "store")
    added = next(act for act in part.interactions if act.behaviour.endswith("Add to cart") and not act.step)
    start = next(state.requested for state in part.states if state.digest == added.before)
    probes = [one for one in part.exchanges if one.visit == probe_visit(added.visit) and one.status == 200]
    recorded = {there(one.url): store.get(one.response_body or "") for one in probes if one.destination == "document"}
    assert len(recorded) >= 5 and {"/", "/cart", "/shop/"} <= recorded.keys()
    page.goto(urljoin(served["url"], there(start)))
    page.get_by_role("button", name="Add to cart").click()
    page.wait_for_load_state()
    for path, body in recorded.items():
        page.goto(urljoin(served["url"], path))
        badge = re.search(r'id="cart-badge"[^>]*>(\d+)<', body.decode())
        assert badge and page.locator("#cart-badge").inner_text() == badge[1] == "1", path
        assert page.locator(".flash").count() == body.count(b'class="flash"'), path


def _links(served: dict[str, Any]) -> list[str]:
    found = re.findall(r'href="(/[^"#]*)"', get(urljoin(served["url"], "/shop/")).text)
    return [urljoin(served["url"], link) for link in found]


def test_the_same_command_again_finds_nothing_to_do(shop: Reconstructed) -> None:
    before = {
        path: path.stat().st_mtime_ns for path in shop.run.rglob("*") if path.is_file() and "logs" not in path.parts
    }
    began = time.monotonic()
    again = webanything("reconstruct", shop.url, "--out", str(shop.run), *SHOP)
    assert time.monotonic() - began < 10
    assert (again.code, again.last["verdict"]) == (shop.said.code, shop.said.last["verdict"])
    assert {event["status"] for event in of_kind(again.events, "stage")} == {"skipped"}
    touched = [path.name for path, at in before.items() if path.stat().st_mtime_ns != at]
    assert not set(touched) - {".lock", "events.jsonl", "run.json"}


def test_killed_in_the_middle_it_goes_on_to_the_same_end(shop: Reconstructed, tmp_path: Path) -> None:
    run = tmp_path / "shop"
    with tiny.serve_module("tests.sites.shop", port=urlsplit(shop.url).port or 0) as site:
        command = ("reconstruct", site.url, "--out", str(run), *SHOP)
        for at_least in (4, 9):
            process = start(*command)
            _wait_for_steps(run, at_least)
            kill_group(process)
        assert not (run / "evidence.json").exists(), "it was killed too late to prove anything"
        ended = webanything(*command)
    assert (ended.code, ended.last["verdict"]) == (shop.said.code, shop.said.last["verdict"]), ended.errors
    broken, whole = evidence(run), evidence(shop.run)
    assert {state.requested for state in broken.states} == {state.requested for state in whole.states}
    assert _done(broken) == _done(whole)
    looks = [(state.requested, state.identity, state.visit) for state in broken.states]
    assert len(looks) == len(set(looks)), "nothing is captured twice"


def _done(part: Part) -> list[tuple[str, str]]:
    return sorted((act.behaviour, act.variant) for act in part.interactions)


def _wait_for_steps(run: Path, count: int) -> None:
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        path = run / "events.jsonl"
        if path.exists() and path.read_bytes().count(b'"event": "step"') >= count:
            return
        time.sleep(0.05)
    raise AssertionError(f"no {count} steps in two minutes")
