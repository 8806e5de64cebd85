"""Evidence out of an archive that another tool made: the traffic alone, since nobody looked at the pages."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from artifacts.errors import LimitReachedError, UsageError
from artifacts.events import Emit, Event, Stop
from artifacts.evidence import Evidence, Exchange
from artifacts.run import Account, CaptureRequest
from artifacts.store import Journal, Store
from explorer.archives.har import read_har
from explorer.archives.traffic import Taken
from explorer.archives.wacz import main_page, read_wacz
from explorer.crawl.assemble import assemble
from explorer.crawl.urls import Templates
from explorer.redact.redactor import Redactor
from explorer.wire.pipe import Frame
from explorer.wire.scribe import Scribe

VISIT = "i0001"
VISITOR = "recorded"
"""Whose traffic it is: one visitor's from beginning to end, so what it posted may have changed what it saw later."""
_TOGETHER = 200


def taken_from(path: Path) -> Iterator[Taken]:
    """The answered requests in a HAR, WACZ or WARC file, told by its first bytes. Raises DamagedError, UsageError."""
    try:
        with path.open("rb") as file:
            start = file.read(64).lstrip(b"\xef\xbb\xbf \t\r\n")
    except OSError as error:
        raise UsageError(
            f"The archive cannot be read: {error.strerror}.", where=str(path), remedy="Check the path.", code="no_file"
        ) from error
    return read_har(path.read_bytes().removeprefix(b"\xef\xbb\xbf")) if start.startswith(b"{") else read_wacz(path)


def start_of(path: Path) -> str:
    """The page an archive begins with: the first it lists, else the first it holds. Raises LimitReachedError."""
    if listed := (main_page(path) if path.is_file() else ""):
        return listed
    for taken in taken_from(path):
        if taken.status == 200 and taken.method == "GET" and _is_page(taken):
            return taken.url
    raise LimitReachedError(
        "The archive holds no page.",
        where=str(path),
        remedy="Give one that was recorded with its documents' bodies.",
        code="nothing_captured",
    )


def _is_page(taken: Taken) -> bool:
    kinds = [value for name, value in taken.response_headers if name.lower() == "content-type"]
    return bool(taken.response_body) and any("html" in kind for kind in kinds)


def import_archive(
    path: Path,
    request: CaptureRequest,
    *,
    accounts: tuple[Account, ...],
    folder: Path,
    store: Store,
    emit: Emit,
    stop: Stop,
) -> Evidence:
    """Everything in the archive as Evidence. Secrets are replaced before anything reaches the disk.

    Raises DamagedError, UsageError.
    """
    folder.mkdir(parents=True, exist_ok=True)
    journal = folder / "imported.jsonl"
    journal.unlink(missing_ok=True)
    redactor = Redactor(accounts)
    scribe = Scribe(store, Journal(journal), redactor)
    exchanges: list[Exchange] = []
    is_cut = False
    for number, taken in enumerate(taken_from(path), 1):
        scribe.take(_frame(number, taken))
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
        visits={VISIT},
        fetched=sum(_is_document(exchange) for exchange in exchanges),
    )


def _written(replies: Iterable[Frame]) -> Iterator[Exchange]:
    return (Exchange.from_bytes(blob) for reply in replies for blob in reply.blobs if blob is not None)


def _is_document(exchange: Exchange) -> bool:
    return (
        exchange.status == 200 and "html" in exchange.said("content-type") and exchange.destination in ("", "document")
    )


def _frame(number: int, taken: Taken) -> Frame:
    """One exchange as the recording proxy would have handed it over."""
    head = {
        "order": number,
        "visit": VISIT,
        "identity": VISITOR,
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
