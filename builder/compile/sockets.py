"""What was said over WebSockets, conversation by conversation. Pure."""

import json
import re
from collections.abc import Iterable
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from artifacts.evidence import Exchange
from builder.compile import keys
from builder.compile.recordings import Read, header

SCHEMES = {"ws": "http", "wss": "https"}
_CONTINUES = re.compile(r"continues exchange (\d+)")


class Talk(NamedTuple):
    """One conversation: where it was held, and its messages in order."""

    host: str
    path: str
    query: str
    protocol: str
    """The subprotocol that the site chose; empty if none."""
    messages: tuple[dict[str, Any], ...]


def talks(exchanges: Iterable[Exchange], read: Read) -> tuple[Talk, ...]:
    """Every conversation that began, those that said nothing too. Stretches of one conversation are joined."""
    found: dict[int, Talk] = {}
    for exchange in sorted(exchanges, key=lambda exchange: exchange.order):
        parts = urlsplit(exchange.url)
        if parts.scheme not in SCHEMES or exchange.status != 101:
            continue
        messages = _messages(exchange, read)
        earlier = _CONTINUES.search(exchange.note)
        if earlier and (begun := found.get(int(earlier[1]))):
            found[int(earlier[1])] = begun._replace(messages=(*begun.messages, *messages))
            continue
        found[exchange.order] = Talk(
            keys.origin_of(SCHEMES[parts.scheme], parts.hostname or "", parts.port),
            keys.path_of(parts.path),
            keys.query_of(keys.pairs_of(parts.query)),
            header(exchange.response_headers, "sec-websocket-protocol"),
            messages,
        )
    return tuple(found.values())


def _messages(exchange: Exchange, read: Read) -> tuple[dict[str, Any], ...]:
    lines = read(exchange.messages).splitlines() if exchange.messages else []
    return tuple(json.loads(line) for line in lines if line)
