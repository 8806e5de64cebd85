"""The Verifier's own test: mirrors broken on purpose. Each planted fault must be found and sent the right way."""

import json
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from artifacts.digest import digest_bytes
from artifacts.errors import DamagedError
from artifacts.events import Event, ignore
from artifacts.evidence import Action, Evidence, load_part, store_part
from artifacts.report import Fault, Report
from artifacts.store import Store, write_file
from explorer.lens.browser import open_browser
from tests.verifier.capture import Captured, write_job
from tests.verifier.site import running
from verifier.job import Job
from verifier.run import verify

pytestmark = pytest.mark.browser

CLICK = {name: Action(act="click", selector=f"#{name}", role="button") for name in ("add", "more", "ask", "theme")}


@pytest.fixture(scope="module")
def captured(tmp_path_factory):
    """The site as it was seen, once for all."""
    folder = tmp_path_factory.mktemp("evidence")
    with running() as site, open_browser() as browser:
        taken = Captured(browser, site.address, folder)
        (home, *_) = taken.look_at("/", "/about", "/lamp", "/vase")
        taken.look_at("/", repeat_of=home.digest)
        taken.try_out("/lamp", ("Add to basket", [CLICK["add"]]), ("look at the start", [goto(site.address)]))
        taken.try_out("/", ("Details", [CLICK["more"]]))
        taken.try_out("/about", ("Ask", [CLICK["ask"]]))
        taken.try_out("/about", ("Dark", [CLICK["theme"]]), effect="storage", storage_change={"local.theme": "added"})
        taken.finish()
    return folder


def goto(url):
    return Action(act="goto", url=url)


def judged(folder, candidate, emit=ignore, **fields) -> Report:
    fields = {"address": candidate.address, "control": candidate.control_address, "jobs": 1, **fields}
    return verify(Job.read(write_job(folder, **fields)), emit)


def of_fault(report, fault):
    return [(finding.subject, finding.what) for finding in report.findings if finding.fault is fault]


def test_a_faithful_mirror_is_accepted_by_two_workers_with_sessions_of_their_own(captured):
    heard: list[Event] = []
    with running() as candidate:
        report = judged(captured, candidate, heard.append, jobs=2)
        assert len(candidate.control.ended) == candidate.control.made == 3
    assert (report.verdict, report.because, report.findings) == ("accepted", (), ())
    assert {check.metrics.ssim for check in report.states} == {1.0}
    assert len(report.states) == 4 and len(report.interactions) == 5
    assert all(check.reproduced for check in report.interactions)
    assert report.states[0].noise is not None and report.states[0].noise.metrics.ssim == 1.0
    assert report.states[2].noise is None
    assert [event.data["done"] for event in heard] == list(range(1, 9))
    counts = {(summary.metric, summary.which): summary.count for summary in report.summaries}
    assert counts["ssim", "open"] == 4 and counts["reproduced", "open"] == 5
    assert len(report.resets) == 5 and all(reset["state"] == reset["seed"] for reset in report.resets)
    assert report.candidate == "f" * 64
    assert report.unchecked == (("other widths", "the evidence shows the site at 900 pixels only"),)


PAGES = ("text", "no picture", "dead link")
"""Faults that do not hide each other are planted together."""
BROKEN = ("about fails", "console", "foreign")
ACTIONS = ("add forgets", "toggle does nothing", "no dialog", "no storage")
OTHER_CONSEQUENCES = "an interaction has other consequences"


@pytest.mark.parametrize(
    ("faults", "what", "subject"),
    [
        (PAGES, "reads differently", "/"),
        (PAGES, "a request fails that did not on the site", "/picture.png"),
        (PAGES, "looks differently", "/about"),
        (PAGES, "a dead link", "/vase"),
        (PAGES, "another status", "/vase"),
        (("style",), "looks differently", "/"),
        (BROKEN, "another status", "/about"),
        (BROKEN, "new console errors", "/"),
        (BROKEN, "a request leaves the sandbox", "http://elsewhere.example/track.js"),
        (ACTIONS, OTHER_CONSEQUENCES, "Add to basket"),
        (ACTIONS, OTHER_CONSEQUENCES, "Details"),
        (ACTIONS, OTHER_CONSEQUENCES, "Ask"),
        (ACTIONS, OTHER_CONSEQUENCES, "Dark"),
        (("add leads elsewhere",), OTHER_CONSEQUENCES, "Add to basket"),
    ],
)
def test_a_planted_fault_is_found(captured, faults, what, subject):
    report = broken(captured, *faults)
    where = Evidence.from_bytes((captured / "evidence.json").read_bytes()).site
    subject = where + subject if subject.startswith("/") else subject
    expected = Fault.EVIDENCE if "leaves the sandbox" in what else Fault.IMPLEMENTATION
    assert (subject, what) in of_fault(report, expected)


_broken: dict[tuple[str, ...], Report] = {}


def broken(folder: Path, *faults: str) -> Report:
    """The report on a mirror with these faults, made once."""
    if faults not in _broken:
        with running(*faults) as candidate:
            _broken[faults] = judged(folder, candidate, interactions=faults not in (PAGES, BROKEN, ("style",)))
    return _broken[faults]


@pytest.mark.parametrize(
    ("faults", "verdict", "because"),
    [
        (PAGES, "repair", "mean text F1"),
        (("style",), "repair", "mean SSIM"),
        (BROKEN, "repair", "1 addresses outside the sandbox"),
        (ACTIONS, "repair", "1 of 5 interactions are reproduced (20.0%)"),
        (("reset keeps",), "rejected", "resets did not lead back to the seed"),
    ],
)
def test_the_verdict_says_where_to_go_on(captured, faults, verdict, because):
    report = broken(captured, *faults)
    assert report.verdict == verdict
    assert any(because in reason for reason in report.because), report.because


def test_the_reason_is_the_first_difference(captured):
    reasons = {check.behaviour: check.because for check in broken(captured, *ACTIONS).interactions if check.because}
    assert reasons["Add to basket"] == "text F1 0.750 afterwards"
    assert reasons["Details"].startswith("changes nothing instead of +")
    assert reasons["Ask"] == "dialogs [] instead of ['confirm: Really?']"
    assert reasons["Dark"] == "storage local.theme is not added"
    (elsewhere, *_) = broken(captured, "add leads elsewhere").interactions
    assert elsewhere.because.startswith("leads to ") and elsewhere.address_seen != elsewhere.address_expected


def test_nothing_left_the_sandbox_and_nothing_outside_was_reached(captured):
    report = broken(captured, *BROKEN)
    whole = [check for check in report.states if check.status_seen == 200]
    assert len(whole) == 3
    assert all(check.foreign_requests == ("http://elsewhere.example/track.js",) for check in whole)
    assert not any(check.new_failed_requests for check in report.states), "counted once, as foreign"


def test_a_reset_that_does_not_reset_is_the_runtimes(captured):
    report = broken(captured, "reset keeps")
    assert report.verdict == "rejected"
    assert ("reset", "the state after a reset is not the seed's") in of_fault(report, Fault.RUNTIME)


def test_a_candidate_that_is_not_there_is_the_runtimes(captured):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{free.getsockname()[1]}/"
        report = verify(Job.read(write_job(captured, address=address)), ignore)
    assert report.verdict == "rejected"
    assert of_fault(report, Fault.RUNTIME) == [(address, "the candidate does not answer")]
    assert report.states == ()


def test_what_the_evidence_lacks_is_sent_to_recapture(captured, tmp_path):
    folder = copied(captured, tmp_path)
    evidence = Evidence.from_bytes((folder / "evidence.json").read_bytes())
    store = Store(folder / "store")
    part = load_part(store, evidence.open)
    left = [exchange for exchange in part.exchanges if not exchange.url.endswith("/extra.js")]
    lacking = evidence.replaced(
        open=store_part(store, [*part.states, *left, *part.interactions]),
        missing=((f"{evidence.site}/extra.js", "too large"),),
    )
    write_file(folder / "evidence.json", lacking.to_bytes())
    with running("no extra") as candidate:
        report = judged(folder, candidate)
    assert (f"{evidence.site}/extra.js", "a request fails that did not on the site") in of_fault(report, Fault.EVIDENCE)
    assert of_fault(report, Fault.IMPLEMENTATION) == []


def copied(captured: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(captured, tmp_path / "copy"))


def test_the_sealed_part_is_scored_as_sealed_and_what_nobody_could_know_apart(captured, tmp_path):
    folder = copied(captured, tmp_path)
    store = Store(folder / "store")
    evidence = Evidence.from_bytes((folder / "evidence.json").read_bytes())
    part = load_part(store, evidence.open)
    vase = next(state for state in part.states if state.requested.endswith("/vase"))
    lamp = next(state for state in part.states if state.requested.endswith("/lamp"))
    hard = lamp.replaced(text=store.put(b"a story that nobody has opened before"))
    left = [state for state in part.states if state != vase]
    sealed = evidence.replaced(
        open=store_part(store, [*left, *part.exchanges, *part.interactions]), sealed=store_part(store, [vase, hard])
    )
    write_file(folder / "evidence.json", sealed.to_bytes())
    with running() as candidate:
        report = judged(folder, candidate, parts="sealed")
    assert [check.which for check in report.states] == ["sealed", "sealed"] and report.interactions == ()
    scores = {summary.metric: (summary.worst, summary.count) for summary in report.summaries}
    assert scores["text_f1"] == (1.0, 1) and scores["apart_text_f1"][1] == 1
    assert any("scored apart" in reason for _, reason in report.unchecked)
    assert report.verdict == "accepted"


def test_another_browser_is_the_verifiers_own_fault(captured, tmp_path):
    folder = copied(captured, tmp_path)
    evidence = Evidence.from_bytes((folder / "evidence.json").read_bytes())
    other = evidence.replaced(lens=evidence.lens.replaced(browser="HeadlessShell/1.0"))
    write_file(folder / "evidence.json", other.to_bytes())
    with running() as candidate:
        report = judged(folder, candidate)
    assert report.verdict == "rejected"
    assert [subject for subject, _ in of_fault(report, Fault.VERIFIER)] == ["the lens"]


def test_without_sessions_and_without_a_control_plane(captured):
    with running(sessions=False) as candidate:
        assert judged(captured, candidate, jobs=2).verdict == "accepted"
    with running() as candidate:
        report = judged(captured, candidate, control=None, interactions=False)
        assert report.verdict == "accepted"
        assert (report.candidate, report.resets, report.interactions) == (candidate.address, (), ())
        assert ("Details", "interactions were not asked for") in report.unchecked


def test_what_there_is_no_time_for_is_said(captured):
    with running() as candidate:
        report = judged(captured, candidate, max_seconds=0.001)
    assert report.states == report.interactions == ()
    assert len([reason for _, reason in report.unchecked if reason == "the time allowed was over"]) == 8
    assert report.verdict == "rejected"


def test_altered_evidence_is_refused(captured, tmp_path):
    folder = copied(captured, tmp_path)
    evidence = Evidence.from_bytes((folder / "evidence.json").read_bytes())
    path = folder / "store" / evidence.open[:2] / evidence.open[2:]
    path.write_bytes(path.read_bytes().replace(b"Shop", b"Slop"))
    assert digest_bytes(path.read_bytes()) != evidence.open
    with running() as candidate, pytest.raises(DamagedError):
        judged(folder, candidate)


def test_the_command_writes_the_report_and_tells_of_its_progress(captured, tmp_path):
    folder = copied(captured, tmp_path)
    with running("dead link") as candidate:
        path = write_job(folder, address=candidate.address, control=candidate.control_address)
        ended = subprocess.run(
            [sys.executable, "-m", "verifier", str(path)], capture_output=True, text=True, timeout=200
        )
    lines = [json.loads(line) for line in ended.stdout.splitlines()]
    assert ended.returncode == 0, ended.stderr
    assert [line["event"] for line in lines] == ["check"] * 8 + ["verified"]
    report = Report.from_bytes((folder / "report.json").read_bytes())
    assert lines[-1]["verdict"] == report.verdict
    assert [check.dead_links for check in report.states if check.dead_links]

    ended = subprocess.run([sys.executable, "-m", "verifier", str(folder)], capture_output=True, text=True, timeout=60)
    assert ended.returncode == 2
    assert json.loads(ended.stdout)["event"] == "error"
