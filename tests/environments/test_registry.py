import shutil
from pathlib import Path

import pytest

from artifacts.errors import UsageError
from environments.registry import environment_folder, find_environments, usable_name
from tests.environments import tinymirror


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """A runs folder with shop-v1, shop-v2 and a damaged environment."""
    tinymirror.write_environment(tmp_path / "runs" / "one" / "environment", name="shop", version=1)
    tinymirror.write_environment(tmp_path / "runs" / "two", name="shop", version=2)
    (tmp_path / "runs" / "broken").mkdir()
    (tmp_path / "runs" / "broken" / "environment.json").write_text("{")
    return tmp_path / "runs"


def test_environments_are_found_where_runs_put_them(runs: Path) -> None:
    assert [found.record.id for found in find_environments([runs])] == ["webanything/shop-v1", "webanything/shop-v2"]


def test_an_environment_is_named_by_path_id_or_name(runs: Path) -> None:
    assert environment_folder(runs / "one", [runs]) == runs / "one" / "environment"
    assert environment_folder(str(runs / "two"), []) == runs / "two"
    assert environment_folder("webanything/shop-v1", [runs]) == runs / "one" / "environment"
    assert environment_folder("shop", [runs]) == runs / "two"


def test_a_near_miss_is_suggested(runs: Path) -> None:
    with pytest.raises(UsageError) as failed:
        environment_folder("webanything/shpo-v2", [runs])
    assert "webanything/shop-v2" in failed.value.remedy
    with pytest.raises(UsageError) as failed:
        environment_folder("nothing-like-it", [runs])
    assert "Did you mean" not in failed.value.remedy


def test_the_search_can_be_directed(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEBANYTHING_ENVIRONMENTS", str(runs))
    assert len(find_environments()) == 2
    shutil.rmtree(runs / "two")
    assert environment_folder("shop") == runs / "one" / "environment"


def test_names_fit_into_host_names() -> None:
    assert usable_name("a" * 80) == "a" * 48
    assert usable_name("Shop_2!") == "shop-2"
