"""`webanything image ENV`."""

import click

from webanything.cli.console import Console
from webanything.cli.options import common
from webanything.cli.saved import environment_of, unchanged


@click.command("image")
@click.argument("environment", metavar="ENV")
@click.option("--tag", help="The image's tag; made from the environment's id if left out.")
@common
@click.pass_obj
def command(console: Console, /, environment: str, tag: str | None) -> None:
    """Build a Docker image of an environment.

    The build needs no network. The image runs as an ordinary user with a read-only root file system.
    """
    from environments.image import build_image

    result = build_image(unchanged(environment_of(environment)), tag=tag)
    console.result("\n".join(f"{key:<13}{value}" for key, value in result._asdict().items()), result._asdict())
