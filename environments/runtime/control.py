"""The control plane: a port of its own, a bearer token, JSON in and out. The site's port knows nothing of it."""

import hmac
import json
from collections.abc import Callable
from typing import Any, NamedTuple

from flask import Flask, Response, request

from environments.runtime import database
from environments.runtime.clock import format_instant, parse_instant
from environments.runtime.frozen import Frozen
from environments.runtime.manifest import Manifest
from environments.runtime.openapi import OPERATIONS, Operation, document
from environments.runtime.places import Front, Hosts
from environments.runtime.sessions import DEFAULT, Refused, Session, Sessions
from environments.runtime.unseen import Unseen


class Served(NamedTuple):
    """What the control plane rules over."""

    manifest: Manifest
    sessions: Sessions
    hosts: Hosts
    frozen: Frozen
    unseen: Unseen
    authority: str
    """HOST:PORT of the site as its visitors reach it."""
    proxy: str
    """HOST:PORT of the proxy whose user names the session."""

    def url(self, session: str = DEFAULT) -> str:
        """The address of a session, without a slash at the end."""
        return f"http://{self.session_authority(session)}"

    def session_authority(self, session: str) -> str:
        if session == DEFAULT:
            return self.authority
        return f"{session}.{self.manifest.data['name']}.localhost:{self.authority.rpartition(':')[2]}"


class Control:
    """One method an operation of the OpenAPI document; each gives what is sent as JSON."""

    def __init__(self, served: Served) -> None:
        self.served = served
        self.sessions = served.sessions

    def health(self) -> dict[str, Any]:
        return {"status": "ok"}

    def openapi(self) -> dict[str, Any]:
        return document(str(self.served.manifest.data["id"]))

    def manifest(self) -> dict[str, Any]:
        served = self.served
        front = Front(served.authority, served.hosts, served.hosts.main)
        return {
            **served.manifest.data,
            "url": served.url(),
            "start_url": front.to_local(str(served.manifest.data["start"])),
            "state": served.sessions.get(None).state(),
            "sessions": len(served.sessions.names()),
            "unseen": {"total": served.unseen.total, "distinct": served.unseen.distinct},
            "inferred": {"total": served.unseen.inferred, "distinct": len(served.unseen.inferred_paths)},
            "frozen": {"answers": served.frozen.count, "bytes": served.frozen.bytes, "hits": served.frozen.hits},
        }

    def reset(self) -> dict[str, Any]:
        body = _body()
        session = self.sessions.get(_text(body, "session"))
        at = _text(body, "clock")
        return session.reset(clock=None if at is None else _instant(at))

    def set_clock(self) -> dict[str, Any]:
        body = _body()
        session = self.sessions.get(_text(body, "session"))
        at = _text(body, "at")
        instant = session.clock.now() if at is None else _instant(at)
        running = body.get("running", True)
        if not isinstance(running, bool):
            raise Refused(400, "running must be true or false")
        session.clock.set(instant, running=running)
        return {"session": session.name, "at": format_instant(instant), "running": running}

    def list_sessions(self) -> dict[str, Any]:
        return {"sessions": [self._summary(self.sessions.get(name)) for name in self.sessions.names()]}

    def create_session(self) -> dict[str, Any]:
        session = self.sessions.create(_text(_body(), "session"))
        return self._where(session)

    def show_session(self, name: str) -> dict[str, Any]:
        return self._summary(self.sessions.get(name))

    def delete_session(self, name: str) -> dict[str, Any]:
        self.sessions.delete(name)
        return {"session": name, "deleted": True}

    def snapshot(self, name: str) -> dict[str, Any]:
        session = self.sessions.get(name)
        with session.lock:
            return {"session": name, "snapshot": session.snapshot(), "state": session.state()}

    def restore(self, name: str) -> dict[str, Any]:
        snapshot = _text(_body(), "snapshot")
        if snapshot is None:
            raise Refused(400, "say which snapshot")
        return {"session": name, "snapshot": snapshot, "state": self.sessions.get(name).restore(snapshot)}

    def fork(self, name: str) -> dict[str, Any]:
        session = self.sessions.create(_text(_body(), "session"), like=self.sessions.get(name))
        return {**self._where(session), "state": session.state()}

    def diff(self, name: str) -> dict[str, Any]:
        session = self.sessions.get(name)
        return {"session": name, "seed": session.seed.digest, "state": session.state(), **session.difference()}

    def events(self, name: str) -> dict[str, Any]:
        session = self.sessions.get(name)
        since = request.args.get("since", 0, type=int)
        kept = [event._asdict() for event in list(session.events) if event.number > since]
        for event in kept:
            event["at"] = format_instant(event["at"])
        return {"session": name, "requests": session.requests, "writes": session.writes, "events": kept}

    def state(self, name: str) -> dict[str, Any]:
        session = self.sessions.get(name)
        image = session.image()
        found: dict[str, Any] = {"session": name, "seed": session.seed.digest, "state": session.state()}
        sql = request.args.get("sql")
        if sql is None:
            return {**found, "tables": database.counts(image)}
        try:
            return {**found, **database.query(image, sql, site=session.seed.site)}
        except database.QueryError as error:
            raise Refused(400, f"the statement was refused: {error}") from error

    def _where(self, session: Session) -> dict[str, Any]:
        """How a session is reached: by an address of its own, and by the proxy with its name as the user."""
        return {"session": session.name, "url": self.served.url(session.name), "proxy": f"http://{self.served.proxy}"}

    def _summary(self, session: Session) -> dict[str, Any]:
        return {
            "session": session.name,
            "url": self.served.url(session.name),
            "state": session.state(),
            "clock": format_instant(session.clock.now()),
            "requests": session.requests,
            "writes": session.writes,
            "snapshots": list(session.snapshots),
        }


def create_control(served: Served, token: str) -> Flask:
    """The control plane as a WSGI application."""
    app = Flask("environments.runtime.control", static_folder=None, template_folder=None)
    control = Control(served)
    for operation in OPERATIONS:
        app.add_url_rule(
            operation.path.replace("{session}", "<name>"),
            endpoint=operation.name,
            methods=[operation.method],
            view_func=_view(operation, getattr(control, operation.name), token),
        )
    app.register_error_handler(404, lambda error: _json({"error": "there is no such address"}, 404))
    app.register_error_handler(405, lambda error: _json({"error": "this address does not take that method"}, 405))
    return app


def _view(operation: Operation, answer: Callable[..., dict[str, Any]], token: str) -> Callable[..., Response]:
    def view(**arguments: str) -> Response:
        if not operation.open and not _allowed(request.headers.get("Authorization", ""), token):
            refusal = _json({"error": "a bearer token is needed"}, 401)
            refusal.headers["WWW-Authenticate"] = "Bearer"
            return refusal
        try:
            return _json(answer(**arguments))
        except Refused as refused:
            return _json({"error": str(refused)}, refused.status)

    return view


def _allowed(header: str, token: str) -> bool:
    scheme, _, given = header.partition(" ")
    return scheme.lower() == "bearer" and hmac.compare_digest(given.strip().encode(), token.encode())


def _json(value: dict[str, Any], status: int = 200) -> Response:
    return Response(json.dumps(value, ensure_ascii=False) + "\n", status, content_type="application/json")


def _body() -> dict[str, Any]:
    """The JSON object that was sent; nothing sent is an empty one."""
    data = request.get_data()
    if not data.strip():
        return {}
    try:
        body = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise Refused(400, f"the body is no JSON: {error}") from error
    if not isinstance(body, dict):
        raise Refused(400, "the body must be a JSON object")
    return body


def _text(body: dict[str, Any], name: str) -> str | None:
    value = body.get(name)
    if value is not None and not isinstance(value, str):
        raise Refused(400, f"{name} must be a string or null")
    return value


def _instant(text: str) -> float:
    try:
        return parse_instant(text)
    except ValueError as error:
        raise Refused(400, f"{text!r} is no ISO 8601 instant") from error
