"""The elements of an observation that an action can name, read from its accessibility tree."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from webanything.agents.protocol import Observation


class Element(NamedTuple):
    """One node of the tree that carries a bid."""

    bid: str
    role: str
    name: str
    value: str = ""
    disabled: bool = False
    visible: bool = True
    options: tuple[str, ...] = ()
    """Names of the choices below it, for a list box or a select."""


def elements(observation: Observation) -> tuple[Element, ...]:
    """Every node with a bid, in tree order.

    >>> tree = {"nodes": [{"nodeId": "1", "role": {"value": "link"}, "name": {"value": " Cart  2 "},
    ...     "browsergym_id": "7"}]}
    >>> elements({"axtree_object": tree})
    (Element(bid='7', role='link', name='Cart 2', value='', disabled=False, visible=True, options=()),)
    >>> elements({})
    ()
    """
    nodes: Sequence[Mapping[str, Any]] = observation.get("axtree_object", {}).get("nodes", [])
    by_id = {node.get("nodeId"): node for node in nodes}
    extra: Mapping[str, Any] = observation.get("extra_element_properties") or {}
    return tuple(_element(node, by_id, extra) for node in _in_order(nodes, by_id) if node.get("browsergym_id"))


def _in_order(
    nodes: Sequence[Mapping[str, Any]], by_id: Mapping[Any, Mapping[str, Any]]
) -> Iterator[Mapping[str, Any]]:
    """The nodes as a reader meets them: the list itself comes level by level."""
    inside = {child for node in nodes for child in node.get("childIds", [])}
    stack = [node for node in reversed(nodes) if node.get("nodeId") not in inside]
    seen: set[Any] = set()
    while stack:
        node = stack.pop()
        if node.get("nodeId") in seen:
            continue
        seen.add(node.get("nodeId"))
        yield node
        stack += [by_id[child] for child in reversed(node.get("childIds", [])) if child in by_id]


def _element(node: Mapping[str, Any], by_id: Mapping[Any, Mapping[str, Any]], extra: Mapping[str, Any]) -> Element:
    bid = str(node["browsergym_id"])
    properties = {entry.get("name"): _text(entry.get("value")) for entry in node.get("properties", [])}
    known = extra.get(bid, {})
    return Element(
        bid=bid,
        role=_text(node.get("role")),
        name=_text(node.get("name")),
        value=_text(node.get("value")),
        disabled=properties.get("disabled", "").casefold() == "true",
        visible=float(known.get("visibility", 1.0) or 0.0) > 0.0,
        options=tuple(name for name in _options(node, by_id) if name),
    )


def _options(node: Mapping[str, Any], by_id: Mapping[Any, Mapping[str, Any]]) -> Iterator[str]:
    for child_id in node.get("childIds", []):
        child = by_id.get(child_id, {})
        if _text(child.get("role")) == "option":
            yield _text(child.get("name"))
        else:
            yield from _options(child, by_id)


def _text(field: object) -> str:
    value = field.get("value", "") if isinstance(field, Mapping) else field
    return " ".join(str("" if value is None else value).split())
