"""`webanything import FILE`."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from artifacts.errors import UsageError
from artifacts.evidence import Evidence
from artifacts.run import CaptureRequest
from webanything.cli.console import Console
from webanything.cli.options import SHOWING, common, given, setting_options
from webanything.cli.session import asked, working
from webanything.config import load
from webanything.stages import Stages, real_stages

if TYPE_CHECKING:
    from explorer.archives.imported import Archive

_LOGIN = "\nIt holds a password, of which nothing was kept: with --accounts FILE its account can log in again."


@click.command("import")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), metavar="DIR", help="The run folder.  [default: RUNS/NAME]")
@click.option("--name", help="The environment's name; made from the host if left out.")
@click.option("--url", help="The page to start at; the first page of the archive if left out.")
@setting_options("accounts", *SHOWING)
@common
@click.pass_obj
def command(
    console: Console,
    /,
    file: Path,
    out: Path | None,
    name: str | None,
    url: str | None,
    config: str | None,
    **flags: Any,
) -> None:
    """Make a run of a HAR, WACZ or WARC file that another tool recorded.

    A mirror can be built from it and served, and not verified: an archive holds what was sent, not what it looked like.
    Secrets are replaced; where somebody logged in, nobody can do so again but accounts that --accounts names.
    """
    from explorer.archives.imported import holds_login, read_archive

    if not file.is_file():
        raise UsageError("There is no such file.", where=str(file), remedy="Check the path.", code="no_file")
    archive = read_archive(file)
    work = asked(url or archive.start(), load(given(flags), config=config), out=out, name=name)
    there = work.folder.record(Evidence, "evidence.json")
    if there is not None and (there.states or there.request.url != work.request.url):
        raise UsageError(
            "This folder holds other evidence.",
            where=str(work.folder.path),
            remedy="Choose another folder with --out.",
            code="other_run",
        )
    with working(console, work, stages=lambda: _stages(archive)) as pipeline:
        evidence = pipeline.explore()
    folder, hint = pipeline.folder.path, _LOGIN if holds_login(evidence, pipeline.folder.store) else ""
    console.result(
        f"evidence: {evidence.exchanges} exchanges, {evidence.fetched} pages in {folder}\n"
        f"next: webanything build {folder}, then webanything serve {folder}{hint}"
    )
    console.finished(spend=pipeline.run.spend.model_dump())


def _stages(archive: "Archive") -> Stages:
    """The stages as they are, but that evidence comes out of the archive."""

    def read(request: CaptureRequest, *, created: str, **rest: Any) -> Evidence:
        from explorer.archives.imported import import_archive

        return import_archive(archive, request, **rest)

    stages = real_stages()
    versions = {**stages.versions, "explore": f"archive 2 {archive.digest}"}
    return stages._replace(explore=read, versions=versions)
