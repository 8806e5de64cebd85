"""Secrets of many kinds, in every place where a page can have one, and not one of them in what a run leaves behind."""

import gzip
import html
import io
import json
import zipfile
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote, quote_plus, urlsplit

import pytest
from flask import Flask
from PIL import Image
from playwright.sync_api import Browser

from artifacts.evidence import Evidence, PageState
from artifacts.report import Report
from artifacts.run import Lens
from artifacts.store import Store
from explorer.lens.browser import new_context, open_browser
from explorer.lens.look import Look, look
from tests.e2e.command import Said, evidence, webanything
from tests.sites import leaks, people
from tests.sites.tiny import serve

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]
_BUDGET = ("--max-pages", "20", "--max-actions", "12", "--requests-per-second", "100")
_ALLOWED = ("--allow", "session", "--allow", "account", "--allow", "write")


class Explored(NamedTuple):
    site: leaks.Site
    run: Path
    said: Said


@pytest.fixture(scope="module")
def explored(tmp_path_factory: pytest.TempPathFactory) -> Explored:
    folder = tmp_path_factory.mktemp("leaks")
    account = {"label": "user", "login_url": "/login", "user": leaks.USER, "password": leaks.PASSWORD}
    (folder / "accounts.json").write_text(json.dumps({"accounts": [account]}))
    with leaks.serve() as site:
        said = webanything("explore", site.url, "--out", str(folder / "run"), *_BUDGET, *_ALLOWED,
                           "--accounts", str(folder / "accounts.json"))  # fmt: skip
    assert said.code == 0, said.errors
    return Explored(site, folder / "run", said)


def test_every_secret_was_there_to_be_kept(explored: Explored) -> None:
    assert len(leaks.ALL) >= 20
    typed = f"password={quote_plus(leaks.PASSWORD)}"
    assert [name for name, text in leaks.SENT.items() if not _arrived(explored.site, text)] == []
    assert explored.site.was_sent(typed) or explored.site.was_sent(leaks.PASSWORD)
    asked = {urlsplit(one.url).path.partition(";")[0].strip("/") for one in evidence(explored.run).exchanges}
    assert asked >= {"keys", "keys.json", "calls", "store", "live", "links", "events", "ws", "account"}
    assert asked >= {f"seen/{name}" for name in ("token", "session", "path", "callback", "signed", "fragment")}
    for name in ("script's cookie", "server's cookie", "cookie only servers read"):
        assert explored.site.was_sent(leaks.STORED[name]), name
    done = {step.behaviour for step in evidence(explored.run).interactions}
    assert any("Copy" in behaviour for behaviour in done), done


def _arrived(site: leaks.Site, text: str) -> bool:
    return any(site.was_sent(form) for form in (text, quote_plus(text)))


@pytest.mark.parametrize("name", leaks.ALL)
def test_none_of_it_is_kept(explored: Explored, name: str) -> None:
    held = [where for where, data in _everything(explored) if any(form in data for form in _forms(leaks.ALL[name]))]
    assert held == []


def _everything(explored: Explored) -> Iterator[tuple[str, bytes]]:
    """What the run left on the disk and said, files inside of files opened too."""
    yield "what it said", explored.said.errors.encode()
    yield "its events", json.dumps(explored.said.events, ensure_ascii=False).encode()
    for path in sorted(explored.run.rglob("*")):
        yield "the name", str(path.relative_to(explored.run)).encode()
        if path.is_file():
            yield from _opened(str(path.relative_to(explored.run)), path.read_bytes())


def _opened(name: str, data: bytes) -> Iterator[tuple[str, bytes]]:
    yield name, data
    if data[:2] == b"\x1f\x8b":
        yield from _opened(f"{name} unpacked", gzip.decompress(data))
    if data[:2] == b"PK" and zipfile.is_zipfile(io.BytesIO(data)):
        with zipfile.ZipFile(io.BytesIO(data)) as package:
            for inner in package.namelist():
                yield from _opened(f"{name}/{inner}", package.read(inner))


def _forms(secret: str) -> set[bytes]:
    """The secret as bytes, in the spellings in which software carries text about."""
    texts = {
        secret,
        quote(secret, safe=""),
        quote_plus(secret),
        quote(secret),
        html.escape(secret),
        json.dumps(secret)[1:-1],
    }
    found = {text.encode(code) for text in texts for code in ("utf-8", "utf-16-le")}
    found |= {text.lower().encode() for text in texts if "%" in text}
    raw = secret.encode()
    found |= {raw.hex().encode(), raw.hex().upper().encode()}
    for skipped in range(3):  # in base64 a text looks otherwise at each of three places; its ends depend on neighbours
        inside = raw[skipped : skipped + (len(raw) - skipped) // 3 * 3]
        found |= {b64encode(inside), b64encode(inside, altchars=b"-_")}
    return found


@pytest.mark.parametrize("name", leaks.ALL)
def test_the_search_would_find_it(name: str) -> None:
    secret = leaks.ALL[name].encode()
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as package:
        package.writestr("a.gz", gzip.compress(b"x" + b64encode(b"ab" + secret + b"c")))
    hidden = [secret, quote_plus(secret).encode(), b"{" + b64encode(b"a" + secret), packed.getvalue()]
    for data in hidden:
        assert any(form in inner for _, inner in _opened("file", data) for form in _forms(leaks.ALL[name]))


@pytest.fixture(scope="module")
def mirrored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    run = tmp_path_factory.mktemp("people") / "run"
    budget = ("--max-pages", "12", "--max-actions", "8", "--requests-per-second", "100")
    with serve(people.create_app()) as url:
        said = webanything("reconstruct", url, "--out", str(run), "--model", "none", *budget)
    assert said.last["event"] == "finished", said.errors
    return run


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with open_browser() as opened:
        yield opened


def _pictured(browser: Browser, lens: Lens, body: bytes) -> Look:
    """A look at a page of these bytes alone."""
    app = Flask("alone", static_folder=None)
    app.add_url_rule("/", "page", lambda: body)
    with serve(app) as url, new_context(browser, lens) as context:
        page = context.new_page()
        page.goto(url, wait_until="commit")
        return look(page, lens)


def _pixels(picture: bytes) -> tuple[tuple[int, int], bytes]:
    image = Image.open(io.BytesIO(picture)).convert("RGB")
    return image.size, image.tobytes()


def _state(run: Path, path: str) -> PageState:
    return next(state for state in evidence(run).states if urlsplit(state.url).path == path)


def test_no_secret_can_be_read_in_a_picture(explored: Explored, browser: Browser) -> None:
    """What is kept of /keys is the picture of the page with its stand-ins, pixel by pixel; with its secrets it differs."""
    run, store = explored.run, Store(explored.run / "store")
    state = _state(run, "/keys")
    lens = Evidence.from_bytes((run / "evidence.json").read_bytes()).lens
    assert state.server_html is not None
    with_stand_ins = _pictured(browser, lens, store.get(state.server_html))
    asked = leaks.create_app(leaks.Site()).test_client().get("/keys").data
    with_secrets = _pictured(browser, lens, asked)
    kept = _pixels(store.get(state.full_page))
    assert kept == _pixels(with_stand_ins.full_page)
    assert kept != _pixels(with_secrets.full_page)
    assert _pixels(store.get(state.screenshot)) == _pixels(with_stand_ins.screenshot)


def test_people_look_the_same_on_the_mirror(mirrored: Path) -> None:
    report = Report.from_bytes((mirrored / "report.json").read_bytes())
    seen = {urlsplit(check.url).path: check.metrics for check in report.states if check.which == "open"}
    assert {"/", "/person/0"} <= seen.keys()
    assert {path: metrics.ssim for path, metrics in seen.items()} == dict.fromkeys(seen, 1.0)
    assert {path: metrics.text_f1 for path, metrics in seen.items()} == dict.fromkeys(seen, 1.0)


def test_a_download_leaves_the_visitor_where_it_did_on_the_site(mirrored: Path) -> None:
    steps = [step for step in evidence(mirrored).interactions if step.downloads]
    report = Report.from_bytes((mirrored / "report.json").read_bytes())
    assert steps
    wrong = [one for one in report.findings if one.clause in {step.behaviour for step in steps}]
    assert [(one.subject, one.what, one.seen) for one in wrong] == []


@pytest.mark.parametrize("address", people.ADDRESSES)
def test_nobody_of_the_directory_is_kept(mirrored: Path, address: str) -> None:
    files = [path for path in mirrored.rglob("*") if path.is_file()]
    assert [path for path in files if address.encode() in path.read_bytes()] == []
