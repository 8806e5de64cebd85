"""Policies without a model in the reconstructed shop, by the command. They prove the plumbing, not anybody's ability."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.command import of_kind, webanything
from tests.e2e.conftest import Reconstructed
from webanything.agents.trajectory import Trajectory, read_trajectory

pytestmark = [pytest.mark.browser, pytest.mark.timeout(900)]

ORDERING = [
    {"click": {"role": "link", "name": "Kitchen"}},
    {"click": {"role": "link", "name": "Stoneware Mug"}},
    {"click": {"role": "button", "name": "Add to cart"}},
    {"click": {"role": "link", "name": "Log in"}},
    {"fill": {"role": "textbox", "name": "E-mail address"}, "with": "{user.user}"},
    {"fill": {"role": "textbox", "name": "Password"}, "with": "{user.password}"},
    {"click": {"role": "button", "name": "Log in", "nth": 0}},
    {"answer": "a mug is in the cart"},
]


def run(environment: Path, out: Path, *arguments: str) -> list[tuple[dict[str, Any], Trajectory]]:
    """Each episode as the command told it, and its trajectory."""
    said = webanything("run", str(environment), "--out", str(out), *arguments)
    assert said.code == 0, said.errors
    return [(event, read_trajectory(Path(event["trajectory"]))) for event in of_kind(said.events, "episode")]


def test_plumbing_a_script_fills_the_cart_and_logs_in_twice_alike(shop: Reconstructed, tmp_path: Path) -> None:
    script = tmp_path / "order.json"
    script.write_text(json.dumps({"steps": ORDERING}))
    found = run(shop.run, tmp_path, "--agent", "scripted", "--script", str(script), "--episodes", "2")
    assert len(found) == 2
    for told, trajectory in found:
        assert (told["end"], told["steps"], told["errors"], told["policy_kind"]) == ("answered", 7, 0, "scripted")
        assert trajectory.steps[-1]["obs"]["title"].startswith("Your account")
        cart = trajectory.steps[3]["obs"]
        assert cart["url"].endswith("/cart") and cart["title"].startswith("Your cart")
    trees = [[step["obs"]["axtree"] for step in trajectory.steps] for _, trajectory in found]
    assert trees[0] == trees[1], "each episode begins at the seed"


def test_plumbing_a_random_policy_breaks_nothing(shop: Reconstructed, tmp_path: Path) -> None:
    ((told, trajectory),) = run(shop.run, tmp_path, "--agent", "random", "--steps", "25", "--seed", "3")
    assert (told["end"], told["steps"], told["policy_kind"]) == ("budget", 25, "random")
    start = trajectory.steps[0]["obs"]["url"]
    assert all(step["obs"]["url"].startswith(start) for step in trajectory.steps)
    assert len({step["obs"]["url"] for step in trajectory.steps}) > 2


def test_plumbing_doing_nothing_is_an_episode_too(shop: Reconstructed, tmp_path: Path) -> None:
    ((told, trajectory),) = run(shop.run, tmp_path, "--agent", "null")
    assert (told["end"], told["steps"], told["reward"]) == ("answered", 0, 0.0)
    assert trajectory.meta["policy"]["kind"] == "null"
