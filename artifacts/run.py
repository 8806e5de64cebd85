"""What was asked for, and what a run has done so far."""

from typing import Literal

from pydantic import Field

from artifacts._record import Record
from artifacts.digest import Digest

Scope = Literal["page", "prefix", "host", "domain"]
Safety = Literal["read", "session", "account", "write"]
"""What an action may do. `read` is always allowed; the others only where --allow names them."""


class Lens(Record):
    """How pages are looked at. Two looks compare only if their lenses are equal."""

    kind: Literal["lens.v1"] = "lens.v1"
    browser: str = ""
    """Product and version, such as "HeadlessShell/156.0.8078.114"; empty until a browser was opened."""
    width: int = 1280
    height: int = 720
    scale: float = 1.0
    mobile: bool = False
    locale: str = "en-US"
    timezone: str = "UTC"
    color_scheme: Literal["light", "dark"] = "light"
    reduced_motion: bool = True
    user_agent: str = ""
    """Empty: the browser's own, with WebAnything's name added."""
    clock: str = ""
    """ISO 8601 instant at which every page load begins; time then runs on. Empty: not set yet."""
    seed: int = 1
    """Seeds Math.random in the page, the same for source and mirror."""
    max_height: int = 12_000
    """Pixels of a page that are pictured; taller pages are cut here, and the state says so."""
    version: int = 1
    """Of the looking itself: settling, serialising, picturing."""


class Budget(Record):
    """Where exploration ends. Zero means no limit."""

    max_pages: int = Field(default=100, ge=0)
    max_actions: int = Field(default=100, ge=0)
    max_seconds: float = Field(default=1800, ge=0)
    max_cost_usd: float = Field(default=0, ge=0)


class Account(Record):
    """A test account the user named. The password lives in memory only and is never part of a saved record."""

    label: str
    login_url: str
    user: str
    password: str = Field(default="", exclude=True, repr=False)


class Resolution(Record):
    """One --resolve: connect to `address` when the site says HOST:PORT."""

    host: str
    port: int
    address: str


class Wanted(Record):
    """One address that recapture asks for, whatever the budget says."""

    url: str
    as_page: bool = True
    """Whether to look at it in the browser; a script or a picture is only fetched."""


class CaptureRequest(Record):
    """Everything that decides what evidence is gathered. Its digest is the key of the explore stage."""

    kind: Literal["capture_request.v1"] = "capture_request.v1"
    url: str
    scope: Scope = "host"
    coverage: Literal["full", "jit"] = "full"
    tasks: tuple[str, ...] = ()
    budget: Budget = Budget()
    allow: tuple[Safety, ...] = ()
    accounts: tuple[Account, ...] = ()
    resolve: tuple[Resolution, ...] = ()
    lens: Lens = Lens()
    ignore_robots: bool = False
    wanted: tuple[Wanted, ...] = ()
    """What recapture asked for since; never sealed, and kept when the run goes on."""
    requests_per_second: float = 10.0
    """Page loads and fetched documents a second, per host; a page's own resources are the page's business."""


class Stage(Record):
    """One finished stage: the same key again means there is nothing to do."""

    name: str
    key: Digest
    """Digest of the stage's inputs, configuration and version."""
    result: Digest
    seconds: float


class Spend(Record):
    seconds: float = 0
    pages: int = 0
    actions: int = 0
    requests: int = 0
    model_calls: int = 0
    cost_usd: float = 0


class Run(Record):
    """The state of one run folder. Rewritten whole after each stage."""

    kind: Literal["run.v1"] = "run.v1"
    name: str
    created: str
    """ISO 8601; also the instant the lens's clock starts at."""
    version: str
    request: CaptureRequest
    attempts: int = 1
    stages: tuple[Stage, ...] = ()
    spend: Spend = Spend()
    verdict: str = ""
    origin: dict[str, str] = {}
    """For each setting, where its value came from: flag, variable, file or default."""
