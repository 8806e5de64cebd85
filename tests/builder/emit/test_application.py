"""What is written: readable source, deterministic bytes, and a folder that runs with Flask alone."""

import os
import re
import sqlite3
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from artifacts.contract import Contract
from artifacts.digest import digest_tree, tree_files
from artifacts.errors import LimitReachedError
from artifacts.run import Account
from artifacts.store import Store
from builder.emit.views import filled
from tests.builder.world import World
from tests.sites.tiny import stop


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World(tmp_path, accounts=[Account(label="user", login_url="/login", user="o'hara")])
    for number in range(8):
        world.page(f"/item/{number}/", f"item {number}")
    world.page("/", "home")
    world.get("/a.css", "a{}", visit="p0001.1", media="text/css", destination="style")
    world.get("/big.json", '"' + "x" * 1_100_000 + '"', visit="p0001.1", media="application/json")
    world.post("/add", {"id": "1"}, status=303, media="", headers=[("Location", "/")], visit="e1/0")
    world.get("/", "home, one", visit="e1/0")
    world.step("e1", 0, "/")
    return world


def test_the_folder_holds_what_the_record_says(world: World) -> None:
    contract, mirror = world.build()
    folder = world.folder / "mirror"
    assert tree_files(folder) == mirror.files
    assert digest_tree(mirror.files) == mirror.tree
    assert Contract.from_bytes((folder / "contract.json").read_bytes()) == contract
    assert world.store.get_record(Contract, mirror.contract) == contract
    assert {path.name for path in folder.iterdir()} == {
        "app.py", "acting.py", "behaviour.py", "deeds.py", "formulas.py", "frame.py", "handlers.py", "patches.py", "spans.py", "site_routes.py", "recorded.py", "respond.py", "state.py", "keys.py", "sockets.py", "site.db", "seed.sql",
        "bodies", "contract.json", "README.md", "requirements.txt", "schema.sql", "computed.py", "lists.py",
        "counts.py", "cutting.py", "listanswer.py", "listparts.py", "listquery.py", "scores.py", "wording.py", "words.py", "documents.py", "documentanswer.py",
        "jsontext.py",
    }  # fmt: skip


def test_the_source_passes_the_usual_checks(world: World) -> None:
    world.build()
    folder = world.folder / "mirror"
    rules = ["--isolated", "--line-length", "120", "--select", "E,F,I,B,UP", "--no-cache"]
    subprocess.run([sys.executable, "-m", "ruff", "check", *rules, str(folder)], check=True)
    cache = ["--cache-dir", str(world.folder / "types")]
    subprocess.run([sys.executable, "-m", "mypy", "--strict", *cache, "app.py"], cwd=folder, check=True)
    for path in folder.glob("*.py"):
        assert len(path.read_text().splitlines()) <= 400
    assert len((folder / "app.py").read_text().splitlines()) < 60


def test_pages_lie_in_the_database_and_assets_in_files(world: World) -> None:
    world.build()
    folder = world.folder / "mirror"
    database = sqlite3.connect(folder / "site.db")
    try:
        rows = dict(database.execute("SELECT r.path, a.body_file FROM request r JOIN answer a ON a.request = r.id"))
        assert database.execute("PRAGMA page_size").fetchone() == (4096,)
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    finally:
        database.close()
    assert rows["/item/1/"] is None
    assert re.fullmatch(r"[0-9a-f]{2}/[0-9a-f]{64}\.css", rows["/a.css"])
    assert rows["/big.json"].endswith(".json")
    assert (folder / "bodies" / rows["/a.css"]).read_bytes() == b"a{}"


def test_the_seed_is_sql_whatever_a_user_is_called(world: World) -> None:
    world.build()
    database = sqlite3.connect(":memory:")
    try:
        database.executescript((world.folder / "mirror" / "seed.sql").read_text())
        rows = list(database.execute("SELECT label, user, password FROM account"))
    finally:
        database.close()
    assert len(rows) == 1
    assert rows[0][:2] == ("user", "o'hara")
    assert re.fullmatch(r"sandbox-[0-9a-f]{6}", rows[0][2])


def test_a_given_password_is_the_one_used(world: World) -> None:
    world.build(sandbox_passwords={"user": "paper boats"})
    assert "'paper boats'" in (world.folder / "mirror" / "seed.sql").read_text()
    assert "paper boats" not in (world.folder / "mirror" / "contract.json").read_text()


def test_an_older_folder_is_replaced_only_by_a_whole_one(world: World) -> None:
    world.build()
    before = tree_files(world.folder / "mirror")
    (world.folder / "mirror" / "left over").write_text("x")
    kept = world.store
    world.store = Store(world.folder / "nowhere")
    with pytest.raises(Exception, match="no blob"):
        world.build()
    assert (world.folder / "mirror" / "left over").exists()
    world.store = kept
    world.build()
    assert tree_files(world.folder / "mirror") == before
    assert [path.name for path in world.folder.iterdir() if path.name.startswith(".")] == []


def test_evidence_without_a_page_is_refused(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.get("/", "gone", visit="p1", status=404)
    with pytest.raises(LimitReachedError) as caught:
        world.build()
    assert caught.value.code == "nothing_captured"


def test_a_filled_in_name_cannot_leave_its_string() -> None:
    assert filled('x = "@NAME@"', {"NAME": 'a"; import os; "\\'}) == 'x = "a; import os; "'


def test_it_runs_with_flask_alone(world: World) -> None:
    world.build()
    environ = {"PATH": os.environ["PATH"], "PYTHONUNBUFFERED": "1"}
    command = [sys.executable, "-m", "flask", "--app", "app", "run", "--port", "0"]
    process = subprocess.Popen(
        command, cwd=world.folder / "mirror", stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, env=environ
    )
    try:
        assert process.stderr is not None
        url = next(found[0] for line in process.stderr if (found := re.search(r"http://127\.0\.0\.1:\d+", line)))
        with urllib.request.urlopen(url + "/item/3/") as answer:
            assert answer.read() == b"item 3"
    finally:
        stop(process)
