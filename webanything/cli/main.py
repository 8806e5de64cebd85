"""The command `webanything`: finds the subcommand, and maps every ending to an exit code. The only place that exits."""

import importlib
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

import click

from webanything import __version__
from webanything.cli.console import Console
from webanything.cli.endings import ReaderGone, exit_code_of

COMMANDS = {
    "reconstruct": "Turn a site into an environment: explore, build, verify, freeze.",
    "import": "Make a run of a HAR, WACZ or WARC file that another tool recorded.",
    "explore": "Gather evidence of a site, or go on with a run's.",
    "recapture": "Ask the site for exactly what a run lacks.",
    "build": "Build the mirror from a run's evidence.",
    "verify": "Check a run's mirror against its evidence.",
    "freeze": "Package a run's accepted mirror as an environment.",
    "serve": "Serve an environment, or a run's candidate, on this machine.",
    "open": "Open a browser on a mirror under the site's own host names.",
    "reset": "Put a served environment back to its seed, with proof.",
    "image": "Build a Docker image of an environment.",
    "compose": "Write a docker-compose.yml for environments.",
    "run": "Let an agent act in environments.",
    "export-web": "Write everything a run captured as a web archive.",
    "show": "Show what a run came to.",
    "report": "Write a run's report for people anew and say where it is.",
    "list": "List runs, or the environments that came of them.",
    "diff": "Compare two runs.",
    "doctor": "Check what this machine offers, and how to mend what is missing.",
    "config": "Show every setting, and where each value comes from.",
    "schema": "Print the JSON Schema of a record.",
}


def module_of(command: str) -> str:
    """The module of a command; one called `import` could not be imported."""
    return "import_" if command == "import" else command.replace("-", "_")


class Commands(click.Group):
    """Subcommands imported on use: help and completion of the whole stay quick."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command = importlib.import_module(f"webanything.cli.{module_of(cmd_name)}").command
        assert isinstance(command, click.Command)
        return command

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:  # click would end the program itself, before anybody can say how to go on
            raise ReaderGone from error

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.command(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="webanything")
def commands() -> None:
    """One command turns a real website into a local, resettable, checkable sandbox for web agents.

    The same command again continues where it stopped. Exit codes: docs/reference/exit-codes.md.
    """


def main(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code."""
    console = Console(list(arguments))
    try:
        result = commands.main(list(arguments), prog_name="webanything", standalone_mode=False, obj=console)
    except BaseException as error:  # noqa: BLE001 - the outermost boundary: every ending becomes an exit code
        try:
            return exit_code_of(error, console)
        except BrokenPipeError as gone:  # nobody reads any more what it would say
            return exit_code_of(gone, console)
    return result if isinstance(result, int) else 0


def run() -> NoReturn:
    """Entry point of the installed command."""
    sys.exit(main(sys.argv[1:]))
