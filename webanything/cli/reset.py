"""`webanything reset ENV`."""

import os

import click

from artifacts.errors import UsageError
from webanything.cli.console import Console
from webanything.cli.options import common
from webanything.cli.saved import servable
from webanything.display.jsonl import value_line
from webanything.served import find, reset


@click.command("reset")
@click.argument("environment", metavar="ENV")
@click.option("--session", help="The session to reset; the default one if left out.")
@common
@click.pass_obj
def command(console: Console, /, environment: str, session: str | None) -> None:
    """Put a served environment back to its seed, with proof.

    ENV is a folder that `serve` serves now, or the address of a control plane with its token in WEBANYTHING_TOKEN.
    Prints {"session", "seed", "state", "ms"}; exit code 8 if the state is not the seed's.
    """
    if "://" in environment:
        token = os.environ.get("WEBANYTHING_TOKEN", "")
        if not token:
            remedy = "Set WEBANYTHING_TOKEN to the token that serve or compose printed."
            raise UsageError("The control plane asks for a token.", where=environment, remedy=remedy, code="no_token")
        proof = reset(environment, token, session)
    else:
        place = servable(environment)
        served = find(place, place.parent / "environment", place.parent / "mirror")
        proof = reset(served["control_url"], served["token"], session)
    console.line(value_line(proof))
