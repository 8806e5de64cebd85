"""The process that writes: decodes, redacts and stores what the proxy hands over, then journals the exchange.

It is apart from the proxy because regular expressions hold Python's lock, and a page should not wait for them.
Nothing is written before it is redacted; what was handed over is written even when the proxy is killed.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from artifacts.errors import WebAnythingError
from artifacts.evidence import Exchange
from artifacts.run import Account
from artifacts.store import Journal, Store
from explorer.redact.redactor import Redactor
from explorer.wire.decode import TooLargeError, UndecodableError, decode
from explorer.wire.pipe import Frame, FrameReader, write_frame
from explorer.wire.streams import Chunk, chunk_messages, event_messages, frame_messages, message_lines

_TOGETHER = 64


class Scribe:
    """Turns handed-over traffic into stored bodies and journalled exchanges."""

    def __init__(self, store: Store, journal: Journal, redactor: Redactor) -> None:
        self._store = store
        self._journal = journal
        self._redactor = redactor
        self._lines: list[tuple[Exchange, str]] = []

    def take(self, frame: Frame) -> None:
        """Store the bodies of one exchange; its line waits for `commit`."""
        head = frame.header
        request_body, response_body, stream = (*frame.blobs, None, None, None)[:3]
        notes = [head["note"]] if head["note"] else []
        url = self._redactor.redact_url(head["url"])
        request_headers = self._redactor.redact_headers([(name, value) for name, value in head["request_headers"]])
        sent = self._body(request_body, head["request_headers"], notes, sent=True)
        response_headers = self._redactor.redact_headers([(name, value) for name, value in head["response_headers"]])
        got = self._body(response_body, head["response_headers"], notes, sent=False)
        size = len(got) if got is not None else head["response_bytes"]
        exchange = Exchange(
            order=head["order"],
            visit=head["visit"],
            identity=head["identity"],
            method=head["method"],
            url=url,
            http_version=head["http_version"],
            request_headers=request_headers,
            request_body=self._store.put(sent) if sent else None,
            destination=head["destination"],
            status=head["status"],
            response_headers=response_headers,
            response_body=self._store.put(got) if got else None,
            response_bytes=size,
            milliseconds=head["milliseconds"],
            messages=self._messages(head, stream),
            failure=head["failure"],
            note="; ".join(notes),
        )
        if exchange.is_download and exchange.failure and exchange.failure.startswith("cancelled"):
            # The browser of the lens saves nothing; for the page and its visitor the site has answered.
            note = f"a download, {exchange.note or 'not begun'}"
            exchange = exchange.replaced(status=head["began_with"], failure=None, note=note)
        elif _is_followed(head, exchange):
            note = "; ".join([*notes, "a redirect, followed before it ended"])
            exchange = exchange.replaced(status=head["began_with"], failure=None, response_bytes=0, note=note)
        self._lines.append((exchange, head["tag"]))

    def commit(self) -> list[Frame]:
        """Write the waiting lines to the journal, one flush for all, and return what to report of each."""
        lines, self._lines = self._lines, []
        self._journal.extend([exchange.model_dump(mode="json") for exchange, _ in lines])
        return [Frame({"visit": exchange.visit, "tag": tag}, (exchange.to_bytes(),)) for exchange, tag in lines]

    def redacted(self) -> dict[str, Any]:
        """What was redacted since the last call: how many of each kind, and passwords to look out for."""
        redactor = self._redactor
        found = {"counts": dict(redactor.counts), "learned": list(dict.fromkeys(redactor.learned))}
        redactor.counts.clear()
        redactor.learned.clear()
        return found

    def is_full(self) -> bool:
        return len(self._lines) >= _TOGETHER

    def _body(self, body: bytes | None, headers: list[list[str]], notes: list[str], *, sent: bool) -> bytes | None:
        if body is None:
            return None
        try:
            body = decode(body, _header(headers, "content-encoding"))
        except TooLargeError as error:
            notes.append(f"too large: {error}")
            return None
        except UndecodableError as error:
            notes.append(f"not decoded: {error}")
        return self._redactor.redact_body(body, _header(headers, "content-type"), sent=sent)

    def _messages(self, head: dict[str, Any], stream: bytes | None) -> str | None:
        if stream is None:
            return None
        chunks = [Chunk(*chunk) for chunk in head["chunks"]]
        encoding = _header(head["response_headers"], "content-encoding")
        match head["stream"]:
            case "websocket":
                messages = frame_messages(chunks, stream, head["closed"])
            case "events":
                messages = event_messages(chunks, stream, encoding)
            case _:
                messages = chunk_messages(chunks, stream, encoding)
        clean = (
            {**message, "text": self._redactor.redact_message(message["text"], sent=message["from"] == "client")}
            if "text" in message
            else message
            for message in messages
        )
        lines = message_lines(clean)
        return self._store.put(lines) if lines else None


def _is_followed(head: dict[str, Any], exchange: Exchange) -> bool:
    """Whether the browser gave up on a redirect: some sites go on working after they have said where to go."""
    gave_up = bool(exchange.failure) and str(exchange.failure).startswith("cancelled")
    return gave_up and 300 <= (head["began_with"] or 0) < 400 and bool(exchange.said("location"))


def _header(headers: list[list[str]], name: str) -> str:
    return ", ".join(value for key, value in headers if key.lower() == name)


def serve(inlet: int, outlet: int) -> None:
    """Read frames until the sender is gone; the first one is the configuration."""
    reader = FrameReader(inlet)
    first = reader.read()
    if first is None:
        return
    config = first.header
    accounts = [
        Account(label=label, login_url="", user=user, password=word) for label, user, word in config["accounts"]
    ]
    redactor = Redactor(accounts, key=bytes.fromhex(config["key"]))
    scribe = Scribe(Store(Path(config["store"])), Journal(Path(config["journal"])), redactor)
    try:
        for reply in _replies(scribe, reader):
            write_frame(outlet, *reply)
    except WebAnythingError as error:
        failed = {"what": error.what, "where": error.where, "remedy": error.remedy, "code": error.code}
        write_frame(outlet, {"failed": failed, "exit": int(error.exit_code)})
    except BrokenPipeError:  # the reader of the replies is gone; what was written stays
        for _ in _replies(scribe, reader):
            pass


def _replies(scribe: Scribe, reader: FrameReader) -> Iterator[Frame]:
    while (frame := reader.read()) is not None:
        if "flush" not in frame.header:
            scribe.take(frame)
            if reader.waiting() and not scribe.is_full():
                continue
        yield from scribe.commit()
        if (redacted := scribe.redacted())["counts"]:
            yield Frame(redacted, ())
        if "flush" in frame.header:
            yield Frame({"flushed": frame.header["flush"]}, ())
    yield from scribe.commit()


if __name__ == "__main__":
    serve(sys.stdin.fileno(), sys.stdout.fileno())
