"""Evidence out of an archive that another tool made: the traffic alone, since nobody looked at the pages."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from artifacts.digest import digest_bytes
from artifacts.errors import LimitReachedError, UsageError
from artifacts.events import Emit, Event, Stop
from artifacts.evidence import Evidence, Exchange, load_part
from artifacts.run import Account, CaptureRequest
from artifacts.store import Journal, Store
from explorer.archives.har import read_har
from explorer.archives.sessions import Whose, whose
from explorer.archives.traffic import Taken
from explorer.archives.wacz import main_page, read_wacz
from explorer.crawl.assemble import assemble
from explorer.crawl.urls import Templates
from explorer.redact.redactor import Redactor
from explorer.wire.pipe import Frame
from explorer.wire.scribe import Scribe

_TOGETHER = 200
_PASSWORD = re.compile(rb"\{\{(?:secret:[^{}]*|password:([^{}]*))\}\}")


class Archive(NamedTuple):
    """A file that another tool made, read whole."""

    path: Path
    digest: str
    traffic: tuple[Taken, ...]
    """The answered requests, in the archive's order, nothing of them redacted."""
    listed: str
    """The first page that the archive itself lists; empty if it lists none."""

    def start(self) -> str:
        """The page it begins with: the first it lists, else the first it holds. Raises LimitReachedError."""
        if self.listed:
            return self.listed
        for taken in self.traffic:
            if taken.status == 200 and taken.method == "GET" and _is_page(taken):
                return taken.url
        raise LimitReachedError(
            "The archive holds no page.",
            where=str(self.path),
            remedy="Give one that was recorded with its documents' bodies.",
            code="nothing_captured",
        )


def read_archive(path: Path) -> Archive:
    """A HAR, WACZ or WARC file, told by its first bytes. Raises DamagedError, UsageError."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UsageError(
            f"The archive cannot be read: {error.strerror}.", where=str(path), remedy="Check the path.", code="no_file"
        ) from error
    text = data.removeprefix(b"\xef\xbb\xbf")
    is_har = text[:64].lstrip(b" \t\r\n").startswith(b"{")
    traffic = tuple(read_har(text) if is_har else read_wacz(data))
    return Archive(path, digest_bytes(data), traffic, "" if is_har else main_page(data))


def _is_page(taken: Taken) -> bool:
    kinds = [value for name, value in taken.response_headers if name.lower() == "content-type"]
    return bool(taken.response_body) and any("html" in kind for kind in kinds)


def import_archive(
    archive: Archive,
    request: CaptureRequest,
    *,
    accounts: tuple[Account, ...],
    folder: Path,
    store: Store,
    emit: Emit,
    stop: Stop,
) -> Evidence:
    """Everything in the archive as Evidence. Secrets are replaced before anything reaches the disk."""
    folder.mkdir(parents=True, exist_ok=True)
    journal = folder / "imported.jsonl"
    journal.unlink(missing_ok=True)
    redactor = Redactor(accounts)
    scribe = Scribe(store, Journal(journal), redactor)
    exchanges: list[Exchange] = []
    is_cut = False
    owners = whose(archive.traffic)
    for number, (taken, owner) in enumerate(zip(archive.traffic, owners, strict=True), 1):
        scribe.take(_frame(number, taken, owner))
        if number % _TOGETHER == 0:
            exchanges += _written(scribe.commit())
            emit(Event("step", {"what": taken.url, "exchanges": number}))
        if is_cut := stop():
            break
    exchanges += _written(scribe.commit())
    counts = dict(redactor.counts)
    return assemble(
        request=request,
        start=redactor.redact_url(request.url),
        lens=request.lens,
        store=store,
        states=(),
        interactions=(),
        exchanges=exchanges,
        skips=(),
        outcome="interrupted" if is_cut else "complete",
        redactions=counts,
        templates=Templates(exchange.url for exchange in exchanges),
        visits={owner.visit for owner in owners},
        fetched=sum(_is_document(exchange) for exchange in exchanges),
    )


def holds_login(evidence: Evidence, store: Store) -> bool:
    """Whether passwords were sent and none of them is that of an account that is named: nobody knows one any more."""
    exchanges = (load_part(store, evidence.open) + load_part(store, evidence.sealed)).exchanges
    sent = {exchange.request_body for exchange in exchanges if exchange.request_body}
    labels = {found[1] for body in sent for found in _PASSWORD.finditer(store.get(body))}
    return bool(labels) and labels.isdisjoint(account.label.encode() for account in evidence.request.accounts)


def _written(replies: Iterable[Frame]) -> Iterator[Exchange]:
    return (Exchange.from_bytes(blob) for reply in replies for blob in reply.blobs if blob is not None)


def _is_document(exchange: Exchange) -> bool:
    return (
        exchange.status == 200 and "html" in exchange.said("content-type") and exchange.destination in ("", "document")
    )


def _frame(number: int, taken: Taken, owner: Whose) -> Frame:
    """One exchange as the recording proxy would have handed it over."""
    head = {
        "order": number,
        "visit": owner.visit,
        "identity": owner.identity,
        "method": taken.method,
        "url": taken.url,
        "http_version": taken.http_version,
        "request_headers": [list(pair) for pair in taken.request_headers],
        "destination": taken.destination,
        "status": taken.status,
        "response_headers": [list(pair) for pair in taken.response_headers],
        "response_bytes": len(taken.response_body),
        "milliseconds": taken.milliseconds,
        "failure": None,
        "note": taken.note,
        "tag": "",
    }
    return Frame(head, (taken.request_body or None, taken.response_body))
