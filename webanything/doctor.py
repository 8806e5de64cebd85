"""What this machine offers, line by line, with the command that mends what is missing. Offline; changes nothing."""

import importlib.metadata
import os
import platform
import shutil
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Literal, NamedTuple

from artifacts.errors import MissingError

PACKAGES = ("artifacts", "builder", "environments", "explorer", "verifier", "webanything")
BASE_IMAGE = "python:3.13-slim"
_PATIENCE_S = 1.5
_FREE_BYTES = 2 * 10**9
_FONT_FOLDERS = ("/usr/share/fonts", "/usr/local/share/fonts", "~/.fonts", "~/.local/share/fonts", "/Library/Fonts")


class Check(NamedTuple):
    """One line of the examination."""

    name: str
    state: Literal["ok", "missing", "too old"]
    found: str = ""
    mend: str = ""
    needed: bool = False
    """Whether the main job cannot be done without it."""


def examine() -> list[Check]:
    """Every check, side by side; together they take less than two seconds."""
    with ThreadPoolExecutor(max_workers=4) as pool:
        return [check for checks in pool.map(lambda run: run(), _CHECKS) for check in checks]


def needed_and_missing(checks: list[Check]) -> bool:
    """True when the main job cannot be done here."""
    return any(check.needed and check.state != "ok" for check in checks)


def python() -> list[Check]:
    version = platform.python_version()
    mend = "Install Python 3.13, then: make setup"
    return [
        Check("python", "ok" if sys.version_info >= (3, 12) else "too old", f"{version} {sys.executable}", mend, True)
    ]


def browser() -> list[Check]:
    from explorer.lens.browser import find_browser

    try:
        path = find_browser()
    except MissingError as error:
        named = os.environ.get("WEBANYTHING_BROWSER", "")  # while it names one, installing another is no help
        mend = error.remedy if named else _install("chromium-headless-shell", error.remedy)
        return [Check("browser", "missing", f"{error.what} ({named})" if named else error.what, mend, True)]
    version = output([str(path), "--version"])
    if not version:
        mend = _install("chromium-headless-shell", "Install a Chromium, or name another with WEBANYTHING_BROWSER.")
        return [Check("browser", "missing", f"{path} does not start", mend, True)]
    kind = "headless shell" if "headless" in path.name else "full browser"
    return [Check("browser", "ok", f"{version} ({kind}) {path}", "", True)]


def fonts() -> list[Check]:
    folders = (Path(folder).expanduser() for folder in _FONT_FOLDERS)
    found = next((path for folder in folders for path in folder.rglob("*.[to]tf")), None)
    if found is None:
        return [
            Check("fonts", "missing", "no TrueType or OpenType font", _install("fonts-dejavu-core", "Install one."))
        ]
    return [Check("fonts", "ok", str(found.parent))]


def loopback() -> list[Check]:
    try:
        with socket.socket() as server:
            server.bind(("127.0.0.1", 0))
            return [Check("loopback port", "ok", f"127.0.0.1:{server.getsockname()[1]} is free", "", True)]
    except OSError as error:
        return [
            Check("loopback port", "missing", str(error), "Bring up the loopback interface: ip link set lo up", True)
        ]


def docker() -> list[Check]:
    """Engine, its two plugins, and the image that environments are built on."""
    install = _install("docker.io", "Install Docker: its handbook tells how.")
    if not shutil.which("docker"):
        return [Check("docker engine", "missing", "no docker command", install)]
    engine = output(["docker", "version", "--format", "{{.Server.Version}}"])
    if not engine:
        start = "Start the engine: systemctl start docker (or scripts/docker-engine), and join the group docker"
        return [Check("docker engine", "missing", "the engine does not answer", start)]
    checks = [Check("docker engine", "ok", engine)]
    for plugin in ("compose", "buildx"):
        version = output(["docker", plugin, "version"])
        mend = f"apt-get install docker-{plugin}-plugin (Docker packages) or docker-{plugin} (Debian 13 or later)"
        checks.append(Check(f"docker {plugin}", "ok" if version else "missing", version, "" if version else mend))
    image = output(["docker", "image", "inspect", "--format", "{{.Id}}", BASE_IMAGE])
    checks.append(
        Check(f"image {BASE_IMAGE}", "ok" if image else "missing", image, "" if image else f"docker pull {BASE_IMAGE}")
    )
    return checks


def sqlite() -> list[Check]:
    version = sqlite3.sqlite_version
    enough = sqlite3.sqlite_version_info >= (3, 40)
    mend = "" if enough else "Use a Python that is linked with SQLite 3.40 or later."
    return [Check("sqlite", "ok" if enough else "too old", version, mend, True)]


def disk() -> list[Check]:
    free = shutil.disk_usage(Path.cwd()).free
    mend = "" if free >= _FREE_BYTES else "Free some space, or work elsewhere with --out."
    return [Check("disk space", "ok" if free >= _FREE_BYTES else "missing", f"{free / 1e9:.1f} GB free here", mend)]


def credential() -> list[Check]:
    named = [name for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN") if os.environ.get(name)]
    if named:
        return [Check("model credential", "ok", f"{named[0]} is set")]
    return [Check("model credential", "missing", "none; nothing here needs one yet", "Set ANTHROPIC_API_KEY.")]


def names() -> list[Check]:
    """That no other installed distribution brings a package of one of our top-level names."""
    owners = importlib.metadata.packages_distributions()
    others = {name: sorted(set(owners.get(name, [])) - {"webanything"}) for name in PACKAGES}
    taken = {name: found for name, found in others.items() if found}
    if not taken:
        return [Check("package names", "ok", "ours alone", "", True)]
    found = "; ".join(f"{name} also comes from {', '.join(owner)}" for name, owner in taken.items())
    mend = f"pip uninstall {' '.join(sorted({one for owner in taken.values() for one in owner}))}"
    return [Check("package names", "missing", found, mend, True)]


def output(command: list[str]) -> str:
    """First line a command prints; empty when it fails, is missing or takes too long."""
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=_PATIENCE_S, check=False, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip().split("\n")[0] if done.returncode == 0 else ""


def _install(package: str, otherwise: str) -> str:
    """The command that installs a Debian package where there is apt, other words elsewhere."""
    return f"apt-get install {package}" if shutil.which("apt-get") else otherwise


_CHECKS: tuple[Callable[[], list[Check]], ...] = (
    python, browser, fonts, loopback, docker, sqlite, disk, credential, names,
)  # fmt: skip
