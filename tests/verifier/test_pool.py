"""Workers that hang or die cost their own unit and no other."""

import socket
import threading
import time

import pytest

from artifacts.report import Fault
from artifacts.run import Lens
from artifacts.store import Store
from tests.verifier.test_case import page_state
from verifier.pool import Pool
from verifier.units import NoiseUnit, Setup, StateUnit

pytestmark = pytest.mark.browser


def setup(store, address="http://127.0.0.1:1/"):
    return Setup(
        store=store.root, site="https://shop.example", address=address, lens=Lens(), control=None, token="",
        own_session=False, secrets={}, volatile=(),
    )  # fmt: skip


@pytest.fixture
def silent():
    """A port that takes connections and never says a word."""
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    listening.listen()
    taken = []

    def take():
        while True:
            try:
                taken.append(listening.accept())
            except OSError:
                return

    thread = threading.Thread(target=take, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{listening.getsockname()[1]}/"
    listening.shutdown(socket.SHUT_RDWR)
    listening.close()
    thread.join()
    for connection, _ in taken:
        connection.close()


def test_a_worker_that_hangs_is_ended_and_the_next_unit_is_done(tmp_path, silent, monkeypatch):
    monkeypatch.setattr("verifier.units.SECONDS_EACH", 8.0)
    store = Store(tmp_path)
    state = page_state(text=store.put(b"same"), full_page=store.put(b"png"), axtree=store.put_json([]))
    heard = []
    began = time.monotonic()
    with Pool(setup(store, silent), 1) as pool:
        outcomes = pool.do(
            [StateUnit(state, "open", None), NoiseUnit(state, state)],
            deadline=float("inf"),
            done=lambda unit, outcome: heard.append(outcome.missed) or True,
        )
    assert time.monotonic() - began < 60
    assert outcomes[0].missed == "the look did not end"
    assert (outcomes[0].troubles[0].fault, outcomes[0].troubles[0].decides) == (Fault.VERIFIER, False)
    assert outcomes[1].noise.ssim == outcomes[1].noise.text_f1 == 1
    assert heard == ["the look did not end", ""]


def test_a_unit_that_kills_its_worker_fails_alone(tmp_path):
    store = Store(tmp_path)
    good = page_state(text=store.put(b"same"), full_page=store.put(b"png"), axtree=store.put_json([]))
    broken = good.replaced(full_page=store.put(b"no picture at all"))
    with Pool(setup(store), 1) as pool:
        outcomes = pool.do(
            [NoiseUnit(good, broken), NoiseUnit(good, good)], deadline=float("inf"), done=lambda *_: True
        )
    assert "the worker ended" in outcomes[0].missed
    assert outcomes[1].noise is not None


def test_a_blob_that_is_not_there_is_told_as_damage(tmp_path):
    lost = page_state(text="1" * 64, full_page="2" * 64)
    with Pool(setup(Store(tmp_path)), 1) as pool:
        (outcome,) = pool.do([NoiseUnit(lost, lost)], deadline=float("inf"), done=lambda *_: True)
    assert outcome.damage is not None and "no blob" in outcome.damage[0]


def test_nothing_is_begun_after_the_deadline_or_once_told_to_stop(tmp_path):
    store = Store(tmp_path)
    state = page_state(text=store.put(b"same"), full_page=store.put(b"png"), axtree=store.put_json([]))
    unit = NoiseUnit(state, state)
    with Pool(setup(store), 1) as pool:
        late = pool.do([unit], deadline=time.monotonic() - 1, done=lambda *_: True)
        stopped = pool.do([unit, unit, unit], deadline=float("inf"), done=lambda *_: False)
    assert [outcome.missed for outcome in late] == ["the time allowed was over"]
    assert [outcome.missed for outcome in stopped] == ["", *["the candidate stopped answering"] * 2]
