"""The proxy process: mitmproxy with one addon that hands every finished exchange to the scribe.

Started by `Wire`, which talks to it over standard input and output; it ends when standard input does. On the proxy's
thread nothing is decoded, hashed or written: an exchange costs a small dictionary and a queue entry.
"""

import asyncio
import os
import queue
import threading
from typing import Any

from mitmproxy import flow as flows
from mitmproxy import http, tls

from explorer.wire.failures import reason_of
from explorer.wire.guard import Guard
from explorer.wire.pending import Handed, Pending
from explorer.wire.pipe import write_frame
from explorer.wire.shelf import NOTE, Shelf
from explorer.wire.tags import TAG_HEADER, read_stamp

BUFFERED = 65_536
"""Answers announced as no larger than this are passed on whole, all others as they come."""
BACKLOG = 256_000_000
_REMOVED = ("available-dictionary", "dictionary-id")
_CONDITIONS = ("if-none-match", "if-modified-since")


class Recorder:
    """Numbers exchanges, knows which are under way, and hands the finished ones over."""

    def __init__(self, config: dict[str, Any]) -> None:
        self._token = config["token"]
        self._order = config["first_order"]
        self._records: int = config["records_fd"]
        self.visit = ""
        self.identity = "anonymous"
        self.open: dict[str, Pending] = {}
        self._shelf = Shelf()
        self._whole: set[str] = set()
        """Addresses that were answered with the whole resource."""
        self._guard = Guard()
        self._outbox: queue.SimpleQueue[Handed] = queue.SimpleQueue()
        self._waiting_bytes = 0
        self._writer = threading.Thread(target=self._write, daemon=True)
        self._writer.start()

    # -- what the parent asks ----------------------------------------------------------------------------------------

    def begin(self, visit: str, identity: str, *, reading: bool) -> None:
        """Following requests belong to this visit; streams that stay open are written up to here."""
        if visit != self.visit:
            for pending in self.open.values():
                if pending.is_endless():
                    self._hand_over(pending.part_so_far("still open when the visit ended"))
                    self._order += 1
                    pending.follow(self._order, visit, identity)
        self.visit, self.identity = visit, identity
        self._guard.is_on = reading

    def count(self, visit: str | None) -> int:
        """Requests of a visit, or of all, that wait for their answer; open streams wait for nothing."""
        waiting = (pending for pending in self.open.values() if not pending.is_endless())
        return sum(1 for pending in waiting if visit in (None, pending.visit))

    def flush(self, number: int) -> None:
        self._outbox.put(({"flush": number}, ()))

    def finish(self) -> None:
        """Hand over whatever is under way, then wait until the scribe has taken everything."""
        for pending in list(self.open.values()):
            if pending.is_endless():
                self._hand_over(pending.part_so_far("still open at the end"))
            else:
                self._hand_over(pending.failed("aborted: the recording ended"))
        self.open.clear()
        self._outbox.put(({}, ()))
        self._writer.join(timeout=30)

    # -- mitmproxy's hooks -------------------------------------------------------------------------------------------

    def tls_clienthello(self, data: tls.ClientHelloData) -> None:
        """Asks the server first, so that both sides speak the same HTTP version; CONNECT itself never fails.

        So a site that cannot be reached shows up as a failed request with its full address.
        """
        data.establish_server_tls_first = True

    def http_connect(self, flow: http.HTTPFlow) -> None:
        """Refuses tunnels while nobody is visiting, before anyone outside hears of them."""
        if not self.visit and not read_stamp(flow.request.headers.get(TAG_HEADER, ""), self._token):
            flow.response = http.Response.make(403)

    def requestheaders(self, flow: http.HTTPFlow) -> None:
        visit, identity, tag = self.visit, self.identity, ""
        if own := read_stamp(flow.request.headers.pop(TAG_HEADER, ""), self._token):
            visit, identity, tag = own
        if not visit:
            flow.kill()  # type: ignore[no-untyped-call]  # the browser's own business: nobody is visiting
            return
        has_whole = flow.request.url in self._whole
        for name in _REMOVED if has_whole else (*_REMOVED, *_CONDITIONS):
            flow.request.headers.pop(name, None)  # "not modified" tells nothing to somebody who has nothing yet
        self._order += 1
        pending = self.open[flow.id] = Pending(flow.request, self._order, visit, identity, tag)
        if (known := self._shelf.take(flow.request)) is not None:
            pending.answered(known)
            pending.note = NOTE
            flow.response = known

    def request(self, flow: http.HTTPFlow) -> None:
        pending, asked = self.open.get(flow.id), flow.request
        if pending is None or not self._guard.refuses(asked.method, asked.host, asked.path, asked.raw_content or b""):
            return
        del self.open[flow.id]
        self._hand_over(pending.failed("not_allowed: it could change something, and only reading was allowed"))
        flow.kill()  # type: ignore[no-untyped-call]

    async def responseheaders(self, flow: http.HTTPFlow) -> None:
        pending = self.open.get(flow.id)
        if pending is None or flow.response is None or pending.note == NOTE:
            return
        while self._waiting_bytes > BACKLOG:
            await asyncio.sleep(0.05)
        pending.answered(flow.response)
        length = flow.response.headers.get("content-length", "")
        if not (length.isdigit() and int(length) <= BUFFERED):
            flow.response.stream = pending.pass_on

    def response(self, flow: http.HTTPFlow) -> None:
        pending = self.open.get(flow.id)
        if pending is None:
            return
        if flow.websocket is not None:
            pending.became_socket()
            return
        del self.open[flow.id]
        if flow.response is not None and flow.response.status_code == 200:
            self._whole.add(flow.request.url)
        handed = pending.finished()
        if flow.response is not None and handed[1][1] and not pending.note:
            self._shelf.keep(flow.request, flow.response, handed[1][1])
        self._hand_over(handed)

    def websocket_message(self, flow: http.HTTPFlow) -> None:
        if flow.websocket is None:
            return
        message = flow.websocket.messages[-1]
        flow.websocket.messages.clear()
        if pending := self.open.get(flow.id):
            pending.socket_message(message.content, from_client=message.from_client, is_text=message.is_text)

    def websocket_end(self, flow: http.HTTPFlow) -> None:
        if pending := self.open.pop(flow.id, None):
            if flow.websocket is not None and flow.websocket.closed_by_client is False:
                pending.socket_closed(flow.websocket.close_code or 1000)
            self._hand_over(pending.part_so_far(""))

    def error(self, flow: http.HTTPFlow) -> None:
        if pending := self.open.pop(flow.id, None):
            message = flow.error.msg if flow.error else "unknown"
            if pending.is_endless():
                self._hand_over(pending.part_so_far(f"closed: {message}"))
            else:
                self._hand_over(
                    pending.failed(
                        reason_of(message, flow.server_conn.error or "", client_gone=not flow.client_conn.connected)
                    )
                )
        # mitmproxy would answer with a page of its own; killed, the browser sees a failed connection, as it should
        flow.error = flows.Error(flows.Error.KILLED_MESSAGE)

    # -- handing over ------------------------------------------------------------------------------------------------

    def _hand_over(self, handed: Handed | None) -> None:
        if handed is not None:
            self._waiting_bytes += sum(len(blob) for blob in handed[1] if blob)
            self._outbox.put(handed)

    def _write(self) -> None:
        while True:
            header, blobs = self._outbox.get()
            if not header:  # see `finish`
                return
            try:
                write_frame(self._records, header, blobs)
            except OSError:  # nobody writes any more: better no traffic than traffic that is not recorded
                os._exit(3)
            self._waiting_bytes -= sum(len(blob) for blob in blobs if blob)
