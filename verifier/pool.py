"""Several workers at once, each in a process of its own, so that one that hangs can be ended."""

import contextlib
import multiprocessing
import time
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import Self

from artifacts.report import Fault
from verifier.judge import Trouble
from verifier.units import Outcome, Setup, Unit
from verifier.work import work

OUT_OF_TIME = Outcome(missed="the time allowed was over")

_spawn = multiprocessing.get_context("spawn")


class _Worker:
    def __init__(self, setup: Setup) -> None:
        self.connection: Connection
        self.connection, theirs = _spawn.Pipe()
        self.process: SpawnProcess = _spawn.Process(target=work, args=(theirs, setup), daemon=True)
        self.process.start()
        theirs.close()
        self.busy_with: int | None = None
        self.subject = ""
        self.until = 0.0

    def end(self, *, politely: bool) -> None:
        if politely:
            with contextlib.suppress(OSError):
                self.connection.send(None)
                self.process.join(10)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()
        self.connection.close()


class Pool:
    """Up to `jobs` workers, started as there is work for them."""

    def __init__(self, setup: Setup, jobs: int) -> None:
        self._setup = setup
        self._jobs = max(1, jobs)
        self._workers: list[_Worker] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        for worker in self._workers:
            worker.end(politely=kind is None and worker.busy_with is None)

    def do(self, units: Sequence[Unit], *, deadline: float, done: Callable[[Unit, Outcome], bool]) -> list[Outcome]:
        """The outcome of each unit, in their order.

        What is not begun before the deadline (of `time.monotonic`) is not done. `done` hears of each; once it
        says False no further unit is begun.
        """
        outcomes: list[Outcome | None] = [None] * len(units)
        waiting = list(range(len(units)))[::-1]
        going_on = True
        while True:
            while waiting and going_on and time.monotonic() < deadline and (worker := self._idle(len(waiting))):
                self._give(worker, waiting.pop(), units)
            busy = [worker for worker in self._workers if worker.busy_with is not None]
            if not busy:
                break
            wait([worker.connection for worker in busy], timeout=0.5)
            for worker in busy:
                outcome = self._heard(worker)
                if outcome is not None and worker.busy_with is not None:
                    index, worker.busy_with = worker.busy_with, None
                    outcomes[index] = outcome
                    going_on = done(units[index], outcome) and going_on
            self._workers = [worker for worker in self._workers if worker.process.is_alive()]
        left = OUT_OF_TIME if going_on else Outcome(missed="the candidate stopped answering")
        return [outcome or left for outcome in outcomes]

    def _idle(self, wanted: int) -> _Worker | None:
        idle = next((worker for worker in self._workers if worker.busy_with is None), None)
        if idle is None and len(self._workers) < self._jobs and wanted:
            idle = _Worker(self._setup)
            self._workers.append(idle)
        return idle

    def _give(self, worker: _Worker, index: int, units: Sequence[Unit]) -> None:
        worker.busy_with = index
        worker.until = time.monotonic() + units[index].seconds
        worker.subject = units[index].subject
        worker.connection.send(units[index])

    def _heard(self, worker: _Worker) -> Outcome | None:
        """The worker's outcome, if there is one; a worker that died or hangs is ended and has failed."""
        try:
            if worker.connection.poll():
                heard: Outcome = worker.connection.recv()
                return heard
        except (EOFError, OSError):
            what = f"the worker ended with code {worker.process.exitcode}"
        else:
            if time.monotonic() < worker.until:
                return None
            what = "the look did not end"
        worker.end(politely=False)
        return Outcome(missed=what, troubles=(Trouble(worker.subject, Fault.VERIFIER, what, decides=False),))
