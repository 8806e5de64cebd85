"""What `show` tells of pages and answers that nobody captured."""

from pathlib import Path

from tests.builder.world import World
from webanything.cli.beyond import beyond


def test_endpoints_and_their_tables_are_told(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.page("/", "home")
    for number in (1, 2):
        body = f'{{"id": {number}, "size": {number}}}'
        world.get(f"/api/things/{number}", body, visit="p0001.1", media="application/json")
    contract, mirror = world.build()
    lines = beyond(mirror, contract)
    assert ("endpoints", "1 answer in JSON from tables") in lines
    assert ("table", "things: 2 rows, 2 columns") in lines
    assert any(name == "observed" and text.startswith("GET /api/things/*;") for name, text in lines)
    assert beyond(mirror, None) == []
