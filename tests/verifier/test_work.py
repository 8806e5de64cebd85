import pytest

from artifacts.evidence import Action, Interaction
from artifacts.report import Fault
from artifacts.store import Store
from explorer.lens.browser import open_browser
from tests.verifier.capture import LENS, Captured
from tests.verifier.site import running
from verifier.check import Step
from verifier.measure.compare import NOTHING
from verifier.units import EpisodeUnit, Setup, StateUnit
from verifier.work import Bench

pytestmark = pytest.mark.browser


def bench(store: Store, site: str, candidate, **more) -> Bench:
    fields = {
        "store": store.root,
        "site": site,
        "address": candidate.address,
        "lens": LENS,
        "control": candidate.control_address,
        "token": "secret",
        "own_session": True,
        "secrets": {},
        "volatile": (),
    }
    return Bench(Setup(**{**fields, **more}))


@pytest.fixture
def lamp(tmp_path):
    with running() as site, open_browser() as browser:
        taken = Captured(browser, site.address, tmp_path)
        (state,) = taken.look_at("/lamp")
    return taken, state


def test_a_page_whose_scripts_never_rest_scores_nothing(lamp, monkeypatch):
    monkeypatch.setattr("explorer.lens.world.ANSWER_MS", 1500)
    taken, state = lamp
    with running("stuck") as candidate, bench(taken.store, taken.site, candidate) as worker:
        (check,) = worker.do(StateUnit(state, "open", None)).states
    assert (check.metrics, check.status_seen) == (NOTHING, 200)
    assert "no room to look" in check.note
    assert taken.store.get(check.mirror_picture).startswith(b"\x89PNG")


def step(state, *actions):
    interaction = Interaction(
        episode="e",
        step=0,
        behaviour="b",
        safety="session",
        visit="e",
        before=state.digest,
        actions=actions,
        after=state.digest,
        exchanges=(),
        effect="none",
    )
    return Step(interaction, state, state)


def test_after_a_step_that_fails_the_next_begins_at_its_own_page(lamp):
    taken, state = lamp
    lost = step(state, Action(act="fill", selector="[name=pw]", value="{{password:admin}}"))
    idle = step(state, Action(act="press", value="Escape"))
    with running() as candidate, bench(taken.store, taken.site, candidate) as worker:
        outcome = worker.do(EpisodeUnit((lost, idle), "open"))
        assert candidate.site.seen.count("/lamp") == 2 * 2
    first, second = outcome.interactions
    assert not first.reproduced and first.because
    assert second.reproduced, second.because
    assert (first.attempts, len(outcome.resets)) == (1, 2)


def test_what_goes_wrong_once_is_looked_at_again(lamp):
    taken, state = lamp
    with running("/lamp fails once") as candidate, bench(taken.store, taken.site, candidate) as worker:
        (check,) = worker.do(StateUnit(state, "open", None)).states
        assert (check.status_seen, check.metrics.ssim, candidate.site.seen.count("/lamp")) == (200, 1.0, 2)
        worker.do(StateUnit(state, "open", None))
        assert candidate.site.seen.count("/lamp") == 3, "a state that is as it should be was looked at twice"


def test_an_episode_that_goes_wrong_once_is_repeated_from_the_reset(lamp):
    taken, state = lamp
    with running("/lamp fails once") as candidate, bench(taken.store, taken.site, candidate) as worker:
        outcome = worker.do(EpisodeUnit((step(state, Action(act="press", value="Escape")),), "open"))
    (check,) = outcome.interactions
    assert check.reproduced, check.because
    assert (check.attempts, len(outcome.resets)) == (2, 2)


def test_what_leaves_the_sandbox_in_one_of_two_looks_is_not_forgotten(lamp):
    taken, state = lamp
    with running("foreign", "/extra.js fails once") as candidate, bench(taken.store, taken.site, candidate) as worker:
        (check,) = worker.do(StateUnit(state, "open", None)).states
    assert check.foreign_requests


def test_the_candidate_going_away_is_the_runtimes_fault(lamp):
    taken, state = lamp
    with running() as candidate, bench(taken.store, taken.site, candidate) as worker:
        gone = worker
        assert worker.do(StateUnit(state, "open", None)).states[0].metrics.ssim == 1.0
    with gone:
        outcome = gone.do(StateUnit(state, "open", None))
    assert outcome.states == ()
    assert [trouble.fault for trouble in outcome.troubles] == [Fault.RUNTIME]
