"""`webanything list`."""

import json
from pathlib import Path
from typing import Any

import click

from environments.registry import find_environments
from webanything.cli.console import Console
from webanything.cli.options import common, given, setting_options
from webanything.config import load
from webanything.runfolder import RunFolder


@click.command("list")
@click.argument("what", type=click.Choice(["runs", "envs"]), default="runs")
@setting_options("runs")
@common
@click.pass_obj
def command(console: Console, /, what: str, config: str | None, **flags: Any) -> None:
    """List runs, or the environments that came of them, in the folder for runs."""
    home = Path(load(given(flags), config=config).settings.runs)
    rows = sorted(_runs(home) if what == "runs" else _environments(home), key=lambda row: str(row["folder"]))
    if console.json:
        for row in rows:
            console.result("", row)
    elif not rows:
        console.say(f"no {what} in {home}")
    else:
        widths = {key: max(len(str(row[key])) for row in rows) for key in rows[0]}
        for row in rows:
            console.result("  ".join(f"{row[key]!s:<{widths[key]}}" for key in row).rstrip())


def _runs(home: Path) -> list[dict[str, Any]]:
    found = []
    for path in home.glob("*/run.json"):
        run = _read(path)
        found.append(
            {
                "folder": str(path.parent),
                "verdict": run.get("verdict") or ("running" if RunFolder(path.parent).is_busy() else "unfinished"),
                "created": run.get("created", ""),
                "url": run.get("request", {}).get("url", ""),
            }
        )
    return found


def _environments(home: Path) -> list[dict[str, Any]]:
    return [
        {"folder": str(each.folder), "id": each.record.id, "site": each.record.site, "clock": each.record.clock}
        for each in find_environments([home])
    ]


def _read(path: Path) -> dict[str, Any]:
    # a list must not fail because one run is broken or of another version
    try:
        value = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}
