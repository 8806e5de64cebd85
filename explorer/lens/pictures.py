"""Pictures of a page, and its accessibility tree, over the browser's own protocol."""

import base64
import contextlib
from collections.abc import Iterator
from typing import Any, NamedTuple

from playwright.sync_api import Error

from artifacts.run import Lens
from explorer.lens.characters import well_formed
from explorer.lens.world import World

MOST_PIXELS_HIGH = 16_000
"""Chromium paints nothing reliable below this."""


class Pictures(NamedTuple):
    screenshot: bytes
    """PNG of the viewport."""
    full_page: bytes
    """PNG of the whole page, down to `pictured`."""
    page_height: int
    pictured: int


class _Size(NamedTuple):
    width: float
    height: float
    viewport: float


def take_pictures(world: World, lens: Lens) -> Pictures:
    """The viewport and the whole page, with animations and the caret held still meanwhile."""
    with _still(world):
        size = _size(world)
        viewport = _capture(world)
        pictured = int(min(size.height, lens.max_height, MOST_PIXELS_HIGH / lens.scale))
        if pictured <= size.viewport:
            return Pictures(viewport, viewport, round(size.height), pictured)
        clip = {"x": 0, "y": 0, "width": size.width, "height": pictured, "scale": 1}
        whole = _capture(world, captureBeyondViewport=True, clip=clip)
        return Pictures(viewport, whole, round(size.height), pictured)


def _size(world: World) -> _Size:
    metrics = world.ask("Page.getLayoutMetrics")
    layout = metrics["cssLayoutViewport"]
    return _Size(layout["clientWidth"], metrics["cssContentSize"]["height"], layout["clientHeight"])


def _capture(world: World, **options: Any) -> bytes:
    answer = world.ask("Page.captureScreenshot", format="png", optimizeForSpeed=True, **options)
    return base64.b64decode(answer["data"])


@contextlib.contextmanager
def _still(world: World) -> Iterator[None]:
    with world.hold("still") as held:
        try:
            yield
        finally:
            with contextlib.suppress(Error):  # a page that moved on has nothing to put back
                held.call("resume")


def accessibility_tree(world: World) -> list[dict[str, Any]]:
    """{"role", "name", "value", "depth"} in tree order, frames of the same process after the page's own tree.

    Ignored nodes are left out, their children take their place. Line boxes are left out too.
    """
    entries: list[dict[str, Any]] = []
    for frame in _frames(world.ask("Page.getFrameTree")["frameTree"]):
        try:
            nodes = world.ask("Accessibility.getFullAXTree", frameId=frame)["nodes"]
        except Error:
            continue  # the frame is gone, or lives in another process
        entries.extend(_in_order(nodes))
    return entries


def _frames(tree: dict[str, Any]) -> Iterator[str]:
    yield tree["frame"]["id"]
    for child in tree.get("childFrames", ()):
        yield from _frames(child)


def _in_order(nodes: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    by_id = {node["nodeId"]: node for node in nodes}
    children = {child for node in nodes for child in node.get("childIds", ())}
    waiting = [(node, 0) for node in reversed(nodes) if node["nodeId"] not in children]
    while waiting:
        node, depth = waiting.pop()
        role = str(node.get("role", {}).get("value", ""))
        if role == "InlineTextBox":
            continue
        if not node.get("ignored"):
            yield {
                "role": role,
                "name": well_formed(str(node.get("name", {}).get("value", ""))),
                "value": well_formed(str(node.get("value", {}).get("value", ""))),
                "depth": depth,
            }
            depth += 1
        below = [by_id[child] for child in node.get("childIds", ()) if child in by_id]
        waiting.extend((child, depth) for child in reversed(below))
