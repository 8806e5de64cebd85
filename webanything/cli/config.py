"""`webanything config`."""

from typing import Any

import click

from webanything.cli.console import Console
from webanything.cli.options import EXPLORING, SHOWING, VERIFYING, common, given, setting_options
from webanything.config import load


@click.command("config")
@click.option("--origin", is_flag=True, help="Say where each value comes from.")
@setting_options(*EXPLORING, *VERIFYING, *SHOWING)
@common
@click.pass_obj
def command(console: Console, /, origin: bool, config: str | None, **flags: Any) -> None:
    """Show every setting, and where each value comes from.

    The values are those that a command called here with these flags would take.
    """
    resolved = load(given(flags), config=config)
    for key, value in resolved.settings.model_dump(mode="json").items():
        source = resolved.origin[key]
        text = f"{key} = {value!r}" if not isinstance(value, bool) else f"{key} = {str(value).lower()}"
        data = {"key": key, "value": value, **({"origin": source} if origin else {})}
        console.result(f"{text:<40}  {source}" if origin else text, data)
