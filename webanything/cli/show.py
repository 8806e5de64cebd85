"""`webanything show RUN`."""

from pathlib import Path

import click

from artifacts.contract import Contract
from artifacts.mirror import Mirror
from artifacts.report import Report, StateCheck, stage_to_rerun
from webanything.cli.beyond import beyond
from webanything.cli.console import Console
from webanything.cli.options import common, folder_argument
from webanything.cli.outcome import summary, under_way
from webanything.pipeline import scores
from webanything.runfolder import RunFolder


@click.command("show")
@folder_argument
@common
@click.pass_obj
def command(console: Console, /, folder: Path) -> None:
    """Show what a run came to: verdict, worst states, findings by the stage that can mend them, spend."""
    place = RunFolder(folder)
    run = place.saved_run()
    report = place.record(Report, "report.json")
    done = ", ".join(stage.name for stage in run.stages) or "none"
    lines = [("site", run.request.url), ("stages done", done)]
    if report is None:
        lines += under_way(place)
    mirror = place.record(Mirror, "mirror.json")
    if report is not None:
        lines += summary(report) + _details(report)
    if report is not None and mirror is not None and report.candidate != mirror.tree:
        lines.append(("but", f"the mirror was built anew since, and nobody judged it: webanything verify {folder}"))
    if mirror is not None:
        lines += beyond(mirror, place.record(Contract, "contract.json"))
    spend = run.spend
    lines.append(
        ("spend", f"{spend.seconds:.0f} s, {spend.pages} pages, {spend.actions} actions, {spend.requests} requests")
    )
    console.result(
        "\n".join(f"{name:<13}{text}" for name, text in lines),
        {
            "run": run.model_dump(mode="json"),
            "verdict": report and report.verdict,
            "because": report.because if report else (),
            "scores": scores(report) if report else {},
            "findings": [finding.model_dump(mode="json") for finding in report.findings] if report else [],
            "unchecked": report.unchecked if report else (),
            "claims": mirror.claims if mirror else {},
        },
    )


def _details(report: Report) -> list[tuple[str, str]]:
    lines = [("worst states", _state(state)) for state in sorted(report.states, key=_badness)[:5]]
    by_stage: dict[str, list[str]] = {}
    for finding in report.findings:
        by_stage.setdefault(stage_to_rerun(finding.fault), []).append(f"{finding.subject}: {finding.what}")
    for stage, found in by_stage.items():
        lines.append((f"to {stage}", f"{len(found)} findings, first: {found[0]}"))
    broken = [check for check in report.interactions if not check.reproduced]
    lines += [("not repeated", f"{check.behaviour}: {check.because}") for check in broken[:5]]
    lines += [("not checked", f"{subject}: {reason}") for subject, reason in report.unchecked[:5]]
    return lines


def _badness(state: StateCheck) -> float:
    return state.metrics.ssim + state.metrics.text_f1


def _state(state: StateCheck) -> str:
    metrics = state.metrics
    numbers = f"SSIM {metrics.ssim:.3f}, pixel {metrics.pixel:.3f}, text F1 {metrics.text_f1:.3f}"
    return f"{state.url}  {numbers} ({state.which})"
