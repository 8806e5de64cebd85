"""The two processes behind the wire, and the conversation with them.

parent -> proxy (questions) -> parent (answers); proxy -> scribe (exchanges) -> parent (what was written).
"""

import contextlib
import itertools
import json
import os
import shutil
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

import explorer
from artifacts.errors import UnavailableError, WebAnythingError
from explorer.wire.pipe import Frame, FrameReader, write_frame

_START_SECONDS = 60.0
_ANSWER_SECONDS = 60.0


class Recording:
    """Starts the proxy and the scribe, and ends them. Questions may be asked from any thread."""

    def __init__(self, proxy: dict[str, Any], scribe: dict[str, Any], on_reply: Callable[[Frame], None]) -> None:
        self._proxy_config, self._scribe_config, self._on_reply = proxy, scribe, on_reply
        self._numbers = itertools.count(1)
        self._answers: dict[int, dict[str, Any]] = {}
        self._changed = threading.Condition()
        self._sending = threading.Lock()
        self._flushed = 0
        self._ready: dict[str, Any] = {}
        self._closing = False
        self._ended = ""
        self._failed: WebAnythingError | None = None
        self._noise: deque[str] = deque(maxlen=40)
        self._processes: list[subprocess.Popen[bytes]] = []
        self._threads: list[threading.Thread] = []

    def start(self) -> dict[str, Any]:
        """The proxy's port and the hash of its key. Raises UnavailableError if either process does not come up."""
        inlet, outlet = os.pipe()
        try:
            scribe = self._spawn("explorer.wire.scribe", stdin=inlet)
            write_frame(outlet, self._scribe_config)
            proxy = self._spawn("explorer.wire.proxy", stdin=subprocess.PIPE, pass_fds=(outlet,))
            self._send(proxy, {**self._proxy_config, "records_fd": outlet})
        finally:
            os.close(inlet)
            os.close(outlet)
        self._thread(self._hear_proxy, proxy.stdout)
        self._thread(self._hear_scribe, scribe.stdout)
        try:
            self._wait(lambda: bool(self._ready), _START_SECONDS)
        except BaseException:
            self.close()
            raise
        return self._ready

    def ask(self, question: str, **details: Any) -> dict[str, Any]:
        """The proxy's answer. Raises UnavailableError("wire_lost") if it is gone, or what stopped the scribe."""
        number = next(self._numbers)
        self._send(self._processes[1], {"ask": question, "number": number, **details})
        self._wait(lambda: number in self._answers, _ANSWER_SECONDS)
        return self._answers.pop(number)

    def flush(self) -> None:
        """Wait until everything that has finished by now is written."""
        number = next(self._numbers)
        self._send(self._processes[1], {"ask": "flush", "number": number})
        self._wait(lambda: self._flushed >= number, _ANSWER_SECONDS)

    def close(self) -> None:
        """End the proxy, let the scribe write what it has, and remove the certificate authority."""
        self._closing = True
        for process in reversed(self._processes):  # the proxy first: the scribe ends when its inlet does
            if process.stdin is not None:
                with contextlib.suppress(OSError):
                    process.stdin.close()
            _end(process, seconds=45.0)
        for thread in self._threads:
            thread.join(timeout=10.0)
        for process in self._processes:
            for stream in (process.stdout, process.stderr):
                if stream is not None:
                    stream.close()
        self._processes.clear()
        shutil.rmtree(self._proxy_config["ca_folder"], ignore_errors=True)

    def pids(self) -> tuple[int, ...]:
        """Scribe and proxy."""
        return tuple(process.pid for process in self._processes)

    def _spawn(self, module: str, *, stdin: int, pass_fds: tuple[int, ...] = ()) -> subprocess.Popen[bytes]:
        root = str(Path(explorer.__file__).parent.parent)
        keep = {name: value for name, value in os.environ.items() if "SSLKEYLOGFILE" not in name}
        path = os.pathsep.join([root, *filter(None, [os.environ.get("PYTHONPATH", "")])])
        process = subprocess.Popen(
            [sys.executable, "-m", module],
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            pass_fds=pass_fds,
            start_new_session=True,
            env={**keep, "PYTHONPATH": path},
        )
        self._processes.append(process)
        self._thread(self._keep_noise, process.stderr)
        return process

    def _thread(self, target: Callable[[IO[bytes]], None], stream: IO[bytes] | None) -> None:
        thread = threading.Thread(target=target, args=(stream,), daemon=True)
        thread.start()
        self._threads.append(thread)

    def _send(self, proxy: subprocess.Popen[bytes], message: dict[str, Any]) -> None:
        line = json.dumps(message).encode() + b"\n"
        try:
            with self._sending:
                assert proxy.stdin is not None
                proxy.stdin.write(line)
                proxy.stdin.flush()
        except (OSError, ValueError) as error:
            raise self._lost() from error

    def _wait(self, done: Callable[[], bool], seconds: float) -> None:
        with self._changed:
            self._changed.wait_for(lambda: done() or bool(self._ended) or self._failed is not None, seconds)
            if not done():
                raise self._lost()

    def _lost(self) -> WebAnythingError:
        if self._failed is not None:
            return self._failed
        last = self._noise[-1] if self._noise else ""
        return UnavailableError(
            f"The recording proxy stopped{': ' + last if last else ' unexpectedly'}.",
            where=self._ended or "recording proxy",
            remedy="Run the same command again: it goes on where it stopped.",
            code="wire_lost",
        )

    def _hear_proxy(self, stream: IO[bytes]) -> None:
        for line in stream:
            answer = json.loads(line)
            with self._changed:
                if "port" in answer:
                    self._ready = answer
                else:
                    self._answers[answer["ask"]] = answer
                self._changed.notify_all()
        self._end("proxy")

    def _hear_scribe(self, stream: IO[bytes]) -> None:
        reader = FrameReader(stream.fileno())
        while (frame := reader.read()) is not None:
            reply = frame.header
            if "flushed" in reply:
                with self._changed:
                    self._flushed = max(self._flushed, reply["flushed"])
                    self._changed.notify_all()
            elif "failed" in reply:
                self._fail(reply)
            else:
                self._on_reply(frame)
        self._end("scribe")

    def _fail(self, reply: dict[str, Any]) -> None:
        kind = next(kind for kind in WebAnythingError.__subclasses__() if kind.exit_code == reply["exit"])
        failed = reply["failed"]
        with self._changed:
            self._failed = kind(failed["what"], where=failed["where"], remedy=failed["remedy"], code=failed["code"])
            self._changed.notify_all()

    def _end(self, who: str) -> None:
        with self._changed:
            if not self._closing:
                self._ended = self._ended or who
            self._changed.notify_all()

    def _keep_noise(self, stream: IO[bytes]) -> None:
        """What the processes complain of stays in memory: it may quote traffic."""
        for line in stream:
            self._noise.append(line.decode("utf-8", "replace").strip()[:300])


def _end(process: subprocess.Popen[bytes], *, seconds: float) -> None:
    for stop in (None, process.terminate, process.kill):
        if stop is not None:
            stop()
        try:
            process.wait(seconds if stop is None else 5.0)
        except subprocess.TimeoutExpired:
            continue
        return
