"""WARC records, one pair of request and response for each exchange. ISO 28500, written and read by warcio."""

import io
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import IO, Any, NamedTuple

from warcio.archiveiterator import ArchiveIterator  # type: ignore[import-untyped]
from warcio.exceptions import ArchiveLoadFailed  # type: ignore[import-untyped]
from warcio.statusandheaders import StatusAndHeaders  # type: ignore[import-untyped]
from warcio.warcwriter import WARCWriter  # type: ignore[import-untyped]

from artifacts.errors import DamagedError
from artifacts.evidence import Headers
from explorer.archives.index import Line, body_of, key_of
from explorer.archives.traffic import Sent, Taken, header, whole
from explorer.wire.fetch import path_and_query


def write_warc(out: IO[bytes], traffic: Iterable[Sent], *, name: str, software: str) -> Iterator[Line]:
    """Write every exchange into the file of this name, the same answer to the same request once; their index lines."""
    writer = WARCWriter(out, gzip=True)
    info = {"software": software, "format": "WARC File Format 1.1"}
    writer.write_record(writer.create_warcinfo_record(name, info))
    seen: set[tuple[object, ...]] = set()
    for one in traffic:
        exchange = one.exchange
        same = (exchange.method, exchange.url, exchange.request_body, exchange.status, exchange.response_body)
        if same in seen or exchange.status == 101:
            continue
        seen.add(same)
        status = StatusAndHeaders(f"{exchange.status} {one.phrase}".strip(), _list(one.response_headers), "HTTP/1.1")
        answer = _record(writer, one, "response", status, one.response_body, {})
        begins = out.tell()
        writer.write_record(answer)
        ends = out.tell()
        first = f"{exchange.method} {path_and_query(exchange.url)} HTTP/1.1"
        asked = StatusAndHeaders(first, _list(one.request_headers), is_http_request=True)
        concurrent = {"WARC-Concurrent-To": answer.rec_headers.get_header("WARC-Record-ID")}
        writer.write_record(_record(writer, one, "request", asked, one.request_body, concurrent))
        yield _line(one, answer.rec_headers.get_header("WARC-Payload-Digest"), name, begins, ends - begins)


def _record(
    writer: WARCWriter, one: Sent, kind: str, headers: StatusAndHeaders, body: bytes, more: dict[str, str]
) -> Any:
    dated = {"WARC-Date": timestamp(one.at), **more}
    payload = io.BytesIO(body)
    return writer.create_warc_record(
        one.exchange.url, kind, payload=payload, length=len(body), http_headers=headers, warc_headers_dict=dated
    )


def _line(one: Sent, digest: str, name: str, offset: int, length: int) -> Line:
    exchange = one.exchange
    fields = {
        "url": exchange.url,
        "mime": exchange.said("content-type").partition(";")[0].strip(),
        "status": str(exchange.status),
        "digest": digest,
        "length": str(length),
        "offset": str(offset),
        "filename": name,
    }
    body = ""
    if exchange.method != "GET":
        body = body_of(header(exchange.request_headers, "content-type"), one.request_body)
        fields |= {"method": exchange.method, "requestBody": body}
    at = one.at.astimezone(UTC).strftime("%Y%m%d%H%M%S")
    return Line(key_of(exchange.url, exchange.method, body), at, fields)


def timestamp(at: datetime) -> str:
    """The instant as WARC writes it: UTC, whole seconds."""
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _list(headers: Headers) -> list[tuple[str, str]]:
    return [(name, value.replace("\r", " ").replace("\n", " ")) for name, value in headers]


class _Request(NamedTuple):
    method: str
    headers: Headers
    body: bytes


def read_warc(stream: IO[bytes]) -> Iterator[Taken]:
    """The answers of one WARC file with the requests that belong to them. Raises DamagedError if it is torn.

    A request may stand before or after its response; one is found by the record that names the other, or by its
    neighbour of the same address. An answer that repeats an earlier one gets that one's body.
    """
    answers: list[tuple[str, str, Taken]] = []
    requests: dict[str, _Request] = {}
    bodies: dict[str, bytes] = {}
    try:
        for record in ArchiveIterator(stream):
            if record.http_headers is None:
                continue
            identity, other = (
                record.rec_headers.get_header(f"WARC-{name}", "") for name in ("Record-ID", "Concurrent-To")
            )
            if record.rec_type == "request":
                line = record.http_headers
                asked = _Request(line.protocol, tuple(line.headers), record.content_stream().read())
                requests[identity] = asked
                requests.setdefault(f"of {other}", asked)
            elif record.rec_type in ("response", "revisit"):
                answers.append((identity, other, _answer(record, bodies)))
    except (ArchiveLoadFailed, EOFError, OSError, ValueError) as error:
        raise DamagedError(
            f"The archive's records cannot be read: {error}",
            remedy="Fetch or export the archive again; this one is torn or no WARC.",
            code="bad_archive",
        ) from error
    for identity, other, taken in answers:
        found = requests.get(f"of {identity}") or requests.get(other)
        if found is None:
            yield taken
            continue
        yield taken._replace(
            method=found.method.upper(),
            request_headers=found.headers,
            request_body=found.body,
            destination=header(found.headers, "sec-fetch-dest"),
        )


def _answer(record: Any, bodies: dict[str, bytes]) -> Taken:
    url = record.rec_headers.get_header("WARC-Target-URI", "").partition("#")[0]
    digest = record.rec_headers.get_header("WARC-Payload-Digest", "") or ""
    body = record.content_stream().read()
    note = ""
    if record.rec_type == "revisit":
        note = "" if digest in bodies else "the archive holds no body"
        body = bodies.get(digest, b"")
    elif digest:
        bodies[digest] = body
    headers = tuple(record.http_headers.headers)
    return Taken(
        method="GET",
        url=url,
        request_headers=(),
        request_body=b"",
        status=int(record.http_headers.get_statuscode() or 0),
        response_headers=whole(headers, body),
        response_body=body,
        note=note,
    )
