import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from artifacts.errors import StoppedError, UnavailableError, UsageError
from artifacts.events import Event
from webanything.judging import run_verifier


def child(text: str) -> list[str]:
    return ["-c", "import json, os, sys, time, subprocess\n" + text]


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_events_are_passed_on_and_other_output_is_not(tmp_path: Path) -> None:
    heard: list[Event] = []
    text = 'print("noise"); print(json.dumps({"event": "state", "url": "/a", "done": 1})); print("x", file=sys.stderr)'
    run_verifier(child(text), log=tmp_path / "log", emit=heard.append, stop=lambda: False)
    assert heard == [Event("state", {"url": "/a", "done": 1})]
    assert (tmp_path / "log").read_text() == "x\n"


def test_the_childs_own_error_is_raised_as_such(tmp_path: Path) -> None:
    data = {"event": "error", "code": "bad_value", "what": "No.", "where": "job", "remedy": "Mend it.", "exit": 2}
    text = f"print(json.dumps({data!r})); sys.exit(2)"
    with pytest.raises(UsageError) as caught:
        run_verifier(child(text), log=tmp_path / "log", emit=lambda _: None, stop=lambda: False)
    assert (caught.value.what, caught.value.code) == ("No.", "bad_value")


def test_a_child_that_just_ends_is_told_with_its_last_words(tmp_path: Path) -> None:
    with pytest.raises(UnavailableError) as caught:
        run_verifier(child("raise ValueError('torn')"), log=tmp_path / "log", emit=lambda _: None, stop=lambda: False)
    assert "torn" in caught.value.what
    assert caught.value.where == str(tmp_path / "log")


@pytest.mark.parametrize("ending", ["stopped", "left alone"])
def test_nothing_the_child_started_outlives_it(tmp_path: Path, ending: str) -> None:
    pids: list[int] = []
    text = (
        "grandchild = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
        "print(json.dumps({'event': 'pid', 'pid': grandchild.pid}), flush=True)\n"
    )
    text += "time.sleep(60)\n" if ending == "stopped" else ""
    began = time.monotonic()

    def run() -> None:
        run_verifier(
            child(text),
            log=tmp_path / "log",
            emit=lambda event: pids.append(event.data["pid"]),
            stop=lambda: bool(pids),
        )

    if ending == "stopped":
        with pytest.raises(StoppedError):
            run()
    else:
        run()
    deadline = time.monotonic() + 5
    while is_running(pids[0]) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not is_running(pids[0])
    assert time.monotonic() - began < 20


def test_the_child_sees_its_input_close_when_this_process_has_gone(tmp_path: Path) -> None:
    script = tmp_path / "parent.py"
    mark = tmp_path / "closed"
    grandchild = f"import sys, pathlib; sys.stdin.read(); pathlib.Path({str(mark)!r}).write_text('closed')"
    script.write_text(
        "from pathlib import Path\nimport sys\nfrom webanything.judging import run_verifier\n"
        f"run_verifier(['-c', {grandchild!r}], log=Path({str(tmp_path / 'log')!r}), emit=print, stop=lambda: False)\n"
    )
    with subprocess.Popen([sys.executable, str(script)]) as parent:
        time.sleep(1.5)
        assert not mark.exists()
        os.kill(parent.pid, 9)
    deadline = time.monotonic() + 5
    while not mark.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert mark.exists()


def test_json_that_is_no_object_is_noise(tmp_path: Path) -> None:
    heard: list[Event] = []
    text = "print(json.dumps([1])); print(json.dumps('x')); print(json.dumps({'event': 'ok'}))"
    run_verifier(child(text), log=tmp_path / "log", emit=heard.append, stop=lambda: False)
    assert [event.name for event in heard] == ["ok"]
    assert json.dumps(dict(heard[0].data)) == "{}"
