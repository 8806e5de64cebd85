"""Which environments this user serves on this machine now, so that `reset` finds the control plane and its token.

One file a server, readable by its user alone, gone when the server ends.
"""

import contextlib
import json
import os
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from artifacts.errors import DamagedError, UnavailableError, UsageError


@contextlib.contextmanager
def remembered(folder: Path, served: Mapping[str, Any]) -> Iterator[None]:
    """While the block runs, `find(folder)` gives what `served` says. Where nothing can be written, nothing is kept."""
    path = _home() / f"{served['pid']}.json"
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        path.unlink(missing_ok=True)
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            json.dump({**served, "folder": str(folder.resolve())}, file)
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            path.unlink()


def find(*folders: Path) -> dict[str, Any]:
    """Address, token and so on of the server that began last in these folders. Raises UsageError if there is none."""
    found = []
    wanted = {str(folder.resolve()) for folder in folders}
    for path in _home().glob("*.json"):
        with contextlib.suppress(OSError, ValueError):
            served = json.loads(path.read_text())
            if served["folder"] in wanted and _is_alive(int(path.stem)):
                found.append((path.stat().st_mtime_ns, served))
    if not found:
        raise UsageError(
            "Nothing serves this environment now.",
            where=str(folders[0]),
            remedy=f"Serve it first: webanything serve {folders[0]}. For a container give its control address instead.",
            code="not_served",
        )
    newest: dict[str, Any] = max(found, key=lambda pair: pair[0])[1]
    return newest


def reset(control_url: str, token: str, session: str | None) -> dict[str, Any]:
    """Put one session back to the seed and return the proof. Raises DamagedError if the state is not the seed's."""
    request = urllib.request.Request(
        control_url.rstrip("/") + "/reset",
        data=json.dumps({"session": session}).encode(),
        headers={"Authorization": f"Bearer {token}", "Content-Type": "application/json"},
        method="POST",
    )
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            proof: dict[str, Any] = json.load(answer)
    except urllib.error.HTTPError as error:
        error.close()
        remedy = {401: "Give its token in WEBANYTHING_TOKEN.", 404: "Check --session."}.get(
            error.code, "Look at its log."
        )
        raise UnavailableError(
            f"The control plane answers {error.code}.", where=control_url, remedy=remedy, code="reset_refused"
        ) from error
    except OSError as error:
        raise UnavailableError(
            f"The control plane cannot be reached: {error}.", where=control_url, remedy="Serve the environment again."
        ) from error
    if proof["state"] != proof["seed"]:
        raise DamagedError("The state after the reset is not the seed's.", where=control_url, remedy="Serve it again.")
    return proof


def authority_folder() -> Path:
    """Where this user's certificate authority lies, which signs for the captured hosts in origin mode."""
    return _state() / "authority"


def _state() -> Path:
    return Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state") / "webanything"


def _home() -> Path:
    return _state() / "served"


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
