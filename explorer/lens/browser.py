"""Finding, opening and setting up the browser: whatever may differ between two looks is fixed here."""

import contextlib
import datetime
import json
import os
import shutil
import sys
import threading
import weakref
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import (
    Browser,
    BrowserContext,
    Error,
    Playwright,
    ProxySettings,
    StorageState,
    sync_playwright,
)

from artifacts.errors import MissingError, UsageError
from artifacts.run import Lens
from explorer.lens.scripts import script
from explorer.lens.traffic import follow

NAMES = (
    "chromium-headless-shell",
    "chrome-headless-shell",
    "headless_shell",
    "chromium",
    "chromium-browser",
    "google-chrome-stable",
    "google-chrome",
)
PLAYWRIGHT_OWN = (
    "chromium_headless_shell-*/*/*headless*shell",
    "chromium-*/chrome-linux*/chrome",
    "chromium-*/chrome-mac*/Chromium.app/Contents/MacOS/Chromium",
)
QUIET_FLAGS = (
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-domain-reliability",
    "--disable-quic",
    "--disable-sync",
    "--no-default-browser-check",
    "--no-first-run",
    "--no-pings",
    "--font-render-hinting=none",
    "--force-color-profile=srgb",
    "--disable-lcd-text",
)


def find_browser(*, windows: bool = False) -> Path:
    """The Chromium to look with: WEBANYTHING_BROWSER, a headless shell, a Chromium, Playwright's own, in that order.

    With `windows`, one that can show them: no headless shell, unless WEBANYTHING_BROWSER names it.
    """
    if named := os.environ.get("WEBANYTHING_BROWSER"):
        path = shutil.which(named)
        if path is None:
            raise MissingError(
                "The browser named by WEBANYTHING_BROWSER is not there or cannot be run.",
                where=named,
                remedy="Correct WEBANYTHING_BROWSER, or unset it to let a Chromium be found.",
                code="no_browser",
            )
        return Path(path)
    for name in NAMES:
        if not (windows and "headless" in name) and (path := shutil.which(name)):
            return Path(path)
    cache = Path(os.environ.get("PLAYWRIGHT_BROWSERS_PATH") or _cache() / "ms-playwright")
    for pattern in PLAYWRIGHT_OWN:
        found = sorted(path for path in cache.glob(pattern) if os.access(path, os.X_OK))
        if found and not (windows and "headless" in pattern):
            return found[-1]
    raise MissingError(
        "No Chromium was found.",
        where=os.environ.get("PATH", ""),
        remedy="Install chromium-headless-shell or chromium, or set WEBANYTHING_BROWSER to a Chromium you have.",
        code="no_browser",
    )


def _cache() -> Path:
    return Path.home() / ("Library/Caches" if sys.platform == "darwin" else ".cache")


_thread = threading.local()


@contextlib.contextmanager
def _playwright() -> Iterator[Playwright]:
    """Playwright's driver, one a thread: a second one in the same thread refuses to start."""
    users: int = getattr(_thread, "users", 0)
    if not users:
        _thread.manager = sync_playwright()
        _thread.driver = _thread.manager.__enter__()
    _thread.users = users + 1
    try:
        yield _thread.driver
    finally:
        _thread.users -= 1
        if not _thread.users:
            _thread.manager.__exit__(None, None, None)


def launch_flags(proxy: str | None, *, spki: Collection[str] = (), bypass: Collection[str] = ()) -> list[str]:
    """Chromium's switches. With a proxy, no name is resolved and no packet sent but to it and to `bypass`."""
    flags = list(QUIET_FLAGS)
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        flags.append("--no-sandbox")
    if spki:
        flags.append(f"--ignore-certificate-errors-spki-list={','.join(spki)}")
    if proxy:
        reachable = [urlsplit(proxy).hostname or "", *(entry.rpartition(":")[0] or entry for entry in bypass)]
        rules = ["MAP * ~NOTFOUND", *(f"EXCLUDE {host}" for host in dict.fromkeys(reachable) if host)]
        flags.append(f"--host-resolver-rules={' , '.join(rules)}")
        flags.append("--webrtc-ip-handling-policy=disable_non_proxied_udp")
        flags.append("--force-webrtc-ip-handling-policy=disable_non_proxied_udp")
    return flags


@contextlib.contextmanager
def open_browser(
    proxy: str | None = None,
    *,
    spki: Collection[str] = (),
    bypass: Collection[str] = (),
    executable: Path | None = None,
) -> Iterator[Browser]:
    """A running browser, closed at the end of the block.

    `spki` lists base64 SHA-256 hashes of public keys whose certificates are taken as valid. `bypass` lists the
    HOST:PORT that are reached directly although there is a proxy; all else, loopback included, goes to the proxy.
    """
    path = executable or find_browser()
    settings: ProxySettings | None = None
    if proxy:
        settings = {"server": proxy, "bypass": ",".join(["<-loopback>", *bypass])}
    with _playwright() as driver:
        try:
            browser = driver.chromium.launch(
                executable_path=path,
                args=launch_flags(proxy, spki=spki, bypass=bypass),
                proxy=settings,
                handle_sigint=False,
                handle_sigterm=False,
                handle_sighup=False,
            )
        except Error as error:
            raise MissingError(
                f"The browser does not start: {str(error).splitlines()[0]}",
                where=str(path),
                remedy="Run `webanything doctor`; or name another browser with WEBANYTHING_BROWSER.",
                code="browser_does_not_start",
            ) from error
        try:
            yield browser
        finally:
            with contextlib.suppress(Error):
                browser.close()


_versions: weakref.WeakKeyDictionary[Browser, tuple[str, str]] = weakref.WeakKeyDictionary()


def browser_version(browser: Browser) -> tuple[str, str]:
    """Product and version as a lens names it, and the browser's own user agent."""
    if browser not in _versions:
        session = browser.new_browser_cdp_session()
        said = session.send("Browser.getVersion")
        session.detach()
        kind, _, version = str(said["product"]).partition("/")
        name = {"HeadlessChrome": "HeadlessShell", "Chrome": "Chromium"}.get(kind, kind)
        _versions[browser] = (f"{name}/{version}", str(said["userAgent"]))
    return _versions[browser]


def with_browser(lens: Lens, browser: Browser) -> Lens:
    """The lens with the name and version of the browser that looks through it."""
    return lens.replaced(browser=browser_version(browser)[0])


def clock_ms(lens: Lens) -> int | None:
    """The instant page loads begin at, in milliseconds since 1970; None when the lens leaves the clock alone."""
    if not lens.clock:
        return None
    try:
        instant = datetime.datetime.fromisoformat(lens.clock)
    except ValueError as error:
        raise UsageError(
            "The lens's clock is no ISO 8601 instant.",
            where=lens.clock,
            remedy='Write it like "2026-01-31T12:00:00+00:00".',
        ) from error
    if instant.tzinfo is None:
        instant = instant.replace(tzinfo=datetime.UTC)
    return round(instant.timestamp() * 1000)


def new_context(
    browser: Browser,
    lens: Lens,
    *,
    proxy: str | None = None,
    storage: StorageState | None = None,
    trust: Collection[str] = (),
) -> BrowserContext:
    """A context without history that sees through the lens: viewport, locale, time zone, clock, seed, user agent.

    `trust` names the authorities whose certificates the browser does not know; if there is any, certificate errors are
    ignored. The spki list of `open_browser` is the narrower way.
    """
    context = browser.new_context(
        viewport={"width": lens.width, "height": lens.height},
        device_scale_factor=lens.scale,
        is_mobile=lens.mobile,
        has_touch=lens.mobile,
        locale=lens.locale,
        timezone_id=lens.timezone,
        color_scheme=lens.color_scheme,
        reduced_motion="reduce" if lens.reduced_motion else "no-preference",
        user_agent=lens.user_agent or f"{browser_version(browser)[1]} WebAnything/0.1",
        ignore_https_errors=bool(trust),
        proxy={"server": proxy, "bypass": "<-loopback>"} if proxy else None,
        storage_state=storage,
        service_workers="allow",
        accept_downloads=False,
    )
    settings: dict[str, Any] = {"clock": clock_ms(lens), "seed": lens.seed}
    context.add_init_script(f"({script('clock')})({json.dumps(settings)});")
    follow(context)
    return context
