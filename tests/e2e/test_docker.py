"""The reconstructed shop as containers: shut in, the same as from the folder, and back at its seed after a reset."""

import datetime
import json
import secrets
import subprocess
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from bench.hosts import free_port
from bench.writing import Control, Visitor, find_writing_form
from tests.e2e.command import get, serving, webanything
from tests.e2e.conftest import Reconstructed

pytestmark = [pytest.mark.browser, pytest.mark.docker, pytest.mark.timeout(900)]


class Composed(NamedTuple):
    """The containers of one compose file."""

    command: tuple[str, ...]
    service: str
    image: str
    url: str
    control: Control

    def docker(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([*self.command, *arguments], capture_output=True, text=True, timeout=300)

    def python(self, code: str) -> subprocess.CompletedProcess[str]:
        """Run Python inside the environment's own container."""
        return self.docker("exec", "-T", self.service, "python", "-c", code)

    def inspected(self) -> dict[str, Any]:
        number = self.docker("ps", "-q", self.service).stdout.strip()
        found: list[dict[str, Any]] = json.loads(subprocess.check_output(["docker", "inspect", number]))
        return found[0]


@pytest.fixture(scope="module")
def composed(shop: Reconstructed, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Composed]:
    folder = tmp_path_factory.mktemp("compose")
    said = webanything("compose", str(shop.run / "environment"), "--out", str(folder), "--port", str(free_port() & ~1))
    assert said.code == 0, said.errors
    service = next(event for event in said.events if event["event"] == "result")["services"][0]
    token = next(line for line in (folder / ".env").read_text().splitlines() if line).partition("=")[2]
    command = (
        "docker",
        "compose",
        "-p",
        f"webanything-test-{secrets.token_hex(4)}",
        "-f",
        str(folder / "docker-compose.yml"),
    )
    found = Composed(
        command, service["name"], service["image"], service["url"] + "/", Control(service["control_url"], token)
    )
    try:
        up = found.docker("up", "-d", "--wait")
        assert up.returncode == 0, up.stderr + found.docker("logs").stdout
        yield found
    finally:
        found.docker("down", "-v", "--timeout", "1")
        subprocess.run(["docker", "image", "rm", "-f", found.image], capture_output=True)


def test_it_is_healthy_within_five_seconds_of_its_start(composed: Composed) -> None:
    state = composed.inspected()["State"]
    first = next(entry for entry in state["Health"]["Log"] if entry["ExitCode"] == 0)
    assert state["Health"]["Status"] == "healthy"
    assert (_instant(first["End"]) - _instant(state["StartedAt"])).total_seconds() < 5


def _instant(text: str) -> datetime.datetime:
    """Docker's nanoseconds cut to what Python can hold."""
    head, _, rest = text.partition(".")
    digits = rest.rstrip("Z").partition("+")[0].partition("-")[0]
    zone = rest[len(digits) :].replace("Z", "+00:00")
    return datetime.datetime.fromisoformat(f"{head}.{digits[:6].ljust(6, '0')}{zone}")


def test_pages_are_the_same_as_from_the_folder(composed: Composed, shop: Reconstructed) -> None:
    with serving(shop.run) as line:
        for path in ("", "shop/", "static/parts.css", "no/such/page"):
            base = line["url"] + "/"
            local, contained = get(base + path), get(composed.url + path)
            assert contained.status == local.status
            assert contained.body.replace(composed.url.encode(), b"") == local.body.replace(base.encode(), b"")


def test_after_a_write_and_a_reset_the_page_has_the_same_bytes(composed: Composed) -> None:
    composed.control.reset()
    before = get(composed.url).body
    form = find_writing_form(composed.url, composed.control)
    assert form is not None, "a shop has a cart"
    Visitor().submit(form)
    assert composed.control.is_dirty()
    proof = composed.control.reset()
    assert proof["state"] == proof["seed"]
    assert not composed.control.is_dirty()
    assert get(composed.url).body == before


@pytest.mark.parametrize(
    "code",
    [
        "import socket; socket.create_connection(('192.0.2.1', 80), 3)",
        "import socket; socket.getaddrinfo('site.example', 80)",
        "open('/opt/new', 'w')",
        "import os; os.setuid(0)",
        "import playwright",
        "import pydantic",
    ],
)
def test_there_is_no_way_out_nothing_to_write_to_and_nothing_that_is_not_needed(composed: Composed, code: str) -> None:
    assert composed.python(code).returncode == 1


def test_what_the_inside_may_do_is_done(composed: Composed) -> None:
    """The counterpart of the test above: it fails for its reasons and not because nothing runs."""
    done = composed.python("import os, flask; print(os.getuid() != 0)")
    assert (done.returncode, done.stdout.strip()) == (0, "True"), done.stderr


def test_it_reaches_no_other_container_although_others_do(composed: Composed) -> None:
    python = ("--entrypoint", "python", composed.image)
    started = ["docker", "run", "-d", "--rm", *python, "-m", "http.server", "9000", "-d", "/tmp"]
    neighbour = subprocess.check_output(started, text=True).strip()
    try:
        (found,) = json.loads(subprocess.check_output(["docker", "inspect", neighbour]))
        address = (found["NetworkSettings"]["IPAddress"], 9000)
        knock = f"import socket, time; time.sleep(1); socket.create_connection({address!r}, 3)"
        others = subprocess.run(["docker", "run", "--rm", *python, "-c", knock], capture_output=True, text=True)
        assert others.returncode == 0, others.stderr
        assert composed.python(knock).returncode == 1
    finally:
        subprocess.run(["docker", "rm", "-f", neighbour], capture_output=True)
