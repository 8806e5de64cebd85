"""What pages and style sheets need, found in every place that can name it."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from artifacts.store import Store
from explorer.crawl.assets import Asset, fetch_assets, page_assets, style_assets
from explorer.wire.client import Wire
from tests.fakes.badsites import Reply, site

BASE = "http://h.example/dir/page"


def found(html: str) -> list[tuple[str, str]]:
    return [(asset.url.removeprefix("http://h.example/dir/"), asset.destination) for asset in page_assets(html, BASE)]


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<link rel=stylesheet href=a.css>", [("a.css", "style")]),
        ("<link rel='shortcut icon' href=a.ico>", [("a.ico", "image")]),
        ("<link rel=preload as=font href=a.woff2>", [("a.woff2", "font")]),
        ("<link rel=modulepreload href=a.mjs>", [("a.mjs", "script")]),
        ("<link rel=manifest href=a.json>", [("a.json", "manifest")]),
        ("<link rel='alternate stylesheet' href=a.css><link rel=canonical href=b><link rel=next href=c>", []),
        ("<script src=a.js></script><script>let x</script>", [("a.js", "script")]),
        ("<img src=a.png alt=x>", [("a.png", "image")]),
        ("<img srcset='a.png 1x, b.png 2x,c.png'>", [("a.png", "image"), ("b.png", "image"), ("c.png", "image")]),
        ("<img srcset='w_100,h_2/a.png 100w, w_200,h_4/a.png 200w'>", [("w_100,h_2/a.png", "image"), ("w_200,h_4/a.png", "image")]),
        ("<picture><source srcset='a.webp'><img src=a.png></picture>", [("a.webp", "image"), ("a.png", "image")]),
        ("<video poster=p.jpg src=v.mp4><source src=v.webm><track src=t.vtt></video>",
         [("v.mp4", "video"), ("p.jpg", "image"), ("v.webm", "video"), ("t.vtt", "track")]),
        ("<audio><source src=a.ogg></audio>", [("a.ogg", "audio")]),
        ("<iframe src=f.html></iframe><embed src=e.svg><object data=o.svg></object>",
         [("f.html", "iframe"), ("e.svg", "embed"), ("o.svg", "object")]),
        ("<svg><use href='s.svg#i'/><use href='#local'/><image xlink:href='i.png'/></svg>", [("s.svg", "image"), ("i.png", "image")]),
        ("<input type=image src=b.png><input type=text src=c.png>", [("b.png", "image")]),
        ("<div style=\"background:url('a.png')\"></div>", [("a.png", "image")]),
        ("<style>@import 'b.css'; p{background:url(c.png)}</style>", [("b.css", "style"), ("c.png", "image")]),
        ("<img data-src=a.png src='data:image/gif;base64,AA'><div data-bg=b.png></div>", [("a.png", "image"), ("b.png", "image")]),
        ("<img src='{{ item.picture }}'><img src='javascript:0'><img src=''>", []),
        ("<img src=a.png><img src=a.png><img src='a.png#x'>", [("a.png", "image")]),
        ("<body background=a.gif>", [("a.gif", "image")]),
        ("<a href=b.html><form action=c></form></a>", []),
    ],
)  # fmt: skip
def test_markup(html: str, expected: list[tuple[str, str]]) -> None:
    assert found(html) == expected


def test_addresses_are_escaped_as_browsers_do_and_impossible_ones_left_out() -> None:
    html = "<img src='/ä/ü ö.png'><img src='/a%20b?q=ü&x=%C3%BC'><img src='http://a b/x'><img src='x\\y z.png'>"
    assert [asset.url for asset in page_assets(html, "http://h.example/d/")] == [
        "http://h.example/%C3%A4/%C3%BC%20%C3%B6.png",
        "http://h.example/a%20b?q=%C3%BC&x=%C3%BC",
        "http://h.example/d/x/y%20z.png",
    ]


def test_a_base_moves_every_address() -> None:
    assert page_assets("<base href='//cdn.example/x/'><img src=a.png>", BASE) == (
        Asset("http://cdn.example/x/a.png", "image"),
    )


def test_style_sheets_name_imports_fonts_and_pictures() -> None:
    css = """
        @import url("base.css") screen; /* url(commented.png) */
        @font-face { font-family: X; src: url(x.woff2) format("woff2"), url('x.woff') }
        .a { background: image-set("a.png" 1x, url(b.png) 2x), URL( "c d.png" ) }
        .b { mask: url(#local); cursor: url(data:image/png;base64,AA==) }
    """
    assert [(asset.url.rpartition("/")[2], asset.destination) for asset in style_assets(css, "http://h.example/s/a.css")] == [
        ("base.css", "style"),
        ("x.woff2", "font"),
        ("x.woff", "font"),
        ("b.png", "image"),
        ("c%20d.png", "image"),
        ("a.png", "image"),
    ]  # fmt: skip


@given(st.text(max_size=200))
def test_any_text_can_be_read(text: str) -> None:
    for asset in (*page_assets(text, BASE), *style_assets(text, BASE)):
        assert asset.url.startswith(("http://", "https://"))


def test_a_page_is_fetched_with_what_it_needs(tmp_path: Path) -> None:
    asked: list[str] = []

    def reply(path: str) -> Reply:
        asked.append(path)
        return {
            "/": Reply(body="<link rel=stylesheet href=/a.css><img src=/known.png><img src=/gone.png>"),
            "/a.css": Reply(body="@import '/b.css'; a{background:url(/p.png)}", kind="text/css"),
            "/b.css": Reply(body="@import '/a.css'; b{background:url(/q.png)}", kind="text/css"),
        }.get(path, Reply(404 if path == "/gone.png" else 200, b"\x89PNG", "image/png"))

    waited: list[str] = []
    with site(reply) as url, Wire(tmp_path, Store(tmp_path / "store")) as wire:
        wire.visit("v")
        exchanges = fetch_assets(wire, wire.fetch(url), is_known=lambda url: "known" in url, wait=waited.append)
        kept = wire.exchanges("v")
    assert sorted(exchange.url.removeprefix(url) for exchange in exchanges) == [
        "a.css",
        "b.css",
        "gone.png",
        "p.png",
        "q.png",
    ]
    assert sorted(asked) == ["/", "/a.css", "/b.css", "/gone.png", "/p.png", "/q.png"]
    assert len(waited) == 5 and len(kept) == 6
    assert {exchange.destination for exchange in exchanges} == {"style", "image"}
