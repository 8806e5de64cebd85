"""A run that captures what a task needs, and nothing else of the shop."""

from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.e2e.command import evidence, webanything
from tests.sites import tiny

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]
TASK = "How much is the Stoneware Mug? Put it into the cart."


def test_the_way_to_the_goal_is_captured_and_other_goods_are_not(tmp_path: Path) -> None:
    run = tmp_path / "run"
    with tiny.serve_module("tests.sites.shop") as site:
        said = webanything("reconstruct", site.url, "--out", str(run), "--coverage", "jit", "--task", TASK,
                           "--allow", "session", "--max-pages", "8", "--max-actions", "6",
                           "--requests-per-second", "100")  # fmt: skip
    assert (said.code, said.last["verdict"]) == (0, "accepted"), said.errors
    part = evidence(run)
    goods = {urlsplit(state.url).path for state in part.states if "/product/" in state.url}
    assert goods == {"/product/stoneware-mug/"}
    added = [step for step in part.interactions if "Add to cart" in step.behaviour]
    assert added and added[0].effect == "navigation"
    fetched = [e.url for e in part.exchanges if e.visit.startswith("g")]
    assert not fetched, "pages that no task speaks of were fetched"
