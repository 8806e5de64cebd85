"""Ctrl-C and SIGTERM: once to stop after the page in hand, twice to stop now."""

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator
from types import FrameType

from artifacts.errors import StoppedError


def stopped(where: object) -> StoppedError:
    """The error that ends a run the user asked to stop."""
    return StoppedError(
        "Stopped; everything done so far is kept.", where=str(where), remedy="Run the same command to go on."
    )


_SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextlib.contextmanager
def stopping(say: Callable[[str], None]) -> Iterator[Callable[[], bool]]:
    """Gives a Stop that turns true with the first signal; the second raises KeyboardInterrupt where the program is."""
    asked = threading.Event()

    def handle(number: int, frame: FrameType | None) -> None:
        if asked.is_set():
            raise KeyboardInterrupt
        asked.set()
        say("stopping after the page in hand; once more to stop now")

    before = {number: signal.signal(number, handle) for number in _SIGNALS}
    try:
        yield asked.is_set
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def ended_by_signal() -> Iterator[None]:
    """SIGTERM raises KeyboardInterrupt like Ctrl-C, so that what was started is ended either way."""

    def handle(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = {number: signal.signal(number, handle) for number in _SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
