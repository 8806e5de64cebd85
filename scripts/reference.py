"""Writes docs/reference from the code. With --check it only says whether anything would change."""

import ast
import inspect
import sys
from collections.abc import Iterator
from pathlib import Path

import click

from artifacts import errors
from artifacts.errors import ExitCode, WebAnythingError
from webanything.cli.main import COMMANDS, Commands, commands
from webanything.config import PREFIX, Settings, defaults

HOME = Path(__file__).resolve().parent.parent / "docs" / "reference"
NOTE = "<!-- Written by `make docs` from the code; change the code instead. -->\n"

MEANINGS = {
    ExitCode.OK: "Done; accepted, where there is a verdict.",
    ExitCode.INTERNAL: "A bug. The traceback is kept: report it.",
    ExitCode.NOT_ACCEPTED: "Everything ran; the verdict is another than accepted. The run can be served.",
    ExitCode.INTERRUPTED: "Ctrl-C or SIGTERM. The same command continues.",
}
VARIABLES = {
    "WEBANYTHING_BROWSER": "The Chromium to use, instead of the first one found.",
    "WEBANYTHING_ENVIRONMENTS": "Folders to look for environments in, separated like PATH.",
    "WEBANYTHING_TOKEN": "Token of the control plane whose address `webanything reset` is given.",
    "WEBANYTHING_REQUIRE": "For the tests: tools (browser, docker) whose absence is a failure instead of a skip.",
    "NO_COLOR, FORCE_COLOR, TERM": "As elsewhere: no colour, colour anyway, no live display on a dumb terminal.",
}


def commands_page() -> str:
    parts = [
        NOTE,
        "# Commands\n",
        "`--json` gives JSON lines on stdout and nothing else there; all else goes to stderr.\n",
    ]
    for name in COMMANDS:
        command = Commands().get_command(click.Context(commands), name)
        assert command is not None
        context = click.Context(command, info_name=f"webanything {name}")
        usage = " ".join([context.command_path, *command.collect_usage_pieces(context)])
        parts.append(f"## {name}\n\n    {usage}\n\n{inspect.cleandoc(command.help or '')}\n")
        options = [one for one in command.params if isinstance(one, click.Option)]
        rows = [record for record in (option.get_help_record(context) for option in options) if record]
        if rows:
            parts.append(table(("option", "meaning"), [(f"`{flag}`", text) for flag, text in rows]))
    return "\n".join(parts)


def exit_codes_page() -> str:
    meanings = dict(MEANINGS)
    for line in inspect.getdoc(errors).splitlines():  # type: ignore[union-attr]
        words = line.strip("|`- ").split(maxsplit=2)
        if len(words) == 3 and words[0].endswith("Error") and words[1].isdigit():
            meanings.setdefault(ExitCode(int(words[1])), words[2][0].upper() + words[2][1:] + ".")
    rows = [(str(code.value), code.name.lower().replace("_", " "), meanings[code]) for code in ExitCode]
    return "\n".join(
        [
            NOTE,
            "# Exit codes\n",
            table(("code", "name", "meaning"), rows),
            "An error is three lines on stderr: what happened, at which address or file, what to do. With `--json`",
            'it is also a line `{"event": "error", "code", "what", "where", "remedy", "exit"}` on stdout.',
            "`code` is short and stable:\n",
            table(("code", "exit"), sorted(named_codes())),
        ]
    )


def named_codes() -> Iterator[tuple[str, str]]:
    """Every error code that is spelled out in the code, with the exit code of its error."""
    seen: dict[str, str] = {}
    for path in sorted(HOME.parent.parent.glob("*/**/*.py")):
        if path.relative_to(HOME.parent.parent).parts[0] in ("tests", "bench", "scripts", ".venv"):
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            kind = getattr(errors, node.func.id, None) if isinstance(node, ast.Call) and _named(node) else None
            if isinstance(kind, type) and issubclass(kind, WebAnythingError):
                given = {keyword.arg: keyword.value for keyword in node.keywords}  # type: ignore[attr-defined]
                code = given.get("code") or ast.Constant(kind("", remedy="").code)
                if isinstance(code, ast.Constant):
                    seen[f"`{code.value}`"] = str(int(kind.exit_code))
    return iter(seen.items())


def _named(node: ast.Call) -> bool:
    return isinstance(node.func, ast.Name)


def configuration_page() -> str:
    standard = defaults().values
    rows = [
        (f"`{key}`", f"`{PREFIX}{key.upper()}`", f"`{standard[key]!r}`", field.description or "")
        for key, field in Settings.model_fields.items()
    ]
    return "\n".join(
        [
            NOTE,
            "# Configuration\n",
            "The first place that names a setting wins: flag, `WEBANYTHING_*` variable, `--config` file (or the",
            "settings of a run, with `--config RUN`), `webanything.toml`, `[tool.webanything]` in `pyproject.toml`,",
            "`~/.config/webanything/config.toml`, default. An unknown name is an error. In files, keys are written as",
            "below and paths are relative to the file. `webanything config --origin` shows where each value is from.\n",
            table(("setting", "variable", "default", "meaning"), rows),
            "## Variables that are no settings\n",
            table(("variable", "meaning"), [(f"`{name}`", text) for name, text in VARIABLES.items()]),
        ]
    )


def table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "".join(
        "| " + " | ".join(" ".join(cell.replace("|", "\\|").split()) for cell in line) + " |\n" for line in lines
    )


PAGES = {
    "commands.md": commands_page,
    "exit-codes.md": exit_codes_page,
    "configuration.md": configuration_page,
}


def main(arguments: list[str]) -> int:
    stale = [name for name, page in PAGES.items() if not is_current(HOME / name, page())]
    if "--check" in arguments:
        for name in stale:
            sys.stderr.write(f"docs/reference/{name} is not what the code says; run: make docs\n")
        return 1 if stale else 0
    HOME.mkdir(parents=True, exist_ok=True)
    for name in stale:
        (HOME / name).write_text(PAGES[name]())
    return 0


def is_current(path: Path, text: str) -> bool:
    return path.exists() and path.read_text() == text


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
