"""One verification: the candidate served, the verifier in a process of its own against its address."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from artifacts import errors
from artifacts.errors import UnavailableError, WebAnythingError
from artifacts.events import Emit, Event, Stop
from artifacts.report import Report
from webanything.interrupt import stopped
from webanything.stages import Trial


def judge(trial: Trial, *, emit: Emit, stop: Stop) -> Report:
    """The verifier's report on the candidate. Raises StoppedError when stopped: a verification is not resumed."""
    from environments.serving import serving

    # the mirror itself: beside it may lie the environment of an earlier one
    with serving(trial.candidate / "mirror") as served:
        job = {
            "evidence": str(trial.evidence),
            "store": str(trial.store),
            "contract": str(trial.candidate / "contract.json"),
            "address": served.url,
            "control": served.control_url,
            "token": served.token,
            "parts": trial.parts,
            "report": str(trial.report),
            "jobs": trial.jobs,
            "max_seconds": trial.max_seconds,
            "secrets": {account["label"]: account["password"] for account in served.accounts},
        }
        path = trial.report.with_suffix(".job.json")
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            json.dump(job, file)
        run_verifier(["-m", "verifier", str(path)], log=trial.report.with_suffix(".log"), emit=emit, stop=stop)
    return Report.from_bytes(trial.report.read_bytes())


def run_verifier(arguments: list[str], *, log: Path, emit: Emit, stop: Stop) -> None:
    """Run a Python child to its end, passing its JSON event lines on; its stderr goes to `log`.

    Raises StoppedError when asked to stop, the child's own error if it named one, UnavailableError if it just ended.
    """
    trouble: list[dict[str, Any]] = []

    def hear(stream: IO[str]) -> None:
        for line in stream:
            with contextlib.suppress(ValueError):
                data = json.loads(line)
                if not isinstance(data, dict):
                    continue
                name = data.pop("event", data.pop("name", "verify"))
                fields = data.pop("data", data)
                trouble.append(fields) if name == "error" else emit(Event(name, fields))

    with log.open("w") as errors_file, _child(arguments, errors_file) as child:
        assert child.stdout is not None
        listener = threading.Thread(target=hear, args=(child.stdout,), daemon=True)
        listener.start()
        while (code := child.poll()) is None:
            if stop():
                raise stopped(log)
            listener.join(timeout=0.2)
        _signal(child, signal.SIGKILL)  # what it left behind would hold its output open
        listener.join(timeout=5)
    if code:
        raise _error(trouble, code, log)


@contextlib.contextmanager
def _child(arguments: list[str], errors_file: IO[str]) -> Iterator[subprocess.Popen[str]]:
    # its own session, so that the whole tree can be ended; an open stdin that closes when this process dies
    child = subprocess.Popen(
        [sys.executable, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=errors_file,
        text=True,
        start_new_session=True,
    )
    try:
        yield child
    finally:
        _end(child)


def _end(child: subprocess.Popen[str]) -> None:
    for number in (signal.SIGTERM, signal.SIGKILL):
        _signal(child, number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(timeout=5)
    for stream in (child.stdin, child.stdout):
        if stream:
            stream.close()


def _signal(child: subprocess.Popen[str], number: int) -> None:
    # the group may hold browsers after its leader has gone
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, number)


def _error(trouble: list[dict[str, Any]], code: int, log: Path) -> WebAnythingError:
    last = trouble[-1] if trouble else {}
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, WebAnythingError)]
    kind = next((kind for kind in kinds if kind.exit_code == last.get("exit", code)), UnavailableError)
    if last.get("what") and kind is not WebAnythingError:
        return kind(last["what"], where=last.get("where", ""), remedy=last.get("remedy", ""), code=last.get("code", ""))
    tail = log.read_text(errors="replace").strip().splitlines()[-1:]
    return UnavailableError(
        f"The verifier ended with code {code}{': ' + tail[0] if tail else ''}.",
        where=str(log),
        remedy="Run the same command again: it goes on with the verification.",
        code="verifier_failed",
    )
