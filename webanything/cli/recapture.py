"""`webanything recapture RUN`."""

from pathlib import Path
from typing import Any

import click

from artifacts.errors import UsageError
from artifacts.report import Report
from artifacts.run import Wanted
from webanything.cli.console import Console
from webanything.cli.options import SHOWING, VERIFYING, common, folder_argument, given, setting_options
from webanything.cli.outcome import exit_with, tell
from webanything.cli.saved import saved_work
from webanything.cli.session import working
from webanything.request import checked_url
from webanything.runfolder import RunFolder
from webanything.wanted import QUEUE, lacking, unseen


@click.command("recapture")
@folder_argument
@click.option("--from-unseen", is_flag=True, help="What a served mirror was asked for and could not answer.")
@click.option("--url", "urls", multiple=True, metavar="URL", help="A page to capture. May be given several times.")
@click.option("--limit", type=click.IntRange(1), default=100, show_default=True, help="Addresses to ask for at most.")
@setting_options("accounts", *VERIFYING, *SHOWING)
@common
@click.pass_obj
def command(
    console: Console,
    /,
    folder: Path,
    from_unseen: bool,
    urls: tuple[str, ...],
    limit: int,
    config: str | None,
    **flags: Any,
) -> int:
    """Ask the site for exactly what a run lacks, then build, verify and freeze anew.

    Without --from-unseen and --url that is what the report's findings blame the evidence for. What it asks for is
    outside the run's budget, inside its scope, and obeys robots.txt. The queue is emptied once it was worked off; its
    lines are kept with the attempt's logs.
    """
    place = RunFolder(folder)
    work = saved_work(folder, given(flags), config)
    wanted, said = _wanted(place, from_unseen, urls)
    wanted = tuple(one for one in wanted if one not in work.request.wanted)[:limit]
    if not wanted:
        console.result(f"nothing to recapture{said}")
        console.finished()
        return 0
    console.say(f"{len(wanted)} addresses to ask for{said}")
    work = work._replace(request=work.request.replaced(wanted=(*work.request.wanted, *wanted)))
    with working(console, work) as pipeline:
        outcome = pipeline.reconstruct()
        if from_unseen:
            place.set_aside(QUEUE, pipeline.run.attempts)
    tell(console, place, outcome)
    return exit_with(outcome.report)


def _wanted(place: RunFolder, from_unseen: bool, urls: tuple[str, ...]) -> tuple[tuple[Wanted, ...], str]:
    found = [Wanted(url=checked_url(url)) for url in urls]
    if from_unseen:
        queue = unseen(place / QUEUE)
        others = f"; {queue.others} requests that change something are left: only actions send them"
        return (*found, *queue.wanted), others if queue.others else ""
    report = place.record(Report, "report.json")
    if report is None and not found:
        remedy = f"Finish it first: webanything reconstruct {place.saved_run().request.url} --out {place.path}"
        raise UsageError("This run has no report yet.", where=str(place.path), remedy=remedy, code="not_verified")
    return (*found, *(lacking(report) if report and not found else ())), ""
