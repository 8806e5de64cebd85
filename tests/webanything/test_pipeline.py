from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from artifacts.environment import Environment
from artifacts.errors import StoppedError, UsageError
from artifacts.events import Event
from artifacts.mirror import Mirror
from artifacts.run import Account, CaptureRequest, Lens
from tests.webanything.fakes import SITE, FakeStages
from webanything.pipeline import Pipeline, begin, scores
from webanything.runfolder import RunFolder

NOW = "2026-03-01T12:00:00Z"
EVERYTHING = ["explore", "build open", "build all", "verify sealed", "verify all", "render", "freeze"]


def request(url: str = SITE + "/", **changes: Any) -> CaptureRequest:
    return CaptureRequest(url=url, **changes)


def pipeline(
    path: Path,
    fakes: FakeStages,
    *,
    asked: CaptureRequest | None = None,
    now: str = NOW,
    stop: Callable[[], bool] = lambda: False,
    events: list[Event] | None = None,
    **more: Any,
) -> Pipeline:
    folder = RunFolder(path)
    run = begin(folder, asked or request(), name="shop", version="1", now=now, attempt=1, origin={})
    logs = folder.begin_attempt(1)
    emit = (events if events is not None else []).append
    return Pipeline(folder, fakes.stages(), run=run, logs=logs, emit=emit, stop=stop, **more)


def test_a_whole_run_leaves_every_record_and_an_environment(tmp_path: Path) -> None:
    fakes = FakeStages()
    outcome = pipeline(tmp_path / "r", fakes).reconstruct()
    assert fakes.order == EVERYTHING
    assert outcome.environment == tmp_path / "r" / "environment"
    left = {path.relative_to(tmp_path / "r").as_posix() for path in (tmp_path / "r").rglob("*") if path.is_file()}
    assert {
        "run.json", "evidence.json", "contract.json", "mirror.json", "mirror/app.py", "report.json", "report.html",
        "environment/environment.json", "sealed/report.json", "sealed/mirror/app.py",
    } <= left  # fmt: skip


def test_the_builder_sees_the_sealed_part_only_after_it_was_judged_by_it(tmp_path: Path) -> None:
    fakes = FakeStages()
    work = pipeline(tmp_path, fakes)
    work.reconstruct()
    assert "'open'" in (tmp_path / "sealed/mirror/app.py").read_text()
    assert "'all'" in (tmp_path / "mirror/app.py").read_text()


def test_without_sealed_evidence_there_is_one_build_and_one_verification(tmp_path: Path) -> None:
    fakes = FakeStages(sealed=0)
    pipeline(tmp_path, fakes).reconstruct()
    assert fakes.order == ["explore", "build all", "verify all", "render", "freeze"]


def test_the_same_command_again_runs_no_stage(tmp_path: Path) -> None:
    fakes, events = FakeStages(), list[Event]()
    first = pipeline(tmp_path, fakes).reconstruct()
    again = pipeline(tmp_path, fakes, now="2027-01-01T00:00:00Z", events=events).reconstruct()
    assert fakes.order == EVERYTHING
    assert again.report == first.report
    assert [event.data["status"] for event in events if event.name == "stage"] == ["skipped"] * 6


def test_the_clock_is_that_of_the_first_attempt(tmp_path: Path) -> None:
    pipeline(tmp_path, FakeStages())
    later = pipeline(tmp_path, FakeStages(), now="2027-01-01T00:00:00Z")
    assert later.run.created == NOW
    assert later.run.request.lens.clock == NOW


@pytest.mark.parametrize(
    ("stage", "rerun"),
    [
        ("explore", ["explore"]),
        ("build", ["build open", "build all"]),
        ("verify", ["verify sealed", "verify all", "render"]),
        ("freeze", ["freeze"]),
    ],
)
def test_a_stage_of_another_version_runs_again_and_others_only_if_its_result_changed(
    tmp_path: Path, stage: str, rerun: list[str]
) -> None:
    fakes = FakeStages()
    pipeline(tmp_path, fakes).reconstruct()
    fakes.order.clear()
    fakes.versions[stage] = "2"
    pipeline(tmp_path, fakes).reconstruct()
    assert fakes.order == rerun


def test_another_budget_explores_again_and_what_follows_with_it(tmp_path: Path) -> None:
    fakes = FakeStages()
    pipeline(tmp_path, fakes).reconstruct()
    fakes.order.clear()
    pipeline(tmp_path, fakes, asked=request(scope="page")).reconstruct()
    assert fakes.order == EVERYTHING


@pytest.mark.parametrize("name", ["evidence.json", "mirror.json", "report.json", "environment/environment.json"])
def test_a_record_that_is_gone_is_made_again(tmp_path: Path, name: str) -> None:
    fakes = FakeStages()
    pipeline(tmp_path, fakes).reconstruct()
    before = (tmp_path / name).read_bytes()
    (tmp_path / name).unlink()
    pipeline(tmp_path, fakes).reconstruct()
    assert (tmp_path / name).read_bytes() == before


def test_a_mirror_that_is_not_accepted_gets_no_environment(tmp_path: Path) -> None:
    fakes = FakeStages(verdict="repair")
    outcome = pipeline(tmp_path, fakes).reconstruct()
    assert outcome.environment is None
    assert "freeze" not in fakes.calls
    assert outcome.run.verdict == "repair"
    assert (tmp_path / "report.html").exists()


def test_exploring_that_was_stopped_is_not_done(tmp_path: Path) -> None:
    fakes = FakeStages(outcome="interrupted")
    with pytest.raises(StoppedError):
        pipeline(tmp_path, fakes).reconstruct()
    fakes.outcome = "complete"
    pipeline(tmp_path, fakes).reconstruct()
    assert fakes.calls["explore"] == 2


def test_a_stop_ends_the_run_between_two_stages_and_the_same_command_goes_on(tmp_path: Path) -> None:
    fakes = FakeStages()
    with pytest.raises(StoppedError):
        pipeline(tmp_path, fakes, stop=lambda: fakes.calls["build open"] > 0).reconstruct()
    assert fakes.order == ["explore", "build open"]
    pipeline(tmp_path, fakes).reconstruct()
    assert fakes.order == EVERYTHING


def test_files_changed_by_hand_are_verified_as_they_are_and_marked(tmp_path: Path) -> None:
    fakes = FakeStages()
    pipeline(tmp_path, fakes).reconstruct()
    fakes.order.clear()
    (tmp_path / "mirror" / "app.py").write_text("mine = True\n")
    outcome = pipeline(tmp_path, fakes).reconstruct()
    assert fakes.order == ["verify all", "render", "freeze"]
    mirror = RunFolder(tmp_path).record(Mirror, "mirror.json")
    assert mirror is not None
    assert mirror.written_by == {"app.py": "person"}
    assert (tmp_path / "mirror" / "app.py").read_text() == "mine = True\n"
    assert outcome.environment is not None


def test_an_environment_of_another_mirror_gets_the_next_version(tmp_path: Path) -> None:
    fakes = FakeStages()
    pipeline(tmp_path, fakes).reconstruct()
    (tmp_path / "mirror" / "app.py").write_text("mine = True\n")
    pipeline(tmp_path, fakes).reconstruct()
    assert b'"webanything/shop-v2"' in (tmp_path / "environment" / "environment.json").read_bytes()


def test_sealed_scores_stand_beside_the_final_ones_and_the_verdict_is_the_final_one(tmp_path: Path) -> None:
    outcome = pipeline(tmp_path, FakeStages()).reconstruct()
    found = scores(outcome.report)
    assert outcome.report.verdict == "accepted"
    assert found["open"]["ssim"] == 0.99
    assert found["sealed"]["ssim"] == 0.9
    assert (found["open"]["reproduced"], found["sealed"]["reproduced"]) == (1.0, 0.0)


def test_passwords_reach_the_explorer_and_no_file(tmp_path: Path) -> None:
    fakes = FakeStages()
    account = Account(label="user", login_url="/login", user="ada", password="hunter2-secret")
    pipeline(tmp_path, fakes, asked=request(accounts=(account,)), accounts=(account,)).reconstruct()
    assert fakes.passwords == ["hunter2-secret"]
    written = [path for path in tmp_path.rglob("*") if path.is_file() and b"hunter2" in path.read_bytes()]
    assert written == []


@pytest.mark.parametrize(
    "other", [request("https://other.example/"), request(lens=Lens(width=390))], ids=["site", "lens"]
)
def test_a_folder_of_another_run_is_refused(tmp_path: Path, other: CaptureRequest) -> None:
    pipeline(tmp_path, FakeStages()).reconstruct()
    with pytest.raises(UsageError) as caught:
        pipeline(tmp_path, FakeStages(), asked=other)
    assert caught.value.code == "other_run"


def test_spend_is_counted_over_attempts(tmp_path: Path) -> None:
    outcome = pipeline(tmp_path, FakeStages()).reconstruct()
    assert (outcome.run.spend.pages, outcome.run.spend.actions, outcome.run.spend.requests) == (3, 2, 9)


def test_a_stage_alone_says_what_must_come_first(tmp_path: Path) -> None:
    work = pipeline(tmp_path, FakeStages())
    with pytest.raises(UsageError) as caught:
        work.evidence()
    assert caught.value.code == "no_evidence"
    evidence = work.explore()
    with pytest.raises(UsageError) as caught:
        work.verify(evidence)
    assert caught.value.code == "no_mirror"
    work.build(evidence)
    with pytest.raises(UsageError) as caught:
        work.report(evidence)
    assert caught.value.code == "not_verified"


def test_an_address_that_was_no_use_leaves_the_folder_free_for_another(tmp_path: Path) -> None:
    fakes = FakeStages()
    fakes.fail = UsageError("There is no such page.", remedy="Check the address.", code="not_found")
    with pytest.raises(UsageError):
        pipeline(tmp_path, fakes).reconstruct()
    fakes.fail = None
    outcome = pipeline(tmp_path, fakes, asked=request(SITE + "/shop/")).reconstruct()
    assert outcome.run.request.url == SITE + "/shop/"


def test_once_a_page_was_seen_the_folder_belongs_to_its_site(tmp_path: Path) -> None:
    work = pipeline(tmp_path, FakeStages())
    work.folder.log(Event("step", {"pages": 1, "of_pages": 100}), 0.1, 1)
    with pytest.raises(UsageError) as caught:
        pipeline(tmp_path, FakeStages(), asked=request(SITE + "/shop/"))
    assert caught.value.code == "other_run"


def test_an_image_noted_in_the_environment_does_not_make_it_another(tmp_path: Path) -> None:
    fakes = FakeStages()
    pipeline(tmp_path, fakes).reconstruct()
    folder = RunFolder(tmp_path)
    environment = folder.record(Environment, "environment/environment.json")
    assert environment is not None
    folder.save("environment/environment.json", environment.replaced(image="webanything-shop:v1 sha256:1"))
    pipeline(tmp_path, fakes).reconstruct()
    assert fakes.calls["freeze"] == 1
