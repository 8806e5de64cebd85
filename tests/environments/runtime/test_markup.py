import base64
import hashlib
import time

import hypothesis
import hypothesis.strategies as st
import pytest

from environments.runtime.markup import html_to_local
from environments.runtime.places import Front, Hosts

HOSTS = Hosts(("https://shop.example", "https://cdn.example"))
FRONT = Front("127.0.0.1:8000", HOSTS, HOSTS.main)
CDN = Front("127.0.0.1:8000", HOSTS, HOSTS.origins[1])
L = "http://127.0.0.1:8000"


@pytest.mark.parametrize(
    ("site", "local"),
    [
        ('<a href="https://shop.example/a">x</a>', f'<a href="{L}/a">x</a>'),
        ("<a href=https://shop.example/a>x</a>", f"<a href={L}/a>x</a>"),
        ("<A HREF='//else.example/a'>x</A>", f"<A HREF='{L}/~https~else.example/a'>x</A>"),
        ('<img src="https://else.example:81/i.png">', f'<img src="{L}/~https~else.example~81/i.png">'),
        ('<a href=" \\\\else.example/x">', f'<a href=" {L}/~https~else.example/x">'),
        ('<a href="https&colon;&sol;&sol;else.example/x">', f'<a href="{L}/~https~else.example/x">'),
        ('<form action="https://pay.example/do">', f'<form action="{L}/~https~pay.example/do">'),
        ('<object data="https://x.example/m">', f'<object data="{L}/~https~x.example/m">'),
        ('<svg><use xlink:href="https://x.example/s.svg#a"/></svg>',) * 1
        + (f'<svg><use xlink:href="{L}/~https~x.example/s.svg#a"/></svg>',),
        (
            '<img srcset="https://cdn.example/a.png 1x, https://x.example/b,c.png 2x,/d.png 3x">',
            f'<img srcset="{L}/~https~cdn.example/a.png 1x, {L}/~https~x.example/b,c.png 2x,/d.png 3x">',
        ),
        (
            '<meta http-equiv="refresh" content="0; url=https://x.example/">',
            f'<meta http-equiv="refresh" content="0; url={L}/~https~x.example/">',
        ),
        (
            '<div style="background:url(&quot;https://x.example/i.png&quot;)">',
            f'<div style="background:url(&quot;{L}/~https~x.example/i.png&quot;)">',
        ),
        (
            '<style>@import "https://x.example/s.css";a{b:url(//cdn.example/i)}</style>',
            f'<style>@import "{L}/~https~x.example/s.css";a{{b:url(//127.0.0.1:8000/~https~cdn.example/i)}}</style>',
        ),
        ('<script>u="https://cdn.example/a"</script>', f'<script>u="{L}/~https~cdn.example/a"</script>'),
        (
            '<script type="text/x-template"><a href="https://x.example/"></script>',
            f'<script type="text/x-template"><a href="{L}/~https~x.example/"></script>',
        ),
        ('<script src="/a.js" integrity="sha256-abc" async></script>', '<script src="/a.js"  async></script>'),
        ('<option value="https://shop.example/en">', f'<option value="{L}/en">'),
        ('<input type=hidden value="https://shop.example/en">', f'<input type=hidden value="{L}/en">'),
        ('<div data-u="https://shop.example/x" onclick="go(\'https://shop.example/y\')">',) * 1
        + (f'<div data-u="{L}/x" onclick="go(\'{L}/y\')">',),
        ("<a title=it's href=https://shop.example/>", f"<a title=it's href={L}/>"),
        ('<a title="1 > 0" href="https://shop.example/">', f'<a title="1 > 0" href="{L}/">'),
    ],
)
def test_what_loads_or_leads_away_is_mapped(site: str, local: str) -> None:
    assert html_to_local(site.encode(), FRONT) == local.encode()


@pytest.mark.parametrize(
    "same",
    [
        "<p>Visit https://shop.example today</p>",
        "<title>https://shop.example</title>",
        "<textarea>https://shop.example <a href='https://shop.example'></textarea>",
        "<!-- <a href='https://shop.example/'> -->",
        '<img alt="https://shop.example/" title="https://shop.example/">',
        '<input value="https://shop.example/mine">',
        '<a href="/here">, <a href="there">, <a href="#x">, <a href="mailto:a@shop.example">',
        '<a href="javascript:void(0)"><a href="data:text/html,hi">',
        "a < b && c > d <3 </a >",
        '<svg xmlns="http://www.w3.org/2000/svg"></svg>',
        "<a href",
        "<a href='https://shop.example",
    ],
)
def test_what_people_read_stays(same: str) -> None:
    assert html_to_local(same.encode(), FRONT) == same.encode()


@pytest.mark.parametrize(
    ("site", "local"),
    [
        ('<img src="/i.png">', '<img src="/~https~cdn.example/i.png">'),
        ('<img srcset="/a 1x,/b 2x">', '<img srcset="/~https~cdn.example/a 1x,/~https~cdn.example/b 2x">'),
        (
            '<img srcset="data:image/jpeg;base64,/9j/4AAQ 1x, /b 2x">',
            '<img srcset="data:image/jpeg;base64,/9j/4AAQ 1x, /~https~cdn.example/b 2x">',
        ),
        ("<style>a{b:url(/i)}</style>", "<style>a{b:url(/~https~cdn.example/i)}</style>"),
        ('<a href="i.png">', '<a href="i.png">'),
    ],
)
def test_root_relative_addresses_stay_with_their_host(site: str, local: str) -> None:
    assert html_to_local(site.encode(), CDN) == local.encode()


def test_a_base_decides_what_root_relative_means() -> None:
    page = b'<base href="https://cdn.example/app/"><img src="/i.png">'
    local = f'<base href="{L}/~https~cdn.example/app/"><img src="/~https~cdn.example/i.png">'.encode()
    assert html_to_local(page, FRONT) == local
    assert html_to_local(b'<base href="/app/"><img src="/i.png">', FRONT) == b'<base href="/app/"><img src="/i.png">'


def source(script: bytes) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(script).digest()).decode()}'"


def test_a_policy_lets_changed_inline_scripts_run() -> None:
    script = b'u="https://shop.example/"'
    page = (
        f"<meta http-equiv=content-security-policy content=\"script-src {source(script)}\">".encode()
        + b"<script>" + script + b"</script>"
    )  # fmt: skip
    hashes: dict[str, str] = {}
    local = html_to_local(page, FRONT, hashes)
    assert hashes[source(script)] == source(b'u="http://127.0.0.1:8000/"')
    assert f"script-src {source(script)} {hashes[source(script)]}".encode() in local


@hypothesis.given(st.text("<>\"'/=- !abc&;\n", max_size=80))
def test_markup_without_addresses_stays_byte_for_byte(text: str) -> None:
    hypothesis.assume("//" not in text)
    assert html_to_local(text.encode(), FRONT) == text.encode()


@pytest.mark.parametrize("piece", ["<a ", "<!--", "<script>", '<a b="', "<a b='c' ", "<style>/*", "<a x=y ", "<" * 10])
def test_hostile_markup_takes_linear_time(piece: str) -> None:
    data = (piece * 20_000).encode()
    began = time.process_time()
    html_to_local(data, CDN)
    assert time.process_time() - began < 5
