"""One run on disk: where each thing lies, the record of what is done, and the lock that keeps a second process out."""

import contextlib
import errno
import fcntl
import json
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from artifacts._record import Record
from artifacts.errors import DamagedError, UsageError, disk_full
from artifacts.events import Event
from artifacts.evidence import Evidence
from artifacts.run import Run
from artifacts.store import Store, write_file
from webanything.config import defaults
from webanything.display.jsonl import line as event_line


def run_named(named: Path) -> Path:
    """The folder itself; for a bare name, the run of that name in the standard runs folder."""
    here = Path(str(defaults().values["runs"])) / named
    return here if not named.exists() and (here / "run.json").is_file() else named


class RunFolder:
    """A folder that holds, or will hold, one run. Making the object touches nothing."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.store = Store(path / "store")
        self._log = threading.Lock()

    def __truediv__(self, name: str) -> Path:
        return self.path / name

    def run(self) -> Run | None:
        """The saved Run record; None in a new folder. Raises DamagedError if it cannot be read."""
        return self.record(Run, "run.json")

    def saved_run(self) -> Run:
        """The saved Run record. Raises UsageError where there is none."""
        run = self.run()
        if run is None:
            raise UsageError(
                "This folder holds no run.",
                where=str(self.path),
                remedy="Give the folder that reconstruct printed, or list them with: webanything list",
                code="no_run",
            )
        return run

    def record[R: Record](self, kind: type[R], name: str) -> R | None:
        """The record in this file; None when there is no such file."""
        path = self.path / name
        try:
            data = path.read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return None
        try:
            return kind.from_bytes(data)
        except DamagedError as error:
            raise DamagedError(error.what, where=str(path), remedy=error.remedy) from error

    def evidence(self) -> Evidence:
        """The saved evidence. Raises UsageError where nothing was explored yet."""
        evidence = self.record(Evidence, "evidence.json")
        if evidence is None:
            raise UsageError(
                "There is no evidence in this run yet.",
                where=str(self.path),
                remedy=f"Gather it first: webanything explore {self.path}",
                code="no_evidence",
            )
        return evidence

    def has_pages(self) -> bool:
        """True once any attempt has said that it has seen a page."""
        return any('"of_pages"' in line and '"pages": 0,' not in line for line in self._event_lines())

    def last_events(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """The last step that an attempt told of, and the last event of all; empty where there was none."""
        step: dict[str, Any] = {}
        last: dict[str, Any] = {}
        for line in self._event_lines():
            with contextlib.suppress(ValueError):  # the last line may be torn
                last = json.loads(line)
                step = last if last.get("event") == "step" else step
        return step, last

    def _event_lines(self) -> list[str]:
        try:
            return (self.path / "events.jsonl").read_text("utf-8", "replace").splitlines()
        except FileNotFoundError:
            return []

    def is_busy(self) -> bool:
        """Whether a live process works here now."""
        try:
            with (self.path / ".lock").open("r") as lock:
                fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        except OSError:
            return False
        return False

    def set_aside(self, name: str, attempt: int) -> None:
        """Move what an earlier attempt left under this name to the attempt's logs, so that nothing is ever deleted."""
        if (self.path / name).exists():
            (self.path / name).replace(self.begin_attempt(attempt) / f"{name}-before")

    def save(self, name: str, record: Record) -> None:
        """Write the record as this file, in one step."""
        write_file(self.path / name, record.to_bytes())

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Keeps other processes out for as long as it is held; a killed process holds nothing.

        Raises UsageError when a live process works here.
        """
        self._make()
        with (self.path / ".lock").open("a+") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                lock.seek(0)
                raise UsageError(
                    f"Another process works in this run folder: {lock.read().strip() or 'unknown'}.",
                    where=str(self.path),
                    remedy="Wait until it has finished, or choose another folder with --out.",
                    code="locked",
                ) from error
            lock.truncate(0)
            lock.write(f"process {os.getpid()}\n")
            lock.flush()
            yield

    def _make(self) -> None:
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            if error.errno in (errno.ENOSPC, errno.EDQUOT):
                raise disk_full(self.path) from error
            raise UsageError(
                f"The run folder cannot be made: {error.strerror}.",
                where=str(self.path),
                remedy="Choose another place with --out.",
                code="bad_folder",
            ) from error

    def begin_attempt(self, number: int) -> Path:
        """The folder logs/attempt-N, made; `logs/latest` points at it afterwards."""
        folder = self.path / "logs" / f"attempt-{number}"
        folder.mkdir(parents=True, exist_ok=True)
        latest = folder.with_name(".latest")
        latest.unlink(missing_ok=True)
        latest.symlink_to(folder.name)
        latest.replace(folder.with_name("latest"))
        return folder

    def log(self, event: Event, at: float, attempt: int) -> None:
        """Add one event to events.jsonl. Unlike a journal it need not survive a power cut: it is not forced to disk."""
        line = event_line(event, at=at, attempt=attempt)
        with self._log, (self.path / "events.jsonl").open("a", encoding="utf-8") as file:
            file.write(line + "\n")
