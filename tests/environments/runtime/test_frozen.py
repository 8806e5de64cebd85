import gzip

from environments.runtime.frozen import Answer, Frozen

HTML = [("Content-Type", "text/html")]


def no_headers(name: str) -> str:
    return ""


def asking(**headers: str):
    return lambda name: headers.get(name.replace("-", "_"), "")


def answer(body: bytes, headers: list[tuple[str, str]] = HTML) -> Answer:
    return Answer("200 OK", headers, body)


def test_what_was_kept_is_given_out_for_its_key_only() -> None:
    frozen = Frozen()
    frozen.put(("a", "GET", "/"), no_headers, answer(b"one"), text=True)
    assert frozen.get(("a", "GET", "/"), no_headers).body == b"one"
    assert frozen.get(("b", "GET", "/"), no_headers) is None
    assert (frozen.hits, frozen.count) == (1, 1)


def test_the_least_recently_used_goes_when_there_is_no_room() -> None:
    frozen = Frozen(limit=3 * (512 + 100))
    for name in "abc":
        frozen.put((name,), no_headers, answer(bytes(100)), text=False)
    frozen.get(("a",), no_headers)
    frozen.put(("d",), no_headers, answer(bytes(100)), text=False)
    assert [name for name in "abcd" if frozen.get((name,), no_headers)] == ["a", "c", "d"]
    frozen.put(("huge",), no_headers, answer(bytes(10_000)), text=False)
    assert frozen.get(("huge",), no_headers) is None
    assert frozen.bytes == 3 * 612


def test_the_same_key_again_replaces_the_answer() -> None:
    frozen = Frozen()
    for body in (b"one", b"three"):
        frozen.put(("a",), no_headers, answer(body), text=False)
    assert frozen.get(("a",), no_headers).body == b"three"
    assert frozen.bytes == 512 + 5


def test_headers_an_answer_varies_by_are_part_of_its_key() -> None:
    frozen = Frozen()
    headers = [*HTML, ("Vary", "Accept-Language, Accept-Encoding")]
    for language in ("en", "de"):
        frozen.put(("a",), asking(accept_language=language), answer(language.encode(), headers), text=False)
    assert frozen.get(("a",), asking(accept_language="de")).body == b"de"
    assert frozen.get(("a",), asking(accept_language="en")).body == b"en"
    assert frozen.get(("a",), asking(accept_language="fr")) is None


def test_what_varies_by_everything_is_not_kept() -> None:
    frozen = Frozen()
    frozen.put(("a",), no_headers, answer(b"x", [("Vary", "*")]), text=False)
    assert frozen.count == 0


def test_large_text_is_packed_from_the_second_time_on() -> None:
    frozen = Frozen()
    body = b"word " * 1000
    frozen.put(("a",), no_headers, answer(body), text=True)
    asked = asking(accept_encoding="gzip, br")
    assert frozen.get(("a",), asked).body == body
    packed = frozen.get(("a",), asked)
    assert gzip.decompress(packed.body) == body
    assert dict(packed.headers) == {"Content-Type": "text/html", "Content-Encoding": "gzip", "Vary": "Accept-Encoding"}
    assert frozen.get(("a",), no_headers).body == body


def test_small_or_encoded_answers_are_not_packed() -> None:
    frozen = Frozen()
    asked = asking(accept_encoding="gzip")
    frozen.put(("small",), no_headers, answer(b"word"), text=True)
    frozen.put(("packed",), no_headers, answer(bytes(5000), [("Content-Encoding", "br")]), text=True)
    for name in ("small", "packed"):
        for _ in range(3):
            assert "gzip" not in dict(frozen.get((name,), asked).headers).values()


def test_the_head_is_complete_and_dated() -> None:
    frozen = Frozen()
    frozen.put(("a",), no_headers, answer(b"four", [*HTML, ("Date", "then"), ("Content-Length", "9")]), text=False)
    head = frozen.head(frozen.get(("a",), no_headers)).decode()
    lines = head.split("\r\n")
    assert lines[:3] == ["HTTP/1.1 200 OK", "Content-Length: 4", "Content-Type: text/html"]
    assert lines[3].startswith("Date: ") and lines[3].endswith("GMT") and "then" not in head
    assert head.endswith("\r\n\r\n")
