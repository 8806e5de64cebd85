"""CPU of whole process trees, and commands run to their end with everything they started."""

import contextlib
import ctypes
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
_TICK_MS = 1000 / os.sysconf("SC_CLK_TCK")
_SUBREAPER = 36
_GRACE_S = 5.0


class Ran(NamedTuple):
    """One command run to its end."""

    code: int
    wall_s: float
    cpu_ms: float
    """User and system time of it and of everything it started."""
    output: str


def _pids() -> list[int]:
    return sorted(int(path.name) for path in Path("/proc").iterdir() if path.name.isdecimal())


def _stat(pid: int) -> tuple[int, float] | None:
    """Parent and CPU milliseconds, those of reaped children included; None for a process that is gone."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return int(fields[1]), sum(int(value) for value in fields[11:15]) * _TICK_MS


def tree_cpu_ms(root: int) -> float:
    """CPU so far of a process, its living descendants, and those that they have waited for."""
    seen = {pid: stat for pid in _pids() if (stat := _stat(pid))}
    children: dict[int, list[int]] = {}
    for pid, (parent, _) in seen.items():
        children.setdefault(parent, []).append(pid)
    total, queue = 0.0, [root]
    while queue:
        pid = queue.pop()
        total += seen[pid][1] if pid in seen else 0.0
        queue += children.get(pid, [])
    return total


def listener_pid(port: int) -> int | None:
    """The first process that listens on this TCP port, if we may see it."""
    wanted = f":{port:04X}"
    inodes = set()
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        with contextlib.suppress(OSError):
            for line in Path(table).read_text().splitlines()[1:]:
                fields = line.split()
                if fields[1].endswith(wanted) and fields[3] == "0A":
                    inodes.add(f"socket:[{fields[9]}]")
    for pid in _pids():
        with contextlib.suppress(OSError):
            if any(str(entry.readlink()) in inodes for entry in Path(f"/proc/{pid}/fd").iterdir()):
                return pid
    return None


def run_tree(command: Sequence[str], *, cwd: Path, env: Mapping[str, str] | None = None, limit_s: float = 600) -> Ran:
    """Run a command to its end and count the CPU of all it started, also of what it left behind."""
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        report = Path(folder) / "report.json"
        launcher = [sys.executable, "-m", "bench.processes", str(report), str(limit_s), *command]
        environment = {**os.environ, "PYTHONPATH": str(ROOT), **(env or {})}
        done = subprocess.run(
            launcher, cwd=cwd, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        if not report.exists():
            raise RuntimeError(f"{command[0]} was not run: {done.stdout[-500:]}")
        return Ran(**json.loads(report.read_text()), output=done.stdout)


@contextlib.contextmanager
def running(command: Sequence[str], *, env: Mapping[str, str] | None = None) -> Iterator[tuple[int, str]]:
    """A server's pid and the first line it prints, for as long as the block lasts."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **(env or {})}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        if not line:
            raise RuntimeError(f"{' '.join(command)} ended with {process.wait()} before it was ready")
        yield process.pid, line
    finally:
        end(process)


def end(process: subprocess.Popen[Any]) -> None:
    """End a child politely, then not."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(_GRACE_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    if process.stdout is not None:
        process.stdout.close()


def _launch(report: Path, limit_s: float, command: Sequence[str]) -> None:
    """Be the parent of everything the command leaves behind, so that no CPU is lost, and write down the sum."""
    ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)
    began = time.monotonic()
    child = os.posix_spawnp(command[0], list(command), os.environ)
    deadline, code, ended = began + limit_s, 0, 0.0
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            break
        if pid == child:
            code, ended = os.waitstatus_to_exitcode(status), time.monotonic()
            deadline = ended + _GRACE_S  # leftovers may finish, but not stay
        elif not pid and time.monotonic() > deadline:
            _kill_children()
            deadline = time.monotonic() + 1
        elif not pid:
            time.sleep(0.005)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    wall_s = (ended or time.monotonic()) - began
    report.write_text(json.dumps({"code": code, "wall_s": wall_s, "cpu_ms": 1000 * (used.ru_utime + used.ru_stime)}))


def _kill_children() -> None:
    for pid in _pids():
        if (stat := _stat(pid)) and stat[0] == os.getpid():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


if __name__ == "__main__":
    _launch(Path(sys.argv[1]), float(sys.argv[2]), sys.argv[3:])
