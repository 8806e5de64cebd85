"""`webanything serve RUN|ENV`."""

import urllib.error
import urllib.request

import click

from artifacts.errors import UnavailableError
from webanything.cli.answer import print_answer
from webanything.cli.console import Console
from webanything.cli.options import common
from webanything.cli.serving import served_until_end, wait_for_end
from webanything.display.jsonl import value_line
from webanything.served import remembered


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
