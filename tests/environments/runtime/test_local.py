import codecs

import pytest

from environments.runtime.local import Bodies, is_mapped, to_local
from environments.runtime.places import Front, Hosts

HOSTS = Hosts(("https://shop.example", "https://cdn.example"))
FRONT = Front("127.0.0.1:8000", HOSTS, HOSTS.main)
CDN = Front("127.0.0.1:8000", HOSTS, HOSTS.origins[1])


@pytest.mark.parametrize(
    "kind",
    [
        "text/html",
        "text/css",
        "text/javascript; charset=utf-8",
        "application/json",
        "application/vnd.api+json",
        "application/manifest+json",
        "application/rss+xml",
        "application/x-javascript",
        "image/svg+xml",
        "text/plain",
    ],
)
def test_texts_are_mapped(kind: str) -> None:
    body = (
        b'"https://cdn.example/a"' if "html" not in kind and "svg" not in kind else b'<a href="https://cdn.example/a">'
    )
    assert b"http://127.0.0.1:8000/~https~cdn.example/a" in to_local(body, kind, FRONT)


@pytest.mark.parametrize(
    "kind", ["image/png", "font/woff2", "application/octet-stream", "video/mp4", "application/wasm", ""]
)
def test_everything_else_stays(kind: str) -> None:
    assert not is_mapped(kind)
    assert to_local(b"https://cdn.example/a", kind, FRONT) == b"https://cdn.example/a"


def test_only_the_hosts_own_scripts_and_styles_move_root_relative_addresses() -> None:
    assert to_local(b"a{b:url(/i.png)}", "text/css", CDN) == b"a{b:url(/~https~cdn.example/i.png)}"
    assert to_local(b'x="/i.png"', "text/javascript", CDN) == b'x="/i.png"'


PAGE = '<p>é日本</p><a href="https://shop.example/ü">é</a>'
LOCAL = PAGE.replace("https://shop.example", "http://127.0.0.1:8000")


@pytest.mark.parametrize(
    "charset", ["utf-8", "shift_jis", "gb18030", "euc-kr", "iso-2022-jp", "utf-16-le", "utf-16-be", "utf-16"]
)
def test_the_pages_charset_is_kept(charset: str) -> None:
    page, local = (text.replace("é", "e").replace("ü", "u") for text in (PAGE, LOCAL))
    mark = codecs.BOM_UTF16_LE if charset == "utf-16" else b""
    codec = "utf-16-le" if charset == "utf-16" else charset
    assert to_local(mark + page.encode(codec), f"text/html; charset={charset}", FRONT) == mark + local.encode(codec)


def test_a_byte_order_mark_says_more_than_the_header() -> None:
    body = codecs.BOM_UTF16_BE + PAGE.encode("utf-16-be")
    assert to_local(body, "text/html; charset=utf-8", FRONT) == codecs.BOM_UTF16_BE + LOCAL.encode("utf-16-be")


def test_bytes_that_are_no_text_of_their_charset_stay() -> None:
    assert to_local(b"\x00", "text/html; charset=utf-16", FRONT) == b"\x00"
    broken = b'\xfd\xff<a href="https://shop.example/">\x80'
    assert to_local(broken, "text/html", FRONT) == broken.replace(b"https://shop.example", b"http://127.0.0.1:8000")


def test_a_body_is_mapped_once_for_each_front() -> None:
    bodies = Bodies()
    page = b'<script>u="https://cdn.example/"</script>' + b"<p>word</p>" * 1000
    first, hashes = bodies.to_local(page, "text/html", FRONT)
    assert first == to_local(page, "text/html", FRONT) and len(hashes) == 3
    assert bodies.to_local(bytes(bytearray(page)), "text/html", FRONT)[0] is first
    assert bodies.to_local(page, "text/html", FRONT._replace(authority="s1.x.localhost:1"))[0] != first
    assert bodies.to_local(page, "text/plain", FRONT)[0] != page


def test_no_more_bodies_are_kept_than_there_is_room_for() -> None:
    bodies = Bodies(limit=10_000)
    pages = [f"<p>{number}</p>".encode() * 500 for number in range(5)]
    for page in pages:
        bodies.to_local(page, "text/html", FRONT)
    assert 0 < bodies.bytes <= 10_000
