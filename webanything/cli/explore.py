"""`webanything explore URL|RUN`."""

import shlex
from pathlib import Path
from typing import Any

import click

from artifacts.errors import UsageError
from webanything.cli.console import Console
from webanything.cli.options import EXPLORING, SHOWING, common, given, setting_options
from webanything.cli.session import Work, asked, working
from webanything.config import load, run_layer
from webanything.runfolder import RunFolder


@click.command("explore")
@click.argument("site", metavar="URL|RUN")
@click.option("--out", type=click.Path(path_type=Path), metavar="DIR", help="The run folder, for a URL.")
@click.option("--name", help="The environment's name, for a URL.")
@click.option(
    "--task",
    "tasks",
    multiple=True,
    metavar="TEXT",
    help="What agents will be asked to do; with --coverage jit, all that is captured.",
)
@setting_options(*EXPLORING, *SHOWING)
@common
@click.pass_obj
def command(
    console: Console,
    /,
    site: str,
    out: Path | None,
    name: str | None,
    tasks: tuple[str, ...],
    config: str | None,
    **flags: Any,
) -> None:
    """Gather evidence of a site, or go on with a run's.

    A run keeps the settings it was made with; flags given here change them. Passwords are never saved: name the
    accounts file again with --accounts.
    """
    with working(console, _work(site, out, name, tasks, config, given(flags))) as pipeline:
        evidence = pipeline.explore()
    console.result(
        f"evidence: {evidence.states} states, {evidence.interactions} interactions, {evidence.exchanges} exchanges"
        f" ({evidence.outcome}) in {pipeline.folder.path}"
    )
    console.finished(spend=pipeline.run.spend.model_dump())


def _work(
    site: str, out: Path | None, name: str | None, tasks: tuple[str, ...], config: str | None, flags: dict[str, Any]
) -> Work:
    if not (Path(site) / "run.json").is_file():
        return asked(site, load(flags, config=config), out=out, name=name, tasks=tasks)
    folder = Path(site)
    saved = RunFolder(folder).saved_run()
    resolved = load(flags, config=config, extra=[run_layer(folder)])
    if saved.request.accounts and not resolved.settings.accounts:
        raise UsageError(
            "This run was made with test accounts, whose passwords are not kept.",
            where=site,
            remedy=f"Name the file again: webanything explore {shlex.quote(site)} --accounts FILE",
            code="no_accounts",
        )
    return asked(saved.request.url, resolved, out=folder, name=saved.name, tasks=tasks or saved.request.tasks)
