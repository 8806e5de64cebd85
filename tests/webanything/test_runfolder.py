import json
import subprocess
import sys
from pathlib import Path

import pytest

from artifacts.errors import DamagedError, UsageError
from artifacts.events import Event
from artifacts.run import Run
from webanything.runfolder import RunFolder

HOLD = """
import sys
from pathlib import Path
from webanything.runfolder import RunFolder
with RunFolder(Path(sys.argv[1])).locked():
    print("held", flush=True)
    sys.stdin.read()
"""


def test_a_live_process_keeps_others_out_and_a_killed_one_does_not(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path / "r")
    command = [sys.executable, "-c", HOLD, str(folder.path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(UsageError) as caught, folder.locked():
            pass
        assert caught.value.code == "locked"
        assert str(holder.pid) in caught.value.what
        holder.kill()
    with folder.locked():
        pass


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError) as caught, RunFolder(tmp_path / "file" / "r").locked():
        pass
    assert caught.value.code == "bad_folder"


def test_a_broken_record_names_its_file(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text('{"kind": "run.v9"}')
    with pytest.raises(DamagedError) as caught:
        RunFolder(tmp_path).run()
    assert caught.value.where.endswith("run.json")


def test_no_record_is_none_and_no_run_is_an_error(tmp_path: Path) -> None:
    assert RunFolder(tmp_path / "nowhere").record(Run, "run.json") is None
    with pytest.raises(UsageError) as caught:
        RunFolder(tmp_path / "nowhere").saved_run()
    assert caught.value.code == "no_run"


def test_latest_points_at_the_newest_attempt(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    for number in (1, 2):
        folder.begin_attempt(number)
    assert (tmp_path / "logs" / "latest").resolve().name == "attempt-2"


def test_events_are_logged_as_lines_with_their_attempt(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    folder.log(Event("state", {"url": "/a\nb", "path": tmp_path}), 0.5, 3)
    (line,) = (tmp_path / "events.jsonl").read_text().splitlines()
    assert json.loads(line) == {"event": "state", "at": 0.5, "attempt": 3, "url": "/a\nb", "path": str(tmp_path)}
