"""The one error of the runtime that a person can do something about."""

from typing import Any

USAGE = 2
UNAVAILABLE = 7
DAMAGED = 8


class ServeError(Exception):
    """Why this environment cannot be served, with the exit code and the remedy."""

    def __init__(self, what: str, *, where: str, remedy: str, code: str, exit_code: int) -> None:
        super().__init__(what)
        self.what = what
        self.where = where
        self.remedy = remedy
        self.code = code
        self.exit_code = exit_code

    def as_dict(self) -> dict[str, Any]:
        """What a program that started the runtime reads."""
        return {
            "what": self.what,
            "where": self.where,
            "remedy": self.remedy,
            "code": self.code,
            "exit_code": self.exit_code,
        }
