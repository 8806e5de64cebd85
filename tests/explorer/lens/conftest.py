"""A browser for the whole module run, and a small server of pages made of plain strings."""

import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from playwright.sync_api import Browser, BrowserContext

from artifacts.run import Lens
from explorer.lens.browser import new_context, open_browser

LENS = Lens(width=800, height=600, clock="2026-03-04T05:06:07+00:00", seed=7)

Answer = tuple[int, str, bytes]
"""Status, content type, body."""


class Pages:
    """Path -> page or a function that makes the answer; `asked` lists the paths requested."""

    def __init__(self) -> None:
        self.routes: dict[str, str | Callable[[], Answer]] = {}
        self.asked: list[str] = []
        self.origin = ""

    def __setitem__(self, path: str, page: str | Callable[[], Answer]) -> None:
        self.routes[path] = page

    def answer(self, path: str) -> Answer:
        self.asked.append(path)
        page = self.routes.get(path.partition("?")[0])
        if page is None:
            return 404, "text/html", b"<h1>Nothing here</h1>"
        return (200, "text/html; charset=utf-8", page.encode()) if isinstance(page, str) else page()


@pytest.fixture
def pages() -> Iterator[Pages]:
    served = Pages()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, kind, body = served.answer(self.path)
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    served.origin = f"http://127.0.0.1:{server.server_port}"
    yield served
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with open_browser() as opened:
        yield opened


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    made = new_context(browser, LENS)
    yield made
    made.close()
