"""A mirror speaks over WebSockets as the site did, through the port that people and agents use."""

import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest
from simple_websocket import Client, ConnectionClosed

from environments.serving import serving
from tests.builder.world import World


def said(at_ms: float, who: str, **what: Any) -> dict[str, Any]:
    return {"at_ms": at_ms, "from": who, **what}


TALK = [
    said(1, "server", text='{"type":"welcome","site":"https://shop.test/a"}'),
    said(5, "client", text='{"type":"say","text":"good morning","id":"9f86d081884c7d659a2feaa0c55ad015"}'),
    said(6, "server", text='{"type":"said","text":"GOOD MORNING","id":"9f86d081884c7d659a2feaa0c55ad015"}'),
    said(9, "client", text="ping"),
    said(10, "server", text="pong 1"),
    said(12, "client", text="ping"),
    said(13, "server", text="pong 2"),
    said(20, "client", base64="AQI="),
    said(21, "server", base64="AgE="),
    said(30, "client", text='{"type":"leave","why":"done"}'),
    said(31, "server", text="bye"),
    said(32, "server", close=4001),
]


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("sockets")
    world = World(folder)
    world.page("/", "home")
    world.exchange("GET", "wss://shop.test/chat?room=1", visit="p1", media="", status=101, messages=TALK)
    other = [said(1, "server", text="second room")]
    world.exchange("GET", "wss://shop.test/chat?room=2", visit="p1", media="", status=101, messages=other)
    world.build()
    with serving(folder / "mirror") as served:
        yield served.url.replace("http", "ws")


@pytest.fixture
def chat(url: str) -> Iterator[Client]:
    client = Client.connect(url + "/chat?room=1")
    assert json.loads(client.receive(timeout=30))["type"] == "welcome"
    yield client
    if client.connected:
        client.close()


def test_what_the_site_said_first_comes_first_with_the_sandboxs_addresses(url: str) -> None:
    client = Client.connect(url + "/chat?room=1")
    site = json.loads(client.receive(timeout=30))["site"]  # this client's Host header leaves the port out
    assert (site[:16], site[-2:]) == ("http://127.0.0.1", "/a")
    client.close()


def test_the_query_chooses_among_conversations(url: str) -> None:
    client = Client.connect(url + "/chat?room=2")
    assert client.receive(timeout=30) == "second room"
    client.close()


def test_a_repeated_message_gets_the_later_answers_in_turn(chat: Client) -> None:
    heard = []
    for _ in range(3):
        chat.send("ping")
        heard.append(chat.receive(timeout=30))
    assert heard == ["pong 1", "pong 2", "pong 1"]


def test_words_nobody_said_stand_in_the_answer_as_the_recorded_ones_did(chat: Client) -> None:
    chat.send(json.dumps({"type": "say", "text": "c'est \\d'accord", "id": "3b4a1c0de5f60718293a4b5c6d7e8f90"}))
    heard = json.loads(chat.receive(timeout=30))
    assert heard == {"type": "said", "text": "C'EST \\D'ACCORD", "id": "3b4a1c0de5f60718293a4b5c6d7e8f90"}


def test_bytes_are_answered_by_bytes(chat: Client) -> None:
    chat.send(b"\x01\x02")
    assert chat.receive(timeout=30) == b"\x02\x01"


def test_what_is_like_nothing_that_was_said_is_not_answered(chat: Client) -> None:
    chat.send('{"quite": "another", "kind": 1}')
    assert chat.receive(timeout=0.3) is None


def test_the_site_hangs_up_as_it_did(chat: Client) -> None:
    chat.send('{"type":"leave","why":"done"}')
    assert chat.receive(timeout=30) == "bye"
    with pytest.raises(ConnectionClosed):
        chat.receive(timeout=30)
    assert chat.close_reason == 4001


def test_where_nobody_spoke_there_is_nobody(url: str) -> None:
    upgrade = {
        "Upgrade": "websocket",
        "Connection": "Upgrade",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "AA==",
    }
    request = urllib.request.Request(url.replace("ws", "http", 1) + "/silent", headers=upgrade)
    with pytest.raises(urllib.error.HTTPError, match="404") as refused:
        urllib.request.urlopen(request, timeout=30)
    refused.value.close()
