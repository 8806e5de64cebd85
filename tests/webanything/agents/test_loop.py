from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from artifacts.errors import UnavailableError
from artifacts.events import Event
from webanything.agents.loop import Episode
from webanything.agents.policies.null import NullPolicy
from webanything.agents.policies.scripted import ScriptedPolicy
from webanything.agents.protocol import Budget, EpisodeResult, Observation, Policy
from webanything.agents.trajectory import Trajectory, Writer, read_trajectory

FIVE = Budget(5)
Stepped = tuple[Observation, float, bool, bool, dict[str, Any]]


class Corridor:
    """An environment of numbered rooms without a browser: `go_forward()` leads on, everything else is an error."""

    def __init__(self, *, fails_at: int = -1, ends_at: int = -1, error: Exception | None = None) -> None:
        self.room, self.fails_at, self.ends_at = 0, fails_at, ends_at
        self.error = error or UnavailableError("The browser is gone.", remedy="Start again.")

    def _look(self, error: str = "") -> Observation:
        return {"url": f"http://127.0.0.1/{self.room}", "last_action_error": error, "axtree_object": {"nodes": []}}

    def reset(self, *, seed: int | None = None) -> tuple[Observation, dict[str, Any]]:
        self.room = 0
        return self._look(), {}

    def step(self, action: str) -> Stepped:
        if self.room == self.fails_at:
            raise self.error
        done = action.startswith("send_msg_to_user")
        known = action == "go_forward()"
        self.room += known
        verdict = {"task_success": True, "items": []} if done else None
        look = self._look("" if known or done else "ValueError: no such action")
        return look, 1.0 * done, done or self.room == self.ends_at, False, {"task_info": {"verdict": verdict}}


def run(
    folder: Path,
    policy: Policy,
    environment: Corridor | None = None,
    *,
    budget: Budget = FIVE,
    stop: Callable[[], bool] = lambda: False,
    emit: Callable[[Event], None] = lambda event: None,
    accounts: Mapping[str, Mapping[str, str]] | None = None,
) -> tuple[EpisodeResult, Trajectory]:
    meta = {"trajectory_id": "t", "policy": {"kind": policy.kind, "name": policy.name}, "segments": []}
    episode = Episode(
        environment or Corridor(), policy, Writer(folder / "t", meta), name="corridor", emit=emit, stop=stop,
        tree_text=lambda observation: str(observation["url"]),
    )  # fmt: skip
    return episode.run(seed=1, budget=budget, accounts=accounts or {}), read_trajectory(folder / "t")


def walk(count: int, *more: Any) -> ScriptedPolicy:
    return ScriptedPolicy(["go_forward()"] * count + list(more))


def test_an_answer_ends_the_episode_and_is_no_step(tmp_path: Path) -> None:
    events: list[Event] = []
    result, trajectory = run(tmp_path, walk(2, {"answer": "room 2"}), emit=events.append)
    assert (result.end, result.steps, result.answer, result.reward) == ("answered", 2, "room 2", 1.0)
    assert result.url == "http://127.0.0.1/2" and result.policy_kind == "scripted"
    assert [step["i"] for step in trajectory.steps] == [0, 1, 2, 3]
    assert [step["counts_as_action"] for step in trajectory.steps] == [False, True, True, False]
    assert trajectory.steps[1]["call"] == {"tool": "go_forward", "args": {}, "mode": "operation"}
    assert trajectory.steps[3]["answer"] == "room 2" and trajectory.steps[3]["call"] is None
    assert trajectory.meta["policy"]["kind"] == "scripted"
    assert trajectory.meta["end"]["reason"] == "answered"
    assert trajectory.verdicts[0]["task_success"] is True
    assert [event.name for event in events] == ["step"] * 3


def test_an_answer_is_possible_when_the_steps_are_just_not_used_up(tmp_path: Path) -> None:
    assert run(tmp_path / "a", walk(4, {"answer": "x"}))[0].end == "answered"
    result, _ = run(tmp_path / "b", walk(9))
    assert (result.end, result.steps, result.detail) == ("budget", 5, "5 steps")


def test_time_ends_an_episode_too(tmp_path: Path) -> None:
    result, _ = run(tmp_path, walk(9), budget=Budget(9, 1e-9))
    assert (result.end, result.steps) == ("budget", 0)


def test_doing_nothing_succeeds_at_nothing_but_answers(tmp_path: Path) -> None:
    result, _ = run(tmp_path, NullPolicy())
    assert (result.end, result.steps, result.answer, result.policy_kind) == ("answered", 0, "", "null")


@pytest.mark.parametrize("error", [None, RuntimeError("pipe closed")])
def test_a_broken_environment_ends_the_episode_and_keeps_what_was_done(tmp_path: Path, error: Exception | None) -> None:
    result, trajectory = run(tmp_path, walk(4), Corridor(fails_at=2, error=error))
    assert (result.end, result.steps) == ("env_error", 2)
    assert ("gone" in result.detail) or ("RuntimeError: pipe closed" in result.detail)
    assert len(trajectory.steps) == 3 and trajectory.meta["end"]["reason"] == "env_error"


def test_a_policy_that_gives_up_says_why(tmp_path: Path) -> None:
    result, _ = run(tmp_path, ScriptedPolicy([{"click": {"name": "Door"}}]))
    assert result.end == "agent_abort" and "no {'name': 'Door'}" in result.detail
    assert result.errors == 3, "the corridor knows no noop"


def test_three_malformed_actions_in_a_row_end_it(tmp_path: Path) -> None:
    result, trajectory = run(
        tmp_path, ScriptedPolicy(["click(", "go_forward()", "what?", "shout()", "click(", "x"]), budget=Budget(9)
    )
    assert (result.end, result.steps, result.errors) == ("format_failure", 5, 4)
    assert trajectory.steps[1]["parse"]["error"].startswith("this is no action")
    assert trajectory.steps[1]["obs"]["error"]["message"] == trajectory.steps[1]["parse"]["error"]
    assert not trajectory.steps[1]["parse"]["ok"] and trajectory.steps[2]["parse"]["ok"]


def test_other_ends(tmp_path: Path) -> None:
    assert run(tmp_path / "a", walk(9), Corridor(ends_at=1))[0].end == "controller_abort"
    assert run(tmp_path / "b", walk(9), stop=lambda: True)[0].end == "controller_abort"
    result, _ = run(tmp_path / "c", ScriptedPolicy(["send_msg_to_user('three')"]))
    assert (result.end, result.answer, result.steps) == ("answered", "three", 1)


def test_the_users_interrupt_is_written_down_and_passed_on(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path, walk(9), Corridor(fails_at=1, error=KeyboardInterrupt()))  # type: ignore[arg-type]
    trajectory = read_trajectory(tmp_path / "t")
    assert trajectory.meta["end"]["reason"] == "interrupted" and len(trajectory.steps) == 2
