"""A live display on a terminal: one line a stage, with a bar only where the end is known."""

import sys
import threading

from rich.console import Console
from rich.markup import escape
from rich.progress import (
    BarColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    Task,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
)
from rich.text import Text

from artifacts.events import Event
from webanything.display.words import count, describe, progress


class _Bar(ProgressColumn):
    """A bar once the total is known, nothing before."""

    def __init__(self) -> None:
        super().__init__()
        self._bar = BarColumn(bar_width=24)

    def render(self, task: Task) -> Text:
        if task.total is None or task.finished:
            return Text("")
        share = min(1.0, task.completed / task.total) if task.total else 0.0
        filled = round(24 * share)
        return Text("━" * filled, "bar.complete") + Text("━" * (24 - filled), "bar.back")


class Live:
    """Stages as they go; warnings and skips scroll by above them."""

    def __init__(self) -> None:
        self._progress = Progress(
            SpinnerColumn(finished_text="[green]✓[/]"),
            TextColumn("[bold]{task.fields[stage]}[/]"),
            _Bar(),
            TextColumn("{task.fields[count]}"),
            TimeElapsedColumn(),
            TextColumn("[dim]{task.description}[/]"),
            console=Console(file=sys.stderr, highlight=False),
        )
        self._lock = threading.Lock()
        self._task: TaskID | None = None
        self._progress.start()

    def event(self, event: Event) -> None:
        with self._lock:
            if event.name == "stage":
                self._stage(event)
            elif event.name in ("warning", "notice"):
                self._progress.console.print(describe(event), markup=False)
            elif self._task is not None:
                self._progress.update(self._task, description=escape(describe(event)))
                if far := count(event.data):
                    done, total = progress(event.data) or (0, None)
                    self._progress.update(self._task, count=far, completed=done, total=total)

    def _stage(self, event: Event) -> None:
        name, status = str(event.data.get("stage")), event.data.get("status")
        if status in ("started", "skipped"):
            self._task = self._progress.add_task("", total=None, stage=name, count="")
        if status in ("done", "skipped") and self._task is not None:
            note = "nothing to do" if status == "skipped" else ""
            self._progress.update(self._task, total=1, completed=1, description=note, count="")
            self._task = None

    def close(self) -> None:
        self._progress.stop()
