"""Forwards TCP connections and nothing else: how a network without a way out is reached from the machine it runs on.

`python -m environments.runtime.gate 8080=shop:8080 8081=shop:8081` listens on each port and passes bytes both ways.
"""

import asyncio
import signal
import sys
from typing import NamedTuple

CHUNK = 64 * 1024
CONNECT_SECONDS = 10.0


class Route(NamedTuple):
    """A port to listen on and where its connections go."""

    port: int
    host: str
    to: int

    @classmethod
    def of(cls, text: str) -> "Route":
        """Parse "8080=shop:8080". Raises ValueError.

        >>> Route.of("9000=shop:8080")
        Route(port=9000, host='shop', to=8080)
        """
        port, _, target = text.partition("=")
        host, _, to = target.rpartition(":")
        if not host:
            raise ValueError(f"{text!r} is not PORT=HOST:PORT")
        return cls(int(port), host, int(to))


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while chunk := await reader.read(CHUNK):
            writer.write(chunk)
            await writer.drain()
        if writer.can_write_eof():
            writer.write_eof()
    except OSError:
        writer.close()


async def _forward(route: Route, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        async with asyncio.timeout(CONNECT_SECONDS):
            inner_reader, inner_writer = await asyncio.open_connection(route.host, route.to)
    except (OSError, TimeoutError):
        writer.close()
        return
    await asyncio.gather(_copy(reader, inner_writer), _copy(inner_reader, writer))
    for end in (inner_writer, writer):
        end.close()


async def listen(route: Route, address: str = "0.0.0.0") -> asyncio.Server:
    """A server that passes every connection on; port 0 takes a free one."""

    async def accepted(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await _forward(route, reader, writer)

    return await asyncio.start_server(accepted, address, route.port)


async def _run(routes: list[Route]) -> None:
    stopped = asyncio.Event()
    for name in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(name, stopped.set)
    servers = [await listen(route) for route in routes]
    await stopped.wait()
    for server in servers:
        server.close()


def main(arguments: list[str]) -> int:
    """Forward until told to stop. 2 when an argument is no route."""
    try:
        routes = [Route.of(argument) for argument in arguments]
    except ValueError as error:
        sys.stderr.write(f"error: {error}\n")
        return 2
    asyncio.run(_run(routes))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
