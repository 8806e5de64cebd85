"""`webanything verify RUN`."""

from pathlib import Path
from typing import Any

import click

from webanything.cli.console import Console
from webanything.cli.options import SHOWING, VERIFYING, common, folder_argument, given, setting_options
from webanything.cli.outcome import exit_with, summary
from webanything.cli.saved import saved_work
from webanything.cli.session import working
from webanything.pipeline import scores


@click.command("verify")
@folder_argument
@click.option("--again", is_flag=True, help="Verify even if nothing changed.")
@setting_options(*VERIFYING, *SHOWING)
@common
@click.pass_obj
def command(console: Console, /, folder: Path, again: bool, config: str | None, **flags: Any) -> int:
    """Check a run's mirror against its evidence, as it lies there, changes made by hand included."""
    with working(console, saved_work(folder, given(flags), config), again=again) as pipeline:
        report = pipeline.verify(pipeline.evidence())
    if not console.json:
        console.result("\n".join(f"{name:<13}{text}" for name, text in summary(report)))
    console.finished(verdict=report.verdict, scores=scores(report), spend=pipeline.run.spend.model_dump())
    return exit_with(report)
