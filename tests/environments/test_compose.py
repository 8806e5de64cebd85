"""Compose files, and what the engine makes of them."""

import datetime
import json
import shutil
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from artifacts.environment import Environment
from artifacts.errors import UsageError
from environments import engine
from environments.client.plane import ControlPlane
from environments.compose import (
    ComposeResult,
    Service,
    _write_tokens,
    compose_file,
    service_names,
    write_compose,
    yaml_lines,
)
from tests.environments import tinymirror

SERVICES = (
    Service("shop", "webanything-shop:v1", 9000, 9001, "WEBANYTHING_TOKEN_SHOP"),
    Service("docs", "webanything-docs:v1", 9002, 9003, "WEBANYTHING_TOKEN_DOCS"),
)


def test_every_service_is_shut_in() -> None:
    described = compose_file(SERVICES, base="base:1", quick_start=True)
    for service in described["services"].values():
        assert service["read_only"] is True
        assert service["cap_drop"] == ["ALL"]
        assert service["security_opt"] == ["no-new-privileges:true"]
        assert service["user"] == "10001:10001"
        assert service["mem_limit"] and service["pids_limit"]
        assert service["healthcheck"]["start_interval"] == "1s"
    for name in ("shop", "docs"):
        assert described["services"][name]["networks"] == [f"inside-{name}"]
        assert described["networks"][f"inside-{name}"]["internal"] is True
        assert "ports" not in described["services"][name]
    gate = described["services"]["gate"]
    assert gate["ports"] == [f"127.0.0.1:{port}:{port}" for port in (9000, 9001, 9002, 9003)]
    assert gate["command"] == ["9000=shop:8080", "9001=shop:8081", "9002=docs:8080", "9003=docs:8081"]


def test_older_engines_get_no_start_interval() -> None:
    health = compose_file(SERVICES, base="base:1", quick_start=False)["services"]["shop"]["healthcheck"]
    assert "start_interval" not in health and health["interval"] == "2s"


def test_names_are_told_apart() -> None:
    def record(name: str, version: int) -> Environment:
        return Environment.model_construct(name=name, version=version)

    assert service_names([record("a", 1), record("b", 1)]) == ["a", "b"]
    assert service_names([record("a", 1), record("a", 2)]) == ["a-v1", "a-v2"]
    assert service_names([record("a", 1), record("a", 1)]) == ["a-v1", "a-v1-2"]


def test_tokens_are_private_and_stay(tmp_path: Path) -> None:
    path = tmp_path / "new" / ".env"
    path.parent.mkdir()
    path.write_text("MINE=1\n")
    _write_tokens(path, SERVICES[:1])
    first = path.read_text()
    assert first.startswith("MINE=1\nWEBANYTHING_TOKEN_SHOP=")
    assert path.stat().st_mode & 0o777 == 0o600
    _write_tokens(path, SERVICES)
    lines = path.read_text().splitlines()
    assert lines[:2] == first.splitlines() and lines[2].startswith("WEBANYTHING_TOKEN_DOCS=")
    assert len({line.partition("=")[2] for line in lines}) == 3


def test_what_could_be_misread_is_quoted() -> None:
    assert yaml_lines({"a": "on", "b": "1", "c": "x: y", "d": [], "e": None, "f": "plain"}) == [
        'a: "on"',
        'b: "1"',
        'c: "x: y"',
        "d: []",
        "e: null",
        "f: plain",
    ]


def test_nothing_to_compose(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        write_compose([], tmp_path)


class Up(NamedTuple):
    """A compose file whose services are running."""

    made: ComposeResult

    def compose(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return compose(self.made.file, *arguments)

    def inside(self, service: str, code: str) -> subprocess.CompletedProcess[str]:
        """Run Python in a service's container."""
        return self.compose("exec", "-T", service, "python", "-c", code)

    def plane(self, number: int) -> ControlPlane:
        service = self.made.services[number]
        lines = dict(line.split("=", 1) for line in self.made.env_file.read_text().splitlines())
        return ControlPlane(service.control_url, lines[service.token_variable])


def compose(file: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["docker", "compose", "-f", str(file), *arguments], capture_output=True, text=True, timeout=120
    )


def free_ports(count: int) -> int:
    """The first of so many ports in a row that nobody has."""
    for first in range(20_000, 30_000, count):
        try:
            for port in range(first, first + count):
                with socket.socket() as probe:
                    probe.bind(("127.0.0.1", port))
        except OSError:
            continue
        return first
    raise AssertionError("every port is taken")


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    if shutil.which("docker") is None:
        pytest.skip("the docker command is not there")
    folder = tmp_path_factory.mktemp("compose")
    for name in ("tinyone", "tinytwo"):
        tinymirror.write_environment(folder / name, name=name)
    made = write_compose([folder / "tinyone", folder / "tinytwo"], folder / "out", port=free_ports(4))
    created = compose(made.file, "create")
    assert created.returncode == 0, created.stderr
    try:
        started = compose(made.file, "up", "-d", "--wait")
        assert started.returncode == 0, started.stderr
        yield Up(made)
    finally:
        compose(made.file, "down", "-t", "2", "--volumes")
        with engine.engine() as client:
            for service in made.services:
                client.images.remove(service.image)


def seconds(text: str) -> float:
    """An instant as the engine writes it; its fractions have more digits than Python reads."""
    day, _, fraction = text.replace("Z", "+00:00").partition(".")
    return datetime.datetime.fromisoformat(day[:19] + "." + fraction[:6]).timestamp()


def started_and_healthy(service: str) -> float:
    """Seconds from the last start of a service's container to its first good probe after that."""
    with engine.engine() as client:
        (container,) = client.containers.list(filters={"label": f"com.docker.compose.service={service}"})
    state = container.attrs["State"]
    began = seconds(state["StartedAt"])
    ends = [seconds(probe["End"]) for probe in state["Health"]["Log"] if probe["ExitCode"] == 0]
    return min((end - began for end in ends if end > began), default=float("inf"))


@pytest.mark.docker
def test_it_is_healthy_within_five_seconds(up: Up) -> None:
    for service in ("tinyone", "gate"):
        for attempt in range(3):  # a busy machine may be slow once; a slow start is slow every time
            if started_and_healthy(service) < 5:
                break
            assert attempt < 2, service
            up.compose("restart", "-t", "2", service)
            assert up.compose("up", "-d", "--wait").returncode == 0


@pytest.mark.docker
def test_it_is_nobody_with_no_rights_on_a_root_it_cannot_write(up: Up) -> None:
    code = (
        "import os, json\n"
        "def writable(path):\n"
        "    try: open(path + '/probe', 'w').close(); return True\n"
        "    except OSError: return False\n"
        "caps = [l.split()[1] for l in open('/proc/self/status') if l.startswith('Cap')]\n"
        "nnp = [l.split()[1] for l in open('/proc/self/status') if l.startswith('NoNewPrivs')][0]\n"
        "print(json.dumps({'uid': os.getuid(), 'caps': caps, 'nnp': nnp,\n"
        "  'w': {p: writable(p) for p in ('/', '/environment', '/opt/webanything', '/home', '/var', '/tmp')}}))"
    )
    for service in ("tinyone", "gate"):
        told = json.loads(up.inside(service, code).stdout)
        assert told["uid"] == 10001
        assert set(told["caps"]) == {"0000000000000000"}
        assert told["nnp"] == "1"
        assert [path for path, can in told["w"].items() if can] == ["/tmp"]


@pytest.mark.docker
def test_a_site_reaches_neither_the_host_nor_its_neighbour_nor_the_world(up: Up) -> None:
    with socket.create_server(("0.0.0.0", 0)) as listening, engine.engine() as client:
        port = listening.getsockname()[1]
        networks = client.networks.list(filters={"label": "com.docker.compose.project=webanything-tinyone"})
        gateways = [
            config["Gateway"]
            for network in [*networks, client.networks.get("bridge")]
            for config in network.attrs["IPAM"]["Config"] or ()
            if "Gateway" in config
        ]
        assert gateways
        (neighbour,) = client.containers.list(filters={"label": "com.docker.compose.service=tinytwo"})
        addresses = [network["IPAddress"] for network in neighbour.attrs["NetworkSettings"]["Networks"].values()]
        targets = [(gateway, port) for gateway in gateways] + [(address, 8080) for address in addresses]
        targets.append(("192.0.2.1", 80))
        code = (
            "import socket, json\n"
            "def reached(target):\n"
            "    try: socket.create_connection(tuple(target), timeout=1).close(); return True\n"
            "    except OSError: return False\n"
            f"print(json.dumps([t for t in {targets!r} if reached(t)]))\n"
            "print(json.dumps(reached(('127.0.0.1', 8080))))"
        )
        said = up.inside("tinyone", code)
        assert said.returncode == 0, said.stderr
        assert [json.loads(line) for line in said.stdout.splitlines()] == [[], True]


@pytest.mark.docker
def test_a_reset_through_the_gate_undoes_a_write_and_gives_equal_digests(up: Up) -> None:
    url = up.made.services[0].url
    plane = up.plane(0)
    before = urllib.request.urlopen(url + "/cart", timeout=10).read()
    urllib.request.urlopen(url + "/cart", data=b"item=tea", timeout=10).close()
    assert urllib.request.urlopen(url + "/cart", timeout=10).read() != before
    proof = plane.reset()
    assert proof["state"] == proof["seed"] == plane.manifest()["seed"]
    assert urllib.request.urlopen(url + "/cart", timeout=10).read() == before
    assert up.plane(1).manifest()["name"] == "tinytwo"


@pytest.mark.docker
def test_sessions_are_told_the_port_that_is_published(up: Up) -> None:
    made = up.plane(0).create_session()
    assert made["url"] == f"http://{made['session']}.tinyone.localhost:{up.made.services[0].port}"


@pytest.mark.docker
def test_the_frozen_digests_hold_inside_the_container(up: Up) -> None:
    code = (
        "from pathlib import Path\n"
        "from environments.runtime.manifest import check_content, read_manifest\n"
        "check_content(read_manifest(Path('/environment'))); print('whole')"
    )
    assert up.inside("tinyone", code).stdout.strip() == "whole"


@pytest.mark.docker
def test_it_ends_at_once_when_told_to(up: Up) -> None:
    began = time.monotonic()
    assert up.compose("stop", "-t", "8", "tinytwo").returncode == 0
    assert time.monotonic() - began < 7  # longer, and it would have been killed
    with engine.engine() as client:
        (ended,) = client.containers.list(all=True, filters={"label": "com.docker.compose.service=tinytwo"})
        assert ended.attrs["State"]["ExitCode"] == 0
