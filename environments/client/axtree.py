"""The accessibility tree of an observation as text, one element a line."""

from collections.abc import Mapping, Sequence
from typing import Any

_IGNORED_ROLES = {"LineBreak", "InlineTextBox", "ListMarker"}
_IGNORED_PROPERTIES = {
    "editable", "readonly", "level", "settable", "multiline", "invalid", "focusable", "actions", "keyshortcuts",
    "labelledby", "describedby", "controls", "owns", "flowto", "details", "errormessage", "activedescendant", "url",
    "roledescription",
}  # fmt: skip


def axtree_text(observation: Mapping[str, Any]) -> str:
    """The tree with one node a line, indented by tabs: `[bid] role 'name' value='..', property=..., flag`.

    What says nothing is left out: generic nodes without a name or properties, text that its parent's name repeats.
    """
    nodes: Sequence[Mapping[str, Any]] = observation["axtree_object"].get("nodes", ())
    by_id = {node["nodeId"]: node for node in nodes}
    inside = {child for node in nodes for child in node.get("childIds", ())}
    lines: list[str] = []
    seen: set[str] = set()
    stack = [(node, 0, "") for node in reversed(nodes) if node["nodeId"] not in inside]
    while stack:
        node, depth, above = stack.pop()
        if node["nodeId"] in seen:
            continue
        seen.add(node["nodeId"])
        line = _line(node, above)
        if line:
            lines.append("\t" * depth + line)
        name = _text(node.get("name")) if line else above
        below = depth + 1 if line else depth
        children = [by_id[child] for child in node.get("childIds", ()) if child in by_id]
        stack += [(child, below, name) for child in reversed(children)]
    return "\n".join(lines)


def _line(node: Mapping[str, Any], above: str) -> str:
    """What one node says; empty when it says nothing that its parent's name does not."""
    role, name = _text(node.get("role")), _text(node.get("name"))
    bid = node.get("browsergym_id")
    if node.get("ignored") or role in _IGNORED_ROLES:
        return ""
    if role == "StaticText" and (not name or name in above):
        return ""
    properties = _properties(node)
    if role in ("generic", "none") and not name and not properties:
        return ""
    value = _text(node.get("value"))
    lead = f"[{bid}] " if bid else ""
    parts = [f"{lead}{role} {name!r}" + (f" value={value!r}" if value else ""), *properties]
    return ", ".join(parts)


def _properties(node: Mapping[str, Any]) -> list[str]:
    shown = []
    for entry in node.get("properties", ()):
        name, value = entry.get("name"), entry.get("value", {}).get("value")
        if name in _IGNORED_PROPERTIES or value in (None, "", False, "false"):
            continue
        shown.append(str(name) if value is True else f"{name}={value!r}")
    return shown


def _text(field: object) -> str:
    value = field.get("value", "") if isinstance(field, Mapping) else field
    return " ".join(str("" if value is None else value).split())
