"""`webanything export-web RUN`."""

from pathlib import Path
from typing import Literal

import click

from artifacts.errors import UsageError
from artifacts.evidence import Evidence, load_part
from artifacts.store import write_file
from webanything import __version__
from webanything.cli.console import Console
from webanything.cli.endings import understood
from webanything.cli.options import common, folder_argument
from webanything.runfolder import RunFolder


@click.command("export-web")
@folder_argument
@click.option("--wacz", "kind", flag_value="wacz", help="A web archive collection, as ReplayWeb.page opens it.")
@click.option("--har", "kind", flag_value="har", help="An HTTP archive, as browsers and test tools open it.")
@click.option("--out", type=click.Path(path_type=Path), metavar="FILE", help="[default: RUN/NAME.wacz or .har]")
@common
@click.pass_obj
def command(console: Console, /, folder: Path, kind: Literal["wacz", "har"] | None, out: Path | None) -> None:
    """Write everything a run captured as a web archive.

    Bodies are as the browser saw them, decoded, and secrets are replaced as they are in the run. A collection holds no
    WebSocket messages, since its format has no place for them; an HTTP archive does.
    """
    if kind is None:
        raise UsageError("Say which format.", remedy="Add --wacz or --har.", code="no_format")
    place = RunFolder(folder)
    run = place.saved_run()
    evidence = place.evidence()
    path = out or folder / f"{run.name}.{kind}"
    try:
        written = _write(path, kind, evidence, place, run.name)
    except OSError as error:
        if understood(error) is not None:
            raise
        raise UsageError(
            f"The archive cannot be written: {error.strerror}.",
            where=str(path),
            remedy="Choose another place with --out.",
            code="bad_file",
        ) from error
    console.result(f"{path}: {written} exchanges", {"path": str(path), "exchanges": written})


def _write(path: Path, kind: str, evidence: Evidence, place: RunFolder, name: str) -> int:
    from explorer.archives.har import write_har
    from explorer.archives.traffic import sent
    from explorer.archives.wacz import write_wacz

    part = load_part(place.store, evidence.open) + load_part(place.store, evidence.sealed)
    traffic = sent(evidence, part, place.store)
    if kind == "wacz":
        software = f"WebAnything/{__version__}"
        return write_wacz(path, title=name, software=software, states=part.states, traffic=traffic)
    answered = list(traffic)
    write_file(path, write_har(evidence, part.states, answered, place.store))
    return len(answered)
