"""What `serve` and `open` share: the server for as long as the command lasts."""

import contextlib
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from webanything.cli.saved import servable, unchanged
from webanything.interrupt import ended_by_signal
from webanything.served import authority_folder

if TYPE_CHECKING:
    from environments.serving import Served


@contextlib.contextmanager
def served_until_end(named: str, *, port: int, control_port: int) -> Iterator[tuple[Path, "Served"]]:
    """What is named, and where it is served; a signal ends the block as its end does."""
    from environments.serving import serving

    place = unchanged(servable(named))
    unseen = place.parent / "unseen.jsonl" if (place.parent / "run.json").exists() else place / "unseen.jsonl"
    log = unseen if os.access(unseen.parent, os.W_OK) else None
    with (
        ended_by_signal(),
        serving(place, port=port, control_port=control_port, unseen=log, authority=_authority()) as served,
    ):
        yield place, served


def _authority() -> Path | None:
    """The folder of the certificate authority; None where none can be kept, and then https is not offered."""
    folder = authority_folder()
    with contextlib.suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        if os.access(folder, os.W_OK):
            return folder
    return None


def wait_for_end(pid: int) -> None:
    """Until the server ends by itself, or a signal ends the wait."""
    try:
        # WNOWAIT: who started it reaps it
        while os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
            time.sleep(0.2)
    except ChildProcessError:
        return
    except KeyboardInterrupt:
        return
