"""The emitted application, frozen by digest."""

from typing import Literal

from artifacts._record import Record
from artifacts.digest import Digest


class Mirror(Record):
    """A candidate: the Builder's output and its own claims, which the Verifier never reads."""

    kind: Literal["mirror.v1"] = "mirror.v1"
    evidence: Digest
    parts: Literal["open", "all"]
    """Whether the sealed part was still closed to the Builder."""
    contract: Digest
    tree: Digest
    files: dict[str, Digest]
    """Path below the mirror's folder -> digest."""
    written_by: dict[str, Literal["compiler", "model", "person"]] = {}
    """Exceptions only: files not listed are the compiler's."""
    claims: dict[str, float] = {}
    """What the Builder believes of itself: counts, shares compiled."""
