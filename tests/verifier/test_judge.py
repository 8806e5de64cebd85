"""The pure half of the Verifier: what measurements amount to."""

from typing import Any

import pytest

from artifacts.contract import Behaviour, Contract, Route
from artifacts.report import Fault, InteractionCheck, Metrics, Noise, StateCheck, stage_to_rerun
from verifier.holdings import Holdings
from verifier.judge import Measured, Trouble, judged

PERFECT = Metrics(ssim=1, pixel=1, text_f1=1, axtree_f1=1)
POOR = Metrics(ssim=0.5, pixel=0.6, text_f1=0.7, axtree_f1=0.8)
SITE = "https://shop.example"
HOLDINGS = Holdings(
    answered=frozenset({"shop.example/held.png?()"}),
    tried=frozenset(),
    lacking=frozenset({"shop.example/film.mp4?()"}),
    hosts=frozenset({"shop.example", "cdn.example"}),
)
CONTRACT = Contract(
    site=SITE,
    start=SITE + "/",
    clock="",
    hosts=(SITE,),
    routes=(Route(name="item", host=SITE, methods=("GET",), pattern="/item/<int:number>/"),),
    behaviours=(Behaviour(name="add to cart", safety="session", trigger="POST /add", observed=("d" * 64,)),),
)


def digest(number: int) -> str:
    return f"{number:064x}"


def state(number: int = 1, metrics: Metrics = PERFECT, **more: Any) -> StateCheck:
    fields: dict[str, Any] = {
        "state": digest(number),
        "url": f"{SITE}/item/{number}/",
        "template": "/item/{}/",
        "which": "open",
        "metrics": metrics,
        "status_expected": 200,
        "status_seen": 200,
        **dict.fromkeys(("source_picture", "mirror_picture", "source_text", "mirror_text"), digest(0)),
    }
    return StateCheck(**{**fields, **more})


def interaction(*, reproduced: bool = True, because: str = "", which: str = "open") -> InteractionCheck:
    return InteractionCheck.model_validate(
        {"interaction": "d" * 64, "behaviour": "add", "which": which, "reproduced": reproduced, "because": because}
    )


def measured(*states: StateCheck, **more: Any) -> Measured:
    fields: dict[str, Any] = {
        "states": states,
        "interactions": (),
        "resets": ({"seed": "a", "state": "a", "ms": "1"},),
        "troubles": (),
        "holdings": HOLDINGS,
        "contract": CONTRACT,
        "steps": {"d" * 64: "open /; click Add"},
        "to_candidate": lambda url: url.replace(SITE, "http://127.0.0.1:8000"),
    }
    return Measured(**{**fields, **more})


def test_all_equal_is_accepted_without_findings():
    result = judged(measured(state(1), state(2), interactions=(interaction(),)))
    assert (result.verdict, result.because, result.findings) == ("accepted", (), ())


def test_the_worst_the_median_and_the_mean_have_their_subject_and_count():
    summaries = judged(measured(state(1), state(2, POOR), state(3))).summaries
    ssim = next(summary for summary in summaries if summary.metric == "ssim")
    assert (ssim.worst, ssim.worst_subject, ssim.median, ssim.count) == (0.5, f"{SITE}/item/2/", 1, 3)
    assert ssim.mean == pytest.approx(2.5 / 3)


def test_a_state_that_differs_names_the_clause_and_where_to_see_it():
    (finding,) = judged(measured(state(7, POOR))).findings
    assert (finding.fault, finding.what, finding.clause) == (Fault.IMPLEMENTATION, "reads differently", "item")
    assert finding.reproduce == "http://127.0.0.1:8000/item/7/"
    assert "text_f1 0.700" in finding.seen and len(finding.proof) == 2


def test_what_the_site_itself_varies_by_is_no_finding():
    noise = Noise(metrics=POOR.replaced(ssim=0.504), looks=2)
    assert judged(measured(state(1, POOR, noise=noise))).findings == ()
    worse = POOR.replaced(text_f1=0.6)
    assert len(judged(measured(state(1, worse, noise=noise))).findings) == 1


def test_sealed_states_are_scored_and_do_not_decide():
    result = judged(
        measured(
            state(1), state(2, POOR, which="sealed"), interactions=(interaction(reproduced=False, which="sealed"),)
        )
    )
    assert result.verdict == "accepted"
    means = {(summary.metric, summary.which): summary.mean for summary in result.summaries}
    assert means["ssim", "open"] == 1 and means["ssim", "sealed"] == 0.5 and means["reproduced", "sealed"] == 0
    assert len(result.findings) == 2


def test_pages_nobody_could_know_are_scored_apart():
    hard = state(2, POOR, which="sealed")
    result = judged(measured(state(1, which="sealed"), hard, apart=frozenset({hard.state})))
    means = {(summary.metric, summary.which): (summary.mean, summary.count) for summary in result.summaries}
    assert means["ssim", "sealed"] == (1, 1) and means["apart_ssim", "sealed"] == (0.5, 1)
    assert {finding.fault for finding in result.findings} == {Fault.EVIDENCE}


def faults(*checks: StateCheck, **more: Any) -> dict[str, tuple[Fault, str]]:
    result = judged(measured(*checks, **more))
    return {finding.subject: (finding.fault, result.verdict) for finding in result.findings}


@pytest.mark.parametrize(
    ("check", "subject", "fault"),
    [
        (state(1, new_failed_requests=(f"404 {SITE}/held.png",)), f"{SITE}/held.png", Fault.IMPLEMENTATION),
        (state(1, new_failed_requests=(f"404 {SITE}/film.mp4",)), f"{SITE}/film.mp4", Fault.EVIDENCE),
        (state(1, new_failed_requests=(f"404 {SITE}/never-seen",)), f"{SITE}/never-seen", Fault.EVIDENCE),
        (state(1, dead_links=(f"{SITE}/held.png",)), f"{SITE}/held.png", Fault.IMPLEMENTATION),
        (state(1, foreign_requests=("https://cdn.example/a.js",)), "https://cdn.example/a.js", Fault.IMPLEMENTATION),
        (state(1, foreign_requests=("https://ads.example/a.js",)), "https://ads.example/a.js", Fault.EVIDENCE),
        (state(1, status_seen=500), f"{SITE}/item/1/", Fault.IMPLEMENTATION),
        (state(1, new_console_errors=("TypeError",)), f"{SITE}/item/1/", Fault.IMPLEMENTATION),
        (state(1, note="led to /x instead of /y"), f"{SITE}/item/1/", Fault.IMPLEMENTATION),
    ],
)
def test_each_discrepancy_goes_to_the_stage_that_can_remove_it(check, subject, fault):
    assert faults(check)[subject][0] is fault


def test_a_page_that_lacks_what_the_evidence_lacks_is_the_evidences():
    check = state(1, POOR, new_failed_requests=(f"404 {SITE}/film.mp4",))
    result = judged(measured(check))
    assert {finding.fault for finding in result.findings} == {Fault.EVIDENCE}
    assert result.verdict == "recapture"
    other = judged(measured(check, state(2, POOR)))
    assert other.verdict == "repair"


def test_one_finding_for_a_resource_however_many_pages_ask_for_it():
    checks = [state(number, new_failed_requests=(f"404 {SITE}/held.png",)) for number in range(1, 6)]
    (finding,) = judged(measured(*checks)).findings
    assert "and 4 more" in finding.seen


@pytest.mark.parametrize(
    ("changes", "verdict", "because"),
    [
        ({"states": (state(1, PERFECT.replaced(ssim=0.96)),)}, "repair", "mean SSIM of 1 states is 0.9600, below 0.97"),
        ({"states": (state(1, PERFECT.replaced(pixel=0.97)),)}, "repair", "mean pixel similarity"),
        ({"states": (state(1, PERFECT.replaced(text_f1=0.97)),)}, "repair", "mean text F1"),
        ({"interactions": (interaction(), interaction(reproduced=False))}, "repair", "1 of 2 interactions"),
        ({"resets": ({"seed": "a", "state": "b", "ms": ""},)}, "rejected", "1 of 1 resets"),
        ({"resets": ({"seed": "", "state": "", "ms": ""},)}, "rejected", "1 of 1 resets"),
        ({"troubles": (Trouble("x", Fault.RUNTIME, "gone"),)}, "rejected", "x: gone"),
        ({"troubles": (Trouble("x", Fault.VERIFIER, "no look", decides=False),)}, "rejected", "1 looks failed"),
        ({"states": ()}, "rejected", "nothing could be checked"),
    ],
)
def test_what_keeps_it_from_being_accepted(changes, verdict, because):
    result = judged(measured(**{"states": (state(1),), **changes}))
    assert result.verdict == verdict
    assert len(result.because) == 1 and because in result.because[0]


def test_a_few_looks_that_failed_spoil_nothing_but_are_told():
    states = [state(number) for number in range(1, 40)]
    result = judged(measured(*states, troubles=(Trouble("x", Fault.VERIFIER, "no look", decides=False),)))
    assert result.verdict == "accepted"
    assert [finding.fault for finding in result.findings] == [Fault.VERIFIER]


def test_an_interaction_names_its_clause_and_its_steps():
    (finding,) = judged(
        measured(state(1), interactions=(interaction(reproduced=False, because="changes nothing"),))
    ).findings
    assert (finding.fault, finding.clause, finding.seen) == (Fault.IMPLEMENTATION, "add to cart", "changes nothing")
    assert finding.reproduce == "open /; click Add"
    no_password = interaction(reproduced=False, because="no password for the account 'user' was given")
    (finding,) = judged(measured(state(1), interactions=(no_password,))).findings
    assert finding.fault is Fault.VERIFIER


def test_findings_are_grouped_by_the_stage_to_run_again():
    checks = (state(1, POOR), state(2, new_failed_requests=(f"404 {SITE}/film.mp4",)), state(3, POOR))
    stages = [stage_to_rerun(finding.fault) for finding in judged(measured(*checks)).findings]
    assert stages == sorted(stages, key=["build", "freeze", "explore", "verify"].index)
