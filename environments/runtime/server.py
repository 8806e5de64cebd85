"""Waitress with additions: ready answers are written by the loop itself; WebSockets and tunnels leave the loop."""

import contextlib
import errno
import os
import socket
import sys
import threading
from collections.abc import Callable
from typing import Any

from waitress.adjustments import Adjustments
from waitress.channel import HTTPChannel
from waitress.server import TcpWSGIServer
from waitress.task import ThreadedTaskDispatcher, WSGITask

from environments.runtime.failure import UNAVAILABLE, ServeError
from environments.runtime.tunnel import Tunnels

Again = Callable[[], tuple[bytes, bytes] | None]
"""Head and body to write for a request that was understood before; None when the application must be asked."""
Ready = Callable[[str, str, dict[str, str]], Again | None]
"""Method, raw address and headers (upper-case names with underscores) to what answers them without the application."""

SOCKET = "werkzeug.socket"
"""Where the WSGI environment holds the connection of a WebSocket, by the name that libraries look for it under."""

_WHO = (
    b"HTTP/1.1 407 Proxy Authentication Required\r\n"
    b'Proxy-Authenticate: Basic realm="the user is the session"\r\nContent-Length: 0\r\n\r\n'
)
MOST_SOCKETS = 500
LARGEST_REQUEST = 256 * 1024 * 1024
REPEATS_KEPT = 4_096
LARGEST_REPEAT = 8_192


class _Task(WSGITask):  # type: ignore[misc]
    def build_response_header(self) -> bytes:
        """Waitress announces itself in `Via` when the application sets `Server`; the site did not have that."""
        return bytes(super().build_response_header()).replace(b"\r\nVia: waitress\r\n", b"\r\n", 1)

    def get_environment(self) -> dict[str, Any]:
        """Waitress makes one slash of several at the start of a path; to a site they may be different addresses."""
        environ: dict[str, Any] = super().get_environment()
        environ["PATH_INFO"] = self.request.path or "/"
        return environ


class _Channel(HTTPChannel):  # type: ignore[misc]
    task_class = _Task

    def received(self, data: bytes) -> bool:
        """Take what has arrived. Bytes that were a whole request before are the same request now: it is not parsed."""
        idle = self.request is None and not self.requests and not self.total_outbufs_len
        if idle and len(data) <= LARGEST_REPEAT and not (self.will_close or self.close_when_flushed):
            again = self.server.repeats.get(data)
            answer = again() if again is not None else None
            if answer is not None:
                self.push(*answer)
                return True
        self.raw = data if idle else b""
        return bool(super().received(data))

    def detach(self) -> socket.socket:
        """The connection, for somebody else to speak on; the loop closes its own handle and forgets it."""
        connection = socket.socket(fileno=os.dup(self.socket.fileno()))
        self.requests.clear()
        self.will_close = True
        return connection

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
    """One listening port. `ready`, where given, is asked first about every request without a body.

    `threads` of its own work for it, or those of the server `beside` it. With `asks_who`, it is a proxy only, and its
    client must say who it is: browsers do so only when they are asked.
    """

    channel_class = _Channel

    def __init__(
        self,
        application: Callable[..., Any],
        *,
        host: str,
        port: int,
        threads: int = 0,
        beside: "Server | None" = None,
        flag: str,
        ready: Ready | None = None,
        tunnels: Tunnels | None = None,
        asks_who: bool = False,
    ) -> None:
        adjustments = Adjustments(
            host=host,
            port=port,
            threads=threads or 1,
            ident=None,
            clear_untrusted_proxy_headers=False,
            max_request_body_size=LARGEST_REQUEST,
            outbuf_overflow=64 * 1024 * 1024,
            connection_limit=1000,
            asyncore_use_poll=True,
        )
        dispatcher = beside.task_dispatcher if beside else ThreadedTaskDispatcher()
        self._sockets: dict[int, Any] = {}
        self._ready = ready
        self._tunnels = tunnels
        self._asks_who = asks_who
        self._sockets_open = threading.BoundedSemaphore(MOST_SOCKETS)
        self._loop: int | None = None
        self.repeats: dict[bytes, Again] = {}
        """Requests by their bytes, once there was a ready answer to them."""
        try:
            super().__init__(application, map=self._sockets, dispatcher=dispatcher, adj=adjustments)
        except OSError as error:
            raise _cannot_listen(error, host, port, flag) from error
        if beside is None:
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
        request = task.requests[0]
        if request.error is None and threading.get_ident() == self._loop and not task.total_outbufs_len:
            if self._asks_who and "PROXY_AUTHORIZATION" not in request.headers:
                task.requests.clear()
                task.push(_WHO, b"")
                return
            if request.command == "CONNECT" and self._tunnels is not None:
                session = request.headers.get("PROXY_AUTHORIZATION", "")
                self._tunnels.take(task.detach(), request.request_uri, session)
                return
            if request.headers.get("UPGRADE", "").lower() == "websocket":
                self._speak(task, request)
                return
        if (
            self._ready is not None
            and threading.get_ident() == self._loop
            and len(task.requests) == 1
            and not task.total_outbufs_len
        ):
            request = task.requests[0]
            if request.error is None and request.version == "1.1" and not request.connection_close:
                again = self._ready(request.command, request.request_uri, request.headers)
                answer = again() if again is not None else None
                if again is not None and answer is not None:
                    self._remember(task.raw, again)
                    task.requests.clear()
                    task.push(*answer)
                    return
        super().add_task(task)

    def _speak(self, task: Any, request: Any) -> None:
        """Give a WebSocket's connection to the application, in a thread that lasts as long as it does."""
        environ = _Task(task, request).get_environment()
        connection = task.detach()
        if not self._sockets_open.acquire(blocking=False):
            connection.close()
            return
        connection.setblocking(True)
        environ[SOCKET] = connection

        said: list[str] = []

        def start(status: str, _: Any, exc_info: Any = None) -> Callable[[bytes], Any]:
            said[:] = [status]
            return lambda _: None

        def speak() -> None:
            try:
                for _ in self.application(environ, start):
                    pass
                if said and not said[0].startswith("200"):  # refused: nobody answered the handshake
                    connection.sendall(f"HTTP/1.1 {said[0]}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".encode())
            except Exception as error:  # noqa: BLE001 - the boundary to code that the project did not write
                sys.stderr.write(f"websocket {request.request_uri}: {type(error).__name__}: {error}\n")
            finally:
                connection.close()
                self._sockets_open.release()

        threading.Thread(target=speak, name="websocket", daemon=True).start()

    def _remember(self, raw: bytes, again: Again) -> None:
        """Only bytes that are one request from end to end: neither a part of one, nor two, nor one with a body."""
        if raw.endswith(b"\r\n\r\n") and raw.count(b"\r\n\r\n") == 1 and len(raw) <= LARGEST_REPEAT:
            if len(self.repeats) >= REPEATS_KEPT:
                self.repeats.clear()
            self.repeats[raw] = again


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
