import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from environments.runtime.clock import parse_instant
from environments.runtime.control import Served, create_control
from environments.runtime.frozen import Frozen
from environments.runtime.manifest import read_manifest
from environments.runtime.openapi import OPERATIONS
from environments.runtime.places import Hosts
from environments.runtime.sessions import Seed, Sessions, connect
from environments.runtime.unseen import Unseen
from tests.environments import tinymirror


class Plane:
    """A control plane and a client that knows the token."""

    def __init__(self, folder: Path) -> None:
        manifest = read_manifest(folder)
        self.sessions = Sessions(Seed.of(manifest.mirror, parse_instant(tinymirror.CLOCK)))
        served = Served(
            manifest, self.sessions, Hosts(manifest.hosts), Frozen(), Unseen(), "127.0.0.1:8000", "127.0.0.1:8001"
        )
        self.client: FlaskClient = create_control(served, "secret").test_client()

    def ask(self, method: str, path: str, body: Any = None, token: str = "secret") -> tuple[int, Any]:
        data = None if body is None else json.dumps(body)
        answer = self.client.open(path, method=method, data=data, headers={"Authorization": f"Bearer {token}"})
        return answer.status_code, answer.get_json()

    def write(self, session: str | None = None) -> None:
        with self.sessions.get(session).turn():
            connect().execute("INSERT INTO cart(item) VALUES ('tea')")


@pytest.fixture
def plane(tmp_path: Path) -> Iterator[Plane]:
    tinymirror.write_environment(tmp_path / "env")
    made = Plane(tmp_path / "env")
    yield made
    made.sessions.close()


def test_health_says_nothing_else_and_all_else_needs_the_token(plane: Plane) -> None:
    assert plane.client.get("/health").get_json() == {"status": "ok"}
    for operation in OPERATIONS:
        path = operation.path.replace("{session}", "default")
        status, body = plane.ask(operation.method, path, {}, token="wrong")
        assert status == (200 if operation.open else 401)
        assert operation.open or body == {"error": "a bearer token is needed"}
    for header in ("", "Bearer", "Basic secret", "secret", "Bearer sécret"):
        assert plane.client.get("/manifest", headers={"Authorization": header}).status_code == 401


def test_the_manifest_tells_what_is_served_and_where(plane: Plane) -> None:
    status, manifest = plane.ask("GET", "/manifest")
    assert status == 200
    assert (manifest["id"], manifest["url"], manifest["start_url"]) == (
        "webanything/tiny-v1",
        "http://127.0.0.1:8000",
        "http://127.0.0.1:8000/",
    )
    assert manifest["state"] == manifest["seed"]
    assert manifest["accounts"] == [{"label": "buyer", "user": "ann@shop.example", "password": "sandbox-1"}]


def test_reset_gives_proof(plane: Plane) -> None:
    plane.write()
    status, proof = plane.ask("POST", "/reset", {"session": None})
    assert status == 200
    assert proof["state"] == proof["seed"] and proof["session"] == "default" and proof["ms"] >= 0
    assert plane.ask("POST", "/reset")[0] == 200
    assert plane.ask("POST", "/reset", {"session": "nobody"})[0] == 404


def test_reset_may_set_the_clock(plane: Plane) -> None:
    plane.ask("POST", "/reset", {"clock": "2030-01-01T00:00:00Z"})
    assert plane.ask("GET", "/sessions/default")[1]["clock"].startswith("2030-01-01T00:00")
    plane.ask("POST", "/reset", {})
    assert plane.ask("GET", "/sessions/default")[1]["clock"].startswith("2026-01-31T12:00")


def test_sessions_come_and_go(plane: Plane) -> None:
    assert plane.ask("POST", "/sessions", {}) == (
        200,
        {"session": "s1", "url": "http://s1.tiny.localhost:8000", "proxy": "http://127.0.0.1:8001"},
    )
    assert plane.ask("POST", "/sessions", {"session": "mine"})[1]["url"] == "http://mine.tiny.localhost:8000"
    assert [each["session"] for each in plane.ask("GET", "/sessions")[1]["sessions"]] == ["default", "s1", "mine"]
    assert plane.ask("DELETE", "/sessions/s1")[0] == 200
    assert plane.ask("DELETE", "/sessions/s1")[0] == 404
    assert plane.ask("DELETE", "/sessions/default")[0] == 409


def test_snapshot_restore_and_fork(plane: Plane) -> None:
    plane.write()
    _, kept = plane.ask("POST", "/sessions/default/snapshot")
    plane.ask("POST", "/reset")
    status, restored = plane.ask("POST", "/sessions/default/restore", {"snapshot": kept["snapshot"]})
    assert (status, restored["state"]) == (200, kept["state"])
    status, fork = plane.ask("POST", "/sessions/default/fork")
    assert (status, fork["state"]) == (200, kept["state"])
    assert plane.ask("POST", "/sessions/default/restore", {})[0] == 400
    assert plane.ask("POST", "/sessions/default/restore", {"snapshot": "n9"})[0] == 404


def test_the_difference_since_the_seed(plane: Plane) -> None:
    plane.write()
    _, told = plane.ask("GET", "/sessions/default/diff")
    assert told["tables"]["cart"]["added"] == [{"id": 1, "item": "tea"}]
    assert told["state"] != told["seed"]


def test_state_is_counted_or_asked(plane: Plane) -> None:
    plane.write()
    assert plane.ask("GET", "/sessions/default/state")[1]["tables"] == {"account": 1, "cart": 1}
    _, answer = plane.ask("GET", "/sessions/default/state?sql=SELECT item FROM cart")
    assert answer["rows"] == [["tea"]]
    status, refused = plane.ask("GET", "/sessions/default/state?sql=DELETE FROM cart")
    assert status == 400 and "not authorized" in refused["error"]


def test_events_since_a_number(plane: Plane) -> None:
    for number in range(3):
        plane.sessions.get(None).note("GET", f"https://shop.example/{number}", 200, 1.0, 0)
    _, told = plane.ask("GET", "/sessions/default/events?since=2")
    assert (told["requests"], [event["url"] for event in told["events"]]) == (3, ["https://shop.example/2"])


def test_the_clock_can_be_set_and_stopped(plane: Plane) -> None:
    status, told = plane.ask("POST", "/clock", {"at": "2027-05-01T10:00:00+02:00", "running": False})
    assert (status, told["at"]) == (200, "2027-05-01T08:00:00.000+00:00")
    assert plane.sessions.get(None).clock.now() == parse_instant("2027-05-01T08:00:00Z")
    assert plane.ask("POST", "/clock", {"at": "noon"})[0] == 400
    assert plane.ask("POST", "/clock", {"running": "yes"})[0] == 400


@pytest.mark.parametrize("body", ["{", "[]", '{"session": 3}', "[" * 100_000])
def test_bodies_that_cannot_be_used_are_refused(plane: Plane, body: str) -> None:
    answer = plane.client.post("/reset", data=body, headers={"Authorization": "Bearer secret"})
    assert answer.status_code == 400
    assert "error" in answer.get_json()


def test_unknown_addresses_and_methods_answer_in_json(plane: Plane) -> None:
    assert plane.ask("GET", "/nowhere") == (404, {"error": "there is no such address"})
    assert plane.ask("PUT", "/reset")[0] == 405


def test_the_document_describes_every_route_that_is_there(plane: Plane) -> None:
    _, document = plane.ask("GET", "/openapi.json")
    described = {(method.upper(), path) for path, methods in document["paths"].items() for method in methods}
    rules = plane.client.application.url_map.iter_rules()
    routes = {
        (method, rule.rule.replace("<name>", "{session}"))
        for rule in rules
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
    }
    assert described == routes
    for operation in OPERATIONS:
        status, body = plane.ask(operation.method, operation.path.replace("{session}", "default"), {"snapshot": "n1"})
        if status == 200:
            assert set(operation.answer.get("required", ())) <= set(body)
