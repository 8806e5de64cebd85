"""`webanything serve RUN|ENV`."""

import contextlib
import os
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from artifacts.errors import UnavailableError
from webanything.cli.answer import print_answer
from webanything.cli.console import Console
from webanything.cli.options import common
from webanything.cli.saved import servable
from webanything.display.jsonl import value_line
from webanything.interrupt import ended_by_signal
from webanything.served import authority_folder, remembered

if TYPE_CHECKING:
    from environments.serving import Served


@click.command("serve")
@click.argument("named", metavar="RUN|ENV")
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Port of the site; a free one if left out.")
@click.option("--control-port", type=click.IntRange(0, 65535), default=0, help="Port of the control plane.")
@click.option("--get", "path", metavar="PATH", help="Print what the mirror answers to this one request, and end.")
@common
@click.pass_obj
def command(console: Console, /, named: str, port: int, control_port: int, path: str | None) -> None:
    """Serve an environment, or a run's candidate, on this machine.

    Prints one line of JSON when it is ready: url, control_url, token, pid, accounts; and for origin mode proxy, site,
    ca, spki: a browser that uses this proxy finds the site under its own host names. Ends with Ctrl-C or when the
    process of that pid ends. Requests that nothing captured answers are noted in unseen.jsonl.
    """
    with served_until_end(named, port=port, control_port=control_port) as (place, served):
        if path is not None:
            _get(console, served.url.rstrip("/") + "/" + path.lstrip("/"))
            return
        with remembered(place, served._asdict()):
            console.line(value_line(served._asdict()))
            wait_for_end(served.pid)


@contextlib.contextmanager
def served_until_end(named: str, *, port: int, control_port: int) -> Iterator[tuple[Path, "Served"]]:
    """What is named, and where it is served; a signal ends the block as its end does."""
    from environments.serving import serving

    place = servable(named)
    unseen = place.parent / "unseen.jsonl" if (place.parent / "run.json").exists() else place / "unseen.jsonl"
    log = unseen if os.access(unseen.parent, os.W_OK) else None
    with (
        ended_by_signal(),
        serving(place, port=port, control_port=control_port, unseen=log, authority=_authority()) as served,
    ):
        yield place, served


def _authority() -> Path | None:
    """The folder of the certificate authority; None where none can be kept, and then https is not offered."""
    folder = authority_folder()
    with contextlib.suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        if os.access(folder, os.W_OK):
            return folder
    return None


def _get(console: Console, url: str) -> None:
    try:
        answer = urllib.request.urlopen(url, timeout=60)
    except urllib.error.HTTPError as error:
        with error:
            print_answer(console, error)
        what, remedy = f"The mirror answers {error.code}.", "Only what was captured is answered; see the report."
        if error.code == 404:
            raise UnavailableError(what, where=url, remedy=remedy, code="http_404") from error
        raise UnavailableError(what, where=url, remedy=remedy, code="http_error") from error
    with answer:
        print_answer(console, answer)


def wait_for_end(pid: int) -> None:
    """Until the server ends by itself, or a signal ends the wait."""
    try:
        # WNOWAIT: who started it reaps it
        while os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
            time.sleep(0.2)
    except ChildProcessError:
        return
    except KeyboardInterrupt:
        return
