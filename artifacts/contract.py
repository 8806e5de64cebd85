"""What the mirror promises, clause by clause, each with the evidence it rests on."""

from typing import Any, Literal

from artifacts._record import Record
from artifacts.digest import Digest

Status = Literal["observed", "inferred"]


class Route(Record):
    """One family of addresses the mirror answers."""

    name: str
    """Python identifier, also the name of the view function."""
    host: str
    methods: tuple[str, ...]
    pattern: str
    """Flask rule, such as "/catalogue/<slug>/"."""
    status: Status = "observed"
    evidence: tuple[Digest, ...] = ()
    """States and blobs it rests on; at most 20, the first ones."""
    answers: int = 0
    """Recorded answers it chooses from."""


class Behaviour(Record):
    """Something a visitor can do, and what then happens."""

    name: str
    safety: str
    trigger: str
    """Method and address pattern, or the script behaviour it stays with."""
    observed: tuple[Digest, ...] = ()
    """Interactions that show it."""
    variants: tuple[str, ...] = ()
    status: Status = "observed"
    refuted_by: str = ""
    """The observation that would contradict it."""
    experiment: str = ""
    """The cheapest further observation that would settle what is open."""


class Volatile(Record):
    """Part of a request that changes from look to look and decides nothing."""

    place: Literal["query", "body", "header", "path"]
    route: str
    """Address without its query."""
    key: str
    because: str


class Entity(Record):
    name: str
    table: str
    columns: tuple[str, ...]
    rows: int
    status: Status = "inferred"
    evidence: tuple[Digest, ...] = ()


class Contract(Record):
    """Routes, entities and behaviours in scope. What no evidence settles is listed as unknown."""

    kind: Literal["contract.v1"] = "contract.v1"
    site: str
    start: str
    clock: str
    hosts: tuple[str, ...]
    """Every host name the mirror answers for, the site's own first, each as scheme://host[:port]."""
    routes: tuple[Route, ...]
    behaviours: tuple[Behaviour, ...] = ()
    entities: tuple[Entity, ...] = ()
    volatile: tuple[Volatile, ...] = ()
    accounts: tuple[dict[str, str], ...] = ()
    """{"label", "user"}; sandbox passwords are in the mirror's seed only."""
    unknown: tuple[str, ...] = ()
    checks: tuple[dict[str, Any], ...] = ()
