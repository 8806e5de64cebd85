"""A small site that can be wrong on purpose, with the control plane of a candidate beside it.

It is its own mirror: asked without a fault it answers as the site did.
"""

import contextlib
import html
import io
import json
import threading
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from PIL import Image, ImageDraw
from werkzeug.serving import WSGIRequestHandler, make_server

GOODS = {"lamp": "A lamp that bends", "vase": "A vase of clay", "rug": "A rug from wool"}

STYLE = """body{margin:0;font:16px sans-serif;background:#fff;color:#222} header{background:#246;color:#fff;padding:20px}
main{padding:20px} .card{border:1px solid #999;padding:12px;margin:12px 0} img{display:block}"""
SCRIPT = """
document.addEventListener('click', event => {
  if (event.target.id === 'more') { document.getElementById('details').hidden = false; }
  if (event.target.id === 'ask') { document.getElementById('answer').textContent = confirm('Really?') ? 'yes' : 'no'; }
  if (event.target.id === 'theme') { localStorage.setItem('theme', 'dark'); document.body.style.background = '#223'; }
});"""


def picture() -> bytes:
    drawn = Image.new("RGB", (700, 400), "#fc8")
    ImageDraw.Draw(drawn).ellipse((40, 20, 660, 380), fill="#36c")
    out = io.BytesIO()
    drawn.save(out, "PNG")
    return out.getvalue()


PICTURE = picture()


class Answer(NamedTuple):
    status: str
    kind: str
    body: bytes
    headers: tuple[tuple[str, str], ...] = ()


class Site:
    """Pages, one basket a visitor in every session, and the faults planted in it."""

    def __init__(self, *faults: str) -> None:
        self.faults = frozenset(faults)
        self.baskets: dict[tuple[str, str], int] = {}
        self.seen: list[str] = []

    def __call__(self, environ: dict[str, Any], start: Callable[..., Any]) -> list[bytes]:
        answer = self.answer(environ)
        start(
            answer.status, [("Content-Type", answer.kind), ("Content-Length", str(len(answer.body))), *answer.headers]
        )
        return [answer.body]

    def visitor(self, environ: dict[str, Any]) -> tuple[str, str]:
        name, _, rest = environ.get("HTTP_HOST", "").partition(".")
        return name if rest.startswith("localhost") else "default", environ.get("HTTP_COOKIE", "").removeprefix(
            "visitor="
        )

    def answer(self, environ: dict[str, Any]) -> Answer:
        path = environ["PATH_INFO"]
        self.seen.append(path)
        visitor = self.visitor(environ)
        if f"{path} fails once" in self.faults and self.seen.count(path) == 1:
            return Answer("500 Internal Server Error", "text/html", b"<h1>Sorry</h1>")
        if path == "/style.css":
            style = STYLE.replace("#246", "#a11").replace("20px", "60px") if "style" in self.faults else STYLE
            return Answer("200 OK", "text/css", style.encode())
        if path == "/picture.png":
            return self.missing() if "no picture" in self.faults else Answer("200 OK", "image/png", PICTURE)
        if path == "/extra.js":
            return self.missing() if "no extra" in self.faults else Answer("200 OK", "text/javascript", b"")
        if path == "/add":
            if "add forgets" not in self.faults:
                visitor = (visitor[0], visitor[1] or f"v{len(self.baskets)}")
                self.baskets[visitor] = self.baskets.get(visitor, 0) + 1
            target = "/" if "add leads elsewhere" in self.faults else "/basket"
            headers = (("Location", target), ("Set-Cookie", f"visitor={visitor[1]}"))
            return Answer("303 See Other", "text/plain", b"", headers)
        if path in ("/", "/basket", "/about") or path[1:] in GOODS:
            if path == "/about" and "about fails" in self.faults:
                return Answer("500 Internal Server Error", "text/html", b"<h1>Sorry</h1>")
            if path == "/vase" and "dead link" in self.faults:
                return self.missing()
            return Answer("200 OK", "text/html; charset=utf-8", self.page(path, visitor).encode())
        return self.missing()

    def missing(self) -> Answer:
        return Answer("404 Not Found", "text/html", b"<h1>Not here</h1>")

    def page(self, path: str, visitor: tuple[str, str]) -> str:
        body = {"/": self.home, "/about": self.about}.get(path, lambda: self.other(path, visitor))()
        head = f"<title>Shop {html.escape(path)}</title><link rel=stylesheet href=/style.css>"
        if "foreign" in self.faults:
            head += "<script src=http://elsewhere.example/track.js></script>"
        if "stuck" in self.faults:
            head += "<script>addEventListener('load', () => setTimeout(() => { for (;;); }, 50))</script>"
        if "console" in self.faults:
            head += "<script>console.error('broken')</script>"
        badge = f"<b id=badge>{self.baskets.get(visitor, 0)}</b>"
        return (
            f"<!doctype html><html lang=en><head>{head}</head><body><header><a href=/>Shop</a> basket {badge}</header>"
            f"<main>{body}</main><script>{SCRIPT}</script><script src=/extra.js></script></body></html>"
        )

    def home(self) -> str:
        cards = "".join(
            f"<div class=card><a href=/{name}>{name}</a><p>{what}</p></div>" for name, what in GOODS.items()
        )
        details = "<button id=more>Details</button><p id=details hidden>All that is left to say about us</p>"
        if "toggle does nothing" in self.faults:
            details = details.replace("id=more", "id=more onclick=event.stopPropagation()")
        if "text" in self.faults:
            cards = cards.replace("lamp", "light").replace("clay", "glass and iron and other things")
        return f"<h1>Welcome</h1><a href=/about>About</a>{cards}{details}<div style='height:900px'></div><p>The end</p>"

    def about(self) -> str:
        ask = "<button id=ask>Ask</button><p id=answer>?</p><button id=theme>Dark</button>"
        if "no dialog" in self.faults:
            ask = ask.replace("id=ask", "id=ask onclick=\"event.stopPropagation();answer.textContent='yes'\"")
        if "no storage" in self.faults:
            ask = ask.replace(
                "id=theme", "id=theme onclick=\"event.stopPropagation();document.body.style.background='#223'\""
            )
        return f"<h1>About</h1><img src=/picture.png width=700 height=400>{ask}"

    def other(self, path: str, visitor: tuple[str, str]) -> str:
        if path == "/basket":
            return f"<h1>Basket</h1><p>You have {self.baskets.get(visitor, 0)} things</p>"
        what = GOODS[path[1:]]
        return f"<h1>{path[1:]}</h1><p>{what}</p><form action=/add method=post><button id=add>Add to basket</button></form>"


class Control:
    """The control plane of such a candidate."""

    def __init__(self, site: Site, *, sessions: bool = True) -> None:
        self.site = site
        self.has_sessions = sessions
        self.port = ""
        self.made = 0
        self.ended: list[str] = []

    def __call__(self, environ: dict[str, Any], start: Callable[..., Any]) -> list[bytes]:
        size = int(environ.get("CONTENT_LENGTH") or 0)
        said = json.loads(environ["wsgi.input"].read(size) or b"{}")
        answer = self.answer(environ["REQUEST_METHOD"], environ["PATH_INFO"], said)
        if environ.get("HTTP_AUTHORIZATION") != "Bearer secret" or answer is None:
            start("401 Unauthorized" if answer else "404 Not Found", [("Content-Length", "0")])
            return [b""]
        body = json.dumps(answer).encode()
        start("200 OK", [("Content-Type", "application/json"), ("Content-Length", str(len(body)))])
        return [body]

    def answer(self, method: str, path: str, said: dict[str, Any]) -> dict[str, Any] | None:
        if path == "/manifest":
            return {"mirror": "f" * 64}
        if path == "/sessions" and self.has_sessions:
            self.made += 1
            return {"session": f"s{self.made}", "url": f"http://s{self.made}.localhost:{self.port}/"}
        if path.startswith("/sessions/") and method == "DELETE":
            self.ended.append(path.removeprefix("/sessions/"))
            return {}
        if path == "/reset":
            session = said["session"] or "default"
            used = [visitor for visitor in self.site.baskets if visitor[0] == session]
            for visitor in used if "reset keeps" not in self.site.faults else ():
                del self.site.baskets[visitor]
            left = sum(visitor[0] == session for visitor in self.site.baskets)
            return {"session": session, "seed": "seed", "state": f"seed{left or ''}", "ms": 0.1}
        return None


class Running(NamedTuple):
    site: Site
    address: str
    control: Control
    control_address: str


@contextlib.contextmanager
def serve(app: Callable[..., Any]) -> Iterator[str]:
    """The address of a WSGI application on a free port."""
    server = make_server("127.0.0.1", 0, app, threaded=True, request_handler=Quiet)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.port}/"
    server.shutdown()
    thread.join()
    server.server_close()


class Quiet(WSGIRequestHandler):
    def log(self, *_: object) -> None:
        pass


@contextlib.contextmanager
def running(*faults: str, sessions: bool = True) -> Iterator[Running]:
    """The site with its control plane, on free ports."""
    site = Site(*faults)
    control = Control(site, sessions=sessions)
    with serve(site) as address, serve(control) as control_address:
        control.port = address.rstrip("/").rpartition(":")[2]
        yield Running(site, address, control, control_address)
