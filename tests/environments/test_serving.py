"""The runtime as a real process, over real sockets."""

import contextlib
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from artifacts.errors import DamagedError, UnavailableError, UsageError
from environments.client.plane import ControlPlane
from environments.serving import Served, serving
from tests.environments import tinymirror


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("served") / "env"
    tinymirror.write_environment(place)
    return place


@pytest.fixture(scope="module")
def served(folder: Path) -> Iterator[Served]:
    with serving(folder, check=True) as running:
        yield running


def connection(url: str) -> http.client.HTTPConnection:
    return http.client.HTTPConnection(url.partition("://")[2], timeout=10)


def fetch(url: str, path: str, *, method: str = "GET", body: bytes | None = None, **headers: str) -> tuple[int, bytes]:
    with contextlib.closing(connection(url)) as asked:
        asked.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
        answer = asked.getresponse()
        return answer.status, answer.read()


def test_it_tells_where_it_is(served: Served) -> None:
    assert served.accounts == [{"label": "buyer", "user": "ann@shop.example", "password": "sandbox-1"}]
    assert served.url.startswith("http://127.0.0.1:") and served.control_url != served.url
    os.kill(served.pid, 0)
    assert fetch(served.url, "/")[0] == 200


def test_a_reset_over_http_undoes_writes_and_proves_it(served: Served) -> None:
    plane = ControlPlane(served.control_url, served.token)
    before = fetch(served.url, "/cart")[1]
    form = {"Content_Type": "application/x-www-form-urlencoded"}
    assert fetch(served.url, "/cart", method="POST", body=b"item=tea", **form)[0] == 302
    assert fetch(served.url, "/cart")[1] != before
    proof = plane.reset()
    assert proof["state"] == proof["seed"] == plane.manifest()["seed"]
    assert fetch(served.url, "/cart")[1] == before


def test_nothing_of_the_control_plane_is_on_the_sites_port(served: Served) -> None:
    token = {"Authorization": f"Bearer {served.token}"}
    for method, path in (("GET", "/manifest"), ("POST", "/reset"), ("GET", "/health"), ("GET", "/sessions")):
        for host in (None, served.control_url.partition("://")[2], "default.tiny.localhost"):
            status, body = fetch(served.url, path, method=method, **token, **({"Host": host} if host else {}))
            assert status in (404, 405) and b"seed" not in body and b"status" not in body


def test_one_connection_carries_ready_and_other_answers_in_order(served: Served) -> None:
    with contextlib.closing(connection(served.url)) as asked:
        for path in ("/big", "/big", "/cart", "/big", "/nowhere", "/big"):
            asked.request("GET", path)
            answer = asked.getresponse()
            body = answer.read()
            assert len(body) == int(answer.headers["Content-Length"])
            assert (body[:11] == b"<p>word</p>") == (path == "/big")
            assert answer.headers["Date"]
            assert "Via" not in answer.headers


def test_pipelined_requests_are_answered_in_order(served: Served) -> None:
    host, port = served.url.partition("://")[2].split(":")
    fetch(served.url, "/big")
    with socket.create_connection((host, int(port)), timeout=10) as raw:
        raw.sendall(b"".join(f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode() for path in ("/cart", "/big", "/cart"))
                    + b"GET /big HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")  # fmt: skip
        data = b""
        while chunk := raw.recv(65536):
            data += chunk
    order = [data.find(b"<title>Cart"), data.find(b"<p>word"), data.rfind(b"<title>Cart"), data.rfind(b"<p>word")]
    assert order == sorted(order) and -1 not in order


def test_a_slow_reader_gets_everything(served: Served) -> None:
    host, port = served.url.partition("://")[2].split(":")
    fetch(served.url, "/big", Host="x")
    with socket.create_connection((host, int(port)), timeout=10) as raw:
        for number in range(100):
            close = "Connection: close\r\n" if number == 99 else ""
            raw.sendall(f"GET /big HTTP/1.1\r\nHost: x\r\n{close}\r\n".encode())
        time.sleep(0.3)  # more than the sockets hold is waiting by now
        taken = bytearray()
        while chunk := raw.recv(1 << 20):
            taken += chunk
    assert taken.count(b"<p>word</p>") == 100 * 8000


def test_many_clients_at_once_see_their_own_sessions(served: Served) -> None:
    plane = ControlPlane(served.control_url, served.token)
    hosts = [plane.create_session()["url"].partition("://")[2] for _ in range(4)]
    failures: list[str] = []

    def visit(number: int) -> None:
        host = hosts[number]
        for _ in range(number + 1):
            fetch(
                served.url,
                "/cart",
                method="POST",
                body=b"item=x",
                Host=host,
                Content_Type="application/x-www-form-urlencoded",
            )
        if f"{number + 1} items".encode() not in fetch(served.url, "/cart", Host=host)[1]:
            failures.append(host)

    threads = [threading.Thread(target=visit, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_it_ends_with_the_block_and_when_it_is_told_to(folder: Path) -> None:
    with serving(folder) as running:
        os.kill(running.pid, signal.SIGTERM)
        deadline = time.monotonic() + 10
        while os.waitid(os.P_PID, running.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
            assert time.monotonic() < deadline
            time.sleep(0.02)
        left = os.waitid(os.P_PID, running.pid, os.WEXITED | os.WNOWAIT)
        assert left is not None and (left.si_code, left.si_status) == (os.CLD_EXITED, 0)
    with pytest.raises(ProcessLookupError):
        os.kill(running.pid, 0)


def test_it_ends_when_the_process_that_started_it_is_killed(folder: Path) -> None:
    code = (
        "import sys, time; from pathlib import Path; from environments.serving import serving\n"
        "with serving(Path(sys.argv[1])) as served: print(served.pid, flush=True); time.sleep(60)"
    )
    parent = subprocess.Popen([sys.executable, "-c", code, str(folder)], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    pid = int(parent.stdout.readline())
    parent.kill()
    parent.wait()
    parent.stdout.close()
    deadline = time.monotonic() + 10
    while Path(f"/proc/{pid}").exists() and Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z":
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_a_port_in_use_names_the_flag(folder: Path) -> None:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        held.listen()
        port = held.getsockname()[1]
        for settings, flag in (({"port": port}, "--port"), ({"control_port": port}, "--control-port")):
            with pytest.raises(UnavailableError) as failed, serving(folder, **settings):
                pass
            assert failed.value.code == "port_in_use"
            assert flag in failed.value.remedy


def test_a_candidate_is_served_from_its_mirror_and_contract(tmp_path: Path) -> None:
    mirror = tinymirror.write_mirror(tmp_path / "run" / "mirror")
    with serving(mirror) as running:
        assert fetch(running.url, "/")[0] == 200
    (mirror / "contract.json").rename(tmp_path / "run" / "contract.json")
    with serving(tmp_path / "run") as running:
        assert ControlPlane(running.control_url, running.token).manifest()["name"] == "shop"
    assert sorted(path.name for path in (tmp_path / "run").iterdir()) == ["contract.json", "mirror"]


def test_misses_go_to_a_file(folder: Path, tmp_path: Path) -> None:
    with serving(folder, unseen=tmp_path / "unseen.jsonl") as running:
        fetch(running.url, "/nowhere")
    assert json.loads((tmp_path / "unseen.jsonl").read_text())["path"] == "/nowhere"


def test_a_folder_without_anything_to_serve(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as failed, serving(tmp_path):
        pass
    assert failed.value.code == "nothing_to_serve"


def test_damage_is_told_by_the_child(tmp_path: Path) -> None:
    tinymirror.write_environment(tmp_path / "env")
    seed = tmp_path / "env" / "mirror" / "seed.sql"
    seed.write_text(seed.read_text() + "INSERT INTO cart(item) VALUES ('more');")
    with pytest.raises(DamagedError, match="seed"), serving(tmp_path / "env"):
        pass
    (tmp_path / "env" / "mirror" / "app.py").write_text("import nothing_of_that_name")
    seed.write_text(tinymirror.SEED)
    with pytest.raises(DamagedError, match="nothing_of_that_name"), serving(tmp_path / "env"):
        pass


def test_the_token_is_not_on_the_command_line(folder: Path) -> None:
    with serving(folder, token="a-secret-of-mine") as running:
        assert running.token == "a-secret-of-mine"
        assert b"a-secret" not in Path(f"/proc/{running.pid}/cmdline").read_bytes()


def test_a_wrong_token_is_refused(served: Served) -> None:
    with pytest.raises(UnavailableError, match="401"):
        ControlPlane(served.control_url, "wrong").manifest()


def test_proxies_of_the_user_are_not_used(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    assert ControlPlane(served.control_url, served.token).manifest()["name"] == "tiny"
    with pytest.raises(urllib.error.URLError):
        urllib.request.build_opener().open(served.url, timeout=5)
