import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from artifacts.errors import ExitCode
from artifacts.events import Event
from tests.webanything.fakes import SITE, FakeStages
from tests.webanything.test_pipeline import pipeline
from webanything import __version__
from webanything.cli.endings import ending_of
from webanything.cli.main import COMMANDS, Commands, module_of
from webanything.cli.outcome import under_way
from webanything.runfolder import RunFolder


def webanything(*arguments: object, cwd: Path | None = None, **environ: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "webanything", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        cwd=cwd,
        env={**os.environ, **environ},
    )


def lines(done: subprocess.CompletedProcess[str]) -> list[dict[str, object]]:
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_help_is_quick_and_names_every_command() -> None:
    times = []
    for _ in range(5):
        began = time.monotonic()
        done = webanything("--help")
        times.append(time.monotonic() - began)
    assert done.returncode == 0
    assert all(f"  {name} " in done.stdout for name in COMMANDS)
    assert min(times) < 0.5  # 0.1 s on a machine of one's own


@pytest.mark.parametrize("name", list(COMMANDS))
def test_every_command_explains_itself_in_the_words_of_the_list(name: str) -> None:
    command = Commands().get_command(None, name)  # type: ignore[arg-type]
    assert command is not None
    assert command.name == name
    assert (command.help or "").split("\n\n")[0].replace("\n", " ").startswith(COMMANDS[name].rstrip("."))


def test_the_version_is_that_of_the_project() -> None:
    project = Path(__file__).parents[3] / "pyproject.toml"
    assert f'version = "{__version__}"' in project.read_text()
    assert __version__ in webanything("--version").stdout


@pytest.mark.parametrize(
    ("arguments", "code", "part"),
    [
        (["nonsense"], "usage", "nonsense"),
        (["reconstruct"], "usage", "URL"),
        (["reconstruct", "shop.example"], "bad_url", "https://"),
        (["reconstruct", "ftp://shop.example/"], "bad_url", "http://"),
        (["reconstruct", SITE, "--max-pages", "many"], "usage", "--max-pages"),
        (["reconstruct", SITE, "--scope", "galaxy"], "usage", "--scope"),
        (["reconstruct", SITE, "--max-time", "soon"], "bad_value", "30m"),
        (["reconstruct", SITE, "--lens", "mobil"], "no_such_file", "mobile"),
        (["reconstruct", SITE, "--accounts", "gone.json"], "no_such_file", "gone.json"),
        (["reconstruct", SITE, "--config", "gone.toml"], "no_such_file", "gone.toml"),
        (["reconstruct", SITE, "--resolve", "x"], "bad_value", "127.0.0.1"),
        (["reconstruct", SITE, "--name", "My Shop"], "bad_name", "my-shop"),
        (["reconstruct", SITE, "--model", "some-model"], "no_model", "--model"),
        (["reconstruct", SITE, "--coverage", "jit"], "no_task", "--task"),
        (["build", "."], "no_run", "webanything list"),
        (["verify", "gone"], "no_run", "gone"),
        (["show", "."], "no_run", "webanything list"),
        (["report", "."], "no_run", "webanything list"),
        (["serve", "."], "no_such_environment", "webanything list"),
        (["reset", "."], "no_such_environment", "webanything list"),
        (["run", ".", "--agent", "random"], "no_such_environment", "webanything list"),
        (["schema", "evidense"], "unknown_name", "Evidence"),
    ],
    ids=lambda value: " ".join(map(str, value)) if isinstance(value, list) else "",
)
def test_bad_input_is_three_lines_exit_2_and_writes_nothing(
    tmp_path: Path, arguments: list[str], code: str, part: str
) -> None:
    done = webanything(*arguments, "--json", cwd=tmp_path)
    assert done.returncode == ExitCode.USAGE, done.stderr
    told = done.stderr.splitlines()
    assert [text[:6] for text in told] == ["error:", "  at: ", "  do: "], done.stderr
    assert part in done.stderr
    assert list(tmp_path.iterdir()) == []
    first = lines(done)[0]
    assert (first["event"], first["code"], first["exit"]) == ("error", code, 2)


def test_the_last_line_of_a_failed_run_is_finished_with_what_is_known(tmp_path: Path) -> None:
    done = webanything("reconstruct", "nowhere", "--json", cwd=tmp_path)
    assert lines(done)[-1] == {
        "event": "finished", "verdict": None, "run": None, "environment": None, "scores": {}, "spend": {}
    }  # fmt: skip


def test_without_json_stdout_stays_empty_on_errors(tmp_path: Path) -> None:
    assert webanything("reconstruct", "nowhere", cwd=tmp_path).stdout == ""


def test_debug_adds_the_traceback_to_an_understood_error(tmp_path: Path) -> None:
    assert "Traceback" not in webanything("show", ".", cwd=tmp_path).stderr
    assert "Traceback" in webanything("show", ".", "--debug", cwd=tmp_path).stderr


def test_a_variable_sets_a_setting_and_its_origin_is_shown(tmp_path: Path) -> None:
    (tmp_path / "webanything.toml").write_text("scope = 'page'\n")
    done = webanything("config", "--origin", "--max-time", "5m", "--json", cwd=tmp_path, WEBANYTHING_MAX_PAGES="7")
    said = {line["key"]: (line["value"], line["origin"]) for line in lines(done)}
    assert said["max_pages"] == (7, "variable")
    assert said["max_time"] == (300.0, "flag")
    assert said["scope"] == ("page", f"file {tmp_path / 'webanything.toml'}")
    assert said["coverage"] == ("full", "default")


def test_doctor_says_json_and_its_exit_code_tells_whether_the_main_job_can_be_done(tmp_path: Path) -> None:
    done = webanything("doctor", "--json", WEBANYTHING_BROWSER=str(tmp_path / "gone"))
    assert done.returncode == ExitCode.MISSING
    checks = {line["check"]: line for line in lines(done)}
    assert checks["browser"]["state"] == "missing"
    assert checks["browser"]["mend"]
    assert checks["python"]["state"] == "ok"


def test_runs_are_listed_shown_and_compared(tmp_path: Path) -> None:
    home = tmp_path / "webanything-runs"
    pipeline(home / "one", FakeStages()).reconstruct()
    pipeline(home / "two", FakeStages(verdict="repair")).reconstruct()
    (home / "broken").mkdir()
    (home / "broken" / "run.json").write_text("{")
    rows = {Path(str(row["folder"])).name: row["verdict"] for row in lines(webanything("list", "--json", cwd=tmp_path))}
    assert rows == {"one": "accepted", "two": "repair", "broken": "unfinished"}
    (environment,) = lines(webanything("list", "envs", "--json", cwd=tmp_path))
    assert environment["id"] == "webanything/shop-v1"
    (shown,) = lines(webanything("show", home / "one", "--json"))
    assert shown["verdict"] == "accepted"
    assert "SSIM" in webanything("show", home / "one").stdout
    (changed,) = lines(webanything("diff", home / "one", home / "two", "--json"))
    assert changed["changed"]["verdict"] == ["accepted", "repair"]  # type: ignore[index]


def test_an_error_of_the_disk_is_told_as_a_full_disk(tmp_path: Path) -> None:
    done = webanything("reconstruct", "http://127.0.0.1:1/", "--out", "/dev/full/run", "--json")
    assert done.returncode in (ExitCode.USAGE, ExitCode.MISSING)
    assert "Traceback" not in done.stderr
    script = (
        "import errno, sys\nfrom webanything.cli import main\n"
        "def full(*_, **__):\n"
        "    try: raise OSError(errno.ENOSPC, 'No space left on device', '/data/x')\n"
        "    except OSError as error: raise RuntimeError('wrapped') from error\n"
        "main.commands.main = full\nsys.exit(main.main(['show', 'x', '--json']))"
    )
    full = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert full.returncode == ExitCode.MISSING
    assert lines(full)[0]["code"] == "disk_full"


def test_a_bug_keeps_its_traceback_and_says_where_to_report_it() -> None:
    script = (
        "import sys\nfrom webanything.cli import main\n"
        "def broken(*_, **__): raise ZeroDivisionError('oops')\n"
        "main.commands.main = broken\nsys.exit(main.main(['reconstruct', 'x', '--json']))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == ExitCode.INTERNAL
    assert "Traceback" in done.stderr
    assert "ZeroDivisionError: oops" in done.stderr
    assert "report" in done.stderr
    assert [line["event"] for line in lines(done)] == ["error", "finished"]


def test_a_reader_that_leaves_ends_the_command_quietly() -> None:
    done = subprocess.run(
        f"{sys.executable} -m webanything schema Report | head -c 10",
        shell=True,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Traceback" not in done.stderr
    assert "BrokenPipe" not in done.stderr


def test_a_command_module_is_short() -> None:
    folder = Path(__file__).parents[3] / "webanything" / "cli"
    for name in COMMANDS:
        assert len((folder / f"{module_of(name)}.py").read_text().splitlines()) <= 80, name


def test_a_reader_that_goes_away_is_no_bug(tmp_path: Path) -> None:
    root = Path(__file__).parents[3]
    told = f"{sys.executable} -m webanything doctor --json | head -1"
    script = f"set -o pipefail; {told} >/dev/null"
    ended = subprocess.run(["bash", "-c", script], cwd=root, capture_output=True, text=True, timeout=120)
    assert (ended.returncode in (0, 4), ended.stderr) == (True, "")


def test_how_an_attempt_ended_is_told_in_words() -> None:
    gone = RuntimeError("display")
    gone.__cause__ = BrokenPipeError(32, "Broken pipe")
    assert ending_of(gone) == "Stopped: nobody read what it said any more."
    assert ending_of(KeyboardInterrupt()) == "Stopped at once."
    assert ending_of(ValueError("odd")) == "ValueError: odd"


def test_an_unfinished_run_is_gone_on_with_by_the_very_command_that_was_stopped(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    pipeline(tmp_path, FakeStages())
    command = "webanything reconstruct http://a.example/ --out r --max-pages 2 --allow session"
    folder.log(Event("ended", {"what": "Stopped.", "again": command}), 1.0, 1)
    assert dict(under_way(folder))["to go on"] == command
