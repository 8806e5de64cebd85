"""A running environment as a child process: started, waited for, and ended with everything it started."""

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from artifacts import errors
from artifacts.contract import Contract
from artifacts.digest import tree_files
from artifacts.errors import UnavailableError, UsageError, WebAnythingError
from artifacts.store import write_file
from environments.freeze import describe
from environments.registry import name_from_host
from environments.runtime.manifest import FILE

START_SECONDS = 60.0
END_SECONDS = 5.0


class Served(NamedTuple):
    """Where a running environment is reached."""

    url: str
    control_url: str
    token: str
    pid: int
    accounts: list[dict[str, str]]
    proxy: str = ""
    """The same port as a proxy: a browser that uses it finds the site under its own host names (origin mode)."""
    site: str = ""
    """The site's own address, for use with the proxy."""
    ca: str = ""
    """File of the certificate that signs for https through the proxy; empty where https cannot be offered."""
    spki: str = ""
    """Its public key as Chromium's --ignore-certificate-errors-spki-list takes it."""


@contextlib.contextmanager
def serving(
    folder: Path,
    *,
    port: int = 0,
    control_port: int = 0,
    token: str = "",
    unseen: Path | None = None,
    check: bool = False,
    authority: Path | None = None,
) -> Iterator[Served]:
    """An environment, a run, or a candidate (a mirror with its contract.json), served until the end of the block.

    Port 0 takes a free one. `authority` is the folder of the certificate authority that origin mode needs for https.
    Raises the error that kept it from starting, UnavailableError("port_in_use") among them.
    """
    with servable(folder) as environment:
        command = [sys.executable, "-m", "environments.runtime.serve", "--environment", str(environment)]
        command += ["--port", str(port), "--control-port", str(control_port), "--while-stdin"]
        command += ["--unseen", str(unseen)] if unseen else []
        command += ["--check"] if check else []
        command += ["--authority", str(authority)] if authority else []
        with tempfile.TemporaryFile() as said, _child(command, said, token) as child:
            yield _wait_until_ready(child, said, folder)


@contextlib.contextmanager
def servable(folder: Path) -> Iterator[Path]:
    """An environment folder for whatever may be served; one made for a candidate is gone after the block."""
    for place in (folder, folder / "environment"):
        if (place / FILE).exists():
            yield place
            return
    for mirror in (folder / "mirror", folder):
        contract = next((path for path in (folder / "contract.json", mirror / "contract.json") if path.exists()), None)
        if contract is not None and (mirror / "app.py").exists():
            with tempfile.TemporaryDirectory(prefix="webanything-candidate-") as made:
                _make_environment(Path(made), mirror.resolve(), Contract.from_bytes(contract.read_bytes()))
                yield Path(made)
            return
    raise UsageError(
        "There is nothing here that can be served.",
        where=str(folder),
        remedy="Name an environment folder, or a run folder with a mirror and its contract.json.",
        code="nothing_to_serve",
    )


def _make_environment(made: Path, mirror: Path, contract: Contract) -> None:
    (made / "mirror").symlink_to(mirror, target_is_directory=True)
    record = describe(
        mirror, tree_files(mirror), contract=contract, report=None, name=name_from_host(contract.site), version=0
    )
    write_file(made / FILE, record.to_bytes())


@contextlib.contextmanager
def _child(command: list[str], said: Any, token: str) -> Iterator[subprocess.Popen[bytes]]:
    environment = {**os.environ, "PYTHONPATH": _import_path(), "PYTHONUNBUFFERED": "1"}
    environment.pop("WEBANYTHING_PUBLIC_PORT", None)
    environment.pop("WEBANYTHING_TOKEN", None)
    if token:
        environment["WEBANYTHING_TOKEN"] = token  # not on the command line, where everybody could read it
    child = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,  # it ends when this process does, however that comes about
        stdout=subprocess.PIPE,
        stderr=said,
        env=environment,
        start_new_session=True,
    )
    try:
        yield child
    finally:
        _end(child)


def _import_path() -> str:
    """The folder that holds `environments`, before whatever the caller has set."""
    own = str(Path(__file__).resolve().parent.parent)
    return os.pathsep.join([own, *filter(None, [os.environ.get("PYTHONPATH")])])


def _end(child: subprocess.Popen[bytes]) -> None:
    for number in (signal.SIGTERM, signal.SIGKILL):
        if child.poll() is not None:
            break
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(timeout=END_SECONDS)
    for stream in (child.stdin, child.stdout):
        if stream is not None:
            stream.close()


def _wait_until_ready(child: subprocess.Popen[bytes], said: Any, folder: Path) -> Served:
    line = _first_line(child)
    try:
        answer = json.loads(line)
    except ValueError:
        answer = {}
    if "url" in answer:
        return Served(*(answer[name] for name in Served._fields))
    child.wait(timeout=END_SECONDS)
    if "error" in answer:
        raise _error(answer["error"])
    said.seek(0)
    tail = said.read().decode(errors="replace").strip().splitlines()[-1:]
    raise UnavailableError(
        f"The environment did not start{': ' + tail[0] if tail else ''}.",
        where=str(folder),
        remedy="Run `webanything build` again; if that does not help, report this line.",
        code="did_not_start",
    )


def _first_line(child: subprocess.Popen[bytes]) -> bytes:
    """The first line the child prints; what there is of it when the child ends or the time is over."""
    assert child.stdout is not None
    deadline = time.monotonic() + START_SECONDS
    data = b""
    while b"\n" not in data and (left := deadline - time.monotonic()) > 0:
        if select.select([child.stdout], [], [], left)[0]:
            chunk = os.read(child.stdout.fileno(), 65536)
            if not chunk:
                break
            data += chunk
    if b"\n" not in data and child.poll() is None and time.monotonic() >= deadline:
        _end(child)
    return data.partition(b"\n")[0]


def _error(told: dict[str, Any]) -> WebAnythingError:
    """The child's error as the project's own of the same exit code."""
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, WebAnythingError)]
    kind = next((kind for kind in kinds if kind.exit_code == told["exit_code"]), UnavailableError)
    return kind(told["what"], where=told["where"], remedy=told["remedy"], code=told["code"])
