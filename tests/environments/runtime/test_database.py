import sqlite3
from pathlib import Path

import hypothesis
import hypothesis.strategies as st
import pytest

from environments.runtime import database

SEED = "CREATE TABLE t(id INTEGER PRIMARY KEY, a, b); INSERT INTO t VALUES (1, 'x', NULL), (2, 'y', 2.5);"

VALUES = st.none() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | st.binary() | st.text()


def changed(image: bytes, *statements: str) -> bytes:
    with database.opened(image) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()
        return connection.serialize()


def test_equal_seeds_have_equal_digests_and_any_change_shows() -> None:
    image = database.seed_image(SEED)
    assert database.digest(image) == database.digest(database.seed_image(SEED))
    changes = (
        "UPDATE t SET a = 'z' WHERE id = 1",
        "DELETE FROM t WHERE id = 2",
        "INSERT INTO t VALUES (3, '', '')",
        "UPDATE t SET b = 2 WHERE id = 2",
        "UPDATE t SET b = '2.5' WHERE id = 2",
        "UPDATE t SET a = x'78' WHERE id = 1",
        "CREATE TABLE empty(a)",
        "CREATE INDEX i ON t(a)",
        "PRAGMA user_version = 4",
    )
    digests = {database.digest(changed(image, change)) for change in changes}
    assert len(digests) == len(changes)
    assert database.digest(image) not in digests


def test_free_pages_do_not_count() -> None:
    image = database.seed_image(SEED)
    written = changed(image, "CREATE TABLE big(a)", "INSERT INTO big VALUES (zeroblob(200000))", "DROP TABLE big")
    assert written != image
    assert database.digest(written) == database.digest(image)


@pytest.mark.parametrize(
    "schema",
    [
        "CREATE TABLE t(a TEXT, b TEXT, PRIMARY KEY(a, b)) WITHOUT ROWID; INSERT INTO t VALUES ('1', '2')",
        "CREATE TABLE t(rowid TEXT, _rowid_ TEXT); INSERT INTO t VALUES ('1', '2')",
        "CREATE TABLE t(rowid, _rowid_, oid); INSERT INTO t VALUES (1, 2, 3)",
        'CREATE TABLE "od""d name"("c""ol"); INSERT INTO "od""d name" VALUES (1)',
        "CREATE VIRTUAL TABLE t USING fts5(body); INSERT INTO t VALUES ('words')",
        "CREATE TABLE t(id INTEGER PRIMARY KEY AUTOINCREMENT, a); INSERT INTO t(a) VALUES (1)",
        "CREATE TABLE t(a, b AS (a + 1)); INSERT INTO t VALUES (1)",
        "",
    ],
)
def test_unusual_tables_are_digested_and_compared(schema: str) -> None:
    image = database.seed_image(schema)
    assert database.digest(image) == database.digest(database.seed_image(schema))
    assert database.difference(image, image) == {"tables": {}, "schema": []}
    assert isinstance(database.counts(image), dict)


def test_broken_text_is_digested_and_shown() -> None:
    image = database.seed_image("CREATE TABLE t(a); INSERT INTO t VALUES (CAST(x'ff41' AS TEXT))")
    other = database.seed_image("CREATE TABLE t(a); INSERT INTO t VALUES (CAST(x'fe41' AS TEXT))")
    assert database.digest(image) != database.digest(other)
    assert database.query(image, "SELECT a FROM t")["rows"] == [["?A"]]


@hypothesis.given(st.lists(st.tuples(VALUES, VALUES), max_size=6))
def test_a_database_and_its_copy_have_one_digest(rows: list[tuple[object, object]]) -> None:
    with database.opened(b"") as connection:
        connection.execute("CREATE TABLE t(a, b)")
        try:
            connection.executemany("INSERT INTO t VALUES (?, ?)", rows)
        except UnicodeEncodeError:
            hypothesis.reject()  # a lone surrogate cannot be stored
        connection.commit()
        image = connection.serialize()
    rebuilt = changed(image, "DELETE FROM t") if rows else image
    with database.opened(rebuilt) as connection:
        connection.executemany("INSERT INTO t(rowid, a, b) VALUES (?, ?, ?)", [(n + 1, *r) for n, r in enumerate(rows)])
        connection.commit()
        rebuilt = connection.serialize()
    assert database.digest(rebuilt) == database.digest(image)


def test_the_difference_names_rows_added_removed_and_changed() -> None:
    image = database.seed_image(SEED)
    after = changed(
        image, "DELETE FROM t WHERE id = 1", "UPDATE t SET b = x'00ff' WHERE id = 2", "INSERT INTO t VALUES (3, 'n', 1)"
    )
    assert database.difference(image, after)["tables"]["t"] == {
        "key": ["rowid"],
        "counts": {"added": 1, "removed": 1, "changed": 1},
        "added": [{"id": 3, "a": "n", "b": 1}],
        "removed": [{"id": 1, "a": "x", "b": None}],
        "changed": [{"before": {"id": 2, "a": "y", "b": 2.5}, "after": {"id": 2, "a": "y", "b": {"base64": "AP8="}}}],
    }


def test_the_difference_names_tables_that_came_and_went() -> None:
    image = database.seed_image(SEED)
    after = changed(image, "CREATE TABLE u(a)", "INSERT INTO u VALUES (1)", "DROP TABLE t")
    told = database.difference(image, after)
    assert told["schema"] == ["t", "u"]
    assert {name: table["counts"] for name, table in told["tables"].items()} == {
        "t": {"added": 0, "removed": 2, "changed": 0},
        "u": {"added": 1, "removed": 0, "changed": 0},
    }


@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM t",
        "INSERT INTO t VALUES (9, 9, 9)",
        "CREATE TABLE u(a)",
        "ATTACH 'other.db' AS other",
        "PRAGMA user_version = 1",
        "PRAGMA query_only = 0",
        "SELECT load_extension('x')",
        "SELECT 1; SELECT 2",
        "not sql",
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n",
    ],
)
def test_questions_may_only_read_and_not_for_long(sql: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "SQL_SECONDS", 0.2)
    with pytest.raises(database.QueryError):
        database.query(database.seed_image(SEED), sql)


def test_questions_see_the_recorded_answers_too(tmp_path: Path) -> None:
    site = tmp_path / "a site#1.db"
    connection = sqlite3.connect(site)
    connection.execute("CREATE TABLE answer(a)")
    connection.execute("INSERT INTO answer VALUES (42)")
    connection.commit()
    connection.close()
    answer = database.query(database.seed_image(SEED), "SELECT t.a, answer.a AS n FROM t, site.answer", site=site)
    assert answer == {"columns": ["a", "n"], "rows": [["x", 42], ["y", 42]], "truncated": False}


def test_many_rows_are_cut() -> None:
    counted = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) SELECT i FROM n"
    answer = database.query(database.seed_image(SEED), counted)
    assert (len(answer["rows"]), answer["truncated"]) == (database.SQL_ROWS, True)
