"""What the Verifier measured, found and concluded."""

from enum import StrEnum
from typing import Literal

from artifacts._record import Record
from artifacts.digest import Digest
from artifacts.run import Lens

Which = Literal["open", "sealed"]


class Fault(StrEnum):
    """Where a discrepancy comes from, and so which stage can remove it."""

    IMPLEMENTATION = "implementation"
    RUNTIME = "runtime"
    EVIDENCE = "evidence"
    VERIFIER = "verifier"


class Metrics(Record):
    """How close two looks at one page are. All between 0 and 1, 1 is equal."""

    ssim: float
    pixel: float
    text_f1: float
    axtree_f1: float


class Noise(Record):
    """How close two looks at the *source* were: what no mirror can be blamed for."""

    metrics: Metrics
    looks: int


class StateCheck(Record):
    """One state of the evidence, looked at on the mirror through the same lens."""

    state: Digest
    url: str
    template: str
    which: Which
    metrics: Metrics
    status_expected: int
    status_seen: int
    source_picture: Digest
    mirror_picture: Digest
    source_text: Digest
    mirror_text: Digest
    new_console_errors: tuple[str, ...] = ()
    new_failed_requests: tuple[str, ...] = ()
    dead_links: tuple[str, ...] = ()
    foreign_requests: tuple[str, ...] = ()
    """Requests that tried to leave the sandbox. They were stopped, and must be none."""
    masked_area: float = 0.0
    """Share of the picture left out of the comparison."""
    noise: Noise | None = None
    note: str = ""


class InteractionCheck(Record):
    """One recorded interaction, repeated on the mirror from its before-state."""

    interaction: Digest
    behaviour: str
    which: Which
    reproduced: bool
    because: str = ""
    """First thing that differed, in words; empty when reproduced."""
    metrics: Metrics | None = None
    address_expected: str = ""
    address_seen: str = ""
    source_picture: Digest | None = None
    mirror_picture: Digest | None = None
    before_picture: Digest | None = None
    foreign_requests: tuple[str, ...] = ()
    attempts: int = 1
    """How often its episode was repeated until it went as far as this."""


class Finding(Record):
    """One discrepancy with its proof and its fault."""

    fault: Fault
    subject: str
    """Address of the state, or the behaviour."""
    what: str
    expected: str
    seen: str
    proof: tuple[Digest, ...] = ()
    """Two observations: the source's, then the mirror's."""
    clause: str = ""
    reproduce: str = ""
    """An address, or a short list of steps that a person can follow."""


class Summary(Record):
    """One metric over many subjects, worst first."""

    metric: str
    which: Which
    worst: float
    worst_subject: str
    median: float
    mean: float
    count: int


class Report(Record):
    """The verdict on one candidate."""

    kind: Literal["report.v1"] = "report.v1"
    evidence: Digest
    contract: Digest | None
    candidate: str
    """What was judged: the tree digest the control plane names, or the bare address."""
    lens: Lens
    verdict: Literal["accepted", "repair", "recapture", "rejected"]
    because: tuple[str, ...] = ()
    """What keeps it from being accepted; empty when accepted."""
    states: tuple[StateCheck, ...]
    interactions: tuple[InteractionCheck, ...]
    findings: tuple[Finding, ...] = ()
    summaries: tuple[Summary, ...]
    resets: tuple[dict[str, str], ...] = ()
    """{"seed", "state", "ms"} of each reset asked for while verifying."""
    unchecked: tuple[tuple[str, str], ...] = ()
    """Subject and reason."""
    uncovered: tuple[str, ...] = ()
    """Evidence no clause of the contract covers."""
    seconds: float = 0


def stage_to_rerun(fault: Fault) -> Literal["build", "freeze", "explore", "verify"]:
    """The one stage that can remove the fault."""
    match fault:
        case Fault.IMPLEMENTATION:
            return "build"
        case Fault.RUNTIME:
            return "freeze"
        case Fault.EVIDENCE:
            return "explore"
        case Fault.VERIFIER:
            return "verify"
