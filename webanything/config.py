"""Settings, and where each came from: flag, variable, --config file, project file, user file, packaged default.

The first place that names a setting wins. A name nobody knows is an error, never ignored.
"""

import difflib
import json
import os
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

from pydantic import ConfigDict, Field, ValidationError

from artifacts._record import Record
from artifacts.errors import UsageError
from artifacts.run import Safety, Scope

PREFIX = "WEBANYTHING_"
_UNITS = {"": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_FILES = ("accounts", "lens")
"""Settings that may name a file; in a configuration file the name is relative to that file."""


class Settings(Record):
    """Every setting, resolved. The text under each field is its help on the command line and in the reference."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    scope: Scope
    """How far from the start address to go: page, prefix, host or domain."""
    coverage: Literal["full", "jit"]
    """full explores the site; jit captures the start page and what --task names."""
    max_pages: int = Field(ge=0)
    """Pages to look at, 0 for no limit."""
    max_actions: int = Field(ge=0)
    """Actions to try, 0 for no limit; looking at what came of one does not count."""
    max_time: float = Field(ge=0)
    """Time to explore, such as 90s, 30m or 1h; 0 for no limit."""
    max_cost: float = Field(ge=0)
    """US dollars a model may cost."""
    allow: tuple[Safety, ...]
    """What actions may do beyond reading: session, account, write. May be given several times."""
    accounts: str
    """JSON file with the site's test accounts."""
    resolve: tuple[str, ...]
    """HOST:PORT:ADDRESS: connect there when the site says HOST:PORT. May be given several times."""
    lens: str
    """How pages are looked at: desktop, mobile, or a TOML or JSON file with the lens's fields."""
    model: str
    """Model that works on what the compiler could not settle; none works without."""
    ignore_robots: bool
    """Go where robots.txt forbids. For sites you own."""
    requests_per_second: float = Field(gt=0)
    """Page loads and fetched documents a second, per host."""
    verify_jobs: int = Field(ge=1)
    """Browsers that check the mirror side by side."""
    verify_time: float = Field(ge=0)
    """Time for one verification; what is left then counts as not checked. 0 for no limit."""
    runs: str
    """Folder for run folders that --out does not place."""
    display: Literal["auto", "rich", "plain", "none"]
    """Progress: a live display, one line per change, or none; auto chooses by the terminal."""


class Layer(NamedTuple):
    """Values from one place."""

    origin: str
    values: Mapping[str, Any]


class Resolved(NamedTuple):
    settings: Settings
    origin: dict[str, str]
    """Setting -> the place its value came from."""


def seconds(text: str | float) -> float:
    """A duration in seconds. Plain numbers are seconds; parts may be joined.

    >>> seconds("30m"), seconds("1h30m"), seconds("90"), seconds(0)
    (1800.0, 5400.0, 90.0, 0.0)
    """
    if not isinstance(text, str):
        return float(text)
    parts = re.findall(r"(\d+(?:\.\d+)?)\s*([smhd]?)", text.strip().lower())
    if not parts or "".join(number + unit for number, unit in parts) != re.sub(r"\s", "", text.lower()):
        raise ValueError(f"{text!r} is no duration")
    return sum(float(number) * _UNITS[unit] for number, unit in parts)


def nearest(name: str, known: Iterable[str], cutoff: float = 0.6) -> str:
    """The known name most like this one; empty when none is like it.

    >>> nearest("max_page", ["scope", "max_pages"])
    'max_pages'
    """
    return next(iter(difflib.get_close_matches(name, list(known), 1, cutoff)), "")


def unknown_name(what: str, name: str, known: Iterable[str], where: str = "") -> UsageError:
    """The error for a name nobody knows, with the nearest one that is known."""
    names = sorted(known)
    near = nearest(name, names)
    remedy = f"Did you mean {near}?" if near else f"Known are: {', '.join(names)}."
    return UsageError(f"There is no {what} {name!r}.", where=where, remedy=remedy, code="unknown_name")


def resolve(layers: Sequence[Layer]) -> Resolved:
    """Settings from layers, the first that names a setting winning.

    Raises UsageError for unknown names and bad values.
    """
    merged: dict[str, Any] = {}
    origin: dict[str, str] = {}
    for layer in layers:
        for raw, value in layer.values.items():
            key = raw.replace("-", "_")
            if key not in Settings.model_fields:
                raise unknown_name("setting", raw, Settings.model_fields, layer.origin)
            if key not in merged:
                merged[key] = _read_value(key, value, layer.origin)
                origin[key] = layer.origin
    try:
        return Resolved(Settings.model_validate(merged), dict(sorted(origin.items())))
    except ValidationError as error:
        first = error.errors()[0]
        key = str(first["loc"][0])
        raise UsageError(
            f"{key}: {first['msg']}, got {merged.get(key)!r}.",
            where=origin.get(key, ""),
            remedy=f"{Settings.model_fields[key].description}",
            code="bad_value",
        ) from error


def _read_value(key: str, value: Any, origin: str) -> Any:
    """The value as the field wants it: durations in seconds, lists from one string."""
    if key in ("max_time", "verify_time"):
        try:
            return seconds(value)
        except ValueError as error:
            raise UsageError(
                f"{key}: {error}.", where=origin, remedy="Write it like 90s, 30m or 1h.", code="bad_value"
            ) from error
    if key in ("allow", "resolve") and isinstance(value, str):
        return tuple(part for part in re.split(r"[\s,]+", value) if part)
    return value


def layers(flags: Mapping[str, Any], *, config: str | None, environ: Mapping[str, str], cwd: Path) -> list[Layer]:
    """All places that may name a setting, strongest first."""
    found = [Layer("flag", flags), variables(environ)]
    if config:
        found.append(_config_layer(Path(config)))
    found += [
        _file_layer(cwd / "webanything.toml", ()),
        _file_layer(cwd / "pyproject.toml", ("tool", "webanything")),
        _file_layer(user_file(environ), ()),
        defaults(),
    ]
    return [layer for layer in found if layer.values]


def load(flags: Mapping[str, Any], *, config: str | None = None, extra: Sequence[Layer] = ()) -> Resolved:
    """The settings of this process. `extra` layers come just before the files, after flags and variables."""
    found = layers(flags, config=config, environ=os.environ, cwd=Path.cwd())
    strong = [layer for layer in found if layer.origin in ("flag", "variable")]
    return resolve([*strong, *extra, *(layer for layer in found if layer not in strong)])


def defaults() -> Layer:
    """The packaged values."""
    return Layer("default", tomllib.loads(Path(__file__).with_name("defaults.toml").read_text()))


def user_file(environ: Mapping[str, str]) -> Path:
    """Where this user's own settings lie, whether or not the file is there."""
    home = environ.get("XDG_CONFIG_HOME") or str(Path(environ.get("HOME", "~")).expanduser() / ".config")
    return Path(home) / "webanything" / "config.toml"


def variables(environ: Mapping[str, str]) -> Layer:
    """Settings named by WEBANYTHING_* variables. Other variables may share the prefix unless they look like a typo."""
    values: dict[str, str] = {}
    for variable, value in environ.items():
        if not variable.startswith(PREFIX) or not value:
            continue
        key = variable.removeprefix(PREFIX).lower()
        if key in Settings.model_fields:
            values[key] = value
        elif nearest(key, Settings.model_fields, cutoff=0.85):
            raise unknown_name("setting", key, Settings.model_fields, f"variable {variable}")
    return Layer("variable", values)


def run_layer(folder: Path) -> Layer:
    """The settings a run was made with, so that any run repeats with --config RUN."""
    file = folder / "run.json"
    request = json.loads(file.read_text())["request"]
    budget = request["budget"]
    values = {
        **{key: request[key] for key in ("scope", "coverage", "allow", "ignore_robots", "requests_per_second")},
        "resolve": [f"{item['host']}:{item['port']}:{item['address']}" for item in request["resolve"]],
        "max_pages": budget["max_pages"],
        "max_actions": budget["max_actions"],
        "max_time": budget["max_seconds"],
        "max_cost": budget["max_cost_usd"],
        "lens": str(file),
    }
    return Layer(f"run {folder}", values)


def _config_layer(path: Path) -> Layer:
    """The file given with --config: TOML, or the folder of a run."""
    if path.is_dir() and (path / "run.json").exists():
        return run_layer(path)
    if not path.is_file():
        raise UsageError(
            "There is no such configuration file.", where=str(path), remedy="Check --config.", code="no_such_file"
        )
    return _file_layer(path, ())


def _file_layer(path: Path, table: tuple[str, ...]) -> Layer:
    if not path.is_file():
        return Layer(str(path), {})
    try:
        values: Any = tomllib.loads(path.read_text())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(
            f"This is no TOML: {error}.", where=str(path), remedy="Mend the file or move it away.", code="bad_file"
        ) from error
    for name in table:
        values = values.get(name, {})
    files = {
        key: str(path.parent / value)
        for key, value in values.items()
        if key in _FILES and isinstance(value, str) and value not in ("", "desktop", "mobile")
    }
    return Layer(f"file {path}", {**values, **files})
