import sqlite3
import threading
import time
from pathlib import Path

import pytest

from environments.runtime import sessions
from environments.runtime.sessions import DEFAULT, Refused, Seed, Session, Sessions

SQL = "CREATE TABLE t(id INTEGER PRIMARY KEY, a); INSERT INTO t(a) VALUES ('seed')"


@pytest.fixture
def seed(tmp_path: Path) -> Seed:
    (tmp_path / "seed.sql").write_text(SQL)
    site = sqlite3.connect(tmp_path / "site.db")
    site.execute("CREATE TABLE answer(a)")
    site.execute("INSERT INTO answer VALUES ('recorded')")
    site.commit()
    site.close()
    return Seed.of(tmp_path, 1000.0)


@pytest.fixture
def every(seed: Seed):
    made = Sessions(seed)
    yield made
    made.close()


def write(session: Session, value: str) -> None:
    with session.turn():
        sessions.connect().execute("INSERT INTO t(a) VALUES (?)", (value,))


def rows(session: Session) -> list[str]:
    with session.turn():
        return [row[0] for row in sessions.connect().execute("SELECT a FROM t ORDER BY id")]


def test_a_reset_brings_the_seed_back_and_proves_it(every: Sessions, seed: Seed) -> None:
    session = every.get(None)
    write(session, "mine")
    assert session.state() != seed.digest
    proof = session.reset()
    assert (proof["session"], proof["seed"], proof["state"]) == (DEFAULT, seed.digest, seed.digest)
    assert rows(session) == ["seed"]


def test_the_state_is_read_from_the_database_not_assumed(every: Sessions, seed: Seed) -> None:
    session = every.get(None)
    session.connection()
    session._load = lambda image: None  # type: ignore[method-assign]  # a reset that does nothing
    write(session, "still here")
    proof = session.reset()
    assert proof["state"] != proof["seed"]


def test_a_reset_goes_through_while_somebody_holds_a_cursor(every: Sessions, seed: Seed) -> None:
    session = every.get(None)
    write(session, "mine")
    cursor = session.connection().execute("SELECT a FROM t")
    cursor.fetchone()
    assert session.reset()["state"] == seed.digest
    assert rows(session) == ["seed"]
    with pytest.raises(sqlite3.ProgrammingError):
        cursor.fetchone()


def test_ddl_and_pragmas_are_undone(every: Sessions, seed: Seed) -> None:
    session = every.get(None)
    with session.turn():
        connection = sessions.connect()
        connection.execute("CREATE TABLE u(a)")
        connection.execute("DROP TABLE t")
        connection.execute("PRAGMA user_version = 9")
    assert session.reset()["state"] == seed.digest
    assert rows(session) == ["seed"]


def test_sessions_do_not_see_each_other(every: Sessions) -> None:
    first, second = every.create(), every.create("mine")
    assert [first.name, second.name] == ["s1", "mine"]
    write(first, "one")
    write(second, "two")
    assert (rows(first), rows(second), rows(every.get(None))) == (["seed", "one"], ["seed", "two"], ["seed"])


def test_recorded_answers_can_be_read_and_not_written(every: Sessions) -> None:
    session = every.get(None)
    with session.turn():
        assert sessions.connect().execute("SELECT a FROM site.answer").fetchone() == ("recorded",)
    with pytest.raises(sqlite3.OperationalError, match="readonly"), session.turn():
        sessions.connect().execute("DELETE FROM site.answer")


def test_what_was_not_committed_is_kept_unless_the_request_failed(every: Sessions) -> None:
    session = every.get(None)
    write(session, "kept")
    with pytest.raises(KeyError), session.turn():
        sessions.connect().execute("INSERT INTO t(a) VALUES ('undone')")
        raise KeyError
    assert rows(session) == ["seed", "kept"]


def test_a_snapshot_is_restored_after_a_reset_and_named_once(every: Sessions) -> None:
    session = every.get(None)
    write(session, "before")
    session.clock.set(5000.0)
    name = session.snapshot()
    before = session.state()
    session.reset()
    assert session.restore(name) == before
    assert rows(session) == ["seed", "before"]
    assert session.clock.now() == pytest.approx(5000, abs=5)
    assert session.snapshot() != name
    with pytest.raises(Refused, match="no snapshot"):
        session.restore("n99")


def test_a_fork_starts_at_the_present_state(every: Sessions) -> None:
    session = every.get(None)
    write(session, "shared")
    fork = every.create(like=session)
    write(session, "later")
    assert rows(fork) == ["seed", "shared"]
    assert fork.reset()["state"] == session.seed.digest


def test_names_and_deletions_are_checked(every: Sessions) -> None:
    every.create("once")
    for name, status in (("once", 409), ("Not A Label", 400), ("-a", 400), ("a" * 64, 400)):
        with pytest.raises(Refused) as refused:
            every.create(name)
        assert refused.value.status == status
    every.delete("once")
    assert every.find("once") is None
    with pytest.raises(Refused, match="default"):
        every.delete(DEFAULT)
    with pytest.raises(Refused) as refused:
        every.get("once")
    assert refused.value.status == 404


def test_one_request_at_a_time(every: Sessions) -> None:
    session = every.get(None)
    order: list[str] = []

    def slow() -> None:
        with session.turn():
            order.append("in")
            time.sleep(0.05)
            order.append("out")

    threads = [threading.Thread(target=slow) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert order == ["in", "out"] * 4


def test_a_session_nobody_visits_opens_no_database(every: Sessions, seed: Seed) -> None:
    session = every.create()
    assert session.state() == seed.digest
    assert session.changes() == 0
    assert session._connection is None


def test_the_event_log_forgets_the_oldest_and_goes_on_counting(
    every: Sessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = every.get(None)
    for number in range(sessions.EVENTS_KEPT + 5):
        session.note("GET", f"https://shop.example/{number}", 200, 1.0, number % 2)
    assert (len(session.events), session.events[0].number) == (sessions.EVENTS_KEPT, 6)
    assert (session.requests, session.writes) == (sessions.EVENTS_KEPT + 5, (sessions.EVENTS_KEPT + 5) // 2)


def test_a_mirror_without_a_seed_has_an_empty_one(tmp_path: Path) -> None:
    session = Session("x", Seed.of(tmp_path, 0.0))
    assert session.reset()["state"] == Seed.of(tmp_path, 0.0).digest
    session.close()
