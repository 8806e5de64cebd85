"""The records by name, and their JSON Schemas."""

import importlib
import pkgutil
from typing import Any

import artifacts
from artifacts._record import Record
from webanything.config import unknown_name


def records() -> dict[str, type[Record]]:
    """Every record that artifacts defines, by class name."""
    for module in pkgutil.iter_modules(artifacts.__path__, "artifacts."):
        importlib.import_module(module.name)
    found: dict[str, type[Record]] = {}
    waiting = list(Record.__subclasses__())
    while waiting:
        kind = waiting.pop()
        waiting += kind.__subclasses__()
        if kind.__module__.startswith("artifacts."):
            found[kind.__name__] = kind
    return dict(sorted(found.items()))


def schema(name: str) -> dict[str, Any]:
    """The JSON Schema of the record called so, by class name or by its `kind`. Raises UsageError for any other name."""
    known = records()
    for kind in known.values():
        if name.lower() in (kind.__name__.lower(), _kind(kind), _kind(kind).partition(".")[0]):
            return kind.model_json_schema()
    raise unknown_name("record", name, known)


def _kind(record: type[Record]) -> str:
    field = record.model_fields.get("kind")
    return str(field.default) if field else record.__name__.lower()
