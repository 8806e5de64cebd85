"""Tiny loopback sites that are each unusable as a start in one way."""

import contextlib
import socket
import ssl
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import NamedTuple

from tests.fakes.certificates import make_authority, server_context

HTML = "text/html; charset=utf-8"
PAGE = "<!doctype html><title>A page</title><h1>A page</h1><p>With some words and <a href='/more'>a link</a>.</p>"
LOGIN = """<!doctype html><title>Sign in</title><h1>Sign in to Acme</h1>
<form method=post action=/login><label>User <input name=user></label><label>Password <input type=password name=pw></label>
<button>Sign in</button></form><a href=/forgot>Forgot password?</a>"""
CHALLENGE = """<!doctype html><title>Just a moment...</title><h1>shop.example</h1>
<p>Checking your browser before accessing this site.</p><script src="/cdn-cgi/challenge-platform/h/b/main.js"></script>"""
PDF = b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n1 0 obj << /Type /Catalog >> endobj\ntrailer << /Root 1 0 R >>\n%%EOF\n"


class Reply(NamedTuple):
    status: int = 200
    body: bytes | str = PAGE
    kind: str = HTML
    headers: Mapping[str, str] = {}
    robots: str = ""
    """What robots.txt says; empty: there is none."""


def _replies() -> dict[str, Callable[[str], Reply]]:
    """Code of the error -> what such a site answers for a path."""

    def login_redirect(path: str) -> Reply:
        if path.startswith("/login"):
            return Reply(body=LOGIN)
        return Reply(302, "", headers={"Location": f"/login?next={path}"})

    return {
        "not_a_page": lambda _: Reply(body=PDF, kind="application/pdf"),
        "empty_page": lambda _: Reply(body="<!doctype html><html><head><title>x</title></head><body></body></html>"),
        "not_found": lambda _: Reply(404, "<h1>Nothing here</h1>"),
        "login_wall": login_redirect,
        "login_required": lambda _: Reply(401, "Authorization needed", headers={"WWW-Authenticate": 'Basic realm="x"'}),
        "forbidden": lambda _: Reply(403, "<h1>Forbidden</h1>"),
        "rate_limited": lambda _: Reply(429, "<h1>Slow down</h1>", headers={"Retry-After": "60"}),
        "server_error": lambda _: Reply(500, "<h1>Oops</h1>"),
        "redirect_loop": lambda path: Reply(302, "", headers={"Location": "/b" if path == "/" else "/"}),
        "robots": lambda _: Reply(robots="User-agent: *\nAllow: /public\nDisallow: /\n"),
        "challenge": lambda _: Reply(403, CHALLENGE, headers={"Server": "cloudflare", "cf-mitigated": "challenge"}),
    }


@contextlib.contextmanager
def bad_sites() -> Iterator[dict[str, str]]:
    """Code of the error a start address must give -> such an address.

    `login_required` must give login_wall too: it answers 401 where the other redirects. `timeout` takes the connection
    and never answers.
    """
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        sites = {code: stack.enter_context(site(reply)) for code, reply in _replies().items()}
        context = server_context(make_authority(folder), folder, "127.0.0.1")
        sites["tls_error"] = stack.enter_context(site(lambda _: Reply(), context=context))
        sites["timeout"] = stack.enter_context(_silent())
        with socket.create_server(("127.0.0.1", 0)) as unused:
            sites["refused"] = f"http://127.0.0.1:{unused.getsockname()[1]}/"
        sites["no_such_host"] = "http://no-such-host.invalid/"
        sites["bad_url"] = "htp:/shop"
        yield sites


@contextlib.contextmanager
def site(reply: Callable[[str], Reply], *, context: ssl.SSLContext | None = None) -> Iterator[str]:
    """The address of a site that answers every path with what `reply` says."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            answer = reply(self.path)
            if self.path == "/robots.txt" and answer.status == 200:
                answer = Reply(200, answer.robots, "text/plain") if answer.robots else Reply(404, "none")
            body = answer.body.encode() if isinstance(answer.body, str) else answer.body
            self.send_response(answer.status)
            self.send_header("Content-Type", answer.kind)
            self.send_header("Content-Length", str(len(body)))
            for name, value in answer.headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = _Quiet(("127.0.0.1", 0), Handler)
    if context is not None:
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield f"http{'s' if context else ''}://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)


class _Quiet(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def handle_error(self, request: object, client_address: object) -> None:
        """Clients that break off are the point here."""


@contextlib.contextmanager
def _silent() -> Iterator[str]:
    kept: list[socket.socket] = []
    done = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(0.1)

        def accept() -> None:
            while not done.is_set():
                with contextlib.suppress(TimeoutError, OSError):
                    kept.append(listener.accept()[0])

        thread = threading.Thread(target=accept, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}/"
        finally:
            done.set()
            thread.join(5)
            for link in kept:
                link.close()
