"""A site that shows, stores and is sent secrets of many kinds in as many places as there are; all of them made up."""

import contextlib
import json
import threading
from collections.abc import Iterator
from socket import SHUT_RDWR

from flask import Flask, Response, redirect, request
from simple_websocket import ConnectionClosed, Server
from werkzeug.routing import Rule
from werkzeug.serving import ThreadedWSGIServer, WSGIRequestHandler

USER, PASSWORD = "grace", "tulip/Harbour 81&"
_HEADER, _CLAIMS = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9", "eyJzdWIiOiI5OTEiLCJzY29wZSI6InNob3AiLCJpYXQiOjE3MTgwMDB9"

IN_TEXT = {
    "github key": "ghp_9aB3dE5gH7jK1mN4pQ6rS8tU2vW0xY3zA5cD",
    "cloud key id": "AKIAQ3EGRT6YUIOPLKJH",
    "cloud storage key": "AccountKey=Zm9vYmFyYmF6cXV4MTIzNDU2Nzg5MGFiY2RlZmdoaWprbG1ub3A9",
    "maps key": "AIzaSyB7x_Qm4Lr9Tz2Wp8Kc5Nd3Vg6Hj1Fs0Ab",
    "payment key": "sk_live_7Hq2Lw9Xc4Vb6Nm1Kj8Pz3Rt",
    "payment hook": "whsec_4Tg8Yh2Uj6Ik0Ol3Pa7Sd5Fg9Hj1Kl4Zx",
    "chat key": "xoxb-730194-558201-Qw7Er4Ty1Ui9Op3",
    "chat hook": "https://hooks.slack.com/services/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",
    "mail key": "SG.a7Bc9De1Fg3Hi5Jk7Lm9No.q1Rs3Tu5Vw7Xy9Za1Bc3De5Fg7Hi9Jk1Lm3No5Pq7Rs",
    "model key": "sk-proj-8Nm3Qw6Er9Ty2Ui5Op8As1Df4Gh7Jk0Lz3Xc6Vb9",
    "code host key": "glpat-x7Yz2Ab5Cd8Ef1Gh4Ij7",
    "package key": "npm_3kJ8hG5fD2sA9pO6iU4yT1rE7wQ0zX5cV8bN",
    "hub key": "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",
    "shop key": "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",
    "cloud droplet key": "dop_v1_8f3a1c9e5b7d2046f3a1c9e5b7d2046f8f3a1c9e5b7d2046f3a1c9e5b7d2046f",
    "bot key": "7310482956:AAHk3Lm9Qw2Er5Ty8Ui1Op4As7Df0Gh3JkL",
    "login client secret": "GOCSPX-7Hk2Lp9Qw4Er6Ty8Ui1Op3As5Df",
    "database address": "moss-Lantern-407",
    "signed token": "pL4kX9vQ2wE7rT1yU5iO8aS3dF6gH0jK9lZ2xC4vB7n",
    "private key": "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj",
    "card": "5457 6238 9823 4113",
    "account number": "DE75 5121 0800 1245 1261 99",
    "person's address": "marta.kowalczyk@corp-mail.com",
}
"""Shown on /keys, told by /keys.json, said on the console and in a dialog."""
IN_ADDRESSES = {
    "token in a query": "t9Kq3Wm7Zx1Vb5Nc",
    "session in a query": "s4Lp8Rt2Yh6Jd0Fg",
    "session in a path": "j7Xc1Bv5Nm9Qw3Er",
    "login code": "c2Ty6Ui0Op4As8Df",
    "signed address": "6f1e9a3c7b5d2840e6f1e9a3c7b5d284",
    "token in a fragment": "f5Gh9Jk3Lz7Xc1Vb",
}
"""In links, which are followed without them."""
SENT = {
    "bearer header": "b8Nm2Qa6Ws0Ed4Rf",
    "basic header": "dW1hOnJpdmVyLVN0b25lLTM5",
    "key header": "k3Tg7Yh1Uj5Ik9Ol",
    "json password": "velvet-Anchor-552",
    "graphql password": "copper-Meadow-918",
    "form password": "willow-Engine-276",
    "multipart password": "marble-Falcon-643",
    "sent card": "4716108999716531",
    "one-time code": "40917362",
    "refresh token": "r6Pz0Xs4Dc8Fv2Gb",
    "socket token": "w1Hn5Jm9Kl3Qp7Az",
    "phone number": "+48 601 337 942",
}
"""What scripts of /calls send, as if somebody had typed it: it does not stand in their text."""
STORED = {
    "local token": "l9Sx3Dc7Fv1Gb5Hn",
    "session token": "n4Jm8Kl2Qp6Az0Sx",
    "stored profile": "p7Dc1Fv5Gb9Hn3Jm",
    "script's cookie": "y2Kl6Qp0Az4Sx8Dc",
    "server's cookie": "v5Fv9Gb3Hn7Jm1Kl",
    "cookie only servers read": "u8Qp2Az6Sx0Dc4Fv",
    "told by an event": "e3Gb7Hn1Jm5Kl9Qp",
    "told by a socket": "o6Az0Sx4Dc8Fv2Gb",
}
ALL = {**IN_TEXT, **IN_ADDRESSES, **SENT, **STORED, "account password": PASSWORD, "basic password": "river-Stone-39"}

_JWT = f"{_HEADER}.{_CLAIMS}.{IN_TEXT['signed token']}"
_SHOWN = {
    **IN_TEXT,
    "database address": f"postgres://app:{IN_TEXT['database address']}@db.corp.internal/shop",
    "signed token": _JWT,
    "private key": f"-----BEGIN PRIVATE KEY-----\n{IN_TEXT['private key']}\n-----END PRIVATE KEY-----",
}
_LINKS = {
    "token in a query": "/seen/token?access_token={}&page=2",
    "session in a query": "/seen/session?PHPSESSID={}",
    "session in a path": "/seen/path;jsessionid={}",
    "login code": "/seen/callback?code={}&state=xyz1",
    "signed address": "/seen/signed?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Signature={}",
    "token in a fragment": "/seen/fragment#access_token={}&token_type=bearer",
}
_HOME = """<!doctype html><title>Home</title><h1>Home</h1>
<a href=/keys>Keys</a> <a href=/calls>Calls</a> <a href=/store>Store</a> <a href=/live>Live</a> <a href=/links>Links</a>
<a href=/login>Log in</a>"""
_LOGIN = """<!doctype html><title>Log in</title><form method=post action=/login>
<label>User <input name=user></label><label>Password <input type=password name=password></label><button>Log in</button></form>"""
_KEYS = """<!doctype html><title>Keys {first}</title><h1>Keys</h1><pre>{shown}</pre>
<label>Key <input readonly value="{first}"></label><input type=tel value="{phone}"><a href="/seen/keys?x={first}">{first}</a>
<button aria-label="Copy {first}" onclick="alert('{first}')">Copy</button>
<script>console.error("failed with {first}"); fetch("/keys.json");</script>"""
_UNMASK = "JSON.parse([...{masked}].map(c => String.fromCodePoint(c.codePointAt(0) - 1)).join(''))"
_CALLS = """<!doctype html><title>Calls</title><h1>Calls</h1><p id=done></p><script>
const s = {sent}, json = {{"Content-Type": "application/json"}}, post = (path, body, headers = {{}}) =>
  fetch(path, {{method: "POST", body, headers}});
const parts = new FormData(); parts.append("user", "uma"); parts.append("password", s["multipart password"]);
Promise.all([
  fetch("/api/bearer", {{headers: {{Authorization: "Bearer " + s["bearer header"]}}}}),
  fetch("/api/basic", {{headers: {{Authorization: "Basic " + s["basic header"]}}}}),
  fetch("/api/key", {{headers: {{"X-Api-Key": s["key header"]}}}}),
  post("/api/json", JSON.stringify({{user: "uma", password: s["json password"], phone: s["phone number"]}}), json),
  post("/graphql", JSON.stringify({{query: "mutation L($p: String!) {{ login(password: $p) {{ id }} }}",
    variables: {{p: {{password: s["graphql password"]}}}}}}), json),
  post("/api/form", new URLSearchParams({{user: "uma", password: s["form password"], phone: s["phone number"]}})),
  post("/api/parts", parts),
  post("/api/pay", new URLSearchParams({{"card-number": s["sent card"], otp: s["one-time code"]}})),
  post("/api/refresh", JSON.stringify({{refresh_token: s["refresh token"]}}), json),
]).then(() => done.textContent = "done");
</script>"""
_STORE = """<!doctype html><title>Store</title><h1>Store</h1><script>const s = {stored};
localStorage.auth_token = s["local token"]; sessionStorage.accessToken = s["session token"];
localStorage.profile = JSON.stringify({{name: "Uma", session: {{token: s["stored profile"]}}, phone: s["phone number"]}});
document.cookie = "sessid=" + s["script's cookie"]; fetch("/api/with-cookies");</script>"""
_LIVE = """<!doctype html><title>Live</title><h1>Live</h1><script>
const w = new WebSocket(location.href.replace("http", "ws").replace("/live", "/ws"));
w.onopen = () => w.send(JSON.stringify({{type: "auth", token: {sent}["socket token"]}}));
new EventSource("/events").onmessage = () => 0;</script>"""


class Site:
    """What the site was asked, as it came over the wire."""

    def __init__(self) -> None:
        self.url = ""
        self.received: list[str] = []

    def was_sent(self, text: str) -> bool:
        return any(text in one for one in self.received)


@contextlib.contextmanager
def serve() -> Iterator[Site]:
    """The site on a free loopback port, served by threads of this process."""
    site = Site()
    server = ThreadedWSGIServer("127.0.0.1", 0, create_app(site), handler=_Quiet)
    server.daemon_threads = True
    site.url = f"http://127.0.0.1:{server.server_port}/"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield site
    finally:
        server.shutdown()
        thread.join(10)
        server.server_close()


def create_app(site: Site) -> Flask:
    """The site, which notes everything it is asked."""
    app = Flask(__name__, static_folder=None)
    app.url_map.add(Rule("/ws", endpoint="ws", websocket=True))
    app.view_functions["ws"] = lambda: _socket(site)

    @app.before_request
    def note() -> None:
        headers = "\n".join(f"{name}: {value}" for name, value in request.headers)
        site.received.append(f"{request.method} {request.url}\n{headers}\n\n{request.get_data(as_text=True)}")

    for path, view in _pages().items():
        app.add_url_rule(path, path, view)
    app.add_url_rule("/login", "log in", _log_in, methods=["POST"])
    app.add_url_rule("/api/<name>", "api", _api, methods=["GET", "POST"])
    app.add_url_rule("/graphql", "graphql", _api, methods=["POST"])
    app.add_url_rule("/seen/<path:name>", "seen", lambda name: f"<!doctype html><title>Seen</title><h1>{name[:4]}</h1>")
    return app


def _pages() -> dict[str, object]:
    shown = {name: f"{name}: {text}" for name, text in _SHOWN.items()}
    links = "".join(f'<li><a href="{_LINKS[name].format(text)}">{name}</a>' for name, text in IN_ADDRESSES.items())
    keys = _KEYS.format(first=IN_TEXT["github key"], shown="\n".join(shown.values()), phone=SENT["phone number"])
    return {
        "/": lambda: _HOME,
        "/login": lambda: _LOGIN,
        "/account": lambda: f"<!doctype html><title>Account</title><h1>Hello {USER}</h1><p>Signed in",
        "/keys": lambda: keys,
        "/keys.json": lambda: Response(json.dumps({"keys": list(_SHOWN.values())}), content_type="application/json"),
        "/calls": lambda: _CALLS.format(sent=_masked(SENT)),
        "/store": _store,
        "/live": lambda: _LIVE.format(sent=_masked(SENT)),
        "/events": _events,
        "/links": lambda: f"<!doctype html><title>Links</title><h1>Links</h1><ul>{links}</ul>",
    }


def _masked(texts: dict[str, str]) -> str:
    """An expression whose value is the texts, and which holds none of them."""
    masked = "".join(chr(ord(character) + 1) for character in json.dumps(texts))
    return _UNMASK.format(masked=json.dumps(masked))


def _store() -> Response:
    stored = {name: STORED[name] for name in ("local token", "session token", "stored profile", "script's cookie")}
    page = Response(_STORE.format(stored=_masked(stored | SENT)))
    page.set_cookie("visitor_id", STORED["server's cookie"])
    page.set_cookie("basket", STORED["cookie only servers read"], httponly=True)
    return page


def _log_in() -> Response | tuple[str, int]:
    if (request.form["user"], request.form["password"]) != (USER, PASSWORD):
        return _LOGIN, 401
    return redirect("/account", 303)  # type: ignore[return-value]


def _api(name: str = "") -> Response:
    """Repeats a password that was sent, as careless sites do."""
    said = {"ok": True, "name": name, "echo": request.form.get("password", "")}
    return Response(json.dumps(said), content_type="application/json")


def _events() -> Response:
    return Response(f'data: {{"token": "{STORED["told by an event"]}"}}\n\n', content_type="text/event-stream")


def _socket(site: Site) -> Response:
    socket = Server.accept(request.environ)
    try:
        site.received.append(str(socket.receive(5)))
        socket.send(json.dumps({"session": {"token": STORED["told by a socket"]}}))
        socket.receive(20)
    except ConnectionClosed:
        pass
    with contextlib.suppress(OSError):
        request.environ["werkzeug.socket"].shutdown(SHUT_RDWR)  # else the server would write an answer after the end
    return Response("")


class _Quiet(WSGIRequestHandler):
    protocol_version = "HTTP/1.1"

    def log(self, *_: object) -> None:
        return
