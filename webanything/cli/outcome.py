"""What a run came to, said to people and to programs."""

import shlex
import webbrowser
from pathlib import Path

from artifacts.errors import ExitCode
from artifacts.report import Report
from webanything.cli.console import Console
from webanything.pipeline import Outcome, scores
from webanything.runfolder import RunFolder

_METRICS = {"ssim": "SSIM", "pixel": "pixel", "text_f1": "text F1", "axtree_f1": "tree F1"}


def tell(console: Console, folder: RunFolder, outcome: Outcome) -> None:
    """The closing summary, and the `finished` line."""
    if not console.json:
        lines = summary(outcome.report)
        lines.append(("run", str(folder.path)))
        lines.append(("report", str(folder / "report.html")))
        lines.append(("environment", str(outcome.environment or "none: the mirror was not accepted")))
        lines.append(("next", f"webanything serve {folder.path}"))
        console.result("\n".join(f"{name:<13}{text}" for name, text in lines))
    console.finished(
        verdict=outcome.report.verdict,
        environment=outcome.environment and str(outcome.environment),
        scores=scores(outcome.report),
        spend=outcome.run.spend.model_dump(),
    )


def under_way(place: RunFolder) -> list[tuple[str, str]]:
    """How far a run without a report came, and what to do about it."""
    step, last = place.last_events()
    lines = []
    if step:
        counts = f"{step.get('pages', 0)} pages looked at, {step.get('fetched', 0)} fetched"
        lines.append(("so far", f"{counts}, {step.get('actions', 0)} actions"))
    if place.is_busy():
        return [*lines, ("now", "a process works on it")]
    if last.get("event") == "ended":
        lines.append(("ended", str(last.get("what", ""))))
    again = f"webanything reconstruct {shlex.quote(place.saved_run().request.url)} --out {shlex.quote(str(place.path))}"
    return [*lines, ("to go on", str(last.get("again") or f"{again}, with the flags it was begun with"))]


def summary(report: Report) -> list[tuple[str, str]]:
    """Verdict and scores as named lines, worst values beside the means."""
    lines: list[tuple[str, str]] = [("verdict", report.verdict)]
    lines += [("because", reason) for reason in report.because]
    found = scores(report)
    for which, part in found.items():
        worst = {entry.metric: entry.worst for entry in report.summaries if entry.which == which}
        numbers = ", ".join(
            f"{label} {part[metric]:.4f} (worst {worst[metric]:.3f})"
            for metric, label in _METRICS.items()
            if metric in part
        )
        lines.append((which, f"{part.get('states', 0):.0f} states: {numbers or 'none checked'}"))
        if part.get("interactions"):
            share = f"{part['reproduced']:.1%} of {part['interactions']:.0f} interactions reproduced"
            lines.append(("", share))
    if report.unchecked:
        lines.append(("not checked", f"{len(report.unchecked)}, see the report"))
    return lines


def exit_with(report: Report) -> int:
    """0 for an accepted mirror, 3 for any other verdict."""
    return int(ExitCode.OK if report.verdict == "accepted" else ExitCode.NOT_ACCEPTED)


def open_file(console: Console, path: Path) -> None:
    """Show a file in the user's browser, or say where it is when there is none."""
    if not webbrowser.open(path.resolve().as_uri()):
        console.say(f"no browser to open it with: {path}")
