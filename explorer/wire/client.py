"""The recording proxy as the Explorer sees it: whose visit it is, what crossed, and plain requests of our own."""

import http.client
import itertools
import secrets
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

from artifacts.errors import UnavailableError
from artifacts.evidence import Exchange
from artifacts.run import Account, Resolution
from artifacts.store import Journal, Store
from explorer.redact.redactor import Redactor
from explorer.wire.fetch import Fetcher, checked, escaped
from explorer.wire.pipe import Frame
from explorer.wire.recording import Recording
from explorer.wire.tags import TAG_HEADER, stamp

FETCHED_AS = {
    "User-Agent": "Mozilla/5.0 (compatible; WebAnything/0.1)",
    "Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
    "Accept-Language": "en-US,en;q=0.9",
    "Accept-Encoding": "gzip, deflate, br, zstd",
}
FETCH_LIMIT = 50_000_000
_LATE = 5.0
"""Seconds an exchange may take to be written once its answer is here."""


class Answer(NamedTuple):
    """The exchange of one plain request, and the answer's headers as sent, which stay in memory."""

    exchange: Exchange
    headers: tuple[tuple[str, str], ...] = ()


class Wire:
    """Records everything that is sent through `proxy` into `folder`/exchanges.jsonl and `store`.

    Behind it stand two processes, which end when this one does. What they were handed is written even if this process
    or the proxy is killed.
    """

    def __init__(
        self,
        folder: Path,
        store: Store,
        *,
        redactor: Redactor | None = None,
        accounts: Sequence[Account] = (),
        resolve: Sequence[Resolution] = (),
        on_exchange: Callable[[Exchange], None] | None = None,
        insecure: bool = False,
        upstream_ca: Path | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self.folder, self.store = folder, store
        self.redactor = redactor or Redactor(accounts)
        self.proxy = ""
        self.spki = ""
        self.headers = {**FETCHED_AS, **(headers or {})}
        """What plain requests say of themselves."""
        self._settings = {
            "ca_folder": str(folder / "ca"),
            "resolve": [[item.host.lower(), item.port, *_endpoint(item)] for item in resolve],
            "insecure": insecure,
            "upstream_ca": str(upstream_ca) if upstream_ca else "",
        }
        self._on_exchange = on_exchange
        self._token = secrets.token_hex(16)
        self._tags = itertools.count(1)
        self._by_visit: defaultdict[str, list[bytes]] = defaultdict(list)
        self._fetched: dict[str, Exchange] = {}
        self._arrived = threading.Condition()
        self._visit = ("", "anonymous")
        self._recording: Recording | None = None
        self._fetcher: Fetcher | None = None

    def __enter__(self) -> Self:
        """Start recording. Raises UnavailableError if the proxy does not come up."""
        self.folder.mkdir(parents=True, exist_ok=True)
        journal = Journal(self.folder / "exchanges.jsonl")
        first = max((line["order"] for line in journal.read()), default=0)
        accounts = [[account.label, account.user, account.password] for account in self.redactor.accounts]
        self._recording = Recording(
            {**self._settings, "token": self._token, "first_order": first},
            {
                "store": str(self.store.root),
                "journal": str(journal.path),
                "key": self.redactor.key.hex(),
                "accounts": accounts,
            },
            self._take,
        )
        ready = self._recording.start()
        self.proxy, self.spki = f"http://127.0.0.1:{ready['port']}", ready["spki"]
        self._fetcher = Fetcher(ready["port"], self.folder / "ca" / "mitmproxy-ca-cert.pem")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def _running(self) -> Recording:
        if self._recording is None:
            raise ValueError("the wire is not open")
        return self._recording

    def visit(self, visit: str, identity: str = "anonymous", *, reading: bool = False) -> None:
        """What is sent from now on belongs to this visit. Without one ("", or none yet), requests are refused."""
        self._running.ask("visit", visit=visit, identity=identity, reading=reading)
        self._visit = (visit, identity)

    def exchanges(self, visit: str) -> list[Exchange]:
        """What has been answered, failed or closed so far during the visit, all of it on disk, by order."""
        self._running.flush()
        with self._arrived:
            lines = list(self._by_visit.get(visit, ()))
        return sorted(map(Exchange.from_bytes, lines), key=lambda exchange: exchange.order)

    def in_flight(self, visit: str | None = None) -> int:
        """How many requests of the visit, or of all, still wait for their answer; open streams do not count."""
        count: int = self._running.ask("in_flight", visit=visit)["count"]
        return count

    def drain(self, timeout: float) -> bool:
        """Wait until nothing is in flight and everything is on disk. False if something was still under way."""
        deadline = time.monotonic() + timeout
        while (waiting := self.in_flight()) and time.monotonic() < deadline:
            time.sleep(0.02)
        self._running.flush()
        return not waiting

    def fetch(
        self,
        url: str,
        *,
        method: str = "GET",
        headers: Mapping[str, str] | None = None,
        body: bytes | None = None,
        visit: str | None = None,
        identity: str | None = None,
        timeout: float = 30.0,
    ) -> Exchange:
        """The exchange of one plain request, recorded like a browser's; redirects are not followed.

        A request that got no answer gives an exchange with a `failure`. Raises UsageError for an address nobody could
        ask for. Safe to call from several threads.
        """
        return self.ask(
            url, method=method, headers=headers, body=body, visit=visit, identity=identity, timeout=timeout
        ).exchange

    def ask(
        self,
        url: str,
        *,
        method: str = "GET",
        headers: Mapping[str, str] | None = None,
        body: bytes | None = None,
        visit: str | None = None,
        identity: str | None = None,
        timeout: float = 30.0,
    ) -> Answer:
        """Like `fetch`, with the answer's headers before redaction: who follows redirects needs their cookies."""
        url = checked(_sendable(url))
        whose = (visit or self._visit[0], identity or self._visit[1])
        if self._fetcher is None or not whose[0]:
            raise ValueError("nothing can be fetched outside a visit")
        for fresh in (False, True):  # a connection kept from before may have been closed meanwhile
            tag = str(next(self._tags))
            sent = {**self.headers, **(headers or {}), TAG_HEADER: stamp(self._token, *whose, tag)}
            try:
                received = self._fetcher.send(method, url, sent, body, timeout=timeout, limit=FETCH_LIMIT, fresh=fresh)
            except TimeoutError:
                late = self._await(tag, _LATE) or self._unheard(url, method, whose)
                return Answer(late.replaced(failure=f"timeout: no answer within {timeout:g} seconds", status=None))
            except (OSError, http.client.HTTPException):
                if exchange := self._await(tag, _LATE if fresh else 1.0):
                    return Answer(exchange)
            else:
                if exchange := self._await(tag, _LATE):
                    return Answer(exchange, received)
                break
        raise UnavailableError(
            "The recording proxy took a request and did not record it.",
            where=url,
            remedy="Run the same command again: it goes on where it stopped.",
            code="wire_lost",
        )

    def close(self) -> None:
        """Write what is under way, end both processes and remove the certificate authority."""
        if self._fetcher is not None:
            self._fetcher.close()
        if self._recording is not None:
            self._recording.close()

    def _unheard(self, url: str, method: str, whose: tuple[str, str]) -> Exchange:
        return Exchange(order=0, visit=whose[0], identity=whose[1], method=method, url=self.redactor.redact_url(url))

    def _await(self, tag: str, seconds: float) -> Exchange | None:
        deadline = time.monotonic() + seconds
        while True:
            self._running.flush()
            with self._arrived:
                if tag in self._fetched:
                    return self._fetched.pop(tag)
                if time.monotonic() > deadline:
                    return None
                self._arrived.wait(0.05)

    def _take(self, reply: Frame) -> None:
        """One reply of the scribe; called on the reading thread."""
        if "counts" in reply.header:
            self.redactor.counts.update(reply.header["counts"])
            for value, replacement in reply.header["learned"]:
                self.redactor.learn(value, replacement)
            return
        line = reply.blobs[0] or b""
        with self._arrived:
            self._by_visit[reply.header["visit"]].append(line)
            if reply.header["tag"]:
                self._fetched[reply.header["tag"]] = Exchange.from_bytes(line)
            self._arrived.notify_all()
        if self._on_exchange is not None:
            self._on_exchange(Exchange.from_bytes(line))


def _sendable(url: str) -> str:
    """The address escaped, or as it is where nobody could: `checked` says why."""
    try:
        return escaped(url)
    except ValueError:
        return url


def _endpoint(item: Resolution) -> tuple[str, int]:
    """Where to connect to: ADDRESS, or ADDRESS:PORT and [ADDRESS]:PORT where the port differs too."""
    address = item.address
    host, colon, port = address.rpartition(":")
    if colon and port.isdigit() and (":" not in host or host.endswith("]")):
        return host.strip("[]"), int(port)
    return address.strip("[]"), item.port
