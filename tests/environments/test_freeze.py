from pathlib import Path

import pytest

from artifacts.environment import Environment
from artifacts.errors import DamagedError, UsageError
from environments.freeze import freeze
from environments.runtime.manifest import check_content, read_manifest
from tests.environments import tinymirror


def again(tmp_path: Path, **changes: object) -> Environment:
    mirror = tmp_path / "env-mirror"
    settings = {
        "mirror": tinymirror.mirror_record(mirror), "contract": tinymirror.contract(), "report": None,
        "out": tmp_path / "env", "name": "tiny", "version": 1,
    } | changes  # fmt: skip
    return freeze(mirror, **settings)


def test_the_same_mirror_gives_the_same_environment(tmp_path: Path) -> None:
    first = tinymirror.write_environment(tmp_path / "env")
    assert again(tmp_path, out=tmp_path / "other") == first
    assert Environment.from_bytes((tmp_path / "env" / "environment.json").read_bytes()) == first
    check_content(read_manifest(tmp_path / "env"))


def test_the_accounts_carry_the_sandboxs_own_passwords(tmp_path: Path) -> None:
    record = tinymirror.write_environment(tmp_path / "env")
    assert record.accounts == ({"label": "buyer", "user": "ann@shop.example", "password": "sandbox-1"},)


def test_freezing_again_replaces_what_was_there(tmp_path: Path) -> None:
    tinymirror.write_environment(tmp_path / "env")
    (tmp_path / "env" / "stale").write_text("x")
    assert again(tmp_path, version=2).id == "webanything/tiny-v2"
    assert not (tmp_path / "env" / "stale").exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["env", "env-mirror"]


def test_a_changed_seed_is_another_environment(tmp_path: Path) -> None:
    first = tinymirror.write_environment(tmp_path / "env")
    seed = tmp_path / "env-mirror" / "seed.sql"
    seed.write_text(seed.read_text() + "INSERT INTO cart(item) VALUES ('tea');")
    with pytest.raises(DamagedError, match="not the ones its record names"):
        again(tmp_path, mirror=tinymirror.mirror_record(tmp_path / "env-mirror").replaced(tree="0" * 64))
    second = again(tmp_path)
    assert second.seed != first.seed and second.content != first.content


def test_editing_the_mirror_does_not_change_the_environment(tmp_path: Path) -> None:
    tinymirror.write_environment(tmp_path / "env")
    with (tmp_path / "env-mirror" / "app.py").open("a") as file:
        file.write("broken(")
    check_content(read_manifest(tmp_path / "env"))


def test_a_broken_seed_and_a_bad_name_are_refused(tmp_path: Path) -> None:
    tinymirror.write_environment(tmp_path / "env")
    with pytest.raises(UsageError, match="host name"):
        again(tmp_path, name="My Shop")
    (tmp_path / "env-mirror" / "seed.sql").write_text("CREATE TABEL")
    with pytest.raises(DamagedError, match="seed"):
        again(tmp_path)
    assert (tmp_path / "env" / "environment.json").exists()
