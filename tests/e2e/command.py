"""The command as a user runs it: a process, its JSON lines, its exit code."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from artifacts.evidence import Evidence, Part, load_part
from artifacts.store import Store
from tests.sites import tiny

ROOT = Path(__file__).resolve().parents[2]
ACCOUNTS = ROOT / "tests/sites/shop/accounts.json"
SHOP = ("--name", "e2e-shop", "--max-pages", "12", "--max-actions", "12", "--allow", "session", "--allow", "account",
        "--accounts", str(ACCOUNTS), "--requests-per-second", "100")  # fmt: skip


class Said(NamedTuple):
    """What one command came to."""

    code: int
    events: list[dict[str, Any]]
    errors: str

    @property
    def last(self) -> dict[str, Any]:
        return self.events[-1]


def start(*arguments: str) -> subprocess.Popen[str]:
    """The command in a process group of its own, so that it can be killed with everything it started."""
    return subprocess.Popen(
        [sys.executable, "-m", "webanything", *arguments],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT, start_new_session=True,
    )  # fmt: skip


def webanything(*arguments: str, limit_s: float = 500) -> Said:
    """Run the command to its end and read its JSON lines."""
    process = start(*arguments, "--json")
    try:
        out, errors = process.communicate(timeout=limit_s)
    except subprocess.TimeoutExpired:
        kill_group(process)
        raise
    return Said(process.returncode, [json.loads(line) for line in out.splitlines() if line.strip()], errors)


def kill_group(process: subprocess.Popen[str]) -> None:
    """What a power cut does to the command and its children."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


@contextlib.contextmanager
def serving(folder: Path) -> Iterator[dict[str, Any]]:
    """The line that `serve` prints, while it serves."""
    process = start("serve", str(folder))
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        if not line:
            raise AssertionError(f"serve ended: {process.communicate()[1]}")
        yield json.loads(line)
    finally:
        tiny.stop(process)


class Answer(NamedTuple):
    status: int
    url: str
    body: bytes
    headers: dict[str, str]

    @property
    def text(self) -> str:
        return self.body.decode()


def get(url: str) -> Answer:
    """One plain request for a page, without cookies; an answer of 404 is an answer."""
    request = urllib.request.Request(url, headers={"Accept": "text/html,*/*;q=0.8"})
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return Answer(answer.status, answer.url, answer.read(), dict(answer.headers))
    except urllib.error.HTTPError as error:
        with error:
            return Answer(error.code, url, error.read(), dict(error.headers))


def control(served: dict[str, Any], method: str, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
    """One request to the control plane."""
    headers = {"Authorization": f"Bearer {served['token']}", "Content-Type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(served["control_url"].rstrip("/") + path, data, headers, method=method)
    with urllib.request.urlopen(request, timeout=20) as answer:
        found: dict[str, Any] = json.loads(answer.read())
        return found


def evidence(run: Path) -> Part:
    """Everything a run captured, both halves together."""
    record = Evidence.from_bytes((run / "evidence.json").read_bytes())
    store = Store(run / "store")
    return load_part(store, record.open) + load_part(store, record.sealed)


def of_kind(events: Sequence[dict[str, Any]], name: str) -> list[dict[str, Any]]:
    return [event for event in events if event["event"] == name]
