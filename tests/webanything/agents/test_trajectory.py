from pathlib import Path

import numpy as np
import pytest

from artifacts.errors import DamagedError
from webanything.agents.trajectory import Writer, read_trajectory

META = {"trajectory_id": "t", "policy": {"kind": "null", "name": "null"}, "segments": []}


def test_a_policy_without_a_kind_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="kind of policy"):
        Writer(tmp_path / "t", {"policy": {"name": "mine"}})


def test_what_was_seen_is_kept_once(tmp_path: Path) -> None:
    writer = Writer(tmp_path / "t", META)
    seen = {
        "url": "http://127.0.0.1/",
        "screenshot": np.zeros((3, 4, 3), np.uint8),
        "open_pages_titles": ("One", "Two"),
        "active_page_index": np.array([1]),
        "last_action_error": "TimeoutError: too slow: really",
    }
    first, second = writer.observe(seen, "tree"), writer.observe(seen, "tree")
    assert first == second
    assert (first["viewport"], first["title"], first["status"]) == ([4, 3], "Two", "error")
    assert first["error"] == {"kind": "TimeoutError", "message": "too slow: really"}
    kept = sorted(path.relative_to(tmp_path / "t").as_posix() for path in (tmp_path / "t").rglob("*.*"))
    assert kept == sorted(["meta.json", "steps.jsonl", "verdicts.jsonl", first["image"], first["axtree"]])


def test_a_killed_run_leaves_a_readable_beginning(tmp_path: Path) -> None:
    writer = Writer(tmp_path / "t", META)
    writer.step({"i": 0})
    writer.step({"i": 1})
    path = tmp_path / "t" / "steps.jsonl"
    path.write_bytes(path.read_bytes()[:-3])
    trajectory = read_trajectory(tmp_path / "t")
    assert [step["i"] for step in trajectory.steps] == [0]
    assert trajectory.meta["end"]["reason"] == "interrupted"


def test_a_finished_run_says_how_it_ended(tmp_path: Path) -> None:
    writer = Writer(tmp_path / "t", META)
    writer.verdict({"task_success": True})
    writer.end("answered", answer="42", detail="", segments=[])
    trajectory = read_trajectory(tmp_path / "t")
    assert trajectory.meta["end"] == {"reason": "answered", "answer": "42", "forced": False, "detail": ""}
    assert trajectory.verdicts == ({"schema": "verdict/1", "task_success": True},)


def test_a_folder_without_a_trajectory_is_named(tmp_path: Path) -> None:
    with pytest.raises(DamagedError) as caught:
        read_trajectory(tmp_path)
    assert caught.value.where == str(tmp_path)
