"""From a Report and its Evidence to what the page shows, in the order it is shown."""

import base64
import difflib
import hashlib
from collections.abc import Sequence
from importlib import resources
from itertools import groupby
from typing import Any, NamedTuple

import jinja2

from artifacts.errors import DamagedError
from artifacts.evidence import Evidence, Interaction, PageState, Part, Skip, load_part
from artifacts.report import Finding, InteractionCheck, Report, StateCheck, Summary, stage_to_rerun
from artifacts.store import Store
from webanything.report_html.album import Album

WORST = 5
MOST_ROWS = 400
METRICS = {
    "ssim": "SSIM",
    "pixel": "pixel similarity",
    "text_f1": "text F1",
    "axtree_f1": "accessibility tree F1",
    "status": "same status",
    "reproduced": "interactions reproduced",
    "apart_ssim": "SSIM of pages nobody could know",
    "apart_pixel": "pixel similarity of pages nobody could know",
    "apart_text_f1": "text F1 of pages nobody could know",
}
STAGES = {
    "build": "build: the mirror",
    "freeze": "freeze: the runtime",
    "explore": "explore: the evidence",
    "verify": "verify",
}


def render(report: Report, evidence: Evidence, store: Store) -> str:
    """The report as one HTML document. Blobs that are no longer in the store leave a gap, not an error."""
    album = Album(store)
    part = _part(evidence, store)
    states = sorted(report.states, key=_goodness)
    by_digest = {state.digest: state for state in part.states}
    worst = [_large(check, store, album) for check in states[:WORST]]
    rows = [_row(check, by_digest.get(check.state), album) for check in states]
    interactions = {interaction.digest: interaction for interaction in part.interactions}
    repeated = [
        _repeated(check, interactions.get(check.interaction), by_digest, album)
        for check in sorted(report.interactions, key=lambda check: check.reproduced)
    ]
    style, script = _file("style.css"), _file("script.js")
    return _template().render(
        report=report,
        evidence=evidence,
        style=style,
        script=script,
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        scores=_scores(report.summaries),
        gaps=_gaps(report.summaries),
        facts=_facts(report),
        worst=worst,
        rows=rows,
        interactions=repeated,
        stages=_by_stage(report.findings),
        skips=_by_reason(part.skips),
        left_out=album.left_out,
        most=MOST_ROWS,
    )


def _template() -> jinja2.Template:
    place = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    place.filters["number"] = lambda value: f"{value:.4f}"
    return place.from_string(_file("page.html.j2"))


def _file(name: str) -> str:
    return resources.files(__package__ or "").joinpath(name).read_text(encoding="utf-8")


def _part(evidence: Evidence, store: Store) -> Part:
    try:
        return load_part(store, evidence.open) + load_part(store, evidence.sealed)
    except DamagedError:
        return Part((), (), (), ())


def _goodness(check: StateCheck) -> tuple[float, str]:
    metrics = check.metrics
    return metrics.ssim + metrics.pixel + metrics.text_f1, check.url


# ---- scores


class _Score(NamedTuple):
    label: str
    which: str
    summary: Summary


def _scores(summaries: Sequence[Summary]) -> list[_Score]:
    order = list(METRICS)
    known = (summary for summary in summaries if summary.metric in METRICS)
    ranked = sorted(known, key=lambda summary: (summary.which, order.index(summary.metric)))
    return [_Score(METRICS[summary.metric], summary.which, summary) for summary in ranked]


def _gaps(summaries: Sequence[Summary]) -> list[tuple[str, float]]:
    """How much lower the mean on sealed evidence is, for each metric that both have."""
    means = {(summary.metric, summary.which): summary.mean for summary in summaries}
    return [
        (label, means[metric, "open"] - means[metric, "sealed"])
        for metric, label in METRICS.items()
        if (metric, "open") in means and (metric, "sealed") in means
    ]


def _facts(report: Report) -> list[tuple[str, str, bool]]:
    """Name, value and whether it is as it should be."""
    foreign = {url for check in report.states for url in check.foreign_requests}
    foreign |= {url for check in report.interactions for url in check.foreign_requests}
    dead = {link for check in report.states for link in check.dead_links}
    errors = sum(len(check.new_console_errors) for check in report.states)
    failed = {entry for check in report.states for entry in check.new_failed_requests}
    back = sum(reset["state"] == reset["seed"] != "" for reset in report.resets)
    masked = [check.masked_area for check in report.states]
    looked_twice = sum(check.noise is not None for check in report.states)
    return [
        ("requests leaving the sandbox", f"{len(foreign)} addresses", not foreign),
        ("resets that led back to the seed", f"{back} of {len(report.resets)}", back == len(report.resets)),
        ("dead links", f"{len(dead)} addresses", not dead),
        ("new console errors", str(errors), not errors),
        ("new failed requests", f"{len(failed)} addresses", not failed),
        ("masked area", f"{sum(masked) / len(masked) if masked else 0:.2%} of the pictures on average", True),
        ("known noise of the site", f"for {looked_twice} of {len(report.states)} states", True),
        ("evidence no clause covers", f"{len(report.uncovered)} addresses", not report.uncovered),
        ("not checked", f"{len(report.unchecked)} subjects", True),
    ]


# ---- states


def _row(check: StateCheck, state: PageState | None, album: Album) -> dict[str, Any]:
    return {
        "check": check,
        "title": state.title if state else "",
        "source": album.picture(check.source_picture, width=200, height=260),
        "mirror": album.picture(check.mirror_picture, width=200, height=260),
    }


def _large(check: StateCheck, store: Store, album: Album) -> dict[str, Any]:
    return {
        "check": check,
        "source": album.picture(check.source_picture, width=900, height=2400),
        "mirror": album.picture(check.mirror_picture, width=900, height=2400),
        "difference": _difference(check, store),
    }


def _difference(check: StateCheck, store: Store) -> list[tuple[str, str]]:
    """The lines of text that differ: ("came" or "went" or "same", line), at most sixty."""
    try:
        texts = [store.get(digest).decode("utf-8", "replace") for digest in (check.source_text, check.mirror_text)]
    except DamagedError:
        return []
    one, other = ([line.strip() for line in text.splitlines() if line.strip()][:3000] for text in texts)
    kinds = {"+": "came", "-": "went", " ": "same"}
    lines = list(difflib.unified_diff(one, other, n=1, lineterm=""))[2:]
    return [(kinds[line[0]], line[1:301]) for line in lines if line[0] in kinds][:60]


# ---- interactions


def _repeated(
    check: InteractionCheck, interaction: Interaction | None, states: dict[str, PageState], album: Album
) -> dict[str, Any]:
    before = states.get(interaction.before) if interaction else None
    pictures = {
        "before, site": before.full_page if before else None,
        "before, mirror": check.before_picture,
        "after, site": check.source_picture,
        "after, mirror": check.mirror_picture,
    }
    shown = {name: album.picture(digest, width=200, height=220) for name, digest in pictures.items() if digest}
    return {"check": check, "interaction": interaction, "pictures": shown}


# ---- findings, skips


def _by_stage(findings: Sequence[Finding]) -> list[tuple[str, list[Finding]]]:
    """Findings under the stage that is to be run again, in the order of the stages."""
    grouped: dict[str, list[Finding]] = {}
    for finding in findings:
        grouped.setdefault(stage_to_rerun(finding.fault), []).append(finding)
    return [(STAGES[stage], grouped[stage]) for stage in ("explore", "build", "freeze", "verify") if stage in grouped]


def _by_reason(skips: Sequence[Skip]) -> list[tuple[str, list[Skip]]]:
    ranked = sorted(skips, key=lambda skip: skip.reason)
    return [(reason, list(group)) for reason, group in groupby(ranked, key=lambda skip: skip.reason)]
