"""What time it is in a session: it starts at the contract's instant and runs on from there."""

import datetime
import time
from collections.abc import Callable


def parse_instant(text: str) -> float:
    """Seconds since 1970 of an ISO 8601 instant; one without an offset is taken as UTC. Raises ValueError.

    >>> parse_instant("1970-01-01T00:01:00Z")
    60.0
    >>> parse_instant("1970-01-01T01:01:00+01:00")
    60.0
    """
    instant = datetime.datetime.fromisoformat(text)
    if instant.tzinfo is None:
        instant = instant.replace(tzinfo=datetime.UTC)
    return instant.timestamp()


def format_instant(seconds: float) -> str:
    """ISO 8601 in UTC, to the millisecond.

    >>> format_instant(60.25)
    '1970-01-01T00:01:00.250+00:00'
    """
    return datetime.datetime.fromtimestamp(seconds, datetime.UTC).isoformat(timespec="milliseconds")


class Clock:
    """An instant that runs on at the machine's pace, or stands still."""

    def __init__(self, start: float, tick: Callable[[], float] = time.monotonic) -> None:
        self._tick = tick
        self._base = start
        self._since = tick()
        self._running = True

    def now(self) -> float:
        """Seconds since 1970, as the session believes."""
        return self._base + (self._tick() - self._since if self._running else 0.0)

    def set(self, instant: float, *, running: bool = True) -> None:
        """Jump to an instant and go on from it, or stop there."""
        self._base, self._since, self._running = instant, self._tick(), running

    @property
    def running(self) -> bool:
        return self._running
