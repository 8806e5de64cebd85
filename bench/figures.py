"""What every bench prints: one table of medians with their spread, and what was left out."""

import json
import os
import platform
import shutil
import statistics
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table


def spread(values: Sequence[float]) -> dict[str, float]:
    """Median, least, greatest and 99th percentile of some measurements.

    >>> spread([3, 1, 2])
    {'median': 2, 'min': 1, 'max': 3, 'p99': 3, 'n': 3}
    """
    ordered = sorted(values)
    p99 = ordered[min(len(ordered) - 1, int(0.99 * len(ordered)))]
    return {"median": statistics.median(ordered), "min": ordered[0], "max": ordered[-1], "p99": p99, "n": len(ordered)}


def shown(values: Sequence[float], digits: int = 1) -> str:
    """Median (min-max); a dash where nothing was measured.

    >>> shown([3, 1, 2], 0), shown([])
    ('2 (1-3)', '-')
    """
    if not values:
        return "-"
    found = spread(values)
    return f"{found['median']:.{digits}f} ({found['min']:.{digits}f}-{found['max']:.{digits}f})"


def ratio(values: Sequence[float], base: Sequence[float]) -> str:
    """How many times the base, median against median."""
    if not values or not base or not statistics.median(base):
        return "-"
    return f"{statistics.median(values) / statistics.median(base):.2f}"


class Result:
    """One bench's table, its raw numbers, and what was skipped and why."""

    def __init__(self, title: str, columns: Sequence[str]) -> None:
        self.title, self.columns = title, tuple(columns)
        self.rows: list[tuple[str, ...]] = []
        self.raw: dict[str, Any] = {}
        self.notes: list[str] = []
        self._load_before = os.getloadavg()

    def add(self, *cells: object) -> None:
        self.rows.append(tuple(str(cell) for cell in cells))

    def skip(self, what: str, why: str) -> None:
        """Name something that was not measured; a missing row must be seen."""
        self.notes.append(f"skipped: {what}: {why}")

    def show(self, json_file: Path | None) -> None:
        """Print the table, and write everything down where asked to."""
        console = Console(highlight=False, width=None if sys.stdout.isatty() else 120)
        table = Table(title=self.title, box=box.SIMPLE, title_justify="left", title_style="bold")
        for place, column in enumerate(self.columns):
            table.add_column(column, justify="left" if place == 0 else "right")
        for row in self.rows:
            table.add_row(*row)
        console.print(table)
        for note in self.notes:
            console.print(note, markup=False)
        machine = self.machine()
        console.print(
            f"load average {machine['load_before']} before, {machine['load_after']} after; {machine['cores']} cores"
        )
        if json_file is not None:
            data = {"title": self.title, "machine": machine, "columns": self.columns, "rows": self.rows,
                    "raw": self.raw, "notes": self.notes}  # fmt: skip
            json_file.parent.mkdir(parents=True, exist_ok=True)
            json_file.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n")

    def machine(self) -> dict[str, Any]:
        return {
            "at": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
            "cores": os.cpu_count(),
            "system": platform.platform(),
            "python": platform.python_version(),
            "load_before": round(self._load_before[0], 1),
            "load_after": round(os.getloadavg()[0], 1),
        }


def tool(name: str) -> str | None:
    """Where a tool lies, also in the folders a user's PATH leaves out."""
    return shutil.which(name) or shutil.which(name, path="/usr/sbin:/sbin:/usr/local/sbin")
