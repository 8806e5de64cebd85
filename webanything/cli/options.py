"""Options made from settings, so that flag, variable and file key can never drift apart."""

from collections.abc import Callable, Mapping
from pathlib import Path
from types import UnionType
from typing import Any, Literal, get_args, get_origin

import click

from webanything.config import Settings
from webanything.request import ACCOUNTS_FORMAT
from webanything.runfolder import run_named

EXPLORING = (
    "scope", "coverage", "max_pages", "max_actions", "max_time", "max_cost", "allow", "accounts", "resolve", "lens",
    "model", "ignore_robots", "requests_per_second",
)  # fmt: skip
VERIFYING = ("verify_jobs", "verify_time")
SHOWING = ("runs", "display")

type Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def setting_options(*names: str) -> Decorator:
    """Adds a flag for each named setting, and --config."""

    def add(function: Callable[..., Any]) -> Callable[..., Any]:
        function = click.option("--config", metavar="FILE|RUN", help="Settings from a TOML file, or those of a run.")(
            function
        )
        for name in reversed(names):
            function = _option(name)(function)
        return function

    return add


def common(function: Callable[..., Any]) -> Callable[..., Any]:
    """Adds --json and --debug. They are read before parsing, by Console; here they are only declared."""
    function = click.option("--debug", is_flag=True, expose_value=False, help="Show tracebacks.")(function)
    return click.option(
        "--json", "as_json", is_flag=True, expose_value=False, help="JSON lines on stdout, and nothing else there."
    )(function)


folder_argument = click.argument(
    "folder", metavar="RUN", type=click.Path(path_type=Path), callback=lambda _, __, named: run_named(named)
)


def given(flags: Mapping[str, Any]) -> dict[str, Any]:
    """The settings that were named on the command line."""
    return {key: value for key, value in flags.items() if key in Settings.model_fields and value not in (None, ())}


def _option(name: str) -> Decorator:
    field = Settings.model_fields[name]
    flag = "--" + name.replace("_", "-")
    kind: Any = field.annotation
    if kind is bool:
        return click.option(flag, is_flag=True, default=None, help=field.description)
    many = get_origin(kind) is tuple
    if many:
        kind = get_args(kind)[0]
    choices = [choice for choice in get_args(kind) if choice != "read"] if get_origin(kind) is Literal else None
    return click.option(
        flag,
        type=click.Choice(choices) if choices else str if isinstance(kind, UnionType) or "time" in name else kind,
        multiple=many,
        default=None,
        metavar=_METAVARS.get(name),
        help=_HELP.get(name, field.description),
    )


_HELP = {"accounts": f"JSON file with the site's test accounts: {ACCOUNTS_FORMAT}"}
_METAVARS = {"max_time": "TIME", "verify_time": "TIME", "accounts": "FILE", "resolve": "HOST:PORT:ADDRESS",
             "lens": "desktop|mobile|FILE", "model": "NAME|none", "runs": "DIR", "max_cost": "USD"}  # fmt: skip
