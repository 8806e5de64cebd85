"""`python -m verifier JOB.json`: events as JSON lines on stdout, the report where the job says."""

import json
import os
import sys
import threading
from pathlib import Path

from artifacts.errors import UsageError, WebAnythingError
from artifacts.events import Event
from artifacts.store import write_file
from verifier.job import Job
from verifier.run import verify
from verifier.work import end_with


def say(event: Event) -> None:
    """One event as one line."""
    sys.stdout.write(json.dumps({"event": event.name, **event.data}, ensure_ascii=False) + "\n")
    sys.stdout.flush()


def main(arguments: list[str]) -> int:
    """The exit code: 0 when a report was written, whatever its verdict; an error's own otherwise."""
    threading.Thread(target=end_with, args=(os.getppid(),), daemon=True).start()
    try:
        if len(arguments) != 1:
            raise UsageError("The verifier takes one file: its job.", remedy="python -m verifier JOB.json")
        job = Job.read(Path(arguments[0]))
        report = verify(job, say)
        write_file(job.report, report.to_bytes())
    except WebAnythingError as error:
        told = {"what": error.what, "where": error.where, "remedy": error.remedy, "code": error.code}
        say(Event("error", {**told, "exit": int(error.exit_code)}))
        sys.stderr.write("\n".join(error.lines()) + "\n")
        return int(error.exit_code)
    counts = {"states": len(report.states), "interactions": len(report.interactions), "findings": len(report.findings)}
    say(Event("verified", {"verdict": report.verdict, **counts, "seconds": report.seconds}))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
