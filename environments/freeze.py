"""A mirror becomes an environment: a folder named by digests, the same every time it is started."""

import contextlib
import importlib.metadata
import os
import secrets
import shutil
import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from artifacts.contract import Contract
from artifacts.digest import digest_tree, tree_files
from artifacts.environment import Environment
from artifacts.errors import DamagedError, UsageError
from artifacts.mirror import Mirror
from artifacts.report import Report
from artifacts.store import write_file
from environments.registry import environment_id, usable_name
from environments.runtime import database
from environments.runtime.clock import parse_instant
from environments.runtime.manifest import FILE, content_digest
from environments.runtime.sessions import Seed

_LINKED = (".db",)


def freeze(
    mirror_dir: Path,
    *,
    mirror: Mirror,
    contract: Contract,
    report: Report | None,
    out: Path,
    name: str,
    version: int = 1,
) -> Environment:
    """The environment record, after writing `environment.json` and `mirror/` below `out`.

    What was there before is replaced in one step. Raises DamagedError when the folder is not the mirror of the record.
    """
    files = tree_files(mirror_dir)
    if digest_tree(files) != mirror.tree:
        raise DamagedError(
            "The mirror's files are not the ones its record names.",
            where=str(mirror_dir),
            remedy="Run `webanything build` again.",
            code="mirror_changed",
        )
    if usable_name(name) != name:
        raise UsageError(
            f"{name!r} cannot be part of a host name.",
            remedy=f"Use small letters, digits and hyphens, such as {usable_name(name)!r}.",
            code="bad_name",
        )
    record = describe(
        mirror_dir, files, contract=contract, report=report.digest if report else None, name=name, version=version
    )
    out.parent.mkdir(parents=True, exist_ok=True)
    fresh = out.with_name(f".{out.name}.{secrets.token_hex(4)}")
    try:
        copy_mirror(mirror_dir, fresh / "mirror", files)
        write_file(fresh / FILE, record.to_bytes())
        _put_in_place(fresh, out)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    return record


def describe(
    mirror_dir: Path, files: Mapping[str, str], *, contract: Contract, report: str | None, name: str, version: int
) -> Environment:
    """The record of a mirror folder whose `tree_files` are given. Raises DamagedError if its seed is broken."""
    try:
        seed = Seed.of(mirror_dir, parse_instant(contract.clock))
    except (sqlite3.Error, ValueError) as error:
        raise DamagedError(
            f"The mirror's seed cannot be used: {error}",
            where=str(mirror_dir / "seed.sql"),
            remedy="Run `webanything build` again.",
            code="broken_seed",
        ) from error
    return Environment(
        id=environment_id(name, version),
        name=name,
        version=version,
        site=contract.site,
        start=contract.start,
        content=content_digest(files),
        mirror=digest_tree(files),
        contract=contract.digest,
        report=report,
        seed=seed.digest,
        clock=contract.clock,
        hosts=contract.hosts,
        accounts=_accounts(seed, contract),
        runtime=_version(),
    )


def copy_mirror(source: Path, target: Path, files: Mapping[str, str]) -> None:
    """A copy of the mirror. Databases and recorded bodies, which nobody edits, share their bytes where they can."""
    for path in files:
        original, copy = source / path, target / path
        copy.parent.mkdir(parents=True, exist_ok=True)
        if path.startswith("bodies/") or path.endswith(_LINKED):
            with contextlib.suppress(OSError):
                os.link(original.resolve(), copy)
                continue
        shutil.copyfile(original, copy)


def _put_in_place(fresh: Path, out: Path) -> None:
    if not out.exists():
        fresh.replace(out)
        return
    old = out.with_name(f".{out.name}.{secrets.token_hex(4)}")
    out.replace(old)
    fresh.replace(out)
    shutil.rmtree(old, ignore_errors=True)


def _accounts(seed: Seed, contract: Contract) -> tuple[dict[str, str], ...]:
    """The contract's accounts with the passwords the mirror accepts, read from the seed where the mirror keeps them."""
    known: dict[tuple[str, str], str] = {}
    with database.opened(seed.image) as connection:
        connection.row_factory = sqlite3.Row
        if seed.site is not None:
            database.attach_site(connection, seed.site)
        for schema in ("main", "site") if seed.site is not None else ("main",):
            for row in _rows_with(connection, schema, {"user", "password"}):
                label = str(row["label"]) if "label" in row.keys() else ""  # noqa: SIM118 - a Row iterates over values
                known.setdefault((label, str(row["user"])), str(row["password"]))
                known.setdefault(("", str(row["user"])), str(row["password"]))
    accounts = []
    for account in contract.accounts:
        label, user = account.get("label", ""), account.get("user", "")
        password = known.get((label, user)) or known.get(("", user)) or account.get("password", "")
        accounts.append({"label": label, "user": user, "password": password})
    return tuple(accounts)


def _rows_with(connection: sqlite3.Connection, schema: str, columns: set[str]) -> list[Any]:
    rows: list[Any] = []
    names = [row[0] for row in connection.execute(f"SELECT name FROM {schema}.sqlite_master WHERE type = 'table'")]
    for name in names:
        table = f"{schema}.{database.quoted(name)}"
        there = {row[1] for row in connection.execute(f"PRAGMA {schema}.table_info({database.quoted(name)})")}
        if columns <= there:
            rows += connection.execute(f"SELECT * FROM {table}").fetchall()
    return rows


def _version() -> str:
    try:
        return importlib.metadata.version("webanything")
    except importlib.metadata.PackageNotFoundError:
        return "0"
