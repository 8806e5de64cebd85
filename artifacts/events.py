"""What a stage says while it works. The log, the progress line and `--json` are three readers of the same events."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple


class Event(NamedTuple):
    """One thing that happened, such as Event("state", {"url": .., "done": 7, "of": 60})."""

    name: str
    data: Mapping[str, Any] = {}


Emit = Callable[[Event], None]
"""Where a stage sends its events. It may be called from any thread and must not raise."""

Stop = Callable[[], bool]
"""True once the user asked to stop: finish the page in hand, write, return."""


def ignore(_: Event) -> None:
    """An Emit that says nothing."""


def never() -> bool:
    """A Stop that never stops."""
    return False
