"""Any small site on a free loopback port, for as long as a `with` block lasts."""

import contextlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from waitress.server import create_server

_ROOT = Path(__file__).resolve().parents[2]


class Site(NamedTuple):
    """A site that runs in a process of its own."""

    url: str
    pid: int


@contextlib.contextmanager
def serve(app: Callable[..., Any], *, host: str = "127.0.0.1", port: int = 0, threads: int = 8) -> Iterator[str]:
    """The address, ending in a slash, of a WSGI application that a thread of this process serves."""
    server = create_server(app, map={}, host=host, port=port, threads=threads, ident=None)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        yield f"http://{host}:{server.effective_port}/"
    finally:
        with contextlib.suppress(OSError):  # woken by something else meanwhile, it has stopped already
            server.trigger.pull_trigger(lambda: _stop(server))
        thread.join(10)


def _stop(server: Any) -> None:
    """Runs in the server's own thread: closing its sockets elsewhere would race with its select."""
    for channel in list(server.active_channels.values()):
        channel.handle_close()
    server.close()


@contextlib.contextmanager
def serve_module(module: str, *arguments: str, port: int = 0) -> Iterator[Site]:
    """A site such as `tests.sites.shop` in a process of its own, which prints {"url": ..} when it is ready."""
    command = [sys.executable, "-m", module, "--port", str(port), *arguments]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, cwd=_ROOT, env=os.environ | {"PYTHONPATH": str(_ROOT)}
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        if not line:
            raise RuntimeError(f"{module} ended with {process.wait()} before it was ready")
        yield Site(json.loads(line)["url"], process.pid)
    finally:
        stop(process)


def stop(process: subprocess.Popen[Any]) -> None:
    """End a child politely, then not, and close its pipes."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            pipe.close()
