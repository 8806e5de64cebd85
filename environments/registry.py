"""Ids of environments, such as "webanything/shop-v1", and where the environments of this machine are."""

import difflib
import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from artifacts.environment import Environment
from artifacts.errors import DamagedError, UsageError

NAMESPACE = "webanything"
RUNS = Path("webanything-runs")
_ID = re.compile(r"(?:webanything/)?(?P<name>[a-z0-9][a-z0-9-]*?)(?:-v(?P<version>\d+))?")


class Found(NamedTuple):
    """An environment on this machine."""

    record: Environment
    folder: Path


def environment_id(name: str, version: int) -> str:
    """The id under which an environment is known to Gymnasium.

    >>> environment_id("shop", 2)
    'webanything/shop-v2'
    """
    return f"{NAMESPACE}/{name}-v{version}"


def name_from_host(site: str) -> str:
    """A name that can be part of a host name, from a site's address.

    >>> name_from_host("https://www.shop.example"), name_from_host("http://books.toscrape.com/"), name_from_host("a_b")
    ('shop', 'books-toscrape', 'a-b')
    >>> name_from_host("http://127.0.0.1:8000"), name_from_host("http://localhost:8000")
    ('127-0-0-1-8000', 'localhost-8000')
    """
    parts = urlsplit(site if "//" in site else f"//{site}")
    host = (parts.hostname or "site").removeprefix("www.")
    labels = host.split(".")
    if len(labels) > 1 and labels[-1].isalpha():
        host = ".".join(labels[:-1])
    port = f"-{parts.port}" if parts.port else ""
    return usable_name(host + port)


def usable_name(text: str) -> str:
    """The nearest text that may stand in a host name and in an id: a-z, 0-9 and -, at most 48 characters.

    >>> usable_name("Ünïque Shop!"), usable_name("--")
    ('n-que-shop', 'site')
    """
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:48].rstrip("-") or "site"


def search_folders() -> tuple[Path, ...]:
    """Where environments are looked for: WEBANYTHING_ENVIRONMENTS (a path list), else the runs folder and this one."""
    named = os.environ.get("WEBANYTHING_ENVIRONMENTS", "")
    return tuple(Path(part) for part in named.split(os.pathsep) if part) or (RUNS, Path())


def find_environments(folders: Iterable[Path] | None = None) -> list[Found]:
    """Every environment in the folders, their runs and their environments, by id; damaged ones are passed over."""
    found: dict[Path, Found] = {}
    for folder in search_folders() if folders is None else folders:
        for pattern in ("environment.json", "*/environment.json", "*/environment/environment.json"):
            for path in sorted(folder.glob(pattern)):
                try:
                    record = Environment.from_bytes(path.read_bytes())
                except (DamagedError, OSError):
                    continue
                found[path.resolve()] = Found(record, path.parent)
    return sorted(found.values(), key=lambda each: (each.record.name, each.record.version, str(each.folder)))


def environment_folder(named: str | Path, folders: Iterable[Path] | None = None) -> Path:
    """The folder of an environment, from its path, its run's path, its id or its name (the newest version then).

    Raises UsageError, with near misses, when there is none.
    """
    for path in (Path(named), Path(named) / "environment"):
        if (path / "environment.json").exists():
            return path
    there = find_environments(folders)
    matched = _ID.fullmatch(str(named))
    if matched:
        version = int(matched["version"]) if matched["version"] else None
        fitting = [
            each for each in there
            if each.record.name == matched["name"] and version in (None, each.record.version)
        ]  # fmt: skip
        if fitting:
            return fitting[-1].folder
    raise UsageError(
        f"There is no environment {str(named)!r}.",
        where=", ".join(str(folder) for folder in (search_folders() if folders is None else folders)),
        remedy=_suggestion(str(named), [each.record for each in there]),
        code="no_such_environment",
    )


def _suggestion(named: str, there: Sequence[Environment]) -> str:
    known = {record.id: record.id for record in there} | {record.name: record.id for record in there}
    near = difflib.get_close_matches(named, known, n=3, cutoff=0.5)
    if near:
        return f"Did you mean {' or '.join(dict.fromkeys(known[name] for name in near))}?"
    return "Name the folder that `webanything freeze` wrote; `webanything list` shows what there is."
