"""Streams cut into messages, whatever way their bytes arrived."""

import json
import zlib

from hypothesis import given
from hypothesis import strategies as st

from explorer.wire.streams import Chunk, chunk_messages, event_messages, frame_messages, message_lines

EVENTS = ["data: one", "id: 2\ndata: two\ndata: more", ": comment", "event: end\ndata: {}"]


@given(st.lists(st.integers(1, 60), max_size=30), st.sampled_from(["\n\n", "\r\n\r\n"]))
def test_events_do_not_depend_on_how_the_bytes_came(cuts: list[int], gap: str) -> None:
    stream = "".join(event + gap for event in EVENTS).encode()
    chunks, at = [], 0
    for number, cut in enumerate([*cuts, len(stream)]):
        size = min(cut, len(stream) - at)
        if size:
            chunks.append(Chunk(float(number), size))
        at += size
    messages = list(event_messages(chunks, stream))
    assert [message["text"] for message in messages] == EVENTS
    times = [message["at_ms"] for message in messages]
    assert times == sorted(times)


def test_an_unfinished_event_is_left_out() -> None:
    assert list(event_messages([], b"")) == []
    assert list(event_messages([Chunk(1, 7)], b"data: 1")) == []


def test_a_coded_stream_is_decoded_piece_by_piece() -> None:
    coder = zlib.compressobj(wbits=31)
    pieces = [coder.compress(f"data: {n}\n\n".encode()) + coder.flush(zlib.Z_SYNC_FLUSH) for n in range(3)]
    chunks = [Chunk(float(number), len(piece)) for number, piece in enumerate(pieces)]
    messages = list(event_messages(chunks, b"".join(pieces), "gzip"))
    assert [(message["at_ms"], message["text"]) for message in messages] == [
        (0.0, "data: 0"), (1.0, "data: 1"), (2.0, "data: 2"),
    ]  # fmt: skip
    assert list(event_messages(chunks, b"".join(pieces), "unheard-of")) == []


def test_frames_and_chunks_are_text_or_base64() -> None:
    frames = [Chunk(0, 2, "client"), Chunk(1, 2, "server", False)]
    assert [sorted(message) for message in frame_messages(frames, b"hi\xff\xfe")] == [
        ["at_ms", "from", "text"], ["at_ms", "base64", "from"],
    ]  # fmt: skip
    assert [sorted(message)[1] for message in chunk_messages([Chunk(0, 2), Chunk(1, 2)], b"hi\xff\xfe")] == [
        "from",
        "base64",
    ]


def test_lines_are_json() -> None:
    lines = message_lines(frame_messages([Chunk(0, 3, "client"), Chunk(1, 3)], "ä1€".encode()))
    assert len([json.loads(line) for line in lines.splitlines()]) == 2
