"""The fixtures as other tools bring them back: a `wget` mirror, and pywb's record and replay."""

import contextlib
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from playwright.sync_api import Page

from artifacts.run import Lens
from bench.figures import tool
from bench.hosts import free_port, wait_for_port
from bench.processes import end
from explorer.lens.browser import new_context, open_browser

_PAGE_MS = 20_000
_SETTLE_MS = 1_500
_MANAGER = "wb-manager"


class Served(NamedTuple):
    """Where a copy of the fixtures answers: under another address, or under the source's own through a proxy."""

    base: str
    proxy: str = ""


@contextlib.contextmanager
def wget(source: str, pages: Sequence[str], folder: Path) -> Iterator[Served]:
    """`wget --mirror` with page requisites of both origins and converted links, served as plain files."""
    program = tool("wget")
    assert program is not None
    command = [
        program,
        "-q",
        "-e",
        "robots=off",
        "-r",
        "-l3",
        "-p",
        "-k",
        "-E",
        "-H",
        "-D",
        "127.0.0.1",
        "-T",
        "5",
        "-t",
        "1",
    ]
    subprocess.run([*command, "-P", str(folder), *pages], timeout=600, check=False)
    root = folder / source.split("://")[1].rstrip("/")
    if not root.is_dir():  # wget writes HOST+PORT where the port is not the usual one, by its version
        root = folder / source.split("://")[1].rstrip("/").replace(":", "+")
    port = free_port()
    process = subprocess.Popen([sys.executable, "-m", "http.server", str(port), "--bind", "127.0.0.1", "-d", str(root)],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # fmt: skip
    try:
        wait_for_port(port)
        yield Served(f"http://127.0.0.1:{port}")
    finally:
        end(process)


@contextlib.contextmanager
def pywb(source: str, pages: Sequence[str], folder: Path) -> Iterator[Served]:
    """Every page visited once through pywb's recording proxy, scrolled to its end, then replayed in proxy mode."""
    with pywb_recorder(folder) as proxy, open_browser(proxy) as browser:
        for url in pages:
            with new_context(browser, Lens()) as context:
                _visit(context.new_page(), url)
    subprocess.run([_MANAGER, "reindex", "c"], cwd=folder, check=True, capture_output=True)
    with _pywb(folder) as proxy:
        yield Served(source, proxy)


@contextlib.contextmanager
def pywb_recorder(folder: Path) -> Iterator[str]:
    """Address of a proxy that records into a new collection below the folder."""
    subprocess.run([_MANAGER, "init", "c"], cwd=folder, check=True, capture_output=True)
    with _pywb(folder, "--proxy-record") as proxy:
        yield proxy


@contextlib.contextmanager
def _pywb(folder: Path, *options: str) -> Iterator[str]:
    program = tool("wayback")
    assert program is not None
    port = free_port()
    command = [program, "-p", str(port), "-b", "127.0.0.1", "--proxy", "c", *options]
    with (folder / "pywb.log").open("ab") as log:
        process = subprocess.Popen(command, cwd=folder, stdout=log, stderr=log)
    try:
        wait_for_port(port, seconds=60)
        yield f"http://127.0.0.1:{port}"
    finally:
        end(process)


def _visit(page: Page, url: str) -> None:
    """What a recorder's user does: load, wait, scroll to the end."""
    with contextlib.suppress(Exception):
        page.goto(url, wait_until="load", timeout=_PAGE_MS)
        page.wait_for_timeout(_SETTLE_MS)
        for _ in range(8):
            page.mouse.wheel(0, 900)
            page.wait_for_timeout(60)
        page.wait_for_timeout(_SETTLE_MS)
