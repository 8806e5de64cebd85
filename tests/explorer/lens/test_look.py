import io
import json
import time

import numpy
import pytest
from PIL import Image
from playwright.sync_api import TimeoutError as NoAnswer

from artifacts.digest import digest_bytes
from artifacts.run import Lens
from explorer.lens.browser import new_context
from explorer.lens.look import fingerprint, look
from explorer.lens.watch import Watch

LENS = Lens(width=800, height=600, clock="2026-03-04T05:06:07+00:00", seed=7)

GOLDEN = """<!doctype html><html lang=en><head><title>Golden &amp; known</title><style>
@keyframes spin { to { transform: rotate(360deg) } }
body { margin: 0; height: 1500px; background: #fff } .box { width: 100px; height: 100px; position: absolute; left: 0 }
#red { top: 0; background: #f00 } #blue { top: 1400px; background: #00f }
#turning { top: 300px; left: 200px; background: #0a0; animation: spin 1s linear infinite }
#sliding { top: 450px; background: #808; transition: none; animation: slide 2s linear 1s forwards }
@keyframes slide { from { left: 0 } to { left: 300px } }
main { padding: 120px 0 0 0 } </style></head><body>
<div class=box id=red></div><div class=box id=blue></div><div class=box id=turning></div><div class=box id=sliding></div>
<main><h1>Known text</h1><p>twice <b>bold</b></p><p hidden>unseen</p><input autofocus><x-note></x-note>
<a href="/a?x=1#part">A</a> <a href="/a?x=1#part">again</a> <a href="mailto:x@y.example">mail</a></main>
<iframe src="/frame" width=300 height=40 style="border:0"></iframe>
<script>
document.querySelector("x-note").attachShadow({mode: "open"}).innerHTML = "<p>from the shadow <a href=/in-shadow>deep</a></p>";
localStorage.setItem("kept", "here"); document.querySelector("input").value = "typed";
</script></body></html>"""


def pixels(png):
    return numpy.asarray(Image.open(io.BytesIO(png)).convert("RGB"))


def seen(context, pages, page_html="", lens=LENS):
    if page_html:
        pages["/"] = page_html
    page = context.new_page()
    page.goto(pages.origin, wait_until="commit")
    return look(page, lens), page


def test_the_fingerprint_ignores_numbers_and_tokens_and_nothing_else():
    base = fingerprint("0 html\n1 p", "Order 12 token a1b2c3d4e5f6a7b8c9d0e1f2")
    assert base == fingerprint("0 html\n1 p", "Order 7 token ffb2c3d4e5f6a7b8c9d0e1ab")
    assert base != fingerprint("0 html\n1 div", "Order 12 token a1b2c3d4e5f6a7b8c9d0e1f2")
    assert base != fingerprint("0 html\n1 p", "Basket 12 token a1b2c3d4e5f6a7b8c9d0e1f2")


@pytest.mark.browser
def test_the_golden_page_is_seen_as_it_is_and_twice_alike(browser, pages):
    pages["/frame"] = "<p>in a frame</p>"
    looks = []
    for _ in range(2):
        context = new_context(browser, LENS)
        first, page = seen(context, pages, GOLDEN)
        looks.append(first)
        assert page.evaluate("scrollY") == 0
        assert page.evaluate("document.adoptedStyleSheets.length") == 0
        assert page.evaluate("document.getElementById('turning').getAnimations()[0].playState") == "running"
        context.close()
    one, two = looks
    assert digest_bytes(one.screenshot) == digest_bytes(two.screenshot)
    assert digest_bytes(one.full_page) == digest_bytes(two.full_page)
    assert one.fingerprint == two.fingerprint
    assert (one.dom, one.axtree, one.text) == (two.dom, two.axtree, two.text)

    whole = pixels(one.full_page)
    assert pixels(one.screenshot).shape == (600, 800, 3)
    assert whole.shape == (1500, 800, 3) and one.page_height == 1500
    assert tuple(whole[50, 50]) == (255, 0, 0)
    assert tuple(whole[1450, 50]) == (0, 0, 255)
    assert tuple(whole[305, 205]) == (0, 170, 0), "an endless animation stands at its start"
    assert tuple(whole[500, 350]) == (136, 0, 136), "a finite animation stands at its end"
    assert one.text.split() == [
        *"Known text twice bold".split(), *"A again mail".split(), *"from the shadow deep".split(), *"in a frame".split(),
    ]  # fmt: skip
    assert one.title == "Golden & known"
    assert one.links == (f"{pages.origin}/in-shadow", f"{pages.origin}/a?x=1#part")
    assert one.storage == {"local": {"kept": "here"}, "session": {}}
    assert one.settled and one.notes == ()


@pytest.mark.browser
def test_the_dom_holds_shadow_roots_frames_and_what_fields_hold(context, pages):
    pages["/frame"] = "<p>in a frame</p>"
    dom = seen(context, pages, GOLDEN)[0].dom.decode()
    assert '<x-note><template shadowrootmode="open"><p>from the shadow' in dom
    assert "&lt;" not in dom and 'srcdoc="<html><head></head><body><p>in a frame</p></body></html>"' in dom
    assert '<input autofocus="" value="typed">' in dom


@pytest.mark.browser
def test_the_serialised_dom_parses_back_to_itself(context, pages):
    tricky = """<!doctype html><html><head><style>a > b {}</style><script>if (1 < 2 && "</p>") {}</script></head>
    <body><p title="a &quot;b&quot; &amp;amp;">x &lt; y &amp; z&nbsp;!</p><textarea>one &lt;/b></textarea>
    <select><option>1<option selected>2</select><svg viewBox="0 0 1 1"><linearGradient id=g></linearGradient></svg>
    <template><i>inert</i></template><!-- said --></body></html>"""
    first, page = seen(context, pages, tricky)
    page.set_content(first.dom.decode())
    again = look(page, LENS)
    assert again.dom == first.dom
    assert 'title="a &quot;b&quot; &amp;amp;"' in first.dom.decode()
    assert "viewBox" in first.dom.decode() and "linearGradient" in first.dom.decode()
    assert "<template><i>inert</i></template><!-- said -->" in first.dom.decode()


@pytest.mark.browser
def test_the_accessibility_tree_is_roles_and_names_in_order(context, pages):
    tree = seen(context, pages, "<main><h1>Head</h1><button aria-label=Close>x</button><p hidden>no</p></main>")[
        0
    ].axtree
    assert json.loads(json.dumps(tree)) == tree
    named = [(node["role"], node["name"]) for node in tree]
    assert named[0][0] == "RootWebArea"
    assert ("heading", "Head") in named and ("button", "Close") in named
    assert named.index(("heading", "Head")) < named.index(("button", "Close"))
    assert not [name for _, name in named if name == "no"]
    depth = {(node["role"], node["name"]): node["depth"] for node in tree}
    assert depth["heading", "Head"] > depth["main", ""] > 0


@pytest.mark.browser
def test_what_waits_to_be_scrolled_to_is_loaded(context, pages):
    body = """<body style="margin:0"><div style="height:3000px">top</div><p id=w>waiting</p>
    <script>new IntersectionObserver(([e]) => { if (e.isIntersecting) w.textContent = 'arrived at ' + scrollY * 0 })
    .observe(w)</script>"""
    first, page = seen(context, pages, body)
    assert "arrived" in first.text
    assert page.evaluate("scrollY") == 0


@pytest.mark.browser
def test_a_list_inside_the_page_is_scrolled_through_too(context, pages):
    body = """<body style="margin:0"><div id=s style="height:590px;overflow:auto"><div style="height:3000px"></div>
    <p id=w>waiting</p></div><script>new IntersectionObserver(([e]) => { if (e.isIntersecting) w.textContent = 'arrived' })
    .observe(w)</script>"""
    first, page = seen(context, pages, body)
    assert "arrived" in first.text
    assert page.evaluate("s.scrollTop") == 0


@pytest.mark.browser
def test_an_endless_page_is_cut_off(context, pages):
    pages["/more"] = lambda: (200, "text/plain", b"x")
    body = """<body style="margin:0"><div style="height:1000px">first</div><p id=end>end</p><script>
    new IntersectionObserver(async ([e]) => { if (!e.isIntersecting) return; await fetch('/more');
      for (let i = 0; i < 9; i++) end.before(Object.assign(document.createElement('div'), {style: 'height:100px'})) })
    .observe(end)</script>"""
    first, _ = seen(context, pages, body)
    assert any("cut off" in note for note in first.notes)
    assert 2 <= pages.asked.count("/more") <= 6
    assert first.page_height < 8000


@pytest.mark.browser
def test_a_very_tall_page_is_pictured_down_to_the_lens_limit(context, pages):
    lens = LENS.replaced(max_height=2000)
    first, _ = seen(context, pages, "<body style='margin:0;height:50000px'>tall", lens)
    assert pixels(first.full_page).shape[0] == 2000
    assert first.page_height == 50000
    assert first.notes == ("pictured down to 2000 of 50000 pixels",)


@pytest.mark.browser
@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("text/html", b"<frameset cols='50%,50%'><frame src=/one><frame src=/two></frameset>"),
        ("text/html", b""),
        ("application/json", b'{"a": 1}'),
        ("text/plain", b"plain"),
        ("application/xml", b"<a><b>x</b></a>"),
        ("image/svg+xml", b"<svg xmlns='http://www.w3.org/2000/svg'><text>t</text></svg>"),
        ("text/html", b"<form><input name=attributes><input name=id><input name=children><input name=action></form>"),
        ("text/html", b"<iframe sandbox srcdoc='<p>far'></iframe><script>document.body.append('\\ud800')</script>"),
        ("text/html", b"<script>document.documentElement.remove()</script>"),
        ("text/html", b"<script>Object.freeze(Array.prototype); window.JSON = window.Map = null</script>x"),
    ],
)
def test_odd_documents_are_survived(context, pages, kind, body):
    pages["/"] = lambda: (200, kind, body)
    pages["/one"] = "<a href=/three>frame one</a>"
    first, _ = seen(context, pages)
    assert first.settled
    assert pixels(first.screenshot).shape == (600, 800, 3)
    if body.startswith(b"<frameset"):
        assert (
            "frame one" in first.text
            and f"{pages.origin}/one" in first.links
            and f"{pages.origin}/three" in first.links
        )


@pytest.mark.browser
def test_half_a_character_does_no_harm(context, pages):
    pages["/"] = """<title>x</title><body><button title="t">b</button><script>
    const half = "cut " + String.fromCharCode(0xd83d);
    document.title = document.querySelector("button").textContent = half;
    document.querySelector("button").title = half; localStorage.setItem(half, half); console.error(half);</script>"""
    page = context.new_page()
    watch = Watch(page)
    page.goto(pages.origin, wait_until="commit")
    first = look(page, LENS, watch=watch)
    assert first.title == first.text == first.actionables[0].name == "cut \ufffd"
    json.dumps([first.axtree, first.storage, first.console_errors, first.dom.decode()], ensure_ascii=False).encode()


@pytest.mark.browser
def test_a_blank_page_can_be_looked_at(context):
    first = look(context.new_page(), LENS)
    assert (first.url, first.text, first.links) == ("about:blank", "", ())


@pytest.mark.browser
def test_a_page_that_leaves_during_the_look_is_looked_at_again(context, pages):
    pages["/next"] = "<p>arrived</p>"
    body = "<body style='height:3000px'><script>onscroll = () => { location.href = '/next' }</script>"
    first, _ = seen(context, pages, body)
    assert first.text == "arrived"


@pytest.mark.browser
def test_a_page_in_an_endless_loop_is_given_up(browser, pages, monkeypatch):
    monkeypatch.setattr("explorer.lens.world.ANSWER_MS", 1500)
    began = time.monotonic()
    context = new_context(browser, LENS)
    with pytest.raises(NoAnswer):
        seen(context, pages, "<p>stuck</p><script>setTimeout(() => { for (;;); }, 100)</script>")
    context.close()
    assert time.monotonic() - began < 20


@pytest.mark.browser
def test_a_page_that_forbids_scripts_of_others_can_be_looked_at(context, pages):
    policy = "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'\">"
    assert seen(context, pages, f"{policy}<p>strict</p>")[0].text == "strict"


@pytest.mark.browser
def test_a_large_document_is_looked_at_in_reasonable_time(context, pages):
    rows = "".join(
        f"<tr><td>{n}<td><a href=/r/{n}>row</a><td><button name=b value={n}>do</button>" for n in range(4000)
    )
    began = time.monotonic()
    first, _ = seen(context, pages, f"<table>{rows}</table>")
    assert time.monotonic() - began < 60
    assert len(first.actionables) == 2000 and "actionables cut off" in first.notes


ACTIONABLES = """<!doctype html><body>
<nav><a href="/list?page=2">Two</a><a href="https://far.example/deep?x=1">Far</a><a href="#">Hash</a></nav>
<form action="/search" method=post id=search><input name=q placeholder="Search here" required>
<input type=hidden name=t><select name=sort><option value=a>A<option value=b>B</select><button>Find</button></form>
<form action="/add"><button name=item value=first>Add</button></form>
<form action="/add"><button name=item value=second>Add</button></form>
<div id="w1234567890" role=tab aria-controls=panel>Tab</div><div onclick="x()">Plain</div>
<button data-testid=close aria-label="Close it">x</button><details><summary>More</summary></details>
<ul><li><button class=k>Remove</button></li><li><button class=k>Remove</button></li></ul>
<button style="display:none">Unseen</button><x-y></x-y><div id=panel></div>
<script>document.querySelector('x-y').attachShadow({mode: 'open'}).innerHTML = '<p><button>In</button><button>Side</button></p>'
</script>"""


@pytest.mark.browser
def test_every_actionable_has_a_selector_of_its_own_that_finds_it(context, pages):
    first, page = seen(context, pages, ACTIONABLES)
    by_name = {item.name: item for item in first.actionables}
    selectors = [item.selector for item in first.actionables]
    assert len(set(selectors)) == len(selectors)
    for item in first.actionables:
        found = page.locator(item.selector)
        assert found.count() == 1, item.selector
        assert found.evaluate("e => e.localName") == item.tag
    assert by_name["Two"].selector == 'a[href="/list?page=2"]'
    assert by_name["Far"].selector == 'a[href$="/deep?x=1"]', "an absolute address may be another on a mirror"
    assert by_name["Close it"].selector == '[data-testid="close"]'
    assert by_name["Tab"].selector == 'div[aria-controls="panel"]', "a made-up id is no name"
    assert by_name["Unseen"].visible is False and by_name["Two"].visible is True
    field = by_name["Search here"]
    assert (field.form, field.form_method, field.form_action) == ("#search", "post", "/search")
    assert (field.field_name, field.required, field.role) == ("q", True, "textbox")
    assert [item.options for item in first.actionables if item.tag == "select"] == [("a", "b")]
    assert {"In", "Side", "More", "Plain"} <= set(by_name)
    assert [item.selector for item in first.actionables if item.name == "Add"] == [
        'button[name="item"][value="first"]',
        'button[name="item"][value="second"]',
    ]


@pytest.mark.browser
def test_no_selector_names_what_may_be_a_secret(context, pages):
    key, token = "ghpX9aB3dE5gH7jK1mN4pQ6", "t9Kq3Wm7Zx1Vb5Nc"
    body = f"""<body><h1>Keys</h1><button aria-label="Copy {key}">Copy</button><input title="{key}" value="{key}">
    <a href="/get?token={token}">Get</a><form action="/send?sid={token}"><button>Send</button></form>"""
    look, page = seen(context, pages, body)
    assert len(look.actionables) == 4
    for item in look.actionables:
        assert key not in item.selector + item.form and token not in item.selector + item.form
        assert page.locator(item.selector).count() == 1


TRAPS = """<body><h1>Links</h1><style>.hp{display:none}</style>
<a href=/1 rel=nofollow class=hp>1</a><a href=/2 rel=nofollow style="opacity:0">2</a>
<a href=/3 rel=nofollow style="position:absolute;left:-999px">3</a><div style="display:none"><a href=/4>4</a></div>
<span style="position:absolute;top:-500px"><a href=/5 tabindex=-1>5</a></span>
<a href=/6 rel=nofollow>6</a><a href=/7>7</a><nav style="display:none"><a href=/8>8</a></nav><ul hidden><li><a href=/9>9</a></ul>
<div hidden>Before you go on, read <a href=/10>10</a></div><a href=#main style="position:absolute;left:-999px">11</a>
<img usemap="#plan" width=50 height=50 alt=""><map name=plan><area href=/13 coords="0,0,9,9"></map>
<map name=lost><area href=/14 coords="0,0,9,9"></map><div style="height:3000px"></div><a href=/12>12</a>"""


@pytest.mark.browser
def test_links_that_nobody_can_see_are_told_from_menus_and_from_what_lies_further_down(context, pages):
    look, _ = seen(context, pages, TRAPS)
    assert [item.href for item in look.actionables if "trap" in item.attributes] == [
        "/1", "/2", "/3", "/4", "/5", "/14",
    ]  # fmt: skip
    assert len(look.actionables) == 14


@pytest.mark.browser
def test_looking_changes_nothing_the_page_could_notice(context, pages):
    body = """<body style="height:2000px"><p>watched</p><script>
    var seen = []; new MutationObserver(records => seen.push(...records.map(r => r.type)))
      .observe(document, {subtree: true, childList: true, attributes: true, characterData: true});
    var known = new Set(Object.getOwnPropertyNames(window));</script>"""
    _, page = seen(context, pages, body)
    assert page.evaluate("seen") == []
    assert page.evaluate("Object.getOwnPropertyNames(window).filter(name => !known.has(name))") == []
