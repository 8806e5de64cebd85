import json
import os
import stat
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from artifacts.errors import DamagedError, UnavailableError, UsageError
from webanything.served import find, remembered, reset

TOKEN = "t0ken"


class Plane(BaseHTTPRequestHandler):
    """A control plane that only resets, and only sessions it knows."""

    state = "a" * 64

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        known = self.headers["Authorization"] == f"Bearer {TOKEN}"
        code = 401 if not known else 404 if asked["session"] not in (None, "s1") else 200
        self.send_response(code)
        self.end_headers()
        proof = {"session": asked["session"] or "default", "seed": "a" * 64, "state": self.state, "ms": 0.4}
        self.wfile.write(json.dumps(proof).encode())

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def plane() -> Iterator[str]:
    with HTTPServer(("127.0.0.1", 0), Plane) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()


@pytest.fixture(autouse=True)
def _state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def test_what_is_served_is_found_while_it_is_served(tmp_path: Path) -> None:
    served = {"pid": os.getpid(), "control_url": "http://127.0.0.1:1/", "token": TOKEN}
    with remembered(tmp_path, served):
        assert find(tmp_path)["token"] == TOKEN
        (file,) = (tmp_path / "state").rglob("*.json")
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
    with pytest.raises(UsageError) as caught:
        find(tmp_path)
    assert caught.value.code == "not_served"


def test_a_server_that_was_killed_is_not_found(tmp_path: Path) -> None:
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)
    with remembered(tmp_path, {"pid": pid}), pytest.raises(UsageError):
        find(tmp_path)


def test_serving_goes_on_where_nothing_can_be_written(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("in the way")
    with remembered(tmp_path, {"pid": 1}):
        pass


@pytest.mark.parametrize(("session", "name"), [(None, "default"), ("s1", "s1")])
def test_a_reset_returns_its_proof(plane: str, session: str | None, name: str) -> None:
    assert reset(plane, TOKEN, session)["session"] == name


@pytest.mark.parametrize(("token", "session", "remedy"), [("x", None, "TOKEN"), (TOKEN, "s9", "--session")])
def test_a_refused_reset_says_what_to_check(plane: str, token: str, session: str | None, remedy: str) -> None:
    with pytest.raises(UnavailableError) as caught:
        reset(plane, token, session)
    assert remedy in caught.value.remedy


def test_a_state_that_is_not_the_seeds_is_damage(plane: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Plane, "state", "b" * 64)
    with pytest.raises(DamagedError):
        reset(plane, TOKEN, None)


def test_no_server_is_unavailable() -> None:
    with HTTPServer(("127.0.0.1", 0), Plane) as server:
        port = server.server_port
    with pytest.raises(UnavailableError):
        reset(f"http://127.0.0.1:{port}", TOKEN, None)
