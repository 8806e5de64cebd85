"""Origin mode: the site's port is an HTTP proxy too. A tunnel to any host ends here, and goes nowhere else.

What comes through a tunnel, in TLS or in the clear, is handed to a second, inner port of the same site; which host and
scheme a connection there belongs to is known by its number. A browser with this proxy can reach nothing but the mirror.
"""

import asyncio
import contextlib
import socket
import sys
import threading
from pathlib import Path
from typing import NamedTuple

from environments.runtime.authority import Authority, Prepared, authority_of

_CHUNK = 64 * 1024
_HANDSHAKE_SECONDS = 20.0
_STOP_SECONDS = 2.0
_TLS_RECORD = b"\x16"
_ESTABLISHED = b"HTTP/1.1 200 Connection established\r\n\r\n"


class Through(NamedTuple):
    """What a connection through a tunnel is for."""

    scheme: str
    authority: str
    session: str


class Tunnels:
    """Takes connections that asked for a tunnel, and passes what they carry on to `port`."""

    def __init__(self, authority_dir: Path | None) -> None:
        self.port = 0
        self.authority: Authority | Prepared | None = None
        self._open: dict[int, Through] = {}
        self._loop = asyncio.new_event_loop()
        if authority_dir is not None:
            with contextlib.suppress(ImportError):
                self.authority = authority_of(authority_dir)
        threading.Thread(target=self._loop.run_forever, name="tunnels", daemon=True).start()

    def behind(self, port: int) -> Through | None:
        """What the connection from this local port is for; None if it came through no tunnel."""
        return self._open.get(port)

    def take(self, connection: socket.socket, authority: str, session: str) -> None:
        """Answer a CONNECT and carry its connection from now on."""
        connection.setblocking(False)
        asyncio.run_coroutine_threadsafe(self._carry(connection, authority, session), self._loop)

    def stop(self) -> None:
        """Let go of every connection."""

        async def end() -> None:
            tasks = asyncio.all_tasks() - {asyncio.current_task()}
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

        with contextlib.suppress(TimeoutError):
            asyncio.run_coroutine_threadsafe(end(), self._loop).result(_STOP_SECONDS)
        self._loop.call_soon_threadsafe(self._loop.stop)

    async def _carry(self, connection: socket.socket, authority: str, session: str) -> None:
        host = authority.rpartition(":")[0] or authority
        try:
            await self._loop.sock_sendall(connection, _ESTABLISHED)
            async with asyncio.timeout(_HANDSHAKE_SECONDS):
                is_tls = await self._first_byte(connection) == _TLS_RECORD
                if is_tls and self.authority is None:
                    raise OSError("https needs the `cryptography` package here")
                reader, writer = await self._accepted(connection, host if is_tls else "")
            await self._join(reader, writer, Through("https" if is_tls else "http", authority, session))
        except (OSError, TimeoutError) as error:
            sys.stderr.write(f"tunnel to {authority}: {error or type(error).__name__}\n")
            connection.close()

    async def _first_byte(self, connection: socket.socket) -> bytes:
        while True:
            readable = asyncio.Event()
            self._loop.add_reader(connection, readable.set)
            try:
                await readable.wait()
            finally:
                self._loop.remove_reader(connection)
            with contextlib.suppress(BlockingIOError):
                return connection.recv(1, socket.MSG_PEEK)

    async def _accepted(
        self, connection: socket.socket, host: str
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        reader = asyncio.StreamReader(limit=_CHUNK)
        protocol = asyncio.StreamReaderProtocol(reader)
        context = self.authority.context(host) if host and self.authority else None
        transport, _ = await self._loop.connect_accepted_socket(lambda: protocol, connection, ssl=context)
        return reader, asyncio.StreamWriter(transport, protocol, reader, self._loop)

    async def _join(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, through: Through) -> None:
        inner = socket.socket()
        inner.setblocking(False)
        inner.bind(("127.0.0.1", 0))
        number = int(inner.getsockname()[1])
        self._open[number] = through  # known before the site can ask for it
        try:
            await self._loop.sock_connect(inner, ("127.0.0.1", self.port))
            inner_reader, inner_writer = await asyncio.open_connection(sock=inner)
            await asyncio.gather(_copy(reader, inner_writer), _copy(inner_reader, writer))
        finally:
            writer.close()
            inner.close()
            self._open.pop(number, None)


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while chunk := await reader.read(_CHUNK):
            writer.write(chunk)
            await writer.drain()
    writer.close()
