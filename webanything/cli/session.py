"""One attempt at a run: lock, log, display and signals around the pipeline."""

import contextlib
import logging
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from artifacts.errors import UsageError
from artifacts.events import Event
from artifacts.run import Account, CaptureRequest
from environments.registry import name_from_host
from webanything import __version__
from webanything.cli.console import Console
from webanything.cli.endings import ending_of
from webanything.config import Resolved
from webanything.display.choose import choose
from webanything.interrupt import stopping
from webanything.pipeline import Pipeline, begin
from webanything.request import capture_request, checked_name, load_accounts
from webanything.runfolder import RunFolder
from webanything.stages import Stages, real_stages

_ABLE = {"model": "none"}
"""Settings of which this version can do one value only. To take another and do nothing would be a pretence."""


class Work(NamedTuple):
    """What a command was asked to do, read and checked, with nothing written yet."""

    folder: RunFolder
    request: CaptureRequest
    name: str
    resolved: Resolved
    accounts: tuple[Account, ...] = ()


def asked(
    url: str, resolved: Resolved, *, out: Path | None, name: str | None, tasks: tuple[str, ...] | None = None
) -> Work:
    """The work that an address and settings name. Raises UsageError before anything is written."""
    settings = resolved.settings
    for key, able in _ABLE.items():
        if getattr(settings, key) != able:
            raise UsageError(
                f"This version knows no {key} but {able}, and was asked for {getattr(settings, key)}.",
                where=resolved.origin[key],
                remedy=f"Leave --{key} out.",
                code=f"no_{key}",
            )
    accounts = load_accounts(settings.accounts)
    if settings.coverage == "jit" and not any(task.strip() for task in tasks or ()):
        raise UsageError(
            "With --coverage jit only what tasks need is captured, and no task was given.",
            where=resolved.origin["coverage"],
            remedy="Add --task TEXT, once for each task, or leave --coverage out.",
            code="no_task",
        )
    request = capture_request(url, settings, tasks=tasks or (), accounts=accounts)
    label = checked_name(name) if name else name_from_host(url)
    return Work(RunFolder(out or Path(settings.runs) / label), request, label, resolved, accounts)


@contextlib.contextmanager
def working(
    console: Console, work: Work, *, again: bool = False, stages: Callable[[], Stages] = real_stages
) -> Iterator[Pipeline]:
    """The pipeline of the run, everything its stages say shown and logged until the block is left."""
    settings, folder = work.resolved.settings, work.folder
    console.run = folder.path
    with folder.locked(), stopping(console.say) as stop:
        now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        saved = folder.run()
        attempt = (saved.attempts if saved else 0) + 1
        run = begin(
            folder, work.request, name=work.name, version=__version__, now=now, attempt=attempt,
            origin=work.resolved.origin,
        )  # fmt: skip
        logs = folder.begin_attempt(attempt)
        display = choose(settings.display, json_lines=console.json)
        began = time.monotonic()

        def emit(event: Event) -> None:
            folder.log(event, round(time.monotonic() - began, 3), attempt)
            display.event(event)

        with _logging(logs / "log.txt"), contextlib.closing(display):
            emit(Event("started", {"url": run.request.url, "run": str(folder.path), "attempt": attempt}))
            try:
                yield Pipeline(
                    folder, stages(), run=run, logs=logs, emit=emit, stop=stop, accounts=work.accounts,
                    jobs=settings.verify_jobs, verify_seconds=settings.verify_time, again=again,
                )  # fmt: skip
            except BaseException as error:
                told = {"what": ending_of(error), "again": console.again}
                with contextlib.suppress(OSError):
                    folder.log(Event("ended", told), round(time.monotonic() - began, 3), attempt)
                raise


@contextlib.contextmanager
def _logging(path: Path) -> Iterator[None]:
    """Everything that libraries log or warn about goes to this file instead of the terminal."""
    handler = logging.FileHandler(path, encoding="utf-8")
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s %(message)s"))
    root = logging.getLogger()
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    logging.captureWarnings(True)
    try:
        yield
    finally:
        logging.captureWarnings(False)
        root.removeHandler(handler)
        root.setLevel(level)
        handler.close()
