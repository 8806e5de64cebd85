"""A real Chromium, a real proxy and real servers: what crosses is on disk, whole, decoded and without secrets."""

import asyncio
import contextlib
import gzip
import json
import os
import signal
import socket
import sys
import time
import zlib
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import brotli
import pytest
from playwright.sync_api import Browser, Page

from artifacts.errors import MissingError, UnavailableError
from artifacts.evidence import Exchange
from artifacts.run import Account, Resolution
from artifacts.store import Journal, Store
from explorer.lens.browser import open_browser
from explorer.wire.client import Wire
from tests.fakes.certificates import Authority, make_authority, server_context
from tests.fakes.origin import Asked, Given, origin

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

PASSWORD = "s3cret&Pass word"
TEXT = "<!doctype html><title>x</title><p>Grüße, world</p>" * 50
BIG = 60_000_000


def _page(body: str) -> Given:
    return Given(body=b"<!doctype html><meta charset=utf-8><title>x</title>" + body.encode())


def _encoded(path: str) -> Given:
    data, coding = {
        "/gzip": (gzip.compress(TEXT.encode()), "gzip"),
        "/br": (brotli.compress(TEXT.encode()), "br"),
        "/zstd": (zstd.compress(TEXT[:70].encode()) + zstd.compress(TEXT[70:].encode()), "zstd"),
        "/deflate": (zlib.compress(TEXT.encode())[2:-4], "deflate"),
        "/bomb": (gzip.compress(bytes(130_000_000), 1), "gzip"),
    }[path]
    return Given(headers=(("content-type", "text/html"), ("content-encoding", coding)), body=data)


async def _ticks() -> AsyncIterator[bytes]:
    for number in range(10_000):
        yield b"id: %d\ndata: tick %d\n\n" % (number, number)
        await asyncio.sleep(0.05)


async def _big() -> AsyncIterator[bytes]:
    for _ in range(BIG // 1_000_000):
        yield b"x" * 1_000_000


async def _rows() -> AsyncIterator[bytes]:
    for number in range(200):
        yield b"%d,row\n" % number
        await asyncio.sleep(0.02)


async def site(asked: Asked) -> Given:
    path = asked.path.partition("?")[0]
    if path in ("/gzip", "/br", "/zstd", "/deflate", "/bomb"):
        return _encoded(path)
    match path:
        case "/events":
            return Given(headers=(("content-type", "text/event-stream"),), stream=_ticks())
        case "/big":
            return Given(headers=(("content-type", "text/plain"),), stream=_big())
        case "/file":
            headers = (("content-type", "text/csv"), ("content-disposition", "attachment; filename=all.csv"))
            return Given(headers=headers, stream=_rows())
        case "/onward":
            return Given(302, (("location", "/page"), ("set-cookie", "seen=1")), stream=_ticks())
        case "/range":
            headers = (("content-range", "bytes 2-5/10"), ("content-type", "application/octet-stream"))
            return Given(206, headers, b"2345") if "range" in asked.headers else Given(body=b"0123456789")
        case "/cached":
            if "if-none-match" in asked.headers or "if-modified-since" in asked.headers:
                return Given(304, ())
            headers = (("content-type", "text/html"), ("etag", '"1"'), ("cache-control", "no-cache"))
            return Given(headers=headers, body=b"<p>whole</p>")
        case "/login":
            cookie = ("set-cookie", "sid=8f14e45fceea167a5a36dedd4bea2543; HttpOnly; Path=/")
            return Given(headers=(("content-type", "text/html"), cookie), body=b"<p>Hello " + asked.body + b"</p>")
        case "/slow":
            await asyncio.sleep(3)
            return _page("late")
        case "/form":
            return _page(
                f'<form method=post action=/login><input name=user value=bob><input type=password name=pw value="">'
                f"<button>Go</button></form><script>document.forms[0].pw.value = {json.dumps(PASSWORD)}</script>"
            )
    return _page(f"<p>{path}</p>")


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return make_authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture(scope="module")
def plain() -> Iterator[str]:
    with origin(site) as port:
        yield f"http://127.0.0.1:{port}"


@pytest.fixture(scope="module")
def wire(
    tmp_path_factory: pytest.TempPathFactory, authority: Authority, secure_port: int, h2_port: int
) -> Iterator[Wire]:
    folder = tmp_path_factory.mktemp("run")
    accounts = [Account(label="user", login_url="/login", user="bob", password=PASSWORD)]
    resolve = [
        Resolution(host="shop.test", port=443, address=f"127.0.0.1:{secure_port}"),
        Resolution(host="fast.test", port=443, address=f"127.0.0.1:{h2_port}"),
    ]
    with Wire(folder, Store(folder / "store"), accounts=accounts, resolve=resolve, upstream_ca=authority.pem) as wire:
        yield wire


@pytest.fixture(scope="module")
def secure_port(authority: Authority, tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    folder = tmp_path_factory.mktemp("h1")
    with origin(site, context=server_context(authority, folder, "shop.test")) as port:
        yield port


@pytest.fixture(scope="module")
def h2_port(authority: Authority, tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    folder = tmp_path_factory.mktemp("h2")
    with origin(site, context=server_context(authority, folder, "fast.test", alpn=("h2", "http/1.1"))) as port:
        yield port


@pytest.fixture(scope="module")
def browser(wire: Wire) -> Iterator[Browser]:
    with open_browser(wire.proxy, spki=[wire.spki]) as browser:
        yield browser


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context()
    yield context.new_page()
    context.close()


def only(wire: Wire, visit: str, part: str) -> Exchange:
    found = [exchange for exchange in wire.exchanges(visit) if part in exchange.url]
    assert len(found) == 1, found
    return found[0]


def body_of(wire: Wire, exchange: Exchange) -> bytes:
    assert exchange.response_body is not None
    return wire.store.get(exchange.response_body)


@pytest.mark.browser
@pytest.mark.parametrize(("host", "version"), [("shop.test", "HTTP/1.1"), ("fast.test", "HTTP/2.0")])
def test_tls_is_recorded_under_the_name_that_was_asked_for(host: str, version: str, wire: Wire, page: Page) -> None:
    wire.visit(f"tls-{host}")
    page.goto(f"https://{host}/hello")
    exchange = only(wire, f"tls-{host}", "/hello")
    assert exchange.url == f"https://{host}/hello"
    assert exchange.http_version == version
    assert exchange.destination == "document"
    assert b"/hello" in body_of(wire, exchange)
    assert page.evaluate("isSecureContext")


@pytest.mark.browser
@pytest.mark.parametrize("coding", ["gzip", "br", "zstd", "deflate"])
def test_bodies_are_decoded(coding: str, wire: Wire, page: Page) -> None:
    wire.visit(f"coded-{coding}")
    page.goto(f"https://shop.test/{coding}")
    exchange = only(wire, f"coded-{coding}", f"/{coding}")
    assert body_of(wire, exchange).decode() == TEXT
    assert exchange.response_bytes == len(TEXT.encode())
    assert ("content-encoding", coding) in exchange.response_headers
    assert "Grüße" in page.inner_text("body") or coding  # the browser, too, could read it


@pytest.mark.browser
@pytest.mark.parametrize("secure", [True, False])
def test_websocket_frames_are_kept_in_both_directions(secure: bool, wire: Wire, plain: str, page: Page) -> None:
    visit = f"socket-{secure}"
    home = "https://fast.test" if secure else plain
    address = home.replace("http", "ws") + "/chat"
    wire.visit(visit)
    page.goto(home + "/socket-page")
    heard = page.evaluate(
        """address => new Promise(done => {
            const socket = new WebSocket(address), heard = [];
            socket.binaryType = "arraybuffer";
            socket.onopen = () => { socket.send("hello"); socket.send(new Uint8Array([1, 2, 3])); };
            socket.onmessage = event => { heard.push(typeof event.data);
                if (heard.length == 2) { socket.close(); done(heard); } };
        })""",
        address,
    )
    assert heard == ["string", "object"]
    assert wire.drain(5)
    exchange = _eventually(lambda: only(wire, visit, "/chat"))
    assert (exchange.url, exchange.status) == (address, 101)
    assert exchange.messages
    said = [json.loads(line) for line in wire.store.get(exchange.messages).splitlines()]
    assert [(message["from"], message.get("text", message.get("base64"))) for message in said] in (
        [("client", "hello"), ("server", "HELLO"), ("client", "AQID"), ("server", "AwIB")],
        [("client", "hello"), ("client", "AQID"), ("server", "HELLO"), ("server", "AwIB")],
    )
    assert all(message["at_ms"] >= 0 for message in said)


@pytest.mark.browser
def test_a_stream_is_passed_on_and_written_visit_by_visit(wire: Wire, plain: str, page: Page) -> None:
    wire.visit("stream-1")
    page.goto(plain + "/page")
    page.evaluate("window.seen = []; new EventSource('/events').onmessage = event => seen.push(event.data); 0")
    page.wait_for_function("seen.length >= 3")
    assert wire.drain(5), "an open stream holds nobody up"
    assert not [exchange for exchange in wire.exchanges("stream-1") if "/events" in exchange.url]
    wire.visit("stream-2")
    first = only(wire, "stream-1", "/events")
    page.wait_for_function(f"seen.length >= {page.evaluate('seen.length')} + 3")
    wire.visit("stream-3")
    second = only(wire, "stream-2", "/events")
    page.close()
    assert first.messages and second.messages and first.failure is None
    texts = [json.loads(line)["text"] for line in wire.store.get(first.messages).splitlines()]
    assert texts[0] == "id: 0\ndata: tick 0"
    assert second.note.startswith(f"continues exchange {first.order}")
    assert second.order > first.order


@pytest.mark.browser
def test_a_body_over_the_limit_passes_and_is_not_kept(wire: Wire, plain: str, page: Page) -> None:
    wire.visit("big")
    page.goto(plain + "/page")
    size = page.evaluate("fetch('/big').then(answer => answer.arrayBuffer()).then(body => body.byteLength)")
    assert size == BIG
    exchange = only(wire, "big", "/big")
    assert (exchange.response_body, exchange.response_bytes, exchange.note) == (None, BIG, "too large")


@pytest.mark.browser
def test_a_download_that_the_browser_does_not_save_is_an_answer(wire: Wire, plain: str, browser: Browser) -> None:
    wire.visit("file")
    context = browser.new_context(accept_downloads=False)
    page = context.new_page()
    page.goto(plain + "/page")
    with page.expect_download():
        page.evaluate("location.href = '/file'")
    assert wire.drain(5)
    context.close()
    exchange = only(wire, "file", "/file")
    assert (exchange.status, exchange.failure, exchange.response_body) == (200, None, None)
    assert exchange.note.startswith("a download, ") and exchange.is_download
    assert exchange.said("content-disposition") == "attachment; filename=all.csv"


@pytest.mark.browser
def test_a_redirect_that_the_browser_follows_before_its_end_is_an_answer(wire: Wire, plain: str, page: Page) -> None:
    wire.visit("onward")
    page.goto(plain + "/onward")
    assert wire.drain(5)
    exchange = only(wire, "onward", "/onward")
    assert (exchange.status, exchange.failure, exchange.response_body, exchange.response_bytes) == (302, None, None, 0)
    assert exchange.said("location") == "/page" and "a redirect, followed" in exchange.note


def test_a_bomb_is_defused(wire: Wire, plain: str) -> None:
    wire.visit("bomb")
    exchange = wire.fetch(plain + "/bomb")
    assert exchange.status == 200
    assert exchange.response_body is None
    assert exchange.note.startswith("too large")


@pytest.mark.browser
def test_ranges_pass_and_conditions_do_once_the_whole_is_known(wire: Wire, plain: str, page: Page) -> None:
    wire.visit("range")
    page.goto(plain + "/")
    conditional = "fetch('/cached', {headers: {'If-None-Match': '\"1\"'}}).then(answer => answer.text())"
    for _ in range(2):
        page.evaluate(conditional)
    page.evaluate("fetch('/range', {headers: {Range: 'bytes=2-5'}}).then(answer => answer.text())")
    statuses = [exchange.status for exchange in wire.exchanges("range") if "/cached" in exchange.url]
    assert statuses == [200, 304]
    part = only(wire, "range", "/range")
    assert part.status == 206
    assert ("content-range", "bytes 2-5/10") in part.response_headers
    assert ("Range", "bytes=2-5") in part.request_headers


@pytest.mark.browser
def test_no_secret_reaches_the_disk(wire: Wire, plain: str, page: Page) -> None:
    wire.visit("login")
    page.goto(plain + "/form")
    page.click("button")
    page.wait_for_url("**/login")
    page.goto(plain + "/after")
    exchange = only(wire, "login", "/login")
    assert exchange.request_body and wire.store.get(exchange.request_body) == b"user=bob&pw={{password:user}}"
    assert dict(exchange.response_headers)["set-cookie"].startswith("sid=redacted-")
    assert dict(only(wire, "login", "/after").request_headers)["Cookie"].startswith("sid=redacted-")
    for path in wire.folder.rglob("*"):
        if path.is_file():
            data = path.read_bytes()
            for spelling in (b"s3cret", b"8f14e45fceea167a5a36dedd4bea2543"):
                assert spelling not in data, path
    assert wire.redactor.counts["password"] and wire.redactor.counts["cookie"]


@pytest.mark.browser
def test_failures_are_failures_and_not_pages_of_the_proxy(wire: Wire, page: Page) -> None:
    wire.visit("failing")
    with contextlib.suppress(Exception):
        page.goto(f"https://127.0.0.1:{_closed_port()}/nobody")
    failed = [exchange for exchange in wire.exchanges("failing") if "/nobody" in exchange.url]
    assert failed and all(exchange.status is None for exchange in failed)
    assert failed[0].failure and failed[0].failure.startswith("refused: ")
    page.wait_for_url("chrome-error://chromewebdata/")
    assert "mitmproxy" not in page.content()


def test_an_unknown_authority_is_reported_and_not_accepted(tmp_path: Path, secure_port: int, wire: Wire) -> None:
    wire.visit("wrong-name")
    exchange = wire.fetch(f"https://127.0.0.1:{secure_port}/")
    assert exchange.failure and exchange.failure.startswith("tls: ")
    with Wire(tmp_path, Store(tmp_path / "store"), resolve=[]) as other:
        other.visit("v")
        exchange = other.fetch(f"https://localhost:{secure_port}/")
    assert exchange.failure and "issuer" in exchange.failure
    assert not list(Store(tmp_path / "store").root.rglob("*"))


@pytest.mark.browser
def test_what_belongs_to_no_visit_is_refused(tmp_path: Path, plain: str) -> None:
    with Wire(tmp_path, Store(tmp_path / "store")) as wire, open_browser(wire.proxy, spki=[wire.spki]) as browser:
        with pytest.raises(Exception, match="ERR_"):
            browser.new_page().goto(plain + "/page")
        wire.visit("v")
        browser.new_page().goto(plain + "/page")
        assert [exchange.order for exchange in wire.exchanges("v") if "/page" in exchange.url]
        with pytest.raises(ValueError, match="outside a visit"):
            Wire(tmp_path, Store(tmp_path / "store")).fetch(plain)


def test_in_flight_and_drain_see_what_is_under_way(wire: Wire, plain: str) -> None:
    import threading

    wire.visit("slow")
    fetching = threading.Thread(target=wire.fetch, args=(plain + "/slow",))
    fetching.start()
    assert _eventually(lambda: wire.in_flight("slow") == 1 or None)
    assert wire.in_flight("another") == 0
    assert not wire.drain(0.2)
    assert wire.drain(10)
    fetching.join()
    assert only(wire, "slow", "/slow").status == 200


def test_a_fetch_runs_into_its_timeout(wire: Wire, plain: str) -> None:
    wire.visit("impatient")
    exchange = wire.fetch(plain + "/slow", timeout=0.3)
    assert exchange.failure == "timeout: no answer within 0.3 seconds"


def test_fetches_share_connections_and_say_which_visit_they_are_of(wire: Wire, plain: str) -> None:
    wire.visit("now")
    for number in range(20):
        wire.fetch(f"{plain}/p/{number}", visit="volume", identity="user")
    exchanges = wire.exchanges("volume")
    assert len(exchanges) == 20 and not wire.exchanges("now")
    assert {exchange.identity for exchange in exchanges} == {"user"}
    assert not any(name.lower().startswith("x-webanything") for name, _ in exchanges[0].request_headers)


def test_orders_go_on_after_a_restart(tmp_path: Path, plain: str) -> None:
    heard: list[int] = []
    for attempt in (1, 2):
        with Wire(tmp_path, Store(tmp_path / "store"), on_exchange=lambda e: heard.append(e.order)) as wire:
            wire.visit(f"v{attempt}")
            wire.fetch(plain + "/a")
            wire.fetch(plain + "/b")
    orders = [line["order"] for line in Journal(tmp_path / "exchanges.jsonl").read()]
    assert orders == heard == [1, 2, 3, 4]


def test_the_authority_is_private_and_goes_with_the_wire(tmp_path: Path) -> None:
    with Wire(tmp_path, Store(tmp_path / "store")):
        assert (tmp_path / "ca").stat().st_mode & 0o777 == 0o700
        assert all(path.stat().st_mode & 0o077 == 0 for path in (tmp_path / "ca").iterdir())
    assert not (tmp_path / "ca").exists()


def test_a_full_disk_is_said_as_such(tmp_path: Path, plain: str) -> None:
    with Wire(tmp_path, Store(tmp_path / "store")) as wire:
        wire.visit("v")
        wire.fetch(plain + "/a")
        (tmp_path / "exchanges.jsonl").unlink()
        (tmp_path / "exchanges.jsonl").symlink_to("/dev/full")
        with pytest.raises(MissingError) as caught:
            wire.fetch(plain + "/b")
    assert caught.value.code == "disk_full"


def test_a_password_that_was_posted_is_known_from_then_on(wire: Wire, plain: str) -> None:
    wire.visit("wrong")
    exchange = wire.fetch(
        plain + "/login",
        method="POST",
        body=b"user=bob&password=wr0ng-Guess",
        headers={"Content-Type": "application/x-www-form-urlencoded"},
    )
    assert exchange.request_body
    stand_in = wire.store.get(exchange.request_body).decode().partition("password=")[2]
    assert stand_in.startswith("{{secret:")
    assert stand_in.encode() in body_of(wire, exchange)
    assert wire.redactor.redact_text("No account with wr0ng-Guess") == f"No account with {stand_in}"


@pytest.mark.parametrize("victim", ["proxy", "scribe"])
def test_a_killed_process_leaves_a_readable_journal(victim: str, tmp_path: Path, plain: str) -> None:
    wire = Wire(tmp_path, Store(tmp_path / "store"))
    with wire:
        wire.visit("v")
        done = [wire.fetch(f"{plain}/{number}").order for number in range(5)]
        assert wire._recording is not None
        scribe, proxy = wire._recording.pids()
        os.kill(proxy if victim == "proxy" else scribe, signal.SIGKILL)
        with pytest.raises(UnavailableError) as caught:
            for _ in range(100):
                wire.exchanges("v")
                time.sleep(0.02)
        assert caught.value.code == "wire_lost"
    kept = [Exchange.model_validate(line) for line in Journal(tmp_path / "exchanges.jsonl").read()]
    assert [exchange.order for exchange in kept] == done
    assert all(exchange.response_body and exchange.response_body in wire.store for exchange in kept)
    with Wire(tmp_path, wire.store) as again:
        again.visit("v2")
        assert again.fetch(plain + "/more").order == done[-1] + 1


def test_the_processes_end_when_their_parent_is_killed(tmp_path: Path, plain: str) -> None:
    import subprocess

    code = (
        "import sys, time; from pathlib import Path; from artifacts.store import Store; "
        "from explorer.wire.client import Wire; folder = Path(sys.argv[1]); wire = Wire(folder, Store(folder / 'store')); "
        "wire.__enter__(); wire.visit('v'); wire.fetch(sys.argv[2]); print(*wire._recording.pids(), flush=True); "
        "time.sleep(60)"
    )
    parent = subprocess.Popen([sys.executable, "-c", code, str(tmp_path), plain + "/a"], stdout=subprocess.PIPE)
    assert parent.stdout is not None
    pids = [int(pid) for pid in parent.stdout.readline().split()]
    parent.kill()
    parent.wait()
    parent.stdout.close()
    assert len(pids) == 2
    assert _eventually(lambda: not any(_is_running(pid) for pid in pids) or None)
    assert [line["order"] for line in Journal(tmp_path / "exchanges.jsonl").read()] == [1]


def _closed_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


def _is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def _eventually[T](get: Callable[[], T | None], seconds: float = 10.0) -> T:
    deadline = time.monotonic() + seconds
    while True:
        try:
            value = get()
        except AssertionError:
            value = None
        if value is not None:
            return value
        assert time.monotonic() < deadline
        time.sleep(0.05)
