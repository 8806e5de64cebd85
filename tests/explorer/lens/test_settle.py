import base64
import time

import pytest

from explorer.lens.settle import settle

pytestmark = pytest.mark.browser

PIXEL = base64.b64decode("R0lGODlhAQABAIAAAP8AAAAAACH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==")


def open_page(context, pages, body):
    pages["/"] = f"<!doctype html><body>{body}</body>"
    page = context.new_page()
    page.goto(pages.origin, wait_until="commit")
    return page


def slowly(seconds, kind, body):
    def answer():
        time.sleep(seconds)
        return 200, kind, body

    return answer


def test_a_plain_page_settles_at_once(context, pages):
    seen = settle(open_page(context, pages, "<p>plain</p>"))
    assert seen.settled
    assert 200 <= seen.after_ms < 2500


def test_waits_for_what_scripts_fetch_and_then_write(context, pages):
    pages["/late"] = slowly(0.7, "text/plain", b"came late")
    page = open_page(
        context, pages, "<p id=t></p><script>fetch('/late').then(r=>r.text()).then(x=>t.textContent=x)</script>"
    )
    assert settle(page).settled
    assert page.inner_text("#t") == "came late"


def test_waits_for_pictures_but_not_for_lazy_ones_far_below(context, pages):
    pages["/slow.gif"] = slowly(0.6, "image/gif", PIXEL)
    body = "<img id=a src=/slow.gif><div style='height:9000px'></div><img id=b loading=lazy src=/never.gif>"
    page = open_page(context, pages, body)
    assert settle(page).settled
    assert page.evaluate("document.getElementById('a').naturalWidth") == 1
    assert "/never.gif" not in pages.asked


@pytest.mark.parametrize(
    "script",
    [
        "setInterval(() => { x.style.left = performance.now() + 'px' }, 16)",
        "setInterval(() => { x.className = 'a' + performance.now() }, 100)",
        "setInterval(() => { x.textContent = performance.now() }, 100)",
        "x.animate([{opacity: 0}, {opacity: 1}], {duration: 300, iterations: Infinity})",
        "fetch('/hangs')",
        "setInterval(() => fetch('/poll'), 150)",
    ],
)
def test_what_goes_on_for_ever_does_not_hold_the_page(context, pages, script):
    pages["/hangs"] = slowly(6, "text/plain", b"")
    pages["/poll"] = lambda: (200, "text/plain", b"nothing new")
    seen = settle(open_page(context, pages, f"<p id=x>x</p><script>{script}</script>"), cap_ms=8000)
    assert seen.settled


def test_content_that_keeps_coming_holds_it_until_the_cap(context, pages):
    script = "setInterval(() => document.body.append(document.createElement('p')), 50)"
    seen = settle(open_page(context, pages, f"<script>{script}</script>"), cap_ms=1500)
    assert not seen.settled
    assert 1400 <= seen.after_ms < 4000


def test_a_page_that_moves_on_is_waited_for_again(context, pages):
    pages["/next"] = "<p id=n>next</p>"
    page = open_page(context, pages, "<script>setTimeout(() => location.href = '/next', 150)</script>")
    assert settle(page).settled
    assert page.inner_text("#n") == "next"


def test_changes_inside_a_shadow_root_count(context, pages):
    body = """<x-y></x-y><script>
    const root = document.querySelector('x-y').attachShadow({mode: 'open'});
    let left = 8;
    const add = () => { root.append(document.createElement('p')); if (!--left) clearInterval(timer) };
    const timer = setInterval(add, 100);
    </script>"""
    page = open_page(context, pages, body)
    assert settle(page).settled
    assert page.locator("x-y p").count() == 8
