import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask, request

from artifacts.errors import StoppedError
from artifacts.events import ignore, never
from artifacts.evidence import Evidence, Part, load_part
from artifacts.run import Account, Budget, CaptureRequest, Safety
from artifacts.store import Store
from explorer.crawl.explore import explore
from tests.sites import abuse
from tests.sites.tiny import serve

pytestmark = pytest.mark.browser

PAGE = """<!doctype html><title>Guestbook</title><h1>Guestbook</h1><a href="/about">About</a>
<form id=f><label>Name <input name=name></label><label>Topic <input name=topic></label><button>Leave it</button></form>
<button id=ok onclick="fetch('/api/item/1', {method: 'DELETE'})">OK</button>
<button id=hi onclick="this.textContent = 'seen'">Show</button>
<script>f.onsubmit = event => { event.preventDefault(); fetch("/api/entries", {method: "POST", body: new FormData(f)}); };
fetch("/api/hello", {method: "POST", body: "{}"});</script>"""
LOGIN = """<!doctype html><title>In</title><form id=l><input name=user><input name=pw type=password><button>Log in</button>
</form><script>l.onsubmit = async event => { event.preventDefault();
const answer = await fetch("/api/login", {method: "POST", body: new URLSearchParams(new FormData(l))});
if (answer.ok) location = "/me"; else document.body.append("Wrong"); };</script>"""

FEW = Budget(max_pages=4, max_actions=12)


@pytest.fixture
def changes() -> list[str]:
    """What was asked of the site that changes it."""
    return []


@pytest.fixture
def site(changes: list[str]) -> Iterator[str]:
    app = Flask("guestbook")

    @app.before_request
    def note() -> None:
        if request.method not in ("GET", "HEAD") and request.path != "/api/hello":
            changes.append(f"{request.method} {request.path} {request.form.get('pw', '')}".strip())

    app.add_url_rule("/", "home", lambda: PAGE)
    app.add_url_rule("/about", "about", lambda: "<title>About</title><h1>About</h1>")
    app.add_url_rule("/login", "login", lambda: LOGIN)
    app.add_url_rule("/me", "me", lambda: "<title>Me</title><h1>Hello</h1><button>Log out</button>")

    @app.route("/api/<path:rest>", methods=["POST", "DELETE"])
    def api(rest: str) -> tuple[str, int]:
        return ("{}", 200 if request.form.get("pw", "right") == "right" else 401)

    with serve(app) as url:
        yield url


def explored(
    url: str,
    folder: Path,
    *,
    allow: tuple[Safety, ...] = (),
    accounts: tuple[Account, ...] = (),
    budget: Budget = FEW,
) -> tuple[Evidence, Part]:
    asked = CaptureRequest(url=url, allow=allow, budget=budget, accounts=accounts)
    store = Store(folder / "store")
    evidence = explore(
        asked, accounts=accounts, folder=folder / "evidence", store=store, created="2026-01-02T03:04:05Z",
        emit=ignore, stop=never,
    )  # fmt: skip
    return evidence, load_part(store, evidence.open) + load_part(store, evidence.sealed)


def test_reading_changes_nothing_whatever_scripts_do(site: str, changes: list[str], tmp_path: Path) -> None:
    _, part = explored(site, tmp_path)
    assert changes == []
    refused = {skip.what: skip.detail for skip in part.skips if skip.reason == "safety"}
    assert any("DELETE" in detail for detail in refused.values()), refused
    assert any("POST" in detail for detail in refused.values()), refused
    done = {interaction.behaviour for interaction in part.interactions}
    assert any("Show" in behaviour for behaviour in done) and not any("OK" in behaviour for behaviour in done)


def test_what_was_allowed_is_done_by_script_too(site: str, changes: list[str], tmp_path: Path) -> None:
    account = Account(label="user", login_url="/login", user="ada", password="right")
    _, part = explored(site + "login", tmp_path, allow=("account",), accounts=(account,))
    assert "POST /api/login right" in changes and "POST /api/login not-the-password" in changes
    steps = [i for i in part.interactions if i.behaviour.startswith("login") and i.variant == "ordinary"]
    after = {state.digest: state for state in part.states}
    assert after[steps[0].after].title == "Me"
    assert "right" not in {action.value for step in steps for action in step.actions}


def test_stopping_at_once_is_no_end(site: str, tmp_path: Path) -> None:
    asked = CaptureRequest(url=site, budget=Budget(max_pages=4, max_actions=1))
    with pytest.raises(StoppedError):
        explore(
            asked, accounts=(), folder=tmp_path / "evidence", store=Store(tmp_path / "store"),
            created="2026-01-02T03:04:05Z", emit=ignore, stop=lambda: True,
        )  # fmt: skip
    evidence, part = explored(site, tmp_path)
    assert {state.url.removeprefix(site) for state in part.states} >= {"", "about"} and evidence.states > 2
    assert evidence.not_found in {state.requested for state in part.states if state.status == 404}


def test_a_secret_in_the_start_address_is_not_kept(site: str, tmp_path: Path) -> None:
    evidence, part = explored(site + "?access_token=s3cr3tT0kenValue99x&page=1", tmp_path)
    assert "access_token=" in evidence.start and "page=1" in evidence.start
    starts = [state for state in part.states if "access_token" in state.requested and state.visit.startswith("p")]
    assert len(starts) == 1
    for file in tmp_path.rglob("*"):
        assert not file.is_file() or b"s3cr3tT0kenValue99x" not in file.read_bytes(), file


def test_a_page_that_takes_the_browser_down_is_noted_and_left_behind(tmp_path: Path) -> None:
    app = Flask("fatal")
    links = "".join(f"<a href=/{name}>{name}</a> " for name in ("fatal", "one", "two"))
    app.add_url_rule("/", "home", lambda: f"<title>Home</title><h1>Home</h1>{links}")
    app.add_url_rule("/<name>", "page", lambda name: f"<title>{name}</title><h1>{name}</h1>")

    others = set(browsers())

    @app.get("/fatal")
    def fatal() -> str:
        for browser in set(browsers()) - others:
            os.kill(browser, signal.SIGKILL)
        time.sleep(0.2)
        return "too late"

    with serve(app) as url:
        _, part = explored(url, tmp_path)
    assert {state.url.rpartition("/")[2] for state in part.states} >= {"", "one", "two"}
    assert [skip.what for skip in part.skips if skip.reason == "error" and skip.what.endswith("/fatal")]


def browsers() -> list[int]:
    """The main processes of the browsers that this process started."""
    parents = {int(path.name): _parent(path) for path in Path("/proc").iterdir() if path.name.isdecimal()}
    found = []
    for pid in parents:
        line, above = _read(Path(f"/proc/{pid}/cmdline")), pid
        while above not in (0, os.getpid()):
            above = parents.get(above, 0)
        if above == os.getpid() and "--headless" in line and "--type=" not in line:
            found.append(pid)
    return found


def _parent(process: Path) -> int:
    return int(_read(process / "stat").rpartition(")")[2].split()[1] or 0)


def _read(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ") ? 0"


@pytest.mark.timeout(400)
def test_pages_that_would_hang_or_swell_are_cut_off_and_the_others_seen(tmp_path: Path) -> None:
    hard = ("endless", "bomb", "restless", "alerts", "deep")
    with serve(abuse.create_app((*hard, "plain")), threads=16) as url:
        _, part = explored(url, tmp_path, budget=Budget(max_pages=8, max_actions=1))
    told = {state.requested.rpartition("/")[2] for state in part.states}
    told |= {skip.what.rpartition("/")[2] for skip in part.skips if skip.reason == "error" and skip.detail}
    assert told >= {*hard, "plain"}
    endless = [exchange for exchange in part.exchanges if exchange.url.endswith("/endless")]
    bombs = [exchange for exchange in part.exchanges if exchange.url.endswith("/bomb")]
    assert all(exchange.note or exchange.failure for exchange in endless)
    assert all("too large" in exchange.note or exchange.failure for exchange in bombs)


@pytest.mark.timeout(400)
def test_pages_too_large_or_too_busy_are_given_up_and_ten_thousand_links_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("explorer.lens.world.ANSWER_MS", 5_000)
    with serve(abuse.create_app(("big", "looping", "links", "plain")), threads=16) as url:
        evidence, part = explored(url, tmp_path, budget=Budget(max_pages=6, max_actions=1))
    given_up = {skip.what.rpartition("/")[2] for skip in part.skips if skip.reason == "error" and skip.detail}
    seen = {state.requested.rpartition("/")[2]: state for state in part.states}
    assert "looping" in given_up and "plain" in seen
    assert "big" in given_up or seen["big"].notes
    assert len(seen["links"].links) == 5_000 and "text cut off" in seen["links"].notes
    assert any(skip.reason == "budget" and skip.what.endswith("further addresses") for skip in part.skips)
    assert evidence.outcome == "limit"
