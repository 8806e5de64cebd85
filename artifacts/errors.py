"""Failures we understand: each has an exit code and a remedy. Everything else is a bug and keeps its traceback.

WebAnythingError
|- UsageError              2  a flag, value, file or address that cannot be used
|- MissingError            4  something `webanything doctor` would name: browser, Docker, disk space
|- BlockedError            5  robots, login wall, challenge page, scope: the site does not want this visit
|- LimitReachedError       6  pages, time or cost budget used up before there was anything to build from
|- UnavailableError        7  the network, the site, a model provider or the container engine failed
|- DamagedError            8  a stored file does not match its digest or its schema
`- StoppedError          130  the user asked to stop; the same command goes on
"""

from enum import IntEnum
from typing import ClassVar


class ExitCode(IntEnum):
    """What the command tells the shell. Documented in docs/reference/exit-codes.md."""

    OK = 0
    INTERNAL = 1
    USAGE = 2
    NOT_ACCEPTED = 3
    MISSING = 4
    BLOCKED = 5
    LIMIT = 6
    UNAVAILABLE = 7
    DAMAGED = 8
    INTERRUPTED = 130


class WebAnythingError(Exception):
    """A failure we understand: what happened, to which address or file, and what to do about it.

    `code` is a short stable name for programs (`no_such_host`); people read `what`, `where` and `remedy`.
    """

    exit_code: ClassVar[ExitCode] = ExitCode.INTERNAL

    def __init__(self, what: str, *, remedy: str, where: str = "", code: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.where = where
        self.remedy = remedy
        self.code = code or type(self).__name__.removesuffix("Error").lower()

    def lines(self) -> tuple[str, str, str]:
        """The three lines a person is shown."""
        return (f"error: {self.what}", f"  at:  {self.where or '-'}", f"  do:  {self.remedy}")


class UsageError(WebAnythingError):
    exit_code = ExitCode.USAGE


class MissingError(WebAnythingError):
    exit_code = ExitCode.MISSING


class BlockedError(WebAnythingError):
    exit_code = ExitCode.BLOCKED


class LimitReachedError(WebAnythingError):
    exit_code = ExitCode.LIMIT


class UnavailableError(WebAnythingError):
    exit_code = ExitCode.UNAVAILABLE


class DamagedError(WebAnythingError):
    exit_code = ExitCode.DAMAGED


class StoppedError(WebAnythingError):
    exit_code = ExitCode.INTERRUPTED


def disk_full(path: object) -> MissingError:
    """The error for ENOSPC, the same wherever it strikes."""
    return MissingError(
        "The disk is full; what was captured so far is kept.",
        where=str(path),
        remedy="Free some space or choose another place with --out, then run the same command: it goes on.",
        code="disk_full",
    )
