"""The rows of a table as the evidence of lists sees them: which meet a condition, what a column is worth. Pure."""

import math
from collections.abc import Iterable, Mapping

from builder.induce import words
from builder.induce.listanswer import condition, found_by
from builder.induce.listing import Table
from builder.induce.listquery import Condition, ListQuery, Search
from builder.induce.scores import Sql, companion, needles, quoted
from builder.induce.tables import columns_of, filled

Keys = frozenset[str]


class RowSets:
    """A table in memory, asked by the same code that serves. Columns are made as they are asked for."""

    def __init__(self, table: Table, shown: Iterable[str]) -> None:
        """Rows that lists showed and the table lacks are rows too, without columns."""
        unknown = {key: dict[str, str]() for key in shown if key not in table.rows}
        self.table = Table(table.name, {**table.rows, **unknown}, table.links)
        names = columns_of(self.table)
        self.rows: dict[str, Mapping[str, str]] = {
            key: {names[name]: text for name, text in row.items()} for key, row in self.table.rows.items()
        }
        self.keys: Keys = frozenset(self.rows)
        self.columns = tuple(names.values())
        self.captured = {name: captured for captured, name in names.items()}
        self.database = filled(self.table, ())
        self.latent: dict[str, list[Condition]] = {}
        """Parameter -> what was found of it by merely seeing which rows it leaves."""
        self.seen: dict[str, Keys] = {}
        """Lists that are looked up: name -> rows."""
        self._worth: dict[tuple[str, str], dict[str, words.Value]] = {}
        self._sets: dict[tuple[Condition, str], Keys | None] = {}
        self._found: dict[tuple[Search, str], Keys | None] = {}

    def close(self) -> None:
        """Let go of the database."""
        self.database.close()

    def worth(self, column: str, kind: str) -> dict[str, words.Value]:
        """What each row's column is worth under a way of comparing: key -> value; "key" is a column too."""
        found = self._worth.get((column, kind))
        if found is None:
            cells = ((key, key if column == "key" else row.get(column)) for key, row in self.rows.items())
            found = {key: words.typed(kind, text) for key, text in cells}
            self._worth[column, kind] = found
            if kind != "text":
                name, table = quoted(companion(column, kind)), quoted(self.table.name)
                self.database.execute(f"ALTER TABLE {table} ADD COLUMN {name}")
                pairs = [(value, key) for key, value in found.items() if value is not None]
                self.database.executemany(f"UPDATE {table} SET {name} = ? WHERE key = ?", pairs)
        return found

    def having(self, test: Condition, value: str) -> Keys | None:
        """The rows that one value of a test leaves; None if its effect is not known."""
        if (test, value) not in self._sets:
            if test.column:
                self.worth(test.column, test.kind)
            self._sets[test, value] = self._select(condition(self.database, self.table.name, test, value))
        return self._sets[test, value]

    def remember(self, name: str, keys: Keys) -> None:
        """Take a list that was seen into the database; conditions of the kind "seen" find it by its name."""
        self.seen[name] = keys
        pairs: list[tuple[str, str | None]] = [(name, key) for key in sorted(keys)] or [(name, None)]
        sql = f"INSERT OR IGNORE INTO {quoted(self.table.name + ':seen')} VALUES (?, ?)"
        self.database.executemany(sql, pairs)
        self._sets.clear()

    def searched(self, search: Search, text: str) -> Keys | None:
        """The rows that a search finds; None if nobody knows."""
        if (search, text) not in self._found:
            for column in search.columns:
                self.worth(column, needles(search, "")[0])
            query = ListQuery("", self.table.name, searches=(search,))
            self._found[search, text] = self._select(found_by(query, search, text))
        return self._found[search, text]

    def _select(self, chosen: Sql | None) -> Keys | None:
        if chosen is None:
            return None
        sql = f"SELECT key FROM {quoted(self.table.name)} WHERE {chosen.text or '1'}"
        return frozenset(str(row[0]) for row in self.database.execute(sql, chosen.values))

    def bits(self, kept: Keys, rows: Iterable[str]) -> float:
        """How surprising it is that all these rows are among the kept ones: log2 of one over the chance."""
        share = len(kept) / max(len(self.keys), 1)
        return -math.log2(share) * len(set(rows)) if share else 0.0
