"""Requests that no evidence covers: counted, and written once each to the queue for recapture.

Those that are answered all the same, by a page made of what lists say of its subject, are counted apart.
"""

import json
import threading
from pathlib import Path
from typing import Any

from environments.runtime.clock import format_instant
from environments.runtime.sessions import current

DISTINCT_KEPT = 20_000


class Unseen:
    """What a mirror's `app.extensions["unseen"]` is given. A full disk only stops the writing."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = path
        self.total = 0
        self.distinct = 0
        self.inferred = 0
        """How often a page was given that nobody opened."""
        self.inferred_paths: set[str] = set()
        self._known: set[str] = set()
        self._lock = threading.Lock()

    def __call__(self, record: dict[str, Any]) -> None:
        """Count the request, and append it to the file unless the same one is there already."""
        line = json.dumps(record, sort_keys=True, ensure_ascii=False, default=str)
        with self._lock:
            self.total += 1
            if line in self._known or len(self._known) >= DISTINCT_KEPT:
                return
            self._known.add(line)
            self.distinct += 1
            if self.path is not None:
                self._append({**json.loads(line), **_circumstances()})

    def infer(self, path: str) -> None:
        """Count a page that is given though nobody opened it: what a mirror's `app.extensions["inferred"]` is."""
        with self._lock:
            self.inferred += 1
            if len(self.inferred_paths) < DISTINCT_KEPT:
                self.inferred_paths.add(path)

    def _append(self, record: dict[str, Any]) -> None:
        assert self.path is not None
        try:
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(record, ensure_ascii=False) + "\n")
        except OSError:
            self.path = None


def _circumstances() -> dict[str, str]:
    try:
        session = current()
    except LookupError:
        return {}
    return {"session": session.name, "at": format_instant(session.clock.now())}
