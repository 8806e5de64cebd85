"""Runs and environments named on the command line."""

import shlex
from pathlib import Path
from typing import Any

from artifacts.environment import Environment
from artifacts.errors import DamagedError, UsageError
from artifacts.mirror import Mirror
from environments.registry import environment_folder
from environments.runtime.failure import ServeError
from environments.runtime.manifest import FILE, check_mirror, read_manifest
from webanything.cli.session import Work
from webanything.config import load
from webanything.request import load_accounts
from webanything.runfolder import RunFolder, run_named


def saved_work(folder: Path, flags: dict[str, Any], config: str | None) -> Work:
    """The work of a run that is there, its request as it was."""
    place = RunFolder(folder)
    run = place.saved_run()
    resolved = load(flags, config=config)
    accounts = load_accounts(resolved.settings.accounts)
    return Work(place, run.request, run.name, resolved, accounts)


def environment_of(named: str) -> Path:
    """The environment folder that a folder, a run, an id or a name means. Raises UsageError where there is none."""
    folder = run_named(Path(named))
    if (folder / "run.json").is_file() and not (folder / "environment" / "environment.json").is_file():
        if not (folder / "mirror.json").is_file():
            raise _not_built(folder)
        raise UsageError(
            "This run has no environment: its mirror was not accepted, or not frozen yet.",
            where=named,
            remedy=f"See why: webanything show {named}. The candidate can be served: webanything serve {named}",
            code="no_environment",
        )
    return environment_folder(named if folder == Path(named) else folder)


def unchanged(folder: Path) -> Path:
    """The folder itself, if it is no environment or its mirror is the one that was frozen. Raises DamagedError.

    Another version of the runtime may serve it: that is what an upgrade does.
    """
    if not (folder / FILE).is_file():
        return folder
    try:
        check_mirror(read_manifest(folder))
    except ServeError as error:
        raise DamagedError(error.what, where=error.where, remedy=error.remedy, code=error.code) from error
    return folder


def _not_built(folder: Path) -> UsageError:
    place = shlex.quote(str(folder))
    again = f"webanything reconstruct {shlex.quote(RunFolder(folder).saved_run().request.url)} --out {place}"
    seen = (folder / "evidence.json").is_file()
    return UsageError(
        "This run has no mirror yet: nothing was built.",
        where=str(folder),
        remedy=f"Build it: webanything build {place}; or do all that is left: {again}" if seen else f"Go on: {again}",
        code="no_mirror",
    )


def servable(named: str) -> Path:
    """What to serve: an environment; for a run, the one frozen from its mirror as it is now, else that candidate."""
    folder = RunFolder(run_named(Path(named)))
    mirror = folder.record(Mirror, "mirror.json")
    if mirror is None:
        return environment_of(named)
    environment = folder.record(Environment, "environment/environment.json")
    return folder / "environment" if environment and environment.mirror == mirror.tree else folder / "mirror"
