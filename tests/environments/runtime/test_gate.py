import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from environments.runtime.gate import Route, listen, main


def _run(work: Coroutine[Any, Any, bytes]) -> bytes:
    """In a thread of its own: a browser of another test may have left its event loop running in this one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result(30)


async def through_gate(payload: bytes) -> bytes:
    async def shout(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write((await reader.read(-1)).upper())  # answers only after the sender's side has ended
        await writer.drain()
        writer.close()

    inner = await asyncio.start_server(shout, "127.0.0.1", 0)
    route = Route(0, "127.0.0.1", inner.sockets[0].getsockname()[1])
    async with inner, await listen(route, "127.0.0.1") as gate:
        reader, writer = await asyncio.open_connection("127.0.0.1", gate.sockets[0].getsockname()[1])
        writer.write(payload)
        writer.write_eof()
        answer = await reader.read(-1)
        writer.close()
        await writer.wait_closed()
        return answer


def test_bytes_pass_both_ways_and_so_does_the_end() -> None:
    payload = b"x" * 300_000
    assert _run(through_gate(payload)) == payload.upper()


def test_a_target_that_is_not_there_ends_the_connection() -> None:
    async def ask() -> bytes:
        async with await listen(Route(0, "127.0.0.1", 1), "127.0.0.1") as gate:
            reader, writer = await asyncio.open_connection("127.0.0.1", gate.sockets[0].getsockname()[1])
            answer = await reader.read(-1)
            writer.close()
            return answer

    assert _run(ask()) == b""


@pytest.mark.parametrize("text", ["8080", "x=shop:1", "1=shop", "1=:1"])
def test_what_is_no_route_is_refused(text: str) -> None:
    assert main([text]) == 2
