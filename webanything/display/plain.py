"""One line per change on stderr, for pipes, logs and dumb terminals."""

import sys
import threading
from typing import TextIO

from artifacts.events import Event
from webanything.display.words import describe


class Plain:
    """Writes each event as a line; equal lines in a row are written once."""

    def __init__(self, out: TextIO | None = None) -> None:
        self._out = out or sys.stderr
        self._lock = threading.Lock()
        self._last = ""

    def event(self, event: Event) -> None:
        text = describe(event)
        with self._lock:
            if text != self._last:
                self._last = text
                self._out.write(text + "\n")
                self._out.flush()

    def close(self) -> None:
        pass
