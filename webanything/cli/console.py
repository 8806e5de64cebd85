"""What a command says: results on stdout, everything else on stderr; with --json nothing but JSON lines on stdout."""

import shlex
from pathlib import Path
from typing import Any

import click

from artifacts.errors import WebAnythingError
from artifacts.events import Event
from webanything.display.jsonl import line

FINISHING = ("reconstruct", "import", "explore", "recapture", "build", "verify", "freeze")
"""Commands whose last JSON line is `finished`, whatever happened."""


class Console:
    """The streams of one command. Made before the arguments are parsed, so that bad ones can be told as asked for."""

    def __init__(self, arguments: list[str]) -> None:
        self.arguments = arguments
        flags = arguments[: arguments.index("--")] if "--" in arguments else arguments
        self.json = "--json" in flags
        self.debug = "--debug" in flags
        self.run: Path | None = None
        self._command = next((word for word in arguments if not word.startswith("-")), "")
        self._finished = False

    def say(self, text: str) -> None:
        """A remark for people."""
        click.echo(text, err=True)

    def result(self, text: str, value: Any = None) -> None:
        """The command's result: text for people; with --json one line of JSON, or nothing where it has no value."""
        if not self.json:
            click.echo(text)
        elif value is None:
            self.say(text)
        else:
            click.echo(line(Event("result", value if isinstance(value, dict) else {"value": value})))

    def line(self, text: str) -> None:
        """One line on stdout that is the same with and without --json, there for the reader at once."""
        click.echo(text)

    def error(self, error: WebAnythingError) -> None:
        """The three lines, and with --json the same as a line of JSON."""
        if self.json:
            data = {"code": error.code, "what": error.what, "where": error.where, "remedy": error.remedy}
            click.echo(line(Event("error", {**data, "exit": int(error.exit_code)})))
        for text in error.lines():
            self.say(text)

    def finished(self, **data: Any) -> None:
        """The last JSON line; what is not known is null."""
        if self.json and not self._finished and self._command in FINISHING:
            run = str(self.run) if self.run else None
            known: dict[str, Any] = {"verdict": None, "run": run, "environment": None, "scores": {}, "spend": {}}
            click.echo(line(Event("finished", {**known, **data})))
        self._finished = True

    @property
    def again(self) -> str:
        """The command line that continues."""
        return shlex.join(["webanything", *self.arguments])
