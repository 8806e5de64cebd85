"""Which recorded answers are data of endpoints, and what the contract calls them."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from builder.compile.apis import RESERVED
from tests.builder.world import World

ROWS = '[{"id": 1, "size": 3}, {"id": 2, "size": 1}]'


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World(tmp_path)
    world.page("/", "home")
    return world


def get(world: World, address: str, body: str = ROWS, media: str = "application/json", status: int = 200) -> None:
    world.get(address, body, visit="p0001.1", media=media, status=status)


def test_names_of_tables_that_every_application_has_are_reserved(world: World) -> None:
    world.build()
    folder = world.folder / "mirror"
    with closing(sqlite3.connect(folder / "site.db")) as database, closing(sqlite3.connect(":memory:")) as session:
        session.executescript((folder / "seed.sql").read_text())
        tables = [one.execute("SELECT name FROM sqlite_schema WHERE type = 'table'") for one in (database, session)]
        assert {name for rows in tables for (name,) in rows} <= RESERVED


def test_only_json_of_the_site_is_data(world: World) -> None:
    get(world, "/a/1", '{"id": 1}')
    get(world, "/a/2", '{"id": 2}', media="application/vnd.api+json")
    get(world, "/b/1", '{"id": 1}', media="text/plain")
    get(world, "https://other.test/c/1", '{"id": 1}')
    get(world, "/d/1", '{"id": 1, "id": 2}')
    contract, _ = world.build()
    assert [one.trigger for one in contract.behaviours if one.name.startswith("answer")] == ["GET /a/*"]


def test_a_clause_names_parameters_and_its_evidence(world: World) -> None:
    get(world, "/goods")
    get(world, "/goods?sort=size", '[{"id": 2, "size": 1}, {"id": 1, "size": 3}]')
    contract, _ = world.build()
    (clause,) = [one for one in contract.behaviours if one.name == "answer list GET /goods"]
    assert clause.trigger == "GET /goods, sort (order)"
    assert len(clause.observed) == 2
    assert [(one.table, one.columns, one.rows) for one in contract.entities] == [("goods", ("id", "size"), 2)]
