"""`webanything open RUN|ENV`."""

import contextlib
import os
import subprocess
import sys
import tempfile
from typing import TYPE_CHECKING

import click

from artifacts.errors import MissingError
from webanything.cli.console import Console
from webanything.cli.options import common
from webanything.cli.serving import served_until_end, wait_for_end
from webanything.display.jsonl import value_line
from webanything.served import remembered

if TYPE_CHECKING:
    from environments.serving import Served


@click.command("open")
@click.argument("named", metavar="RUN|ENV")
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Port of the site and proxy; a free one.")
@click.option("--control-port", type=click.IntRange(0, 65535), default=0, help="Port of the control plane.")
@click.option("--no-browser", is_flag=True, help="Only serve and say how a browser gets there.")
@common
@click.pass_obj
def command(console: Console, /, named: str, port: int, control_port: int, no_browser: bool) -> None:
    """Open a browser on a mirror under the site's own host names.

    The browser has a fresh profile and the mirror as its proxy, so that the address bar shows the real addresses,
    https included, and nothing leaves this machine. Ends with the browser, or with Ctrl-C.
    """
    browser = None if no_browser else _browser()
    with (
        served_until_end(named, port=port, control_port=control_port) as (place, served),
        remembered(place, served._asdict()),
    ):
        console.line(value_line(served._asdict()))
        if browser is None:
            wait_for_end(served.pid)
        else:
            _browse(browser, served)


def _browser() -> str:
    """A browser with windows. Raises MissingError where there is none, or no screen for it."""
    from explorer.lens.browser import find_browser

    if sys.platform.startswith("linux") and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        raise MissingError(
            "There is no screen to open a browser on.",
            where="DISPLAY",
            remedy="Add --no-browser, and give the printed proxy to a browser of yours.",
            code="no_screen",
        )
    return str(find_browser(windows=True))


def _browse(browser: str, served: "Served") -> None:
    """Run the browser until it is closed."""
    from explorer.lens.browser import launch_flags

    with tempfile.TemporaryDirectory(prefix="webanything-profile-", ignore_cleanup_errors=True) as profile:
        flags = launch_flags(served.proxy, spki=[served.spki] if served.spki else [])
        flags += [f"--proxy-server={served.proxy}", "--proxy-bypass-list=<-loopback>", f"--user-data-dir={profile}"]
        process = subprocess.Popen([browser, *flags, served.site], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            process.wait()
        except KeyboardInterrupt:
            with contextlib.suppress(ProcessLookupError):
                process.terminate()
            process.wait()
