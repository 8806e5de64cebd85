"""Waitress with one addition: an answer that is ready is written by the loop itself, without waking a worker thread."""

import contextlib
import errno
import threading
from collections.abc import Callable
from typing import Any

from waitress.adjustments import Adjustments
from waitress.channel import HTTPChannel
from waitress.server import TcpWSGIServer
from waitress.task import ThreadedTaskDispatcher, WSGITask

from environments.runtime.failure import UNAVAILABLE, ServeError

Ready = Callable[[str, str, dict[str, str]], tuple[bytes, bytes] | None]
"""Method, raw address and headers (upper-case names with underscores) to the head and body to write, or None."""

LARGEST_REQUEST = 256 * 1024 * 1024


class _Task(WSGITask):  # type: ignore[misc]
    def build_response_header(self) -> bytes:
        """Waitress announces itself in `Via` when the application sets `Server`; the site did not have that."""
        return bytes(super().build_response_header()).replace(b"\r\nVia: waitress\r\n", b"\r\n", 1)


class _Channel(HTTPChannel):  # type: ignore[misc]
    task_class = _Task

    def push(self, head: bytes, body: bytes) -> None:
        """Write an answer from the loop; what the socket does not take at once is left for it to flush."""
        try:
            sent = self.socket.sendmsg((head, body))
        except BlockingIOError:
            sent = 0
        except OSError:
            self.will_close = True
            return
        left = (head + body)[sent:] if sent < len(head) + len(body) else b""
        if left:
            with self.outbuf_lock:
                self.outbufs[-1].append(left)
                self.total_outbufs_len += len(left)


class Server(TcpWSGIServer):  # type: ignore[misc]
    """One listening port. `ready`, where given, is asked first about every request without a body."""

    channel_class = _Channel

    def __init__(
        self,
        application: Callable[..., Any],
        *,
        host: str,
        port: int,
        threads: int,
        flag: str,
        ready: Ready | None = None,
    ) -> None:
        adjustments = Adjustments(
            host=host,
            port=port,
            threads=threads,
            ident=None,
            clear_untrusted_proxy_headers=False,
            max_request_body_size=LARGEST_REQUEST,
            outbuf_overflow=64 * 1024 * 1024,
            connection_limit=1000,
            asyncore_use_poll=True,
        )
        dispatcher = ThreadedTaskDispatcher()
        self._sockets: dict[int, Any] = {}
        self._ready = ready
        self._loop: int | None = None
        try:
            super().__init__(application, map=self._sockets, dispatcher=dispatcher, adj=adjustments)
        except OSError as error:
            raise _cannot_listen(error, host, port, flag) from error
        dispatcher.set_thread_count(threads)

    @property
    def port(self) -> int:
        return int(self.effective_port)

    def start(self) -> None:
        """Serve in a thread of its own."""
        threading.Thread(target=self._serve, name=f"port {self.port}", daemon=True).start()

    def _serve(self) -> None:
        self._loop = threading.get_ident()
        with contextlib.suppress(OSError):  # the sockets are closed under the loop when the process ends
            self.run()

    def stop(self, *, seconds: float = 2.0) -> None:
        """Take no more connections and give running requests a moment to end."""
        self.accepting = False
        self.task_dispatcher.shutdown(cancel_pending=True, timeout=seconds)

    def add_task(self, task: Any) -> None:
        """Called by a channel with a whole request; from the loop's own thread a ready answer is written right away."""
        if (
            self._ready is not None
            and threading.get_ident() == self._loop
            and len(task.requests) == 1
            and not task.total_outbufs_len
        ):
            request = task.requests[0]
            if request.error is None and request.version == "1.1" and not request.connection_close:
                answer = self._ready(request.command, request.request_uri, request.headers)
                if answer is not None:
                    task.requests.clear()
                    task.push(*answer)
                    return
        super().add_task(task)


def _cannot_listen(error: OSError, host: str, port: int, flag: str) -> ServeError:
    if error.errno == errno.EADDRINUSE:
        return ServeError(
            f"Port {port} is in use.",
            where=f"{host}:{port}",
            remedy=f"Choose another one with {flag} N, or {flag} 0 for any free one.",
            code="port_in_use",
            exit_code=UNAVAILABLE,
        )
    return ServeError(
        f"It is not possible to listen here: {error.strerror or error}.",
        where=f"{host}:{port}",
        remedy=f"Choose another port with {flag} N.",
        code="cannot_listen",
        exit_code=UNAVAILABLE,
    )
