"""What the pipeline asks of each stage, and the real stages behind it, imported only when they are used."""

import functools
import importlib.util
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol

from artifacts.contract import Contract
from artifacts.digest import digest_json, digest_tree, tree_files
from artifacts.environment import Environment
from artifacts.events import Emit, Stop
from artifacts.evidence import Evidence, Part
from artifacts.mirror import Mirror
from artifacts.report import Report
from artifacts.run import Account, CaptureRequest
from artifacts.store import Store

Parts = Literal["open", "all"]


class Trial(NamedTuple):
    """One verification: which candidate against which part of the evidence."""

    candidate: Path
    """Folder with mirror/, mirror.json and contract.json."""
    evidence: Path
    store: Path
    parts: Literal["sealed", "all"]
    """sealed: the sealed part, scored as sealed. all: both parts, scored as open."""
    report: Path
    logs: Path
    jobs: int
    max_seconds: float


class Explore(Protocol):
    def __call__(
        self,
        request: CaptureRequest,
        *,
        accounts: tuple[Account, ...],
        folder: Path,
        store: Store,
        created: str,
        emit: Emit,
        stop: Stop,
    ) -> Evidence: ...


class Build(Protocol):
    def __call__(
        self, part: Part, evidence: Evidence, *, store: Store, out: Path, parts: Parts, emit: Emit
    ) -> tuple[Contract, Mirror]: ...


class Verify(Protocol):
    def __call__(self, trial: Trial, *, emit: Emit, stop: Stop) -> Report: ...


class Freeze(Protocol):
    def __call__(
        self,
        mirror_dir: Path,
        *,
        mirror: Mirror,
        contract: Contract,
        report: Report | None,
        out: Path,
        name: str,
        version: int,
    ) -> Environment: ...


class Render(Protocol):
    def __call__(self, report: Report, evidence: Evidence, store: Store) -> str: ...


class Stages(NamedTuple):
    """One callable a stage, and the version of each: a stage of another version is run again."""

    explore: Explore
    build: Build
    verify: Verify
    freeze: Freeze
    render: Render
    versions: Mapping[str, str]


def real_stages() -> Stages:
    """The stages of this installation."""

    def explore(request: CaptureRequest, **rest: Any) -> Evidence:
        from explorer.crawl.explore import explore

        return explore(request, **rest)

    def build(part: Part, evidence: Evidence, **rest: Any) -> tuple[Contract, Mirror]:
        from builder.build import build

        return build(part, evidence, **rest)

    def verify(trial: Trial, *, emit: Emit, stop: Stop) -> Report:
        from webanything.judging import judge

        return judge(trial, emit=emit, stop=stop)

    def freeze(mirror_dir: Path, **rest: Any) -> Environment:
        from environments.freeze import freeze

        return freeze(mirror_dir, **rest)

    def render(report: Report, evidence: Evidence, store: Store) -> str:
        from webanything.report_html import render

        return render(report, evidence, store)

    return Stages(explore, build, verify, freeze, render, versions())


def versions() -> dict[str, str]:
    """The version of each stage: for those that can be repeated at no cost to anybody, the digest of their code.

    Exploring again would ask the site again, so its version is a number that is raised by hand.
    """
    return {
        "explore": "1",
        "build": _code("builder"),
        "verify": _code("verifier", "explorer.lens"),
        "freeze": _code("environments.runtime"),
    }


@functools.cache
def _code(*packages: str) -> str:
    trees = []
    for package in packages:
        spec = importlib.util.find_spec(package)
        roots = (spec.submodule_search_locations if spec else None) or []
        trees += [digest_tree(tree_files(Path(root))) for root in roots]
    return digest_json(trees)[:16]
