"""`webanything report RUN`."""

from pathlib import Path

import click

from artifacts.errors import UsageError
from artifacts.evidence import Evidence
from artifacts.report import Report
from artifacts.store import write_file
from webanything.cli.console import Console
from webanything.cli.options import common, folder_argument
from webanything.cli.outcome import open_file
from webanything.runfolder import RunFolder


@click.command("report")
@folder_argument
@click.option("--open", "open_report", is_flag=True, help="Open it in your browser.")
@common
@click.pass_obj
def command(console: Console, /, folder: Path, open_report: bool) -> None:
    """Write a run's report for people anew and say where it is.

    It is one file that opens from disk and asks the network for nothing.
    """
    place = RunFolder(folder)
    place.saved_run()
    report, evidence = place.record(Report, "report.json"), place.record(Evidence, "evidence.json")
    if report is None or evidence is None:
        raise UsageError(
            "This run has no report yet.",
            where=str(folder),
            remedy=f"Verify it first: webanything verify {folder}",
            code="not_verified",
        )
    from webanything.report_html import render

    path = folder / "report.html"
    write_file(path, render(report, evidence, place.store).encode())
    console.result(str(path), {"report": str(path)})
    if open_report:
        open_file(console, path)
