"""Every way a start address can be unusable, through the command: its own code, three lines, nothing pretended."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from artifacts.errors import ExitCode
from tests.fakes.badsites import bad_sites

EXITS = {
    "bad_url": ExitCode.USAGE,
    "no_such_host": ExitCode.UNAVAILABLE,
    "refused": ExitCode.UNAVAILABLE,
    "tls_error": ExitCode.UNAVAILABLE,
    "not_a_page": ExitCode.USAGE,
    "empty_page": ExitCode.USAGE,
    "not_found": ExitCode.USAGE,
    "login_wall": ExitCode.BLOCKED,
    "forbidden": ExitCode.BLOCKED,
    "rate_limited": ExitCode.UNAVAILABLE,
    "server_error": ExitCode.UNAVAILABLE,
    "redirect_loop": ExitCode.UNAVAILABLE,
    "robots": ExitCode.BLOCKED,
    "challenge": ExitCode.BLOCKED,
}


@pytest.fixture(scope="module")
def addresses() -> Iterator[dict[str, str]]:
    with bad_sites() as found:
        yield found


def reconstruct(url: str, folder: Path) -> tuple[int, list[dict[str, object]], str]:
    command = [sys.executable, "-m", "webanything", "reconstruct", url, "--out", str(folder), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()], done.stderr


@pytest.mark.parametrize("code", list(EXITS))
def test_a_bad_start_has_its_own_code_and_three_lines(addresses: dict[str, str], code: str, tmp_path: Path) -> None:
    exit_code, events, errors = reconstruct(addresses[code], tmp_path / "run")
    told = next(event for event in events if event["event"] == "error")
    assert (told["code"], exit_code) == (code, EXITS[code]), errors
    lines = errors.splitlines()
    assert [line.split()[0] for line in lines[-3:]] == ["error:", "at:", "do:"]
    assert all(len(line.split()) > 1 for line in lines[-3:])
    assert "Traceback" not in errors
    assert events[-1]["event"] == "finished"
    assert events[-1]["verdict"] is None


def test_after_a_bad_start_the_same_folder_takes_the_right_address(addresses: dict[str, str], tmp_path: Path) -> None:
    reconstruct(addresses["not_found"], tmp_path / "run")
    exit_code, events, errors = reconstruct(addresses["forbidden"], tmp_path / "run")
    assert exit_code == ExitCode.BLOCKED, errors
    assert next(event for event in events if event["event"] == "error")["code"] == "forbidden"
