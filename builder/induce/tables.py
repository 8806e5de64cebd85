"""The SQLite tables that list queries are answered from. Pure."""

import json
import sqlite3
from collections.abc import Iterable, Mapping

from builder.induce import words
from builder.induce.listing import Table
from builder.induce.listquery import ListQuery
from builder.induce.scores import SCORES, companion, needles, quoted

Statement = tuple[str, tuple[words.Value | int, ...]]
"""An SQL statement and the values for its question marks."""
_TAKEN = ("key", "rowid", "oid", "_rowid_")


def columns_of(table: Table) -> dict[str, str]:
    """Captured name -> name in SQL, where case does not tell names apart and ":" marks what we add."""
    found: dict[str, str] = {}
    taken = set(_TAKEN)
    for name in sorted({name for columns in table.rows.values() for name in columns}):
        plain = _text(name).replace(":", "_").replace("\0", "") or "column"
        number, unique = 1, plain
        while unique.lower() in taken:
            number += 1
            unique = f"{plain}_{number}"
        taken.add(unique.lower())
        found[name] = unique
    return found


def tables_sql(table: Table, queries: Iterable[ListQuery]) -> tuple[str, tuple[Statement, ...]]:
    """The schema, and the statements that fill it; the same table and queries give the same.

    Tables: the rows with their columns as captured, and beside each column ("price:number") what it is worth where an
    order, a filter or a search needs that; "T:links" the paths that a row leads to; "T:seen", "T:ranks"
    and "T:stretches" what was seen and nothing computes, and "T:totals" how many rows lists are said to have.
    """
    queries = [query for query in queries if query.table == table.name]
    names = columns_of(table)
    extra = sorted({pair for query in queries for pair in companions(query)})
    heads = ["key", *names.values(), *(companion(*pair) for pair in extra)]
    kinds = ["TEXT PRIMARY KEY", *("TEXT" for _ in names), *("REAL" if _is_real(kind) else "TEXT" for _, kind in extra)]
    columns = ", ".join(f"{quoted(head)} {kind}" for head, kind in zip(heads, kinds, strict=True))
    schema = [f"CREATE TABLE {quoted(table.name)} ({columns})", *_latent(table.name)]
    insert = f"INSERT INTO {quoted(table.name)} VALUES ({', '.join('?' * len(heads))})"
    rows: list[Statement] = []
    for key, captured in table.rows.items():
        row = {names[name]: _text(value) for name, value in captured.items()}
        rows.append((insert, (key, *(row.get(name) for name in names.values()), *worth(key, row, extra))))
    rows += _statements(
        f"{table.name}:links", 2, sorted((path, key) for key in table.links for path in table.links[key])
    )
    for query in queries:
        rows += _statements(f"{table.name}:totals", 2, sorted(query.totals))
        runs = [(one.list, json.dumps(one.sort), one.start, int(one.ends), json.dumps(one.keys))
                for one in query.stretches]  # fmt: skip
        rows += _statements(f"{table.name}:stretches", 5, runs)
        seen = [(name, key) for name, keys in query.seen for key in (keys or (None,))]
        rows += _statements(f"{table.name}:seen", 2, seen)
        ranks = [(name, key, place, run) for name, keys in query.ranks for place, (key, run) in enumerate(keys)]
        rows += _statements(f"{table.name}:ranks", 4, ranks)
    return ";\n".join(schema) + ";\n", tuple(rows)


def filled(table: Table, queries: Iterable[ListQuery]) -> sqlite3.Connection:
    """A database in memory with all that the queries read; to be closed by whoever asked for it."""
    return in_memory(*tables_sql(table, queries))


def in_memory(schema: str, statements: Iterable[Statement]) -> sqlite3.Connection:
    """A database in memory with these tables; to be closed by whoever asked for it."""
    database = sqlite3.connect(":memory:")
    write(database, schema, statements)
    return database


def write(database: sqlite3.Connection, schema: str, statements: Iterable[Statement]) -> None:
    """Make tables and fill them, within the transaction that is open if one is."""
    script = ""
    for line in schema.splitlines(keepends=True):
        script += line
        if sqlite3.complete_statement(script):
            database.execute(script)
            script = ""
    for statement, values in statements:
        database.execute(statement, values)


def worth(key: str, row: Mapping[str, str], extra: Iterable[tuple[str, str]]) -> list[words.Value]:
    """What a row's columns are worth, for each column and way of comparing asked for; columns as SQL names them."""
    return [words.typed(kind, key if column == "key" else row.get(column)) for column, kind in extra]


def companions(query: ListQuery) -> set[tuple[str, str]]:
    """The columns and ways of comparing, other than the text itself, that a query looks at."""
    found = {(test.column, test.kind) for test in query.tests if test.column}
    for search in query.searches:
        found |= {(column, needles(search, "")[0]) for column in search.columns}
    for order in query.orders:
        for by in order.by:
            if by.kind in SCORES:
                kind = "stems" if by.kind == "bm25-stems" else "words"
                fields = [by.column] if by.column else [column for one in query.searches for column in one.columns]
                found |= {(column, kind) for column in fields}
            else:
                found.add((by.column, by.kind))
    return {pair for pair in found if pair[1] != "text"}


def _latent(table: str) -> list[str]:
    links, seen, ranks, stretches, totals = (
        quoted(f"{table}:{kind}") for kind in ("links", "seen", "ranks", "stretches", "totals")
    )
    return [
        f"CREATE TABLE {links} (list TEXT NOT NULL, key TEXT NOT NULL, PRIMARY KEY (list, key)) WITHOUT ROWID",
        f"CREATE TABLE {seen} (list TEXT NOT NULL, key TEXT, PRIMARY KEY (list, key))",
        f"CREATE TABLE {ranks} (list TEXT NOT NULL, key TEXT NOT NULL, rank INTEGER NOT NULL, run INTEGER NOT NULL,"
        " PRIMARY KEY (list, key)) WITHOUT ROWID",
        f"CREATE TABLE {stretches} (list TEXT NOT NULL, sort TEXT NOT NULL, start INTEGER NOT NULL,"
        " ends INTEGER NOT NULL, keys TEXT NOT NULL)",
        f"CREATE TABLE {totals} (list TEXT PRIMARY KEY, total INTEGER NOT NULL) WITHOUT ROWID",
    ]


def _statements(table: str, width: int, rows: Iterable[tuple[str | int | None, ...]]) -> list[Statement]:
    insert = f"INSERT OR IGNORE INTO {quoted(table)} VALUES ({', '.join('?' * width)})"
    return [(insert, row) for row in rows]


def _is_real(kind: str) -> bool:
    return kind in ("number", "date", "day-first", "ident")


def _text(text: str) -> str:
    """Text that SQLite takes: half a surrogate pair is no character."""
    return text.encode("utf-8", "backslashreplace").decode()
