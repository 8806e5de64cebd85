"""The role a display plays."""

from typing import Protocol

from artifacts.events import Event


class Display(Protocol):
    """Shows events as they come. `event` may be called from any thread and must not raise."""

    def event(self, event: Event) -> None: ...

    def close(self) -> None:
        """Leave the terminal as it was found."""
