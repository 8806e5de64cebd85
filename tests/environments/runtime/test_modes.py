"""Both modes in a real browser: the same mirror under its own host names, and under one plain address."""

import json
import ssl
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from artifacts.run import Lens
from environments.runtime.markup import digests
from environments.serving import Served, serving
from explorer.lens.browser import new_context, open_browser
from tests.builder.world import World

pytestmark = pytest.mark.browser

SHOP, CDN, PLAIN = "https://shop.test", "https://cdn.shop.test:8443", "http://plain.test"
HOME = """<!doctype html><html><head><title>Shop</title><style>i{display:block}</style></head><body>
<p id=where></p><p id=heard></p><img id=made><a id=away>away</a><div id=box></div><iframe id=frame></iframe>
<script>
const cdn = ["cdn", "shop", "test:8443"].join("."), secure = "https:/" + "/" + cdn;
where.textContent = location.href;
window.done = (async () => {
  const found = {};
  found.fetch = await (await fetch(secure + "/data.json")).text();
  found.xhr = await new Promise(ok => { const x = new XMLHttpRequest(); x.open("GET", secure + "/data.json");
    x.onload = () => ok(x.responseText); x.send(); });
  found.request = await (await fetch(new Request(secure + "/data.json"))).text();
  found.image = await new Promise(ok => { made.onload = () => ok(made.naturalWidth); made.onerror = () => ok("broken"); made.src = secure + "/i.svg"; });
  box.innerHTML = `<img id=inner src="${secure}/i.svg">`;
  found.inner = await new Promise(ok => { inner.onload = () => ok(inner.naturalWidth); inner.onerror = () => ok("broken"); });
  const s = document.createElement("script"); s.src = secure + "/late.js";
  found.script = await new Promise(ok => { s.onload = () => ok(window.late); s.onerror = () => ok("broken"); document.head.append(s); });
  box.style.backgroundImage = `url(${secure}/i.svg?style)`;
  CSSStyleDeclaration.prototype.setProperty.call(box.style, "list-style-image", `url(${secure}/i.svg?prototype)`);
  const sheet = document.head.appendChild(document.createElement("style"));
  sheet.appendChild(document.createTextNode(`#where { background: url(${secure}/i.svg?text) }`));
  sheet.append(`#heard { background: url(${secure}/i.svg?append) }`);
  found.styles = [getComputedStyle(box).backgroundImage, getComputedStyle(where).backgroundImage].every(text => text.includes("i.svg?"));
  found.same = box.style === box.style && box.style instanceof CSSStyleDeclaration;
  found.socket = await new Promise(ok => { const w = new WebSocket("wss:/" + "/" + cdn + "/chat");
    w.onopen = () => w.send("hello"); w.onmessage = e => { if (e.data !== "welcome") ok(e.data); }; w.onerror = () => ok("broken"); });
  found.frame = await new Promise(ok => { addEventListener("message", e => ok(e.data + (e.origin === "https://cdn.shop.test:8443"))); frame.src = secure + "/frame"; });
  found.unknown = await fetch("https:/" + "/nowhere.test/x").then(a => a.status >= 500 ? "failed" : a.status, () => "failed");
  away.href = secure + "/frame";
  return found;
})();
</script></body></html>"""
FRAME = """<!doctype html><title>Frame</title><p>frame</p>
<script>fetch("/data.json").then(a => a.text()).then(t => parent.postMessage("framed " + t + " ", "*"))</script>"""
VOUCHED = f"(window.ran ||= []).push(document.currentScript.src.split('?')[1]); window.far = '{CDN}/data.json'"
CORS = [("Access-Control-Allow-Origin", "*")]
MESSAGES = [
    {"at_ms": 1, "from": "server", "text": "welcome"},
    {"at_ms": 5, "from": "client", "text": "hello"},
    {"at_ms": 9, "from": "server", "text": "echo hello"},
]
EXPECTED = {
    "fetch": '{"a": 1}', "xhr": '{"a": 1}', "request": '{"a": 1}', "image": 7, "inner": 7, "script": "late", "styles": True, "same": True, "socket": "echo hello",
    "frame": 'framed {"a": 1} true', "unknown": "failed",
}  # fmt: skip


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("modes")
    world = World(folder, site=SHOP)
    world.page("/", HOME)
    world.get(CDN + "/data.json", '{"a": 1}', visit="p1", media="application/json", headers=CORS)
    picture = '<svg xmlns="http://www.w3.org/2000/svg" width="7" height="7"/>'
    world.get(CDN + "/i.svg", picture, visit="p1", media="image/svg+xml", destination="image")
    world.get(CDN + "/late.js", "window.late = 'late'", visit="p1", media="text/javascript", destination="script")
    world.get(CDN + "/frame", FRAME, visit="p1", destination="iframe")
    world.get(CDN + "/vouched.js", VOUCHED, visit="p1", media="text/javascript", destination="script", headers=CORS)
    seals = {"GOOD": digests(VOUCHED.encode())[1], "BAD": digests(b"something else")[1]}
    sealed = "".join(
        f'<script src="{CDN}/vouched.js?{name}" integrity="{seal}" crossorigin></script>'
        for name, seal in seals.items()
    )
    for name in seals:
        world.get(f"{CDN}/vouched.js?{name}", VOUCHED, visit="p1", media="text/javascript", destination="script",
                  headers=CORS)  # fmt: skip
    world.page("/sealed", f"<!doctype html><title>Sealed</title>{sealed}")
    world.get(PLAIN + "/old", "<title>Old</title>plain", visit="p1")
    world.exchange("GET", CDN.replace("https", "wss") + "/chat", visit="p1", media="", status=101, messages=MESSAGES)
    world.build()
    with serving(folder / "mirror", authority=folder / "authority") as place:
        yield place


@pytest.fixture(params=["local", "origin"])
def mode(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def page(served: Served, mode: str) -> Iterator[Page]:
    proxy = served.proxy if mode == "origin" else None
    with open_browser(proxy, spki=[served.spki]) as browser, new_context(browser, Lens()) as context:
        yield context.new_page()


def start(served: Served, mode: str) -> str:
    return served.site if mode == "origin" else served.url + "/"


def asked_for(page: Page) -> list[str]:
    found: list[str] = []
    page.on("request", lambda request: found.append(request.url))
    page.on("websocket", lambda socket: found.append(socket.url))
    return found


def test_addresses_that_scripts_build_work_in_both(served: Served, mode: str, page: Page) -> None:
    asked = asked_for(page)
    page.goto(start(served, mode))
    found: dict[str, Any] = page.evaluate("() => window.done")
    if (
        mode == "local"
    ):  # the frame's host is spelled as the sandbox spells it, and so is what the page compares it with
        here = served.url.partition("://")[2]
        assert not [url for url in asked if not url.partition("://")[2].startswith(here)]
    assert found == EXPECTED
    page.click("#away")
    page.wait_for_url("**/frame")
    assert page.title() == "Frame"


def test_pages_hold_nothing_of_the_shim_once_it_ran(served: Served, mode: str, page: Page) -> None:
    page.goto(start(served, mode))
    page.evaluate("() => window.done")
    assert page.locator("script[src*='~~']").count() == 0
    assert "[native code]" in page.evaluate("fetch.toString() + XMLHttpRequest.prototype.open")


def test_a_seal_holds_where_it_held_and_is_broken_where_it_was(served: Served, mode: str, page: Page) -> None:
    page.goto(start(served, mode) + "sealed")
    assert page.evaluate("window.ran") == ["GOOD"]


def test_the_address_bar_shows_the_sites_own_address(served: Served) -> None:
    with open_browser(served.proxy, spki=[served.spki]) as browser, new_context(browser, Lens()) as context:
        page = context.new_page()
        page.goto(SHOP + "/")
        assert page.url == SHOP + "/" == page.locator("#where").inner_text()
        assert page.goto(PLAIN + "/old") is not None
        assert (page.url, page.title()) == (PLAIN + "/old", "Old")


def test_a_host_nobody_captured_is_answered_here_and_by_nobody_else(served: Served) -> None:
    with open_browser(served.proxy, spki=[served.spki]) as browser, new_context(browser, Lens()) as context:
        page = context.new_page()
        for url in ("https://elsewhere.test/", "http://elsewhere.test/"):
            answer = page.goto(url)
            assert answer is not None and answer.status == 502


def test_any_client_that_trusts_the_certificate_gets_https(served: Served) -> None:
    trusting = ssl.create_default_context(cafile=served.ca)
    handlers = (urllib.request.ProxyHandler({"https": served.proxy}), urllib.request.HTTPSHandler(context=trusting))
    with urllib.request.build_opener(*handlers).open(SHOP + "/", timeout=10) as answer:
        assert b"<title>Shop</title>" in answer.read()


def test_the_proxys_user_names_the_session(served: Served) -> None:
    made = control(served, "POST", "/sessions")
    with open_browser(None, spki=[served.spki]) as browser:
        for url, title in ((PLAIN + "/old", "Old"), (SHOP + "/", "Shop")):
            settings = {"server": made["proxy"], "username": made["session"], "password": "any"}
            context = browser.new_context(proxy={**settings, "bypass": "<-loopback>"})
            page = context.new_page()
            page.goto(url)
            assert page.title() == title
            context.close()
    events = control(served, "GET", f"/sessions/{made['session']}/events")["events"]
    assert {event["url"] for event in events} >= {PLAIN + "/old", SHOP + "/"}


def control(served: Served, method: str, path: str) -> Any:
    request = urllib.request.Request(served.control_url + path, method=method, data=b"{}" if method == "POST" else None)
    request.add_header("Authorization", f"Bearer {served.token}")
    request.add_header("Content-Type", "application/json")
    with urllib.request.urlopen(request, timeout=10) as answer:
        return json.load(answer)


def test_the_authority_is_kept_and_is_its_owners_alone(served: Served) -> None:
    folder = Path(served.ca).parent
    assert {path.name for path in folder.iterdir()} == {"ca.pem", "key.pem"}
    assert (folder / "key.pem").stat().st_mode & 0o077 == 0
