import socket
import stat
import time
from pathlib import Path

import pytest

from webanything import doctor


def test_every_line_has_a_state_and_a_bad_one_the_way_to_mend_it() -> None:
    began = time.monotonic()
    checks = doctor.examine()
    assert time.monotonic() - began < 5  # two seconds on a machine of one's own
    assert {
        "python",
        "browser",
        "fonts",
        "loopback port",
        "docker engine",
        "sqlite",
        "disk space",
        "package names",
    } <= {check.name for check in checks}
    assert all(check.mend for check in checks if check.state != "ok")
    assert all(check.found for check in checks if check.state == "ok")


@pytest.mark.parametrize("script", [None, "#!/bin/sh\nexit 127\n"], ids=["gone", "does not start"])
def test_a_browser_that_cannot_be_used_is_missing_and_needed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str | None
) -> None:
    path = tmp_path / "chromium"
    if script:
        path.write_text(script)
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("WEBANYTHING_BROWSER", str(path))
    checks = doctor.browser()
    assert checks[0].state == "missing"
    assert doctor.needed_and_missing(checks)


def test_a_browser_named_wrongly_is_mended_where_it_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("WEBANYTHING_BROWSER", str(tmp_path / "gone"))
    (check,) = doctor.browser()
    assert "WEBANYTHING_BROWSER" in check.mend
    assert "gone" in check.found


def test_no_docker_is_a_line_and_not_needed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    checks = doctor.docker()
    assert checks[0].state == "missing"
    assert not doctor.needed_and_missing(checks)


def test_a_credential_is_named_and_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-very-secret")
    (check,) = doctor.credential()
    assert check.state == "ok"
    assert "secret" not in str(check)


def test_a_distribution_that_takes_one_of_our_names_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    info = tmp_path / "other-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: other\nVersion: 1.0\n")
    (info / "top_level.txt").write_text("verifier\n")
    monkeypatch.syspath_prepend(tmp_path)
    (check,) = doctor.names()
    assert check.state == "missing"
    assert "pip uninstall other" in check.mend


def test_looking_asks_no_other_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: socket.socket, address: object) -> None:
        raise AssertionError(f"connects to {address}")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    assert doctor.examine()


def test_a_command_that_hangs_is_given_up(tmp_path: Path) -> None:
    began = time.monotonic()
    assert doctor.output(["sleep", "30"]) == ""
    assert time.monotonic() - began < 10
