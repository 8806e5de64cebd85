"""An accepted mirror, packaged and resettable."""

from typing import Literal

from artifacts._record import Record
from artifacts.digest import Digest


class Environment(Record):
    """The manifest of an environment folder: `environment.json` beside `mirror/`."""

    kind: Literal["environment.v1"] = "environment.v1"
    id: str
    """Such as "webanything/shop-v1"."""
    name: str
    version: int
    site: str
    start: str
    content: Digest
    """Over code, templates, database, assets and lock: everything below `mirror/`, and the runtime's own files."""
    mirror: Digest
    contract: Digest
    report: Digest | None
    """None for a candidate served before it was accepted."""
    seed: Digest
    """What the state's digest is after every reset."""
    clock: str
    hosts: tuple[str, ...]
    accounts: tuple[dict[str, str], ...] = ()
    """{"label", "user", "password"}: the sandbox's own, safe to show."""
    runtime: str
    """Version of the runtime it was frozen with."""
    image: str = ""
    """Docker image tag and id, once built."""
