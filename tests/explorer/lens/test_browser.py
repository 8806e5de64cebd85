import os

import pytest
from playwright.sync_api import Error

from artifacts.errors import MissingError, UsageError
from artifacts.run import Lens
from explorer.lens.browser import (
    browser_version,
    clock_ms,
    find_browser,
    launch_flags,
    new_context,
    open_browser,
    with_browser,
)

LENS = Lens(width=800, height=600, clock="2026-03-04T05:06:07+00:00", seed=7)
CLOCK_MS = 1_772_600_767_000

READINGS = """() => {
  class Later extends Date {}
  return {
    now: Date.now(), made: new Date().getTime(), called: Date(), later: new Later().getTime(),
    intl: new Intl.DateTimeFormat("en-US", { dateStyle: "short", timeZone: "UTC" }).format(),
    origin: performance.timeOrigin, given: new Date(2020, 0, 2, 3).toISOString(), utc: Date.UTC(2020, 1),
    parsed: Date.parse("2020-01-01"), zero: new Date(0).getTime(),
    looks: [Date.name, Date.length, Date.toString(), Date.now.toString(), Math.random.toString(), Date.now.name,
      Function.prototype.toString.toString(), new Date() instanceof Date, new Date().constructor === Date,
      Object.prototype.toString.call(new Date()), Object.keys(Date).length, new Later() instanceof Later],
    framed: (() => {
      const frame = document.body.appendChild(document.createElement("iframe"));
      return frame.contentWindow.Date.now();
    })(),
  };
}"""


def test_the_variable_wins_and_a_wrong_one_is_an_error(monkeypatch, tmp_path):
    own = tmp_path / "my-browser"
    own.write_text("#!/bin/sh\n")
    own.chmod(0o755)
    monkeypatch.setenv("WEBANYTHING_BROWSER", str(own))
    assert find_browser() == own
    monkeypatch.setenv("WEBANYTHING_BROWSER", str(tmp_path / "none"))
    with pytest.raises(MissingError) as caught:
        find_browser()
    assert caught.value.code == "no_browser"


def test_the_headless_shell_comes_before_the_full_browser_and_playwrights_own_last(monkeypatch, tmp_path):
    monkeypatch.delenv("WEBANYTHING_BROWSER", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path / "cache"))
    with pytest.raises(MissingError):
        find_browser()
    for place in ("cache/chromium_headless_shell-1/chrome-linux/headless_shell", "chromium", "chromium-headless-shell"):
        path = tmp_path / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("#!/bin/sh\n")
        path.chmod(0o755)
        assert find_browser() == path


def test_with_a_proxy_nothing_else_is_resolved():
    flags = launch_flags("http://127.0.0.1:9", spki=["abc="], bypass=["127.0.0.1:8080", "s1.shop.localhost:8080"])
    assert "--ignore-certificate-errors-spki-list=abc=" in flags
    assert "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1 , EXCLUDE s1.shop.localhost" in flags
    assert not [flag for flag in launch_flags(None) if "resolver" in flag]
    assert ("--no-sandbox" in flags) == (os.geteuid() == 0)


def test_a_clock_without_a_zone_is_utc_and_nonsense_is_an_error():
    assert clock_ms(LENS) == clock_ms(Lens(clock="2026-03-04T05:06:07")) == CLOCK_MS
    assert clock_ms(Lens()) is None
    with pytest.raises(UsageError):
        clock_ms(Lens(clock="yesterday"))


@pytest.mark.browser
def test_the_clock_starts_where_the_lens_says_and_looks_native(context, pages):
    pages["/"] = "<body>clock</body>"
    page = context.new_page()
    for _ in range(2):
        page.goto(pages.origin)
        read = page.evaluate(READINGS)
        for key in ("now", "made", "later", "framed"):
            assert CLOCK_MS <= read[key] < CLOCK_MS + 30_000, key
        assert read["called"].startswith("Wed Mar 04 2026 05:06:")
        assert (read["intl"], read["origin"]) == ("3/4/26", CLOCK_MS)
        assert read["given"] == "2020-01-02T03:00:00.000Z"
        assert (read["utc"], read["parsed"], read["zero"]) == (1_580_515_200_000, 1_577_836_800_000, 0)
        native = ["Date", 7, *(f"function {name}() {{ [native code] }}" for name in ("Date", "now", "random"))]
        assert read["looks"] == [
            *native,
            "now",
            "function toString() { [native code] }",
            True,
            True,
            "[object Date]",
            0,
            True,
        ]


@pytest.mark.browser
def test_time_runs_on_while_the_page_stays(context, pages):
    pages["/"] = "<body>clock</body>"
    page = context.new_page()
    page.goto(pages.origin)
    first = page.evaluate("Date.now()")
    page.wait_for_timeout(120)
    assert page.evaluate("Date.now()") - first >= 100


@pytest.mark.browser
def test_chance_is_the_seeds_and_an_empty_clock_is_the_real_one(browser, pages):
    pages["/"] = "<body>chance</body>"

    def draw(lens: Lens) -> tuple[list[float], int]:
        context = new_context(browser, lens)
        page = context.new_page()
        page.goto(pages.origin)
        drawn = page.evaluate("[Math.random(), Math.random(), Math.random()]"), page.evaluate("Date.now()")
        context.close()
        return drawn

    first, real_ms = draw(Lens(seed=1))
    again, _ = draw(Lens(seed=1))
    other, _ = draw(Lens(seed=2))
    assert first == again != other
    assert all(0 <= number < 1 for number in first)
    assert real_ms != CLOCK_MS


@pytest.mark.browser
def test_a_context_is_what_the_lens_says(browser, pages):
    pages["/"] = "<body>lens</body>"
    lens = Lens(width=390, height=700, scale=2, mobile=True, locale="de-DE", timezone="Asia/Tokyo", color_scheme="dark")
    context = new_context(browser, lens)
    page = context.new_page()
    page.goto(pages.origin)
    seen = page.evaluate(
        """[devicePixelRatio, navigator.language, Intl.DateTimeFormat().resolvedOptions().timeZone, screen.width,
        matchMedia("(prefers-color-scheme: dark)").matches, matchMedia("(prefers-reduced-motion: reduce)").matches]"""
    )
    assert seen == [2, "de-DE", "Asia/Tokyo", 390, True, True]
    assert page.evaluate("navigator.userAgent") == f"{browser_version(browser)[1]} WebAnything/0.1"
    context.close()
    named = new_context(browser, Lens(user_agent="Mine/1"))
    page = named.new_page()
    assert page.evaluate("navigator.userAgent") == "Mine/1"
    named.close()
    assert "/" in with_browser(lens, browser).browser


@pytest.mark.browser
def test_what_is_not_the_candidate_ends_at_the_dead_proxy(pages):
    pages["/"] = "<body>reached</body>"
    host = pages.origin.removeprefix("http://")
    with open_browser("http://127.0.0.1:9", bypass=[host]) as closed:
        context = new_context(closed, LENS)
        page = context.new_page()
        page.goto(pages.origin)
        assert page.inner_text("body") == "reached"
        for address in ("http://127.0.0.1:10/", "http://localhost:10/", "https://elsewhere.example/"):
            with pytest.raises(Error, match=r"ERR_PROXY_CONNECTION_FAILED"):
                page.goto(address)
        context.close()


@pytest.mark.browser
def test_a_browser_that_does_not_start_is_named(tmp_path):
    broken = tmp_path / "broken"
    broken.write_text("#!/bin/sh\nexit 3\n")
    broken.chmod(0o755)
    with pytest.raises(MissingError) as caught, open_browser(executable=broken):
        pass
    assert caught.value.code == "browser_does_not_start"
    assert caught.value.where == str(broken)
