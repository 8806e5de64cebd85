"""Speaking over a WebSocket as the site did: what it said first, and what it said to each message.

A message that nobody sent when this was recorded is answered like the one most like it, with the
words that differ put into the answer where the recorded ones stood.
"""

import json
import re
import sqlite3
import time
from base64 import b64decode
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import keys
from flask import Response, request
from simple_websocket import ConnectionClosed, Server  # type: ignore[import-untyped]

LONGEST_GAP = 2.0
"""Seconds of silence between two messages at most, however long it was when recorded."""
SHORTEST_WORD = 3
"""Characters of a word that is put into an answer wherever it stands, and not only by itself."""
Message = dict[str, Any]


class Said(NamedTuple):
    """What the page said once, and what the site said until the page spoke again."""

    message: Message
    replies: list[Message]


def is_asked_for() -> bool:
    """Whether the current request wants to speak rather than be answered."""
    return request.headers.get("Upgrade", "").lower() == "websocket"


def answer(database: sqlite3.Connection, host: int, path: str, query: str) -> Response:
    """A conversation, held while the response is sent; 404 where nobody ever spoke."""
    rows = database.execute(
        "SELECT protocol, messages FROM site.talk WHERE host = ? AND path = ?"
        " ORDER BY query <> ?, id",
        (host, path, query),
    ).fetchall()
    if not rows:
        return Response(status=404)
    talks = [json.loads(messages) for _, messages in rows]
    environ = dict(request.environ)
    return Response(speak(environ, rows[0][0], talks))


def speak(environ: dict[str, Any], protocol: str, talks: list[list[Message]]) -> Iterator[bytes]:
    """Hold one conversation to its end. Nothing is left to be sent afterwards."""
    out: Callable[[str], str] = environ.get("mirror.said_out", str)
    heard: Callable[[str], str] = environ.get("mirror.said_in", str)
    socket = Server.accept(environ, subprotocols=[protocol] if protocol else None)
    first = talks[0]
    due = scheduled(first[: next_client(first, 0)], 0.0)
    turns = [turn for talk in talks for turn in turns_of(talk)]
    used: dict[int, int] = {}
    try:
        while True:
            wait = max(due[0][0] - time.monotonic(), 0.0) if due else None
            said = socket.receive(timeout=wait) if wait != 0.0 else None
            if said is not None:
                text = heard(said) if isinstance(said, str) else said
                due = sorted([*due, *reply(text, turns, used)], key=lambda item: item[0])
            while due and due[0][0] <= time.monotonic():
                message = due.pop(0)[1]
                if "close" in message:
                    socket.close(message["close"] if message["close"] >= 1000 else 1000)
                    return
                if "text" in message:
                    socket.send(out(message["text"]))
                else:
                    socket.send(b64decode(message["base64"]))
    except ConnectionClosed:
        return
    yield b""


def next_client(talk: Sequence[Message], start: int) -> int:
    """The place of the page's next message; the end if it said nothing more."""
    for place in range(start, len(talk)):
        if talk[place]["from"] == "client":
            return place
    return len(talk)


def turns_of(talk: Sequence[Message]) -> list[Said]:
    """Everything the page said in a conversation, with what followed it."""
    found = []
    place = next_client(talk, 0)
    while place < len(talk):
        end = next_client(talk, place + 1)
        found.append(Said(talk[place], list(talk[place + 1 : end])))
        place = end
    return found


def scheduled(messages: Sequence[Message], since: float) -> list[tuple[float, Message]]:
    """Messages with the moment each is due, counted from now; long silences are cut short."""
    at, before = time.monotonic(), since
    found = []
    for message in messages:
        at += min(max(float(message["at_ms"]) - before, 0.0) / 1000, LONGEST_GAP)
        before = float(message["at_ms"])
        found.append((at, message))
    return found


def reply(
    said: str | bytes, turns: Sequence[Said], used: dict[int, int]
) -> list[tuple[float, Message]]:
    """What is to be sent to a message: as recorded for it, else for the one most like it."""
    ranked = sorted(
        (-likeness(turn.message, said), used.get(number, 0), number)
        for number, turn in enumerate(turns)
    )
    if not ranked or ranked[0][0] == 0:
        return []
    number = ranked[0][2]
    used[number] = used.get(number, 0) + 1
    turn = turns[number]
    changed = replacements(turn.message, said)
    replies = [
        {**message, "text": rewritten(message["text"], changed)} if "text" in message else message
        for message in turn.replies
    ]
    return scheduled(replies, float(turn.message["at_ms"]))


def leaves(text: str) -> dict[str, str]:
    """The values in a message, by their paths."""
    return keys.leaves_of("", text.encode())


def likeness(recorded: Message, said: str | bytes) -> float:
    """1 for the same message, less for one of the same shape, 0 for another kind of message."""
    if isinstance(said, bytes):
        return 1.0 if b64decode(recorded.get("base64", "")) == said else 0.0
    if "text" not in recorded:
        return 0.0
    if recorded["text"] == said:
        return 1.0
    mine, theirs = leaves(recorded["text"]), leaves(said)
    if mine.keys() != theirs.keys() or not mine:
        return 0.0
    equal = sum(mine[path] == theirs[path] for path in mine)
    differing = [mine[path].removeprefix("=") for path in mine if mine[path] != theirs[path]]
    chance = sum(map(keys.is_restless, differing))
    return 0.1 + 0.8 * (equal + 0.9 * chance) / len(mine)


def replacements(recorded: Message, said: str | bytes) -> list[tuple[str, str]]:
    """The values that differ, recorded and said; the longest first."""
    if isinstance(said, bytes) or "text" not in recorded:
        return []
    mine, theirs = leaves(recorded["text"]), leaves(said)
    pairs = {
        (mine[path].removeprefix("="), theirs[path].removeprefix("="))
        for path in mine.keys() & theirs.keys()
        if mine[path] != theirs[path]
    }
    return sorted((pair for pair in pairs if pair[0]), key=lambda pair: -len(pair[0]))


def rewritten(text: str, changed: Sequence[tuple[str, str]]) -> str:
    """An answer with the recorded words exchanged, also where it shouts or whispers them."""
    of_json = text.lstrip()[:1] in ("{", "[")
    for old, new in changed:
        for form in (str, str.upper, str.lower):
            before, after = form(old), form(new)
            if of_json:
                before, after = json.dumps(before)[1:-1], json.dumps(after)[1:-1]
            pattern = re.escape(before)
            if len(before) < SHORTEST_WORD:
                pattern = rf"(?<!\w){pattern}(?!\w)"
            text, count = re.subn(pattern, after.replace("\\", r"\\"), text)
            if count:
                break
    return text
