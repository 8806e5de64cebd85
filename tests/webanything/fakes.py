"""Small stages for the pipeline: they count their calls and answer with records that follow from what they were given."""

from collections import Counter
from pathlib import Path
from typing import Any

from artifacts.contract import Contract
from artifacts.digest import digest_bytes, digest_json, digest_tree, tree_files
from artifacts.environment import Environment
from artifacts.evidence import Evidence, Part, store_part
from artifacts.mirror import Mirror
from artifacts.report import InteractionCheck, Report, Summary
from artifacts.run import CaptureRequest, Lens
from artifacts.store import Store
from webanything.stages import Stages, Trial

SITE = "https://shop.example"
DIGEST = digest_bytes(b"")


class FakeStages:
    """What was called, how often, and with which part. `verdict`, `sealed` and `outcome` steer the answers."""

    def __init__(self, *, verdict: str = "accepted", sealed: int = 1, outcome: str = "complete") -> None:
        self.calls: Counter[str] = Counter()
        self.order: list[str] = []
        self.verdict = verdict
        self.sealed = sealed
        self.outcome = outcome
        self.fail: BaseException | None = None
        self.passwords: list[str] = []
        self.versions = {"explore": "1", "build": "1", "verify": "1", "freeze": "1"}

    def stages(self) -> Stages:
        return Stages(self.explore, self.build, self.verify, self.freeze, self.render, self.versions)

    def _called(self, name: str) -> None:
        self.calls[name] += 1
        self.order.append(name)
        if self.fail is not None and name == "explore":
            raise self.fail

    def explore(self, request: CaptureRequest, *, accounts: Any, folder: Path, store: Store, **_: Any) -> Evidence:
        self._called("explore")
        self.passwords = [account.password for account in accounts]
        folder.mkdir(parents=True, exist_ok=True)
        return Evidence(
            request=request,
            site=SITE,
            start=SITE + "/",
            lens=request.lens,
            outcome=self.outcome,
            open=store_part(store, []),
            sealed=store_part(store, []),
            states=3,
            interactions=2,
            exchanges=9,
            sealed_states=self.sealed,
            sealed_interactions=0,
        )

    def build(self, part: Part, evidence: Evidence, *, out: Path, parts: Any, **_: Any) -> tuple[Contract, Mirror]:
        self._called(f"build {parts}")
        out.mkdir(parents=True, exist_ok=True)
        (out / "app.py").write_text(f"parts = {parts!r}\n")
        contract = Contract(site=SITE, start=SITE + "/", clock=evidence.lens.clock, hosts=(SITE,), routes=())
        files = tree_files(out)
        return contract, Mirror(
            evidence=evidence.digest, parts=parts, contract=contract.digest, tree=digest_tree(files), files=files
        )

    def verify(self, trial: Trial, **_: Any) -> Report:
        self._called(f"verify {trial.parts}")
        which = "sealed" if trial.parts == "sealed" else "open"
        check = InteractionCheck(interaction=DIGEST, behaviour="search", which=which, reproduced=which == "open")
        mean = 0.9 if which == "sealed" else 0.99
        return Report(
            evidence=DIGEST,
            contract=None,
            candidate=digest_json(str(trial.parts)),
            lens=Lens(),
            verdict="repair" if which == "sealed" else self.verdict,
            states=(),
            interactions=(check,),
            summaries=(
                Summary(metric="ssim", which=which, worst=0.5, worst_subject="/", median=mean, mean=mean, count=3),
            ),
            seconds=1.5,
        )

    def freeze(
        self, mirror_dir: Path, *, mirror: Mirror, contract: Contract, report: Report, **rest: Any
    ) -> Environment:
        self._called("freeze")
        environment = Environment(
            id=f"webanything/{rest['name']}-v{rest['version']}",
            name=rest["name"],
            version=rest["version"],
            site=SITE,
            start=SITE + "/",
            content=mirror.tree,
            mirror=mirror.tree,
            contract=contract.digest,
            report=report.digest,
            seed=DIGEST,
            clock=contract.clock,
            hosts=(SITE,),
            runtime="1",
        )
        rest["out"].mkdir(parents=True, exist_ok=True)
        (rest["out"] / "environment.json").write_bytes(environment.to_bytes())
        return environment

    def render(self, report: Report, evidence: Evidence, store: Store) -> str:
        self._called("render")
        return f"<h1>{report.verdict}</h1>"
