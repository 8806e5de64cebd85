"""The base of every record: immutable, closed to unknown fields, named by the digest of its bytes."""

from typing import Any, Self

from pydantic import BaseModel, ConfigDict, ValidationError

from artifacts.digest import canonical_json, digest_bytes
from artifacts.errors import DamagedError


class Record(BaseModel):
    """A value one stage hands to the next. To change it is to make another."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    def to_bytes(self) -> bytes:
        """Canonical JSON: equal records give equal bytes."""
        return canonical_json(self.model_dump(mode="json"))

    @property
    def digest(self) -> str:
        """The name of this record in the store."""
        return digest_bytes(self.to_bytes())

    @classmethod
    def from_bytes(cls, data: bytes | str) -> Self:
        """The record these bytes hold. Raises DamagedError if they are of another kind or torn."""
        try:
            return cls.model_validate_json(data)
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(str(part) for part in first["loc"]) or "the whole record"
            raise DamagedError(
                f"This is no {cls.__name__}: {where}: {first['msg']}",
                remedy="Run the stage that writes it again, or use the version of webanything that wrote it.",
            ) from error

    def replaced(self, **changes: Any) -> Self:
        """A copy with some fields changed, validated like the original."""
        return type(self).model_validate({**self.model_dump(), **changes})
