"""`webanything freeze RUN`."""

from pathlib import Path
from typing import Any

import click

from webanything.cli.console import Console
from webanything.cli.options import SHOWING, common, folder_argument, given, setting_options
from webanything.cli.outcome import exit_with, tell
from webanything.cli.saved import saved_work
from webanything.cli.session import working


@click.command("freeze")
@folder_argument
@setting_options(*SHOWING)
@common
@click.pass_obj
def command(console: Console, /, folder: Path, config: str | None, **flags: Any) -> int:
    """Package a run's accepted mirror as an environment.

    A mirror that was not accepted is left as it is: exit code 3.
    """
    work = saved_work(folder, given(flags), config)
    with working(console, work) as pipeline:
        outcome = pipeline.freeze(pipeline.report(pipeline.evidence()))
    tell(console, work.folder, outcome)
    return exit_with(outcome.report)
