"""`webanything reconstruct URL`."""

from pathlib import Path
from typing import Any

import click

from webanything.cli.console import Console
from webanything.cli.options import EXPLORING, SHOWING, VERIFYING, common, given, setting_options
from webanything.cli.outcome import exit_with, open_file, tell
from webanything.cli.session import asked, working
from webanything.config import load


@click.command("reconstruct")
@click.argument("url")
@click.option("--out", type=click.Path(path_type=Path), metavar="DIR", help="The run folder.  [default: RUNS/NAME]")
@click.option("--name", help="The environment's name; made from the host if left out.")
@click.option(
    "--task",
    "tasks",
    multiple=True,
    metavar="TEXT",
    help="What agents will be asked to do; with --coverage jit, all that is captured.",
)
@setting_options(*EXPLORING, *VERIFYING, *SHOWING)
@click.option("--open", "open_report", is_flag=True, help="Open the report when it is there.")
@common
@click.pass_obj
def command(
    console: Console,
    /,
    url: str,
    out: Path | None,
    name: str | None,
    tasks: tuple[str, ...],
    open_report: bool,
    config: str | None,
    **flags: Any,
) -> int:
    """Turn a site into an environment: explore, build, verify, freeze.

    Only visit sites you may visit. Exit code 3 means that everything ran and the mirror was not accepted: it can be
    served all the same, and the report says what is wrong with it.
    """
    work = asked(url, load(given(flags), config=config), out=out, name=name, tasks=tasks)
    with working(console, work) as pipeline:
        outcome = pipeline.reconstruct()
    tell(console, work.folder, outcome)
    if open_report:
        open_file(console, work.folder / "report.html")
    return exit_with(outcome.report)
