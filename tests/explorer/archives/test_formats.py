"""What goes into an archive comes out of it again, and what others write is understood."""

import base64
import gzip
import io
import json
import zipfile
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from artifacts.errors import DamagedError, LimitReachedError
from artifacts.evidence import Evidence, Exchange, Part
from artifacts.run import CaptureRequest, Lens
from artifacts.store import Store
from explorer.archives.har import read_har, write_har
from explorer.archives.imported import read_archive
from explorer.archives.traffic import Sent, sent
from explorer.archives.wacz import read_wacz, write_wacz
from explorer.archives.warc import read_warc, write_warc

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
PAGE = "<!doctype html><title>Ü</title><p>{{ 7 * 7 }}</p>".encode()


def one(url: str = "http://a.example/", **more: object) -> Sent:
    bodies = {"request_body": b"", "response_body": PAGE, **more.pop("bodies", {})}  # type: ignore[dict-item]
    fields = {"order": 1, "visit": "p1", "method": "GET", "url": url, "status": 200,
              "response_headers": (("Content-Type", "text/html; charset=utf-8"), ("Content-Encoding", "gzip"))}  # fmt: skip
    return Sent(Exchange.model_validate({**fields, **more}), NOON, **bodies)


def evidence(tmp_path: Path) -> tuple[Evidence, Store]:
    nothing = "0" * 64
    record = Evidence(request=CaptureRequest(url="http://a.example/"), site="http://a.example", start="http://a.example/",
                      lens=Lens(browser="Chromium/150", clock="2026-05-01T12:00:00Z"), outcome="complete", open=nothing,
                      sealed=nothing, states=0, interactions=0, exchanges=1, sealed_states=0, sealed_interactions=0)  # fmt: skip
    return record, Store(tmp_path / "store")


def through_har(traffic: list[Sent], tmp_path: Path) -> list[tuple[object, ...]]:
    record, store = evidence(tmp_path)
    return [told(taken) for taken in read_har(write_har(record, (), traffic, store))]


def through_warc(traffic: list[Sent]) -> list[tuple[object, ...]]:
    out = io.BytesIO()
    list(write_warc(out, traffic, name="data.warc.gz", software="test"))
    return [told(taken) for taken in read_warc(io.BytesIO(out.getvalue()))]


def told(taken: object) -> tuple[object, ...]:
    names = ("method", "url", "request_body", "status", "response_body")
    return tuple(getattr(taken, name) for name in names)


bodies = st.one_of(
    st.binary(max_size=200), st.text(max_size=80).map(lambda text: text.encode("utf-8", "surrogatepass"))
)
kinds = st.sampled_from(
    ["text/html; charset=utf-8", "text/html; charset=iso-8859-1", "image/png", "application/json", ""]
)


@given(sent=bodies, got=bodies, kind=kinds, status=st.sampled_from([200, 204, 301, 404, 500, 299]))
def test_nothing_of_an_exchange_is_lost_in_either_format(
    tmp_path_factory: pytest.TempPathFactory, sent: bytes, got: bytes, kind: str, status: int
) -> None:
    headers = (("Content-Type", kind), ("Content-Encoding", "br"), ("Set-Cookie", "a=1"), ("Set-Cookie", "b=2"))
    exchange = one(
        "http://a.example/send?q=%C3%BC&q=", method="POST", status=status, response_headers=headers,
        request_headers=(("Content-Type", "application/octet-stream"),), bodies={"request_body": sent, "response_body": got},
    )  # fmt: skip
    wanted = [("POST", "http://a.example/send?q=%C3%BC&q=", sent, status, got)]
    assert through_warc([exchange]) == wanted
    if _is_text(sent):  # a posted body that is no text has no place in HAR
        assert through_har([exchange], tmp_path_factory.mktemp("har")) == wanted


def _is_text(data: bytes) -> bool:
    try:
        return bool(data.decode() or True)
    except UnicodeDecodeError:
        return False


def test_a_collection_holds_each_answer_once_and_names_its_pages(tmp_path: Path) -> None:
    out = tmp_path / "a.wacz"
    traffic = [one(), one(order=2), one("http://a.example/b", order=3)]
    assert write_wacz(out, title="a", software="test", states=(), traffic=iter(traffic)) == 2
    assert [taken.url for taken in read_wacz(out.read_bytes())] == ["http://a.example/", "http://a.example/b"]
    with zipfile.ZipFile(out) as package:
        assert {info.compress_type for info in package.infolist()} == {zipfile.ZIP_STORED}
        index = gzip.decompress(package.read("indexes/index.cdx.gz")).decode()
        assert index.count("http://a.example/b") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["a.wacz"], "something was left beside it"


def test_a_posted_form_is_part_of_the_key_that_players_look_for(tmp_path: Path) -> None:
    posted = one("http://a.example/send", method="POST", request_headers=(("Content-Type", "application/x-www-form-urlencoded"),),
                 bodies={"request_body": b"word=lamp"})  # fmt: skip
    write_wacz(tmp_path / "a.wacz", title="a", software="test", states=(), traffic=[posted])
    with zipfile.ZipFile(tmp_path / "a.wacz") as package:
        index = gzip.decompress(package.read("indexes/index.cdx.gz")).decode()
    assert "__wb_method=post" in index.lower() and "word=lamp" in index


def test_exchanges_without_an_answer_are_left_out_and_the_rest_have_the_time_their_date_says(tmp_path: Path) -> None:
    record, store = evidence(tmp_path)
    dated = one(order=2, response_headers=(("Date", "Sat, 02 May 2026 09:30:00 GMT"),)).exchange
    failed = one(order=3, status=None, failure="refused").exchange
    unchanged = one(order=4, status=304).exchange
    part = Part((), (one().exchange, dated, failed, unchanged), (), ())
    assert [found.at.replace(microsecond=0) for found in sent(record, part, store)] == [
        NOON, datetime(2026, 5, 2, 9, 30, tzinfo=UTC)
    ]  # fmt: skip


def test_what_browsers_write_is_read(tmp_path: Path) -> None:
    entry = {
        "_resourceType": "document",
        "request": {"method": "post", "url": "https://a.example/x#part", "httpVersion": "http/2.0",
                    "headers": [{"name": ":authority", "value": "a.example"}, {"name": "cookie", "value": "a=1"}],
                    "postData": {"mimeType": "application/x-www-form-urlencoded", "params": [{"name": "q", "value": "ü"}]}},
        "response": {"status": 200, "headers": [{"name": "set-cookie", "value": "a=1\nb=2"},
                                                 {"name": "content-encoding", "value": "br"}],
                     "content": {"size": 2, "mimeType": "text/html", "encoding": "base64",
                                 "text": base64.b64encode(b"\xe4!").decode()}},
        "time": 12.5,
    }  # fmt: skip
    blocked = {"request": {"url": "https://a.example/y"}, "response": {"status": 0}}
    (taken,) = read_har(json.dumps({"log": {"entries": [blocked, entry]}}).encode())
    assert told(taken) == ("POST", "https://a.example/x", b"q=%C3%BC", 200, b"\xe4!")
    assert taken.request_headers == (("cookie", "a=1"),)
    assert taken.response_headers == (("set-cookie", "a=1"), ("set-cookie", "b=2"), ("Content-Length", "2"))
    assert (taken.destination, taken.milliseconds) == ("document", 12.5)


def test_a_body_that_the_archive_left_out_is_said_to_be_missing() -> None:
    entry = {"request": {"method": "GET", "url": "http://a.example/", "headers": []},
             "response": {"status": 200, "headers": [], "content": {"size": 900}}}  # fmt: skip
    (taken,) = read_har(json.dumps({"log": {"entries": [entry]}}).encode())
    assert taken.note


def test_coded_and_repeated_answers_of_other_tools_archives_come_whole(tmp_path: Path) -> None:
    out = io.BytesIO()
    writer = WARCWriter(out, gzip=True)
    headers = [("Content-Type", "text/html"), ("Content-Encoding", "gzip"), ("Transfer-Encoding", "chunked")]
    coded = gzip.compress(PAGE)
    chunked = f"{len(coded):x}\r\n".encode() + coded + b"\r\n0\r\n\r\n"
    first = writer.create_warc_record(
        "http://a.example/",
        "response",
        payload=io.BytesIO(chunked),
        length=len(chunked),
        http_headers=StatusAndHeaders("200 OK", headers, "HTTP/1.1"),
    )
    writer.write_record(first)
    again = writer.create_revisit_record(
        "http://a.example/again", first.rec_headers.get_header("WARC-Payload-Digest"), "http://a.example/",
        "2026-05-01T12:00:00Z", http_headers=StatusAndHeaders("200 OK", headers, "HTTP/1.1"),
    )  # fmt: skip
    writer.write_record(again)
    path = tmp_path / "other.warc.gz"
    path.write_bytes(out.getvalue())
    archive = read_archive(path)
    assert [(taken.url, taken.response_body) for taken in archive.traffic] == [
        ("http://a.example/", PAGE), ("http://a.example/again", PAGE)
    ]  # fmt: skip
    assert archive.start() == "http://a.example/"


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b'{"log": {}}', b'{"log": {"entries": [{"request": 3}]}}', b"PK nothing", b"WARC/1.0\r\nbroken"],
)
def test_a_file_that_is_no_archive_is_refused_with_a_remedy(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "odd"
    path.write_bytes(content)
    with pytest.raises((DamagedError, LimitReachedError)) as caught:
        read_archive(path).start()
    assert caught.value.remedy


def test_a_zip_without_records_is_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as package:
        package.writestr("readme", "x")
    with pytest.raises(DamagedError, match="no WARC"):
        list(read_wacz((tmp_path / "a.zip").read_bytes()))
