"""Every ordinary kind of control is found by its role, tried, and does the same on the mirror."""

from pathlib import Path

import pytest

from artifacts.evidence import Interaction
from artifacts.report import Report
from artifacts.store import Store
from tests.e2e.command import evidence, webanything
from tests.sites import tiny

pytestmark = [pytest.mark.browser, pytest.mark.timeout(900)]

DONE = ("hovered", "dialog opened", "Unfolded words", "tab Two", "news true", "size large", "loudness 10", "warmth ArrowRight",
        "day 2030-01-15", "colour #336699", "kind round", "note ", "file sample.png", "order BCA", "finder opened", "only red")  # fmt: skip
"""What the page says once each kind of control was used."""


def test_each_kind_is_tried_and_reproduced(tmp_path: Path) -> None:
    run = tmp_path / "run"
    with tiny.serve_module("tests.sites.controls") as site:
        said = webanything("reconstruct", site.url, "--out", str(run), "--max-pages", "4", "--max-actions", "60",
                           "--requests-per-second", "100")  # fmt: skip
    report = Report.from_bytes((run / "report.json").read_bytes())
    assert (said.code, said.last["verdict"]) == (0, "accepted"), report.because
    part, store = evidence(run), Store(run / "store")
    states = {state.digest: state for state in part.states}

    def shown(step: Interaction) -> str:
        return store.get(states[step.after].text).decode()

    lacking = [what for what in DONE if not any(what in shown(step) for step in part.interactions)]
    assert not lacking, [(step.behaviour, step.effect) for step in part.interactions]
    missed = [(check.behaviour, check.because) for check in report.interactions if not check.reproduced]
    assert not missed
