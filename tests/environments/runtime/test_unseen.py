import json
from pathlib import Path

from environments.runtime.sessions import Seed, Session
from environments.runtime.unseen import Unseen


def test_each_request_is_written_once_with_its_session(tmp_path: Path) -> None:
    unseen = Unseen(tmp_path / "unseen.jsonl")
    session = Session("s1", Seed.of(tmp_path, 60.0))
    with session.turn():
        for path in ("/a", "/b", "/a"):
            unseen({"path": path, "body": {"é": 1}})
    lines = [json.loads(line) for line in (tmp_path / "unseen.jsonl").read_text("utf-8").splitlines()]
    assert [(line["path"], line["session"]) for line in lines] == [("/a", "s1"), ("/b", "s1")]
    assert lines[0]["at"].startswith("1970-01-01T00:01:00")
    assert (unseen.total, unseen.distinct) == (3, 2)


def test_a_place_that_cannot_be_written_fails_no_request(tmp_path: Path) -> None:
    unseen = Unseen(tmp_path / "no" / "such" / "folder")
    unseen({"path": "/a"})
    unseen({"path": object()})
    assert unseen.total == 2
