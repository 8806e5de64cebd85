"""The main job on the bundled shop, end to end, through the command that users call.

The second time everything that is finished is recognised, so it takes seconds.
"""

import contextlib
import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

HOME = Path(__file__).resolve().parent.parent
RUN = HOME / "webanything-runs" / "demo"
COMMAND = [sys.executable, "-m", "webanything"]
BUDGET = [
    "--max-pages",
    "24",
    "--max-actions",
    "24",
    "--max-time",
    "150s",
    "--allow",
    "session",
    "--allow",
    "account",
    "--requests-per-second",
    "50",
]
ACCOUNTS = HOME / "tests" / "sites" / "shop" / "accounts.json"
SCRIPT = HOME / "scripts" / "demo-agent.json"


def main() -> int:
    began = time.monotonic()
    with source() as url:
        say(f"Reconstructing {url} into {RUN.relative_to(HOME)}; the source is the bundled shop.")
        code, finished = reconstruct(url)
    if finished.get("verdict") is None:
        return code
    say("The source is stopped. From here on there is only the mirror.")
    with serving() as served:
        look(served["url"])
        proof = json.loads(output([*COMMAND, "reset", str(RUN)]))
        equal = proof["seed"] == proof["state"]
        say(f"Reset in {proof['ms']:.2f} ms: state {proof['state'][:12]}, seed {proof['seed'][:12]}, equal: {equal}")
    if finished["environment"]:
        act()
    closing(finished, time.monotonic() - began)
    return code


@contextlib.contextmanager
def source() -> Iterator[str]:
    """The bundled shop at the address the run folder knows it by, or a free one. Not started when all is captured."""
    known = known_address()
    if (RUN / "evidence.json").exists() and known:
        yield known
        return
    port = urlsplit(known).port if known else free_port()
    command = [sys.executable, "-m", "tests.sites.shop", "--port", str(port)]
    with process(command) as shop:
        yield json.loads(shop.stdout.readline())["url"]


def known_address() -> str:
    try:
        return str(json.loads((RUN / "run.json").read_text())["request"]["url"])
    except FileNotFoundError:
        return ""


def free_port() -> int:
    """The usual port, so that every demonstration draws the same sealed evidence; another where it is taken."""
    for port in (8437, 0):
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return int(probe.getsockname()[1])
    raise AssertionError("no port is free")


def reconstruct(url: str) -> tuple[int, dict[str, Any]]:
    """Exit code and closing line of the main job; its progress is shown as it comes."""
    command = [*COMMAND, "reconstruct", url, "--out", str(RUN), "--name", "demo", "--accounts", str(ACCOUNTS), *BUDGET]
    last: dict[str, Any] = {}
    with subprocess.Popen([*command, "--json"], cwd=HOME, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        for line in child.stdout:
            last = json.loads(line)
            tell(last)
    return child.returncode, last


def tell(event: dict[str, Any]) -> None:
    """Stages as lines; on a terminal, what is being looked at on a line that the next one replaces."""
    if event["event"] == "stage" and event["status"] != "started":
        taken = f" in {event['seconds']:.1f} s" if "seconds" in event else ", as before"
        say(f"  {event['stage']}: {event['status']}{taken}")
    elif sys.stdout.isatty() and (subject := event.get("what") or event.get("subject") or event.get("url")):
        sys.stdout.write(f"\r\033[K  {subject[:100]}\r")
        sys.stdout.flush()


@contextlib.contextmanager
def serving() -> Iterator[dict[str, Any]]:
    with process([*COMMAND, "serve", str(RUN)]) as server:
        yield json.loads(server.stdout.readline())


def look(url: str) -> None:
    with urllib.request.urlopen(url) as page:
        body = page.read()
    say(f"GET {url}: {page.status}, {len(body)} bytes")


def act() -> None:
    say("The scripted agent acts in the environment:")
    out = HOME / "webanything-runs" / "demo-trajectories"
    say(output([*COMMAND, "run", str(RUN), "--agent", "scripted", "--script", str(SCRIPT), "--out", str(out)]).strip())


def closing(finished: dict[str, Any], seconds: float) -> None:
    say(output([*COMMAND, "show", str(RUN)]).strip())
    say(f"report       {RUN / 'report.html'}")
    say(f"serve it     {HOME / '.venv' / 'bin' / 'webanything'} serve {RUN}")
    say(f"verdict      {finished['verdict']}, after {seconds:.0f} s")


@contextlib.contextmanager
def process(command: list[str]) -> Iterator[Any]:
    """A child whose first line says that it is ready; ended with the block."""
    environ = {**os.environ, "PYTHONUNBUFFERED": "1"}
    child = subprocess.Popen(command, cwd=HOME, stdout=subprocess.PIPE, text=True, env=environ)
    try:
        yield child
    finally:
        child.terminate()
        child.wait(timeout=20)


def output(command: list[str]) -> str:
    return subprocess.run(command, cwd=HOME, stdout=subprocess.PIPE, text=True, check=True).stdout


def say(text: str) -> None:
    clear = "\033[K" if sys.stdout.isatty() else ""
    sys.stdout.write(clear + text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
