"""The operations of the control plane, as a table that both the server and its OpenAPI document are made from."""

from typing import Any, NamedTuple

from environments.runtime.sessions import NAME

Schema = dict[str, Any]

_TEXT: Schema = {"type": "string"}
_NUMBER: Schema = {"type": "integer"}
_DIGEST: Schema = {"type": "string", "pattern": "^[0-9a-f]{64}$"}
_NAME: Schema = {"type": "string", "pattern": f"^{NAME.pattern}$"}
_INSTANT: Schema = {"type": "string", "format": "date-time"}


def _object(required: dict[str, Schema], optional: dict[str, Schema] | None = None, *, closed: bool = False) -> Schema:
    schema: Schema = {"type": "object", "properties": {**required, **(optional or {})}}
    if required:
        schema["required"] = list(required)
    if closed:
        schema["additionalProperties"] = False
    return schema


def _or_null(schema: Schema) -> Schema:
    return {**schema, "type": [schema["type"], "null"]}


_PROOF = _object({"session": _NAME, "seed": _DIGEST, "state": _DIGEST, "ms": {"type": "number"}})
_CREATED = _object({"session": _NAME, "url": _TEXT, "proxy": _TEXT})
_SUMMARY = _object({"session": _NAME, "url": _TEXT, "state": _DIGEST, "clock": _INSTANT})
_NAMED = _object({}, {"session": _or_null(_NAME)})


class Operation(NamedTuple):
    """One thing that can be asked of the control plane."""

    name: str
    method: str
    path: str
    summary: str
    answer: Schema
    body: Schema | None = None
    query: dict[str, Schema] = {}
    open: bool = False
    """Whether it answers without a token."""


OPERATIONS = (
    Operation("health", "GET", "/health", "Whether the site is served.", _object({"status": _TEXT}), open=True),
    Operation("openapi", "GET", "/openapi.json", "This document.", {"type": "object"}),
    Operation(
        "manifest", "GET", "/manifest", "The environment: digests, hosts, accounts, counts.",
        _object({"id": _TEXT, "name": _TEXT, "site": _TEXT, "url": _TEXT, "start_url": _TEXT, "mirror": _DIGEST,
                 "content": _DIGEST, "seed": _DIGEST, "state": _DIGEST}),
    ),
    Operation(
        "reset", "POST", "/reset", "Put a session back to the seed; `state` is read from its database afterwards.",
        _PROOF, body=_object({}, {"session": _or_null(_NAME), "clock": _or_null(_INSTANT)}),
    ),
    Operation(
        "set_clock", "POST", "/clock", "Set a session's instant, and whether its time runs on.",
        _object({"session": _NAME, "at": _INSTANT, "running": {"type": "boolean"}}),
        body=_object({}, {"session": _or_null(_NAME), "at": _or_null(_INSTANT), "running": {"type": "boolean"}}),
    ),
    Operation(
        "list_sessions", "GET", "/sessions", "Every session.",
        _object({"sessions": {"type": "array", "items": _SUMMARY}}),
    ),
    Operation("create_session", "POST", "/sessions", "A new session at the seed.", _CREATED, body=_NAMED),
    Operation("show_session", "GET", "/sessions/{session}", "One session.", _SUMMARY),
    Operation(
        "delete_session", "DELETE", "/sessions/{session}", "End a session and forget its state.",
        _object({"session": _NAME, "deleted": {"type": "boolean"}}),
    ),
    Operation(
        "snapshot", "POST", "/sessions/{session}/snapshot", "Keep the state under a name.",
        _object({"session": _NAME, "snapshot": _TEXT, "state": _DIGEST}),
    ),
    Operation(
        "restore", "POST", "/sessions/{session}/restore", "Go back to a snapshot.",
        _object({"session": _NAME, "snapshot": _TEXT, "state": _DIGEST}), body=_object({"snapshot": _TEXT}),
    ),
    Operation(
        "fork", "POST", "/sessions/{session}/fork", "A new session at the present state of this one.",
        _object({"session": _NAME, "url": _TEXT, "proxy": _TEXT, "state": _DIGEST}), body=_NAMED,
    ),
    Operation(
        "diff", "GET", "/sessions/{session}/diff", "Rows added, removed and changed since the seed, table by table.",
        _object({"session": _NAME, "seed": _DIGEST, "state": _DIGEST, "tables": {"type": "object"}}),
    ),
    Operation(
        "events", "GET", "/sessions/{session}/events", "The latest requests, and how many rows each of them wrote.",
        _object({"session": _NAME, "requests": _NUMBER, "writes": _NUMBER, "events": {"type": "array"}}),
        query={"since": _NUMBER},
    ),
    Operation(
        "state", "GET", "/sessions/{session}/state",
        "The state's digest, with the rows of each table counted or one read-only SELECT answered.",
        _object({"session": _NAME, "seed": _DIGEST, "state": _DIGEST}), query={"sql": _TEXT},
    ),
)  # fmt: skip


def document(title: str) -> dict[str, Any]:
    """The OpenAPI 3.1 document of the control plane."""
    paths: dict[str, dict[str, Any]] = {}
    for operation in OPERATIONS:
        paths.setdefault(operation.path, {})[operation.method.lower()] = _described(operation)
    return {
        "openapi": "3.1.0",
        "info": {"title": f"Control plane of {title}", "version": "1"},
        "security": [{"token": []}],
        "components": {"securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
        "paths": paths,
    }


def _described(operation: Operation) -> dict[str, Any]:
    parameters: list[dict[str, Any]] = [
        {"name": name, "in": "query", "required": False, "schema": schema} for name, schema in operation.query.items()
    ]
    if "{session}" in operation.path:
        parameters.insert(0, {"name": "session", "in": "path", "required": True, "schema": _NAME})
    described: dict[str, Any] = {
        "operationId": operation.name,
        "summary": operation.summary,
        "responses": {"200": {"description": "Done.", "content": {"application/json": {"schema": operation.answer}}}},
    }
    for status, meaning in _refusals(operation):
        described["responses"][status] = {"description": meaning}
    if parameters:
        described["parameters"] = parameters
    if operation.body is not None:
        described["requestBody"] = {"content": {"application/json": {"schema": operation.body}}}
    if operation.open:
        described["security"] = []
    return described


def _refusals(operation: Operation) -> list[tuple[str, str]]:
    refusals = [] if operation.open else [("401", "The bearer token is missing or wrong.")]
    if "{session}" in operation.path or (operation.body and "session" in operation.body["properties"]):
        refusals.append(("404", "There is no such session."))
    if operation.body is not None or operation.query:
        refusals.append(("400", "What was sent cannot be used."))
    return refusals
