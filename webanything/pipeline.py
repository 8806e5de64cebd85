"""The stage graph: which stage runs when, under which key, and what it is given.

    explore -> build (open) -> verify (sealed) -> build (all) -> verify (all, as open) -> freeze

A stage whose key and result are recorded in run.json is not run again. Nothing here talks to a browser, a site or a
server: stages are handed in.
"""

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple

from artifacts._record import Record
from artifacts.contract import Contract
from artifacts.digest import digest_json, digest_tree, tree_files
from artifacts.environment import Environment
from artifacts.errors import UsageError
from artifacts.events import Emit, Event, Stop
from artifacts.evidence import Evidence, load_part
from artifacts.mirror import Mirror
from artifacts.report import Report
from artifacts.run import Account, CaptureRequest, Run, Stage
from artifacts.store import write_file
from webanything.interrupt import stopped
from webanything.runfolder import RunFolder
from webanything.stages import Parts, Stages, Trial


class Outcome(NamedTuple):
    """What a run came to."""

    run: Run
    report: Report
    environment: Path | None
    """None when the verdict is not accepted; the candidate can be served all the same."""


class Pipeline:
    """The stages of one run folder. The caller holds the folder's lock."""

    def __init__(
        self,
        folder: RunFolder,
        stages: Stages,
        *,
        run: Run,
        logs: Path,
        emit: Emit,
        stop: Stop,
        accounts: tuple[Account, ...] = (),
        jobs: int = 2,
        verify_seconds: float = 0,
        again: bool = False,
    ) -> None:
        self.folder = folder
        self.run = run
        self._stages = stages
        self._logs = logs
        self._say = emit
        self._counts: dict[str, int] = {}
        self._stop = stop
        self._accounts = accounts
        self._jobs = jobs
        self._verify_seconds = verify_seconds
        self._again = again

    def reconstruct(self) -> Outcome:
        """Every stage from the site to the environment, skipping what is done."""
        evidence = self.explore()
        self.build(evidence)
        report = self.verify(evidence)
        return self.freeze(report)

    def explore(self) -> Evidence:
        """Evidence of the site, written to evidence.json. Raises StoppedError when it was stopped before its end."""
        request = self.run.request

        def work() -> Evidence:
            evidence = self._stages.explore(
                request,
                accounts=self._accounts,
                folder=self.folder / "evidence",
                store=self.folder.store,
                created=self.run.created,
                emit=self._emit,
                stop=self._stop,
            )
            self.folder.save("evidence.json", evidence)
            if evidence.outcome == "interrupted":
                raise stopped(self.folder.path)
            return evidence

        return self._stage("explore", "explore", Evidence, "evidence.json", {"request": request.digest}, work)

    def build(self, evidence: Evidence) -> Mirror:
        """The mirror of all evidence, preceded by one of the open part alone where a sealed part can judge it."""
        if _is_sealed(evidence):
            self._build("build-open", "sealed", "open", evidence)
        return self._build("build", "", "all", evidence)

    def verify(self, evidence: Evidence) -> Report:
        """The report on the mirror as it lies there, with the scores on sealed evidence of the earlier candidate."""
        sealed = self._sealed_report(evidence)
        report = self._verify("verify", "", "all", evidence, sealed=sealed)
        if self.run.verdict != report.verdict:
            self._save(self.run.replaced(verdict=report.verdict))
        return report

    def report(self, evidence: Evidence) -> Report:
        """The saved report, if it judges the mirror that lies there now. Raises UsageError otherwise."""
        return self._verify("verify", "", "all", evidence, sealed=self._sealed_report(evidence), saved_only=True)

    def evidence(self) -> Evidence:
        """The saved evidence. Raises UsageError where nothing was explored yet."""
        return self.folder.evidence()

    def freeze(self, report: Report) -> Outcome:
        """The environment of an accepted mirror; none of another."""
        if report.verdict != "accepted":
            return Outcome(self.run, report, None)
        mirror, contract = self._candidate("")
        old = self.folder.record(Environment, "environment/environment.json")
        changed = old is not None and old.mirror != mirror.tree
        version = old.version + changed if old else 1
        inputs = {"mirror": mirror.digest, "report": report.digest, "name": self.run.name, "number": version}

        def work() -> Environment:
            return self._stages.freeze(
                self.folder / "mirror",
                mirror=mirror,
                contract=contract,
                report=report,
                out=self.folder / "environment",
                name=self.run.name,
                version=version,
            )

        self._stage("freeze", "freeze", Environment, "environment/environment.json", inputs, work)
        return Outcome(self.run, report, self.folder / "environment")

    def _sealed_report(self, evidence: Evidence) -> Report | None:
        return self._verify("verify-sealed", "sealed", "sealed", evidence) if _is_sealed(evidence) else None

    def _build(self, stage: str, place: str, parts: Parts, evidence: Evidence) -> Mirror:
        home = Path(place)

        def work() -> Mirror:
            part = load_part(self.folder.store, evidence.open)
            if parts == "all":
                part = part + load_part(self.folder.store, evidence.sealed)
            contract, mirror = self._stages.build(
                part,
                evidence,
                store=self.folder.store,
                out=self.folder.path / home / "mirror",
                parts=parts,
                emit=self._emit,
            )
            self.folder.save(str(home / "contract.json"), contract)
            self.folder.save(str(home / "mirror.json"), mirror)
            return mirror

        inputs = {"evidence": evidence.digest, "parts": parts}
        return self._stage(stage, "build", Mirror, str(home / "mirror.json"), inputs, work)

    def _verify(
        self,
        stage: str,
        place: str,
        parts: Literal["sealed", "all"],
        evidence: Evidence,
        *,
        sealed: Report | None = None,
        saved_only: bool = False,
    ) -> Report:
        home = Path(place)
        mirror, contract = self._candidate(place)

        def work() -> Report:
            if saved_only:
                raise UsageError(
                    "This mirror was not verified yet.",
                    where=str(self.folder.path),
                    remedy=f"Verify it first: webanything verify {self.folder.path}",
                    code="not_verified",
                )
            trial = Trial(
                candidate=self.folder.path / home,
                evidence=self.folder / "evidence.json",
                store=self.folder.store.root,
                parts=parts,
                report=self._logs / f"{stage}.json",
                logs=self._logs,
                jobs=self._jobs,
                max_seconds=self._verify_seconds,
            )
            report = self._stages.verify(trial, emit=self._emit, stop=self._stop)
            if sealed is not None:
                report = with_sealed(report, sealed)
            self.folder.save(str(home / "report.json"), report)
            if not place:
                page = self._stages.render(report, evidence, self.folder.store)
                write_file(self.folder / "report.html", page.encode())
            return report

        inputs = {
            "evidence": evidence.digest,
            "contract": contract.digest,
            "tree": mirror.tree,
            "sealed": sealed.digest if sealed else None,
        }
        return self._stage(stage, "verify", Report, str(home / "report.json"), inputs, work)

    def _candidate(self, place: str) -> tuple[Mirror, Contract]:
        """Mirror and Contract of what lies in the folder; files changed by hand since are marked as a person's."""
        home = Path(place)
        mirror = self.folder.record(Mirror, str(home / "mirror.json"))
        contract = self.folder.record(Contract, str(home / "contract.json"))
        if mirror is None or contract is None:
            raise UsageError(
                "There is no mirror in this run yet.",
                where=str(self.folder.path / home),
                remedy=f"Build it first: webanything build {self.folder.path}",
                code="no_mirror",
            )
        files = tree_files(self.folder.path / home / "mirror")
        if digest_tree(files) == mirror.tree:
            return mirror, contract
        changed = {path: "person" for path, digest in files.items() if mirror.files.get(path) != digest}
        edited = mirror.replaced(tree=digest_tree(files), files=files, written_by={**mirror.written_by, **changed})
        self._emit(Event("notice", {"what": f"{len(changed)} files of the mirror were changed by hand"}))
        self.folder.save(str(home / "mirror.json"), edited)
        self._replace_result("build" if not place else "build-open", edited.digest)
        return edited, contract

    def _stage[R: Record](
        self, name: str, kind: str, record: type[R], file: str, inputs: Mapping[str, Any], work: Callable[[], R]
    ) -> R:
        """The stage's record: the one on disk if key and digest say it is this very one, else made now."""
        key = digest_json({"stage": name, "version": self._stages.versions[kind], "inputs": dict(inputs)})
        done = next((stage for stage in self.run.stages if stage.name == name), None)
        if done and done.key == key and not self._again:
            saved = self.folder.record(record, file)
            if saved is not None and _result(saved) == done.result:
                self._emit(Event("stage", {"stage": name, "status": "skipped"}))
                return saved
        if self._stop():
            raise stopped(self.folder.path)
        self._emit(Event("stage", {"stage": name, "status": "started"}))
        began = time.monotonic()
        result = work()
        taken = round(time.monotonic() - began, 3)
        self._record(Stage(name=name, key=key, result=_result(result), seconds=taken), result)
        self._emit(Event("stage", {"stage": name, "status": "done", "seconds": taken, "result": result.digest}))
        return result

    def _emit(self, event: Event) -> None:
        # the counts a budget is held against are the Explorer's to say, step by step
        self._counts.update({key: event.data[key] for key in ("pages", "actions") if f"of_{key}" in event.data})
        self._say(event)

    def _record(self, stage: Stage, result: Record) -> None:
        spend = self.run.spend.replaced(seconds=round(self.run.spend.seconds + stage.seconds, 3))
        if isinstance(result, Evidence):
            counts = {"pages": result.states, "actions": result.interactions, **self._counts}
            spend = spend.replaced(**counts, requests=result.exchanges)
        others = tuple(other for other in self.run.stages if other.name != stage.name)
        self._save(self.run.replaced(stages=(*others, stage), spend=spend))

    def _replace_result(self, name: str, result: str) -> None:
        stages = (stage.replaced(result=result) if stage.name == name else stage for stage in self.run.stages)
        self._save(self.run.replaced(stages=tuple(stages)))

    def _save(self, run: Run) -> None:
        self.run = run
        self.folder.save("run.json", run)


def _result(record: Record) -> str:
    # building an image notes it in the environment, which stays the same environment
    return record.replaced(image="").digest if isinstance(record, Environment) else record.digest


def _is_sealed(evidence: Evidence) -> bool:
    return bool(evidence.sealed_states or evidence.sealed_interactions)


def begin(
    folder: RunFolder,
    request: CaptureRequest,
    *,
    name: str,
    version: str,
    now: str,
    attempt: int,
    origin: Mapping[str, str],
) -> Run:
    """The run to go on with: the saved one under the new request, or a new one whose clock starts at `now`.

    Raises UsageError when the folder holds another site's run, or one looked at through another lens.
    """
    saved = folder.run()
    if saved and saved.request.url != request.url and not saved.stages and not folder.has_pages():
        folder.set_aside("evidence", attempt)  # the address that was tried before was no use, and nothing rests on it
        saved = None
    created = saved.created if saved else now
    request = request.model_copy(update={"lens": request.lens.replaced(clock=created)})
    if saved is not None:
        _check_same_site(saved, request, folder.path)
        name = saved.name if saved.stages else name
        request = request.replaced(wanted=tuple(dict.fromkeys((*saved.request.wanted, *request.wanted))))
    run = (saved or Run(name=name, created=created, version=version, request=request)).model_copy(
        update={"name": name, "version": version, "request": request, "attempts": attempt, "origin": dict(origin)}
    )
    folder.save("run.json", run)
    return run


def _check_same_site(saved: Run, request: CaptureRequest, path: Path) -> None:
    what = ""
    if saved.request.url != request.url:
        what = f"This folder holds a run of {saved.request.url}."
    elif saved.request.lens != request.lens:
        what = "This folder holds a run that looked through another lens."
    if what:
        raise UsageError(
            what, where=str(path), remedy="Choose another folder with --out, or another --name.", code="other_run"
        )


def with_sealed(report: Report, sealed: Report) -> Report:
    """The report with the checks and scores on sealed evidence beside its own.

    The verdict stays that of the mirror judged last; the sealed scores tell how far the one before it generalised.
    """
    return report.replaced(
        states=report.states + tuple(check for check in sealed.states if check.which == "sealed"),
        interactions=report.interactions + tuple(check for check in sealed.interactions if check.which == "sealed"),
        summaries=report.summaries + tuple(summary for summary in sealed.summaries if summary.which == "sealed"),
        unchecked=report.unchecked
        + tuple(
            (subject, f"sealed: {reason}")
            for subject, reason in sealed.unchecked
            if (subject, reason) not in report.unchecked
        ),
        seconds=round(report.seconds + sealed.seconds, 3),
    )


def scores(report: Report) -> dict[str, dict[str, float]]:
    """Mean of each metric and share of interactions reproduced, open and sealed apart, with their counts."""
    found: dict[str, dict[str, float]] = {}
    for summary in report.summaries:
        found.setdefault(summary.which, {})[summary.metric] = round(summary.mean, 5)
    for which in ("open", "sealed"):
        states = [check for check in report.states if check.which == which]
        checks = [check for check in report.interactions if check.which == which]
        if not states and not checks:
            continue
        part = found.setdefault(which, {})
        part["states"], part["interactions"] = len(states), len(checks)
        if checks:
            part["reproduced"] = round(sum(check.reproduced for check in checks) / len(checks), 5)
    return found
