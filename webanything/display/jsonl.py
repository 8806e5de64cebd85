"""Events as JSON lines on stdout, for programs."""

import json
import sys
import threading
from collections.abc import Mapping
from typing import Any, TextIO

from artifacts.events import Event


def line(event: Event, **more: Any) -> str:
    """One event as one line of JSON; what is no JSON value is written as its text.

    >>> line(Event("state", {"url": "/a", "event": "x"}), at=1)
    '{"event": "state", "at": 1, "url": "/a"}'
    """
    data = {key: value for key, value in event.data.items() if key != "event"}
    return json.dumps({"event": event.name, **more, **data}, ensure_ascii=False, default=str)


def value_line(value: Mapping[str, Any]) -> str:
    """A result that is an object of its own and no event, as one line of JSON."""
    return json.dumps(value, ensure_ascii=False, default=str)


class JsonLines:
    """Writes every event at once, so that a reader on a pipe is never behind."""

    def __init__(self, out: TextIO | None = None) -> None:
        self._out = out or sys.stdout
        self._lock = threading.Lock()

    def event(self, event: Event) -> None:
        with self._lock:
            self._out.write(line(event) + "\n")
            self._out.flush()

    def close(self) -> None:
        pass
