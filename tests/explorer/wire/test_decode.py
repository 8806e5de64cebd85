"""Content codings, whole, broken, several at once, and too large."""

import gzip
import sys
import zlib

import brotli
import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.wire.decode import TooLargeError, UndecodableError, decode, decoder_of

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

ENCODERS = {
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": lambda data: brotli.compress(data, quality=4),
    "zstd": zstd.compress,
}


@given(st.binary(max_size=5000), st.lists(st.sampled_from(sorted(ENCODERS)), max_size=3))
def test_what_was_encoded_comes_back(body: bytes, codings: list[str]) -> None:
    encoded = body
    for coding in codings:
        encoded = ENCODERS[coding](encoded)
    if encoded:
        assert decode(encoded, ", ".join(codings)) == body


@given(st.lists(st.binary(max_size=300), min_size=1, max_size=4))
def test_several_frames_are_one_body(parts: list[bytes]) -> None:
    for coding in ("gzip", "zstd"):
        encoded = b"".join(ENCODERS[coding](part) for part in parts)
        assert decode(encoded, coding) == b"".join(parts)


@given(st.binary(min_size=1, max_size=200), st.sampled_from([*sorted(ENCODERS), "compress", "dcb"]))
def test_anything_else_is_undecodable_or_decoded(body: bytes, coding: str) -> None:
    try:
        decode(body, coding)
    except UndecodableError as error:
        assert str(error)


def test_raw_deflate_is_accepted_as_browsers_do() -> None:
    assert decode(zlib.compress(b"hello" * 99)[2:-4], "deflate") == b"hello" * 99


@pytest.mark.parametrize("coding", sorted(ENCODERS))
def test_a_cut_body_gives_what_could_be_read(coding: str) -> None:
    text = b"".join(b"line %d\n" % number for number in range(200_000))
    encoded = ENCODERS[coding](text)
    got = decode(encoded[: len(encoded) // 2], coding)
    assert text.startswith(got) and len(got) > 1000


@pytest.mark.parametrize("coding", sorted(ENCODERS))
def test_a_bomb_is_stopped_at_the_limit(coding: str) -> None:
    bomb = ENCODERS[coding](bytes(3_000_000))
    assert decode(bomb, coding, limit=3_000_000) == bytes(3_000_000)
    with pytest.raises(TooLargeError):
        decode(bomb, coding, limit=2_999_999)


@pytest.mark.parametrize("coding", sorted(ENCODERS))
def test_a_stream_is_decoded_as_it_comes(coding: str) -> None:
    text = bytes(range(256)) * 50
    encoded = ENCODERS[coding](text)
    decoder = decoder_of(coding)
    assert b"".join(decoder(encoded[at : at + 100]) for at in range(0, len(encoded), 100)) == text
