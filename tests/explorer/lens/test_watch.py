import pytest

from artifacts.run import Lens
from explorer.lens.look import look
from explorer.lens.settle import settle
from explorer.lens.watch import Watch

pytestmark = pytest.mark.browser


def watched(context, pages, body):
    pages["/"] = f"<!doctype html><body>{body}</body>"
    page = context.new_page()
    watch = Watch(page)
    page.goto(pages.origin, wait_until="commit")
    settle(page)
    return page, watch


def test_errors_and_failures_are_collected_from_the_beginning(context, pages):
    body = "<img src=/gone.png><img src=http://127.0.0.1:1/closed.png><script>console.error('said', 1); null.x</script>"
    page, watch = watched(context, pages, body)
    assert watch.console_errors[0] == "said 1"
    assert watch.console_errors[1].startswith("TypeError")
    assert len(watch.console_errors) == 2
    assert set(watch.failed_requests) == {
        f"404 {pages.origin}/gone.png",
        "net::ERR_UNSAFE_PORT http://127.0.0.1:1/closed.png",
    }
    seen = look(page, Lens(width=800, height=600), watch=watch)
    assert (seen.console_errors, seen.failed_requests) == (watch.console_errors, watch.failed_requests)
    watch.clear()
    assert watch.console_errors == watch.failed_requests == ()


def test_dialogs_are_answered_and_noted(context, pages):
    page, watch = watched(
        context, pages, "<script>alert('hi'); document.title = confirm('sure?') + ' ' + prompt('name?', 'Ann')</script>"
    )
    assert watch.dialogs == ("alert: hi", "confirm: sure?", "prompt: name?")
    assert page.title() == "true Ann"


def test_popups_and_downloads_are_noted_and_not_kept(context, pages):
    pages["/new"] = "<p>new window</p>"
    pages["/file.bin"] = lambda: (200, "application/octet-stream", b"123")
    page, watch = watched(context, pages, "<a href=/new target=_blank>n</a><a id=d href=/file.bin>d</a>")
    page.click("text=n")
    settle(page)
    page.click("#d")
    settle(page)
    assert watch.popups == (f"{pages.origin}/new",)
    assert watch.downloads == (f"{pages.origin}/file.bin",)
    assert watch.failed_requests == ()
    watch.close_popups()
    assert context.pages == [page]
    assert watch.popups == (f"{pages.origin}/new",)
