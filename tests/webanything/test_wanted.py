"""What is lacking, read from the queue that a mirror wrote."""

import json
from pathlib import Path

from artifacts.run import Wanted
from webanything.wanted import unseen


def line(path: str, **more: object) -> str:
    return json.dumps({"method": "GET", "host": "http://a.example", "path": path, "query": "", **more})


def test_pages_are_looked_at_and_what_pages_need_is_fetched_each_once(tmp_path: Path) -> None:
    queue = tmp_path / "unseen.jsonl"
    lines = [line("/b", query="q=1"), line("/b", query="q=1", session="other"), line("/x.js", destination="script"),
             line("/c", destination="document"), line("/send", method="POST"), "{torn", "[]"]  # fmt: skip
    queue.write_text("\n".join(lines))
    found = unseen(queue)
    assert found.wanted == (
        Wanted(url="http://a.example/b?q=1"),
        Wanted(url="http://a.example/x.js", as_page=False),
        Wanted(url="http://a.example/c"),
    )
    assert found.others == 1


def test_no_queue_means_nothing_is_wanted(tmp_path: Path) -> None:
    assert unseen(tmp_path / "unseen.jsonl") == ((), 0)
