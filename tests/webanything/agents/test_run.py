import json
from pathlib import Path

import pytest

from artifacts.errors import UsageError
from artifacts.events import Event
from tests.environments.tinymirror import write_environment
from webanything.agents.run import make_policy, run_episodes
from webanything.agents.trajectory import read_trajectory

ADDING = {
    "name": "add",
    "steps": [
        {"fill": {"role": "textbox", "name": "Item"}, "with": "tea for {buyer.user}"},
        {"select": {"role": "combobox"}, "options": "Large"},
        {"check": {"role": "checkbox", "name": "Gift"}},
        {"click": {"role": "button", "name": "Add"}},
        {"goto": "/cart"},
        {"answer": "added"},
    ],
}


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("environments") / "tiny"
    write_environment(folder)
    return folder


@pytest.mark.browser
def test_a_script_acts_in_the_real_environment_and_the_next_episode_starts_afresh(
    environment: Path, tmp_path: Path
) -> None:
    script = tmp_path / "add.json"
    script.write_text(json.dumps(ADDING))
    events: list[Event] = []
    results = run_episodes(
        environment,
        agent="scripted",
        episodes=2,
        steps=9,
        seed=1,
        out=tmp_path / "out",
        emit=events.append,
        script=script,
    )
    assert [(result.end, result.steps, result.errors, result.answer) for result in results] == [
        ("answered", 5, 0, "added")
    ] * 2
    assert [event.name for event in events].count("episode") == 2
    first, second = (read_trajectory(Path(result.trajectory)) for result in results)
    for trajectory in (first, second):
        tree = (tmp_path / "out" / trajectory.meta["trajectory_id"] / trajectory.steps[-1]["obs"]["axtree"]).read_text()
        assert "tea for ann@shop.example" in tree and "1 items" in tree
        assert trajectory.meta["reset"]["state"] == trajectory.meta["env"]["sites"][0]["reset_token"]
        assert trajectory.meta["policy"] == {"kind": "scripted", "name": "add", "model": None, "sampling": {}}
    assert [step["obs"]["axtree"] for step in first.steps] == [step["obs"]["axtree"] for step in second.steps]


@pytest.mark.browser
def test_a_random_agent_does_the_same_for_the_same_seed_and_nothing_leaves(environment: Path, tmp_path: Path) -> None:
    made = []
    for attempt in range(2):
        (result,) = run_episodes(environment, agent="random", episodes=1, steps=12, seed=7, out=tmp_path / "out")
        assert (result.end, result.steps, result.policy_kind) == ("budget", 12, "random")
        trajectory = read_trajectory(Path(result.trajectory))
        assert trajectory.meta["attempt"] == attempt + 1
        served = trajectory.steps[0]["obs"]["url"]
        assert all(step["obs"]["url"].startswith(served) for step in trajectory.steps)
        made.append(
            [
                (step["raw"].replace(served, "/"), step["obs"]["axtree"], step["obs"]["status"])
                for step in trajectory.steps
            ]
        )
    assert made[0] == made[1]


@pytest.mark.browser
def test_the_null_agent_takes_no_step(environment: Path, tmp_path: Path) -> None:
    (result,) = run_episodes(environment, agent="null", episodes=1, steps=3, seed=1, out=tmp_path)
    assert (result.end, result.steps, result.answer, result.reward) == ("answered", 0, "", 0.0)


def test_what_cannot_be_run_is_named_before_anything_starts(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no agent 'clever'"):
        make_policy("clever")
    with pytest.raises(UsageError) as caught:
        make_policy("scripted")
    assert "--script" in caught.value.remedy
    with pytest.raises(UsageError, match="no environment"):
        run_episodes(tmp_path, agent="null", episodes=1, steps=1, seed=1, out=tmp_path)
