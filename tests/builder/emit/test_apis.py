"""What an application holds of its endpoints: readable files, and tables with every value as it was written."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.builder.world import World


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    world = World(tmp_path)
    world.page("/", "home")
    for address, body in (
        ("/api/things", '[{"id": 1, "price": 1.50}, {"id": 2}]'),
        ("/api/things?sort=-id", '[{"id": 2}, {"id": 1, "price": 1.50}]'),
        ("/api/things/1", '{"id": 1, "price": 1.50}'),
    ):
        world.get(address, body, visit="p0001.1", media="application/json")
    world.build()
    return tmp_path / "mirror"


def test_each_endpoint_has_a_file_and_a_list_its_query(folder: Path) -> None:
    names = {path.name for path in (folder / "apis").iterdir()}
    assert names == {"api_things.json", "api_things.query.json", "api_things_one.json"}
    plain = json.loads((folder / "apis" / "api_things_one.json").read_text())
    assert (plain["method"], plain["path"], plain["table"]) == ("GET", "/api/things/*", "things")
    assert plain["views"][0]["style"]["colon"] == ": "


def test_values_keep_their_spelling_and_absent_members_are_known(folder: Path) -> None:
    with closing(sqlite3.connect(folder / "site.db")) as database:
        rows = database.execute('SELECT key, field, source FROM "things:json" ORDER BY 1, 2').fetchall()
        assert rows == [("id=1", "id", "1"), ("id=1", "price", "1.50"), ("id=2", "id", "2"), ("id=2", "price", "")]
        assert database.execute("SELECT key, price FROM things ORDER BY key").fetchall() == [
            ("id=1", "1.50"),
            ("id=2", None),
        ]
    assert 'CREATE TABLE "things:json"' in (folder / "schema.sql").read_text()
