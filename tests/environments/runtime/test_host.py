"""The WSGI front over a real mirror, asked without a socket."""

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from environments.runtime.clock import parse_instant
from environments.runtime.frozen import Frozen
from environments.runtime.host import Site
from environments.runtime.loading import load_application
from environments.runtime.places import Hosts
from environments.runtime.sessions import Seed, Sessions, current
from environments.runtime.unseen import Unseen
from tests.environments import tinymirror

L = "127.0.0.1:8000"


class Asked:
    """One answer of the front."""

    def __init__(self, status: str, headers: list[tuple[str, str]], body: bytes) -> None:
        self.status, self.headers, self.body = int(status[:3]), {k.lower(): v for k, v in headers}, body


class Front:
    """The front of a tiny mirror, and how to ask it."""

    def __init__(self, mirror: Path) -> None:
        self.sessions = Sessions(Seed.of(mirror, parse_instant(tinymirror.CLOCK)))
        self.unseen = Unseen()
        app = load_application(mirror)
        app.extensions |= {"unseen": self.unseen, "now": lambda: current().clock.now()}
        self.site = Site(
            app,
            self.sessions,
            Hosts(tinymirror.HOSTS),
            visitor_cookie=app.extensions["visitor_cookie"],
            frozen=Frozen(),
        )

    def ask(self, path: str, method: str = "GET", body: bytes = b"", **headers: str) -> Asked:
        raw, _, query = path.partition("?")
        environ: dict[str, Any] = {
            "REQUEST_METHOD": method, "PATH_INFO": raw, "QUERY_STRING": query, "REQUEST_URI": path, "SCRIPT_NAME": "",
            "SERVER_NAME": "127.0.0.1", "SERVER_PORT": "8000", "SERVER_PROTOCOL": "HTTP/1.1", "HTTP_HOST": L,
            "wsgi.url_scheme": "http", "wsgi.input": io.BytesIO(body), "wsgi.errors": io.StringIO(),
            "wsgi.version": (1, 0), "wsgi.multithread": True, "wsgi.multiprocess": False, "wsgi.run_once": False,
            "CONTENT_LENGTH": str(len(body)),
        }  # fmt: skip
        for name, value in headers.items():
            key = name.upper()
            environ[key if key == "CONTENT_TYPE" else f"HTTP_{key}"] = value
        said: list[Any] = []
        result = self.site(environ, lambda status, headers, exc=None: said.extend((status, headers)))
        self.said = list(said[1])
        return Asked(said[0], said[1], b"".join(result))

    def post(self, path: str, data: str, **headers: str) -> Asked:
        return self.ask(path, "POST", data.encode(), content_type="application/x-www-form-urlencoded", **headers)


@pytest.fixture
def front(tmp_path: Path) -> Iterator[Front]:
    made = Front(tinymirror.write_mirror(tmp_path / "mirror"))
    yield made
    made.sessions.close()


def test_a_page_leads_nowhere_else_and_reads_the_same(front: Front) -> None:
    page = front.ask("/").body.decode()
    assert "Visit https://shop.example today" in page
    assert f'href="http://{L}/cart"' in page
    assert f'href="http://{L}/~https~elsewhere.example/x"' in page
    assert "upgrade-insecure" not in page
    assert page.count("https://shop.example") == 2  # the title and the paragraph


def test_other_captured_hosts_are_under_a_prefix(front: Front) -> None:
    style = front.ask("/~https~cdn.shop.example/style.css")
    assert (
        style.body
        == b"@import '/~https~cdn.shop.example/more.css'; body{background:url(/~https~cdn.shop.example/bg.png)}"
    )
    asked = json.loads(front.ask("/~http~plain.example~8080/asked").body)["environ"]
    assert (asked["HTTP_HOST"], asked["wsgi.url_scheme"]) == ("plain.example:8080", "http")


def test_hosts_nobody_captured_are_unreachable(front: Front) -> None:
    assert front.ask("/~https~elsewhere.example/x").status == 502


def test_a_prefix_gets_the_slash_its_relative_addresses_need(front: Front) -> None:
    answer = front.ask("/~https~cdn.shop.example?a=1")
    assert (answer.status, answer.headers["location"]) == (308, "/~https~cdn.shop.example/?a=1")


def test_forms_cookies_and_redirects_pass_both_ways(front: Front) -> None:
    answer = front.post("/cart", f"item=tea&next=http%3A%2F%2F{L.replace(':', '%3A')}%2Fhere")
    assert answer.status == 302
    assert answer.headers["location"] == f"http://{L}/cart?from=http://{L}/here"
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith("sid=abc") and "Secure" not in cookie and "Domain" not in cookie and "Lax" in cookie
    assert b"<li>tea</li>" in front.ask("/cart").body


def test_sessions_are_addressed_by_host_name(front: Front) -> None:
    front.sessions.create()
    front.post("/cart", "item=tea", host="s1.tiny.localhost:8000")
    assert b"1 items" in front.ask("/cart", host="s1.tiny.localhost:8000").body
    assert b"0 items" in front.ask("/cart", host="default.tiny.localhost:8000").body
    assert b"0 items" in front.ask("/cart", host="anything.example").body
    gone = front.ask("/", host="s2.tiny.localhost:8000")
    assert (gone.status, gone.headers["content-type"]) == (404, "text/plain; charset=utf-8")


def test_asked_by_the_sites_own_name_nothing_is_rewritten(front: Front) -> None:
    page = front.ask("/", host="shop.example", x_forwarded_proto="https")
    assert b'<a id="cart" href="https://shop.example/cart">' in page.body
    assert b'integrity="sha256-x"' in page.body
    assert b"~https~" not in page.body


def policies(front: Front, path: str, **headers: str) -> list[str]:
    front.ask(path, **headers)
    return [value for name, value in front.said if name == "Content-Security-Policy"]


def test_pages_are_fenced_in_beside_their_own_policy(front: Front) -> None:
    own, fence = policies(front, "/policy")
    assert own.startswith("default-src 'none'")
    assert fence.startswith(f"default-src 'self' http://{L} data: blob: 'unsafe-inline' 'unsafe-eval'")
    assert f"ws://{L}" in fence and "upgrade-insecure" not in fence and "sandbox" not in fence
    assert policies(front, "/big") == policies(front, "/big") == [fence]  # frozen as well
    assert front.site.frozen.hits == 1
    assert policies(front, "/pieces?kind=text/javascript") == policies(front, "/nowhere") == [fence]
    assert policies(front, "/recorded") == policies(front, "/style.css") == []


def test_the_fence_is_for_local_mode_and_names_only_a_host(front: Front) -> None:
    assert policies(front, "/big", host="shop.example", x_forwarded_proto="https") == []
    assert "evil" not in policies(front, "/big", host="a; script-src evil")[0]


def test_frozen_answers_do_not_ask_the_application_again(front: Front) -> None:
    first, second = front.ask("/big"), front.ask("/big")
    assert first.body == second.body and first.headers == second.headers
    assert front.site.frozen.hits == 1
    front.ask("/big", cookie="other=1")
    assert front.site.frozen.hits == 2
    front.ask("/big", cookie="a=1; sid=abc")
    front.ask("/big", range="bytes=0-1")
    front.ask("/big?x")
    assert front.site.frozen.hits == 2
    assert [event.status for event in front.sessions.get(None).events] == [200] * 6


def test_the_servers_loop_gets_the_same_answer(front: Front) -> None:
    again = front.site.ready("GET", "/big", {"HOST": L})
    assert again is not None and again() is None
    body = front.ask("/big").body
    head, ready = again() or (b"", b"")
    assert ready == body and f"Content-Length: {len(body)}".encode() in head
    assert front.site.ready("GET", "/big", {"HOST": L, "COOKIE": "sid=abc"}) is None
    assert front.site.ready("GET", "/big", {"HOST": L, "IF_NONE_MATCH": '"x"'}) is None
    assert front.site.ready("POST", "/big", {"HOST": L}) is None


def test_head_has_the_length_of_get_and_no_body(front: Front) -> None:
    for _ in range(2):
        head = front.ask("/", "HEAD")
        assert (head.status, head.body, head.headers["content-length"]) == (200, b"", str(len(front.ask("/").body)))


def test_streams_are_mapped_piece_by_piece(front: Front) -> None:
    answer = front.ask("/ticks")
    assert answer.body.count(f"data: http://{L}/~https~cdn.shop.example/".encode()) == 3


def test_a_document_made_in_pieces_is_mapped_whole(front: Front) -> None:
    assert front.ask("/pieces?kind=text/html").body == f'<a href="http://{L}/a">'.encode()
    streamed = front.ask("/pieces?kind=application/x-ndjson")
    assert "content-length" not in streamed.headers and streamed.body.startswith(b"<a href")


def test_a_stream_does_not_hold_its_session_up(front: Front) -> None:
    environ = {"REQUEST_METHOD": "GET", "PATH_INFO": "/ticks", "HTTP_HOST": L, "wsgi.url_scheme": "http",
               "SERVER_NAME": "x", "SERVER_PORT": "80", "wsgi.input": io.BytesIO(), "wsgi.errors": io.StringIO()}  # fmt: skip
    stream = iter(front.site(environ, lambda *_: None))
    assert b"/0" in next(stream)
    assert front.ask("/cart").status == 200
    assert front.sessions.get(None).reset()["ms"] >= 0
    assert b"/1" in next(stream)
    stream.close()  # type: ignore[attr-defined]  # a generator


def test_a_failing_request_leaves_nothing_behind(front: Front) -> None:
    assert front.ask("/broken").status == 500
    assert front.ask("/uncommitted?fail=1").status == 500
    front.ask("/uncommitted")
    assert b"forgotten" in front.ask("/cart").body


def test_events_tell_the_sites_addresses_and_writes(front: Front) -> None:
    front.post("/cart", "item=tea")
    front.ask("/~https~cdn.shop.example/style.css?v=1")
    events = [(event.method, event.url, event.status, event.writes) for event in front.sessions.get(None).events]
    assert events == [
        ("POST", "https://shop.example/cart", 302, 1),
        ("GET", "https://cdn.shop.example/style.css?v=1", 200, 0),
    ]


def test_misses_are_counted(front: Front) -> None:
    for _ in range(2):
        assert front.ask("/nowhere").status == 404
    assert (front.unseen.total, front.unseen.distinct) == (2, 1)


def test_the_sessions_clock_is_the_mirrors(front: Front) -> None:
    front.sessions.get(None).clock.set(1000.0, running=False)
    assert json.loads(front.ask("/asked").body)["now"] == 1000.0


def test_recorded_answers_are_served(front: Front) -> None:
    assert front.ask("/recorded").body == b"recorded answer"


def test_nothing_says_that_it_is_a_mirror(front: Front) -> None:
    for path in ("/", "/nowhere", "/~https~elsewhere.example/", "/style.css"):
        answer = front.ask(path)
        said = (str(answer.headers) + answer.body.decode()).lower()
        assert not any(word in said for word in ("mirror", "webanything", "sandbox", "waitress", "werkzeug"))
