"""Every way a command can end other than well, and the exit code it gets."""

import errno
import os
import sys
import traceback
from collections.abc import Iterator

import click

from artifacts.errors import ExitCode, StoppedError, UsageError, WebAnythingError, disk_full
from webanything.cli.console import Console


class ReaderGone(Exception):
    """Whoever read the output has closed it."""


def exit_code_of(error: BaseException, console: Console) -> int:
    """Tell the ending and return its code. What nobody understands keeps its traceback: it is a bug."""
    if any(isinstance(cause, BrokenPipeError) for cause in _chain(error)):
        # the reader has gone; without this the interpreter complains once more while it flushes
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if console.run is None:
            return ExitCode.OK
        console.say(f"Stopped: nobody reads what it says any more. To go on: {console.again}")
        return ExitCode.INTERRUPTED
    if isinstance(error, click.exceptions.Exit):
        return error.exit_code
    if isinstance(error, SystemExit):
        return error.code if isinstance(error.code, int) else ExitCode.INTERNAL
    code = _told(error, console)
    console.finished()
    return code


def _told(error: BaseException, console: Console) -> int:
    if isinstance(error, KeyboardInterrupt | click.Abort):
        error = StoppedError(
            "Stopped at once; everything done so far is kept.", remedy="Run the same command to go on."
        )
    if isinstance(error, StoppedError):
        error.remedy = f"To go on: {console.again}"
    known = understood(error)
    if known is None:
        traceback.print_exception(error)
        console.say("This is a bug in webanything: report the lines above, and the command that led to them.")
        what = f"{type(error).__name__}: {error}"
        if console.json:
            console.error(WebAnythingError(what, remedy="Report it, with the traceback.", code="internal"))
        return ExitCode.INTERNAL
    if console.debug:
        traceback.print_exception(error)
    console.error(known)
    return known.exit_code


def ending_of(error: BaseException) -> str:
    """How an attempt ended, in one line for those who look at the run later."""
    if any(isinstance(cause, BrokenPipeError) for cause in _chain(error)):
        return "Stopped: nobody read what it said any more."
    if isinstance(error, KeyboardInterrupt):
        return "Stopped at once."
    known = understood(error)
    return known.what if known else f"{type(error).__name__}: {error}"


def understood(error: BaseException) -> WebAnythingError | None:
    """The error as one that has a remedy, or None. A full disk is recognised however deep it hides."""
    if isinstance(error, WebAnythingError):
        return error
    if isinstance(error, click.ClickException):
        context = error.ctx if isinstance(error, click.UsageError) else None
        path = context.command_path if context else "webanything"
        return UsageError(error.format_message(), where=path, remedy=f"See {path} --help", code="usage")
    for cause in _chain(error):
        if isinstance(cause, OSError) and cause.errno in (errno.ENOSPC, errno.EDQUOT):
            return disk_full(cause.filename or "-")
        if isinstance(cause, OSError) and cause.errno in (errno.EROFS, errno.EACCES, errno.EPERM) and cause.filename:
            return UsageError(
                f"This cannot be read or written: {cause.strerror}.",
                where=str(cause.filename),
                remedy="Change the permissions of the folder, or work on a copy of it elsewhere.",
                code="no_permission",
            )
        if getattr(cause, "sqlite_errorname", "") == "SQLITE_FULL":
            return disk_full("a database")
    return None


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__
