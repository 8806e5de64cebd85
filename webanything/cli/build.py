"""`webanything build RUN`."""

from pathlib import Path
from typing import Any

import click

from webanything.cli.console import Console
from webanything.cli.options import SHOWING, common, folder_argument, given, setting_options
from webanything.cli.saved import saved_work
from webanything.cli.session import working


@click.command("build")
@folder_argument
@click.option("--again", is_flag=True, help="Build even if nothing changed; files changed by hand are replaced.")
@setting_options(*SHOWING)
@common
@click.pass_obj
def command(console: Console, /, folder: Path, again: bool, config: str | None, **flags: Any) -> None:
    """Build the mirror from a run's evidence."""
    with working(console, saved_work(folder, given(flags), config), again=again) as pipeline:
        mirror = pipeline.build(pipeline.evidence())
    console.result(f"mirror: {len(mirror.files)} files in {pipeline.folder / 'mirror'}")
    console.finished(spend=pipeline.run.spend.model_dump())
