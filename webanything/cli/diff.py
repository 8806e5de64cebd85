"""`webanything diff A B`."""

from pathlib import Path
from typing import Any

import click

from artifacts.contract import Contract
from artifacts.report import Report
from webanything.cli.console import Console
from webanything.cli.options import common
from webanything.pipeline import scores
from webanything.runfolder import RunFolder

_run = click.Path(path_type=Path)


@click.command("diff")
@click.argument("first", metavar="A", type=_run)
@click.argument("second", metavar="B", type=_run)
@common
@click.pass_obj
def command(console: Console, /, first: Path, second: Path) -> None:
    """Compare two runs: verdict, numbers, and which routes and behaviours of the contract came or went."""
    before, after = _facts(RunFolder(first)), _facts(RunFolder(second))
    changed = {
        key: [before.get(key), after.get(key)]
        for key in dict.fromkeys([*before, *after])
        if before.get(key) != after.get(key)
    }
    lines = [f"{key:<34}{_text(old):>14}  {_text(new):>14}" for key, (old, new) in changed.items()]
    console.result("\n".join(lines) or "nothing differs", {"changed": changed})


def _facts(place: RunFolder) -> dict[str, Any]:
    run = place.saved_run()
    facts: dict[str, Any] = {"verdict": run.verdict or "unfinished", "seconds": run.spend.seconds}
    report = place.record(Report, "report.json")
    if report is not None:
        facts |= {f"{which} {key}": value for which, part in scores(report).items() for key, value in part.items()}
        facts["findings"] = len(report.findings)
    contract = place.record(Contract, "contract.json")
    if contract is not None:
        facts |= {f"route {route.host}{route.pattern}": route.status for route in contract.routes}
        facts |= {f"behaviour {behaviour.name}": behaviour.status for behaviour in contract.behaviours}
    return facts


def _text(value: Any) -> str:
    return "-" if value is None else f"{value:.4f}" if isinstance(value, float) else str(value)
