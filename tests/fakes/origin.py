"""A loopback server for what the standard library's cannot say: HTTP/2, WebSocket frames, streams that go on."""

import asyncio
import contextlib
import ssl
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import NamedTuple

import h2.config
import h2.connection
import h2.events
import wsproto
from wsproto.events import AcceptConnection, BytesMessage, CloseConnection, Request, TextMessage


class Asked(NamedTuple):
    method: str
    path: str
    headers: dict[str, str]
    body: bytes


class Given(NamedTuple):
    status: int = 200
    headers: tuple[tuple[str, str], ...] = (("content-type", "text/html; charset=utf-8"),)
    body: bytes = b""
    stream: AsyncIterator[bytes] | None = None
    """Instead of a body: sent piece by piece, without a length."""


Handler = Callable[[Asked], Awaitable[Given]]


@contextlib.contextmanager
def origin(handler: Handler, *, context: ssl.SSLContext | None = None) -> Iterator[int]:
    """The port of a server that answers by `handler`; WebSockets are echoed, text upper-cased, bytes reversed."""
    loop = asyncio.new_event_loop()
    ready = threading.Event()
    ports: list[int] = []
    tasks: set[asyncio.Task[None]] = set()

    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        tls = writer.get_extra_info("ssl_object")
        speak = _http2 if tls is not None and tls.selected_alpn_protocol() == "h2" else _http1
        with contextlib.suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            await speak(reader, writer, handler)
        tasks.discard(task)
        writer.close()

    async def run() -> None:
        server = await asyncio.start_server(accept, "127.0.0.1", 0, ssl=context, limit=1 << 20)
        ports.append(server.sockets[0].getsockname()[1])
        ready.set()
        await stop.wait()
        server.close()
        for task in list(tasks):
            task.cancel()
        await asyncio.sleep(0.05)

    stop = asyncio.Event()
    thread = threading.Thread(target=lambda: loop.run_until_complete(run()), daemon=True)
    thread.start()
    ready.wait(10)
    try:
        yield ports[0]
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join(10)
        loop.close()


async def _http1(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, handler: Handler) -> None:
    while True:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        first, *lines = head.split("\r\n")
        method, path, _ = first.split(" ")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines) if name}
        if headers.get("upgrade", "").lower() == "websocket":
            await _echo(reader, writer, head.encode("latin-1"))
            return
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        given = await handler(Asked(method, path, headers, body))
        lines = [f"HTTP/1.1 {given.status} X", *(f"{name}: {value}" for name, value in given.headers)]
        if given.stream is not None:
            lines.append("transfer-encoding: chunked")
        elif not any(name == "content-length" for name, _ in given.headers):
            lines.append(f"content-length: {len(given.body)}")
        writer.write(("\r\n".join(lines) + "\r\n\r\n").encode("latin-1"))
        if given.stream is None:
            writer.write(b"" if method == "HEAD" else given.body)
        else:
            async for piece in given.stream:
                writer.write(b"%x\r\n%s\r\n" % (len(piece), piece))
                await writer.drain()
            writer.write(b"0\r\n\r\n")
        await writer.drain()


async def _echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, head: bytes) -> None:
    socket = wsproto.WSConnection(wsproto.ConnectionType.SERVER)
    socket.receive_data(head)
    while True:
        for event in socket.events():
            match event:
                case Request():
                    writer.write(socket.send(AcceptConnection()))
                case TextMessage():
                    writer.write(socket.send(TextMessage(data=event.data.upper())))
                case BytesMessage():
                    writer.write(socket.send(BytesMessage(data=bytes(event.data)[::-1])))
                case CloseConnection():
                    writer.write(socket.send(event.response()))
                    await writer.drain()
                    return
        await writer.drain()
        data = await reader.read(65536)
        socket.receive_data(data or None)


async def _http2(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, handler: Handler) -> None:
    link = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False, header_encoding="utf-8"))
    link.initiate_connection()
    asked: dict[int, tuple[dict[str, str], bytearray]] = {}
    room = asyncio.Event()
    sending: set[asyncio.Task[None]] = set()
    while True:
        writer.write(link.data_to_send())
        await writer.drain()
        data = await reader.read(65536)
        if not data:
            for task in sending:
                task.cancel()
            return
        for event in link.receive_data(data):
            match event:
                case h2.events.RequestReceived():
                    asked[event.stream_id] = (dict(event.headers), bytearray())
                case h2.events.DataReceived():
                    asked[event.stream_id][1].extend(event.data)
                    link.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
                case h2.events.WindowUpdated():
                    room.set()
                case h2.events.StreamEnded():
                    headers, body = asked.pop(event.stream_id)
                    request = Asked(headers[":method"], headers[":path"], headers, bytes(body))
                    task = asyncio.create_task(_answer(link, writer, event.stream_id, await handler(request), room))
                    sending.add(task)
                    task.add_done_callback(sending.discard)


async def _answer(
    link: h2.connection.H2Connection, writer: asyncio.StreamWriter, stream: int, given: Given, room: asyncio.Event
) -> None:
    link.send_headers(stream, [(":status", str(given.status)), *given.headers])
    rest = memoryview(given.body)
    while rest:
        size = min(len(rest), link.local_flow_control_window(stream), link.max_outbound_frame_size)
        if not size:
            room.clear()
            await room.wait()
            continue
        link.send_data(stream, bytes(rest[:size]))
        rest = rest[size:]
        writer.write(link.data_to_send())
        await writer.drain()
    link.end_stream(stream)
    writer.write(link.data_to_send())
