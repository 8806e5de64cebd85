"""What a verification is told: the evidence, an address, and where to write. Nothing of how the candidate was made."""

import json
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from artifacts.errors import UsageError

Parts = Literal["open", "sealed", "all"]


class Job(BaseModel):
    """One verification, read from a file of JSON."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    evidence: Path
    """evidence.json."""
    store: Path
    contract: Path | None = None
    """contract.json, read as data to audit."""
    address: str
    """The running candidate in local mode, such as "http://127.0.0.1:8000/"."""
    control: str | None = None
    """Its control plane. Without one nothing is reset and everything runs in a single browser."""
    token: str = ""
    parts: Parts = "all"
    """open: the open part, scored as open. sealed: the sealed part, scored as sealed. all: both, scored as open."""
    report: Path
    jobs: int = 2
    """Browsers at work at the same time."""
    max_seconds: float = 0
    """What is left then is not checked, and said so. Zero means no limit."""
    secrets: dict[str, str] = {}
    """Password of each of the mirror's own accounts, by label."""
    interactions: bool = True
    """False leaves interactions out: states alone."""

    @classmethod
    def read(cls, path: Path) -> "Job":
        """The job in this file. Raises UsageError for a file that is none."""
        try:
            said: Any = json.loads(path.read_bytes())
            return cls.model_validate(said)
        except (OSError, ValueError) as error:
            first = error.errors()[0] if isinstance(error, ValidationError) else None
            what = f"{'.'.join(str(part) for part in first['loc'])}: {first['msg']}" if first else str(error)
            raise UsageError(
                f"This is no verification job: {what}",
                where=str(path),
                remedy="Write the fields that verifier/job.py lists.",
                code="bad_job",
            ) from error
