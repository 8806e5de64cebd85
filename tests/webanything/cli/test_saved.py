from pathlib import Path

import pytest

from artifacts.errors import DamagedError, UsageError
from tests.environments import tinymirror
from tests.webanything.fakes import FakeStages
from tests.webanything.test_pipeline import pipeline
from webanything.cli.saved import environment_of, servable, unchanged


def test_an_accepted_run_serves_its_environment(tmp_path: Path) -> None:
    pipeline(tmp_path, FakeStages()).reconstruct()
    assert servable(str(tmp_path)) == tmp_path / "environment"
    assert servable(str(tmp_path / "environment")) == tmp_path / "environment"
    assert environment_of(str(tmp_path)) == tmp_path / "environment"


@pytest.mark.parametrize("verdict", ["repair", "accepted"])
def test_a_mirror_without_its_environment_is_served_as_a_candidate(tmp_path: Path, verdict: str) -> None:
    work = pipeline(tmp_path, FakeStages(verdict=verdict))
    evidence = work.explore()
    work.build(evidence)
    work.verify(evidence)
    assert work.run.verdict == verdict
    assert servable(str(tmp_path)) == tmp_path / "mirror"
    with pytest.raises(UsageError) as caught:
        environment_of(str(tmp_path))
    assert caught.value.code == "no_environment"


def test_a_run_before_its_mirror_says_how_to_build_it(tmp_path: Path) -> None:
    work = pipeline(tmp_path, FakeStages())
    with pytest.raises(UsageError) as begun:
        servable(str(tmp_path))
    assert f"webanything reconstruct {work.run.request.url} --out {tmp_path}" in begun.value.remedy
    work.explore()
    with pytest.raises(UsageError) as explored:
        servable(str(tmp_path))
    assert f"webanything build {tmp_path}" in explored.value.remedy
    assert "webanything serve" not in explored.value.remedy


def test_a_mirror_newer_than_the_environment_is_served_as_a_candidate(tmp_path: Path) -> None:
    pipeline(tmp_path, FakeStages()).reconstruct()
    (tmp_path / "mirror" / "app.py").write_text("mine = True\n")
    pipeline(tmp_path, FakeStages(verdict="repair")).reconstruct()
    assert servable(str(tmp_path)) == tmp_path / "mirror"


def test_an_environment_is_found_by_name_and_id(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pipeline(tmp_path / "webanything-runs" / "one", FakeStages()).reconstruct()
    monkeypatch.chdir(tmp_path)
    for named in ("shop", "shop-v1", "webanything/shop-v1"):
        assert servable(named).resolve() == tmp_path / "webanything-runs" / "one" / "environment"


def test_a_run_is_named_by_its_folder_or_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pipeline(tmp_path / "webanything-runs" / "one", FakeStages(verdict="repair")).reconstruct()
    monkeypatch.chdir(tmp_path)
    assert servable("one").resolve() == tmp_path / "webanything-runs" / "one" / "mirror"
    with pytest.raises(UsageError, match="not accepted"):
        environment_of("one")
    with pytest.raises(UsageError, match="no environment 'other'"):
        environment_of("other")


def test_a_changed_environment_is_refused(tmp_path: Path) -> None:
    tinymirror.write_environment(tmp_path / "env")
    assert unchanged(tmp_path / "env") == tmp_path / "env"
    (tmp_path / "env" / "mirror" / "pages.py").write_text("HOME = ''\n")
    with pytest.raises(DamagedError, match="not the ones that were frozen"):
        unchanged(tmp_path / "env")
    assert unchanged(tmp_path / "env" / "mirror") == tmp_path / "env" / "mirror", "a candidate promises nothing"
