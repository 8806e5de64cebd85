"""No progress at all."""

from artifacts.events import Event


class Quiet:
    """Says nothing; results and errors are not the display's business."""

    def event(self, event: Event) -> None:
        pass

    def close(self) -> None:
        pass
