"""`webanything doctor`."""

import click

from artifacts.errors import ExitCode
from webanything.cli.console import Console
from webanything.cli.options import common


@click.command("doctor")
@common
@click.pass_obj
def command(console: Console, /) -> int:
    """Check what this machine offers, and how to mend what is missing.

    Exit code 4 when the main job cannot be done here. Changes nothing and asks no other machine.
    """
    from webanything.doctor import examine, needed_and_missing

    checks = examine()
    for check in checks:
        text = f"{check.name:<24}{check.state:<9}{check.found}"
        if check.state != "ok":
            text += f"\n{'':<24}{'needed' if check.needed else 'optional':<9}to mend: {check.mend}"
        console.result(text, {"check": check.name, **{k: v for k, v in check._asdict().items() if k != "name"}})
    return int(ExitCode.MISSING if needed_and_missing(checks) else ExitCode.OK)
