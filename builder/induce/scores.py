"""How well rows answer a search, and the columns beside a table's own that tell, as SQL.

Standard library only: a copy of this file is part of every emitted application.
"""

import math
import sqlite3
from collections.abc import Iterable
from typing import NamedTuple

from builder.induce import words
from builder.induce.listquery import Asked, By, ListQuery, Search

Values = list[str | float | None]
SCORES = frozenset(("bm25", "bm25-stems", "hits", "found", "title"))
_K, _B = 1.2, 0.75


class Sql(NamedTuple):
    """A piece of SQL and the values for its question marks."""

    text: str
    values: Values


def needles(search: Search, text: str) -> tuple[str, list[str]]:
    """The kind of companion column that a search looks into, and what it looks for there."""
    if search.match == "literal":
        return "folded", [words.fold(text)] if text.strip() else []
    asked = words.fold(text).split() if search.match == "substring" else words.words(text)
    if search.skips:
        asked = [word for word in asked if word not in words.STOP_WORDS] or asked
    match search.match:
        case "substring":
            return "folded", asked
        case "prefix":
            return "words", [f" {word}" for word in asked]
        case "stem":
            return "stems", [f" {words.stem(word)} " for word in asked]
        case "phrase":
            return "words", ["".join(f" {word} " for word in asked)] if asked else []
        case _:
            return "words", [f" {word} " for word in asked]


def score(database: sqlite3.Connection, query: ListQuery, asked: Asked, by: By) -> Sql:
    """How well a row answers the search, as an SQL expression: the more, the better."""
    search = next((one for one in query.searches if asked.values.get(one.name)), None)
    if search is None:
        return Sql("0", [])
    text = " ".join(asked.values[search.name])
    kind = "stems" if by.kind == "bm25-stems" else "words"
    _, wanted = needles(Search(search.name, (), "stem" if kind == "stems" else "word", skips=search.skips), text)
    columns = [by.column] if by.column else list(search.columns)
    bodies = [f"coalesce({quoted(companion(column, kind))}, '')" for column in columns]
    body = "(" + " || ".join(bodies) + ")"
    count = f"((length({body}) - length(replace({body}, ?, ''))) / length(?))"
    has = f"(instr({body}, ?) > 0)"
    if by.kind == "hits":
        return Sql(" + ".join([count] * len(wanted)) or "0", [one for needle in wanted for one in (needle, needle)])
    if by.kind == "found":
        return Sql(" + ".join([has] * len(wanted)) or "0", list(wanted))
    if by.kind == "title":
        every, some = " AND ".join([has] * len(wanted)) or "0", " OR ".join([has] * len(wanted)) or "0"
        cases = f"CASE WHEN {has} THEN 3 WHEN {every} THEN 2 WHEN {some} THEN 1 ELSE 0 END"
        return Sql(cases, ["".join(wanted), *wanted, *wanted])
    return _bm25(database, query.table, body, count, wanted)


def _bm25(database: sqlite3.Connection, table: str, body: str, count: str, wanted: Iterable[str]) -> Sql:
    """The score that most full-text indexes order by."""
    # every word is written with a space on either side
    length = f"((length({body}) - length(replace({body}, ' ', ''))) / 2.0)"
    rows, mean = database.execute(f"SELECT count(*), avg({length}) FROM {quoted(table)}").fetchone()
    parts: list[str] = []
    values: Values = []
    for needle in wanted:
        sql = f"SELECT count(*) FROM {quoted(table)} WHERE instr({body}, ?)"
        holding = database.execute(sql, [needle]).fetchone()[0]
        weight = math.log(1 + (rows - holding + 0.5) / (holding + 0.5))
        parts.append(f"? * {count} * {_K + 1} / ({count} + {_K} * ({1 - _B} + {_B} * {length} / ?))")
        values += [weight, needle, needle, needle, needle, mean or 1.0]
    return Sql("(" + (" + ".join(parts) or "0") + ")", values)


def companion(column: str, kind: str) -> str:
    """Name of the column that holds what another is worth under a way of comparing."""
    return column if kind == "text" else f"{column}:{kind}"


def quoted(name: str) -> str:
    """A name as SQL writes it."""
    return '"' + name.replace('"', '""') + '"'
