"""Run folders and environments named on the command line."""

from pathlib import Path
from typing import Any

from artifacts.environment import Environment
from artifacts.errors import UsageError
from webanything.cli.session import Work
from webanything.config import load
from webanything.request import load_accounts
from webanything.runfolder import RunFolder


def saved_work(folder: Path, flags: dict[str, Any], config: str | None) -> Work:
    """The work of a run that is there, its request as it was."""
    place = RunFolder(folder)
    run = place.saved_run()
    resolved = load(flags, config=config)
    accounts = load_accounts(resolved.settings.accounts)
    return Work(place, run.request, run.name, resolved, accounts)


def environment_of(folder: Path) -> Path:
    """The environment folder that RUN or ENV names. Raises UsageError where there is none."""
    for place in (folder, folder / "environment"):
        if (place / "environment.json").is_file():
            return place
    if (folder / "run.json").is_file():
        raise UsageError(
            "This run has no environment: its mirror was not accepted, or not frozen yet.",
            where=str(folder),
            remedy=f"See why: webanything show {folder}. The candidate can be served: webanything serve {folder}",
            code="no_environment",
        )
    raise UsageError(
        "This folder holds neither a run nor an environment.",
        where=str(folder),
        remedy="List what there is: webanything list",
        code="no_environment",
    )


def servable(folder: Path) -> Path:
    """What to serve for RUN or ENV: the environment if the run was accepted, else its candidate."""
    if (folder / "environment.json").is_file():
        return folder
    place = RunFolder(folder)
    run = place.run()
    environment = place.record(Environment, "environment/environment.json")
    if environment is not None and (run is None or run.verdict == "accepted"):
        return folder / "environment"
    if (folder / "mirror.json").is_file():
        return folder
    return environment_of(folder)
