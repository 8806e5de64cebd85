"""What a page shows an agent: numbered elements, DOM snapshot, accessibility tree, picture, focus.

Ids that Chromium draws anew for every page (nodes, frames) are numbered in order, so that two looks at the same thing
are equal.
"""

import base64
import contextlib
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from playwright.sync_api import CDPSession, Error

_MARKS = (Path(__file__).parent / "marks.js").read_text("utf-8")
_WORLD = "marks"


class Seen(NamedTuple):
    """The parts of an observation that are read from the page in front."""

    screenshot: NDArray[np.uint8]
    dom: dict[str, Any]
    axtree: dict[str, Any]
    extra: dict[str, dict[str, Any]]
    focused: str


class _Frame(NamedTuple):
    id: str
    children: tuple["_Frame", ...]


def see(session: CDPSession, width: int, height: int) -> Seen:
    """Everything above, of the session's page. Raises Playwright's Error if the page goes away meanwhile."""
    tree = _frames(session.send("Page.getFrameTree")["frameTree"])
    marked: dict[str, list[Any]] = {}
    focused = _mark(session, tree, {"prefix": "", "left": 0, "top": 0, "right": width, "bottom": height}, marked)
    dom = session.send(
        "DOMSnapshot.captureSnapshot", {"computedStyles": [], "includeDOMRects": True, "includePaintOrder": True}
    )
    order = {frame.id: str(number) for number, frame in enumerate(_all(tree))}
    bids, clickable, nodes = _renumber(dom, order)
    axtree = _axtree(session, tree, order, bids, nodes)
    extra = {
        bid: {"visibility": ratio, "bbox": box, "clickable": bid in clickable, "set_of_marks": marks}
        for bid, (ratio, box, marks) in marked.items()
    }
    return Seen(picture(session), dom, axtree, extra, focused)


def picture(session: CDPSession) -> NDArray[np.uint8]:
    """The viewport as rows of RGB pixels."""
    shot = session.send("Page.captureScreenshot", {"format": "png", "optimizeForSpeed": True})
    with Image.open(io.BytesIO(base64.b64decode(shot["data"]))) as image:
        return np.array(image.convert("RGB"))


def _frames(tree: dict[str, Any]) -> _Frame:
    return _Frame(tree["frame"]["id"], tuple(_frames(child) for child in tree.get("childFrames", ())))


def _all(frame: _Frame) -> Iterator[_Frame]:
    yield frame
    for child in frame.children:
        yield from _all(child)


def _mark(session: CDPSession, frame: _Frame, place: dict[str, Any], marked: dict[str, list[Any]]) -> str:
    """Number the elements of a frame and of those inside it; the answer is the bid of the one that has the focus."""
    world = session.send("Page.createIsolatedWorld", {"frameId": frame.id, "worldName": _WORLD})
    answer = session.send(
        "Runtime.callFunctionOn",
        {
            "functionDeclaration": _MARKS,
            "executionContextId": world["executionContextId"],
            "arguments": [{"value": place}],
            "returnByValue": True,
        },
    )
    if "exceptionDetails" in answer:
        raise Error(str(answer["exceptionDetails"].get("exception", {}).get("description")))
    value = answer["result"]["value"]
    marked.update(value["found"])
    focused = str(value["focused"])
    for child in frame.children:
        with contextlib.suppress(Error):  # a frame may leave while it is being looked at
            bid = _owner(session, child)
            box = marked.get(bid, [0, None])[1]
            if not bid or box is None:
                continue
            inside = _mark(session, child, _place(bid, box, place), marked)
            if focused == bid and inside:
                focused = inside
    return focused


def _place(bid: str, box: list[float], outer: dict[str, Any]) -> dict[str, Any]:
    x, y, width, height = box
    return {
        "prefix": bid,
        "left": x,
        "top": y,
        "right": min(x + width, outer["right"]),
        "bottom": min(y + height, outer["bottom"]),
    }


def _owner(session: CDPSession, frame: _Frame) -> str:
    """The bid of the element a frame is in."""
    owner = session.send("DOM.getFrameOwner", {"frameId": frame.id})
    node = session.send("DOM.describeNode", {"backendNodeId": owner["backendNodeId"]})["node"]
    attributes = node.get("attributes", [])
    return str(dict(zip(attributes[::2], attributes[1::2], strict=False)).get("bid", ""))


def _renumber(dom: dict[str, Any], order: dict[str, str]) -> tuple[dict[int, str], set[str], dict[int, int]]:
    """Number the snapshot's nodes and frames in order, in place.

    The answers: old node id to bid, the bids of what listens to clicks, old node id to new.
    """
    strings = dom["strings"]
    bid_name = strings.index("bid") if "bid" in strings else -1
    bids: dict[int, str] = {}
    clickable: set[str] = set()
    numbers: dict[int, int] = {}
    for document in dom["documents"]:
        nodes = document["nodes"]
        listening = set(nodes.get("isClickable", {}).get("index", ()))
        for index, (backend, attributes) in enumerate(zip(nodes["backendNodeId"], nodes["attributes"], strict=True)):
            numbers[backend] = len(numbers) + 1
            for name, value in zip(attributes[::2], attributes[1::2], strict=False):
                if name == bid_name:
                    bids[backend] = strings[value]
                    if index in listening:
                        clickable.add(strings[value])
        nodes["backendNodeId"] = [numbers[backend] for backend in nodes["backendNodeId"]]
    dom["strings"] = [order.get(text, text) for text in strings]
    return bids, clickable, numbers


def _axtree(
    session: CDPSession, tree: _Frame, order: dict[str, str], bids: dict[int, str], numbers: dict[int, int]
) -> dict[str, Any]:
    """One tree over all frames: a frame's root is a child of the node that holds the frame."""
    session.send("Accessibility.enable")
    parts: dict[str, list[dict[str, Any]]] = {}
    for frame in _all(tree):
        with contextlib.suppress(Error):
            parts[frame.id] = session.send("Accessibility.getFullAXTree", {"frameId": frame.id})["nodes"]
    ids: dict[tuple[str, str], str] = {}
    for frame_id, nodes in parts.items():
        for node in nodes:
            ids[frame_id, node["nodeId"]] = str(len(ids) + 1)
    holders: dict[int, str] = {}
    for frame in _all(tree):
        for child in frame.children:
            with contextlib.suppress(Error):
                owner = session.send("DOM.getFrameOwner", {"frameId": child.id})
                if parts.get(child.id):
                    holders[owner["backendNodeId"]] = ids[child.id, parts[child.id][0]["nodeId"]]
    whole: list[dict[str, Any]] = []
    for frame_id, nodes in parts.items():
        for node in nodes:
            new = _renumbered(_node(node, frame_id, ids, order, holders), numbers)
            if (backend := node.get("backendDOMNodeId")) in bids:
                new["browsergym_id"] = bids[backend]
            whole.append(new)
    return {"nodes": whole}


def _node(
    node: dict[str, Any],
    frame_id: str,
    ids: dict[tuple[str, str], str],
    order: dict[str, str],
    holders: dict[int, str],
) -> dict[str, Any]:
    new = {**node, "nodeId": ids[frame_id, node["nodeId"]]}
    new["childIds"] = [ids[frame_id, child] for child in node.get("childIds", ()) if (frame_id, child) in ids]
    if "parentId" in node:
        new["parentId"] = ids.get((frame_id, node["parentId"]), "")
    if "frameId" in node:
        new["frameId"] = order.get(node["frameId"], node["frameId"])
    held = holders.get(node.get("backendDOMNodeId", -1))
    if held:
        new["childIds"].append(held)
    return new


def _renumbered(value: Any, numbers: dict[int, int]) -> Any:
    """The value with every reference to a node by its new number, however deep it is."""
    if isinstance(value, dict):
        return {
            name: numbers.get(part, 0) if name == "backendDOMNodeId" else _renumbered(part, numbers)
            for name, part in value.items()
        }
    if isinstance(value, list):
        return [_renumbered(part, numbers) for part in value]
    return value
