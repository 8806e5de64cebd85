"""What a page served in local mode can reach and can do, in a real browser."""

import contextlib
import http.server
import threading
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from environments.runtime.clock import parse_instant
from environments.runtime.frozen import Frozen
from environments.runtime.host import Site
from environments.runtime.places import Hosts
from environments.runtime.server import Server
from environments.runtime.sessions import Seed, Sessions
from explorer.lens.browser import open_browser
from tests.environments import tinymirror

pytestmark = pytest.mark.browser

REACHING = """<body><script>
const away = ['127', '0', '0', '1'].join('.') + ':PORT', base = 'ht' + 'tp:/' + '/' + away;
const tries = [
  () => fetch(base + '/fetch', {mode: 'no-cors'}),
  () => navigator.sendBeacon(base + '/beacon', 'x'),
  () => { new Image().src = base + '/image' },
  () => new WebSocket('w' + 's:/' + '/' + away + '/socket'),
  () => new EventSource(base + '/events'),
  () => { const x = new XMLHttpRequest(); x.open('GET', base + '/xhr'); x.send() },
  () => { for (const [tag, key] of [['script', 'src'], ['iframe', 'src'], ['video', 'src'], ['object', 'data']]) {
    const made = document.createElement(tag); made[key] = base + '/' + tag; document.body.append(made) } },
  () => { const link = document.createElement('link'); link.rel = 'stylesheet'; link.href = base + '/style';
    document.head.append(link) },
  () => { const frame = document.createElement('iframe'); document.body.append(frame);
    frame.srcdoc = '<img src="' + base + '/srcdoc">' },
  () => { const code = 'fetch("' + base + '/worker", {mode: "no-cors"})';
    new Worker(URL.createObjectURL(new Blob([code], {type: 'text/javascript'}))) },
  () => new Worker('/worker.js'),
  () => { const form = document.createElement('form'); form.action = base + '/form'; form.method = 'post';
    document.body.append(form); form.submit() },
];
for (const one of tries) { try { Promise.resolve(one()).catch(() => 0) } catch (error) { } }
</script>"""

WORKER = """const base = 'ht' + 'tp:/' + '/' + ['127', '0', '0', '1'].join('.') + ':PORT';
fetch(base + '/script-worker', {mode: 'no-cors'}); importScripts(base + '/imported')"""

WORKING = """<title>Ordinary</title><link rel=icon href="data:,"><style>p { color: red }</style>
<body onload="done.push('handler')"><p style="color: blue">Words</p>
<script>
const done = []; window.done = done;
done.push('inline'); eval("done.push('eval')");
WebAssembly.compile(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])).then(() => done.push('wasm'));
const code = 'postMessage(1)';
new Worker(URL.createObjectURL(new Blob([code], {type: 'text/javascript'}))).onmessage = () => done.push('worker');
fetch('/data').then(answer => answer.text()).then(() => done.push('fetch'));
fetch('data:,x').then(() => done.push('data fetch'));
import('data:text/javascript,export default 1').then(() => done.push('module'));
</script>
<img src="data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==" onload="done.push('image')">
<iframe srcdoc="<script>parent.done.push('srcdoc')</script>"></iframe>
<iframe src="data:text/html,<script>parent.postMessage('data frame','*')</script>"></iframe>
<iframe src="javascript:'<p>x'"></iframe><iframe src="about:blank"></iframe>
<script>addEventListener('message', event => done.push(event.data));
const made = URL.createObjectURL(new Blob(["<script>parent.done.push('blob frame')</scr" + "ipt>"], {type: 'text/html'}));
const frame = document.createElement('iframe'); frame.src = made; document.body.append(frame);</script>
<a id=link href="javascript:void done.push('link')">Link</a>
<form id=form action="javascript:void done.push('form')"><button>Go</button></form>
<svg width=9 height=9><rect width=9 height=9 onclick="1"/></svg>"""
EXPECTED = {
    "handler", "inline", "eval", "wasm", "worker", "fetch", "data fetch", "module", "image", "srcdoc", "data frame",
    "blob frame", "link", "form",
}  # fmt: skip


@contextlib.contextmanager
def other_server() -> Iterator[tuple[int, list[str]]]:
    """A server nobody may reach: its port, and the addresses it was asked for."""
    seen: list[str] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def answer(self) -> None:
            seen.append(self.path)
            self.send_response(204)
            self.end_headers()

        do_GET = do_POST = do_OPTIONS = answer  # noqa: N815 - the names the base class looks for

        def log_message(self, format: str, *args: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_port, seen
        server.shutdown()


@contextlib.contextmanager
def front(folder: Path, answers: dict[str, tuple[str, str]]) -> Iterator[str]:
    """The address of a site with these answers, served as in local mode."""

    def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        kind, body = answers.get(environ["PATH_INFO"], ("text/plain", ""))
        environ["mirror.frozen"] = True
        start_response("200 OK", [("Content-Type", kind), ("Content-Length", str(len(body)))])
        return [body.encode()]

    sessions = Sessions(Seed.of(tinymirror.write_mirror(folder / "mirror"), parse_instant(tinymirror.CLOCK)))
    site = Site(application, sessions, Hosts(tinymirror.HOSTS), visitor_cookie="", frozen=Frozen())
    server = Server(site, host="127.0.0.1", port=0, threads=4, flag="--port", ready=site.ready)
    server.start()
    try:
        yield f"http://127.0.0.1:{server.port}"
    finally:
        server.stop()
        sessions.close()


def test_nothing_a_page_or_a_worker_does_reaches_another_port(tmp_path: Path) -> None:
    with other_server() as (port, seen):
        answers = {
            "/": ("text/html", REACHING.replace("PORT", str(port))),
            "/worker.js": ("text/javascript", WORKER.replace("PORT", str(port))),
        }
        with front(tmp_path, answers) as url, open_browser() as browser:
            page = browser.new_page()
            for _ in range(2):  # the second time from what is frozen
                page.goto(url + "/", wait_until="commit")
                page.wait_for_timeout(700)
        assert seen == []


def test_what_ordinary_pages_do_still_works_and_says_nothing(tmp_path: Path) -> None:
    with front(tmp_path, {"/": ("text/html", WORKING)}) as url, open_browser() as browser:
        page = browser.new_page()
        said: list[str] = []
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.goto(url + "/")
        page.click("#link")
        page.click("button")
        page.wait_for_function(f"new Set(done).size >= {len(EXPECTED)}", timeout=5_000)
        assert set(page.evaluate("done")) == EXPECTED
        assert said == []
