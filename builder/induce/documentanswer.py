"""A JSON answer made of rows: which rows, and how the site writes them and what is around them.

Standard library only: a copy of this file is part of every emitted application, so that what was checked when the
answers were induced is what serves.

Trees are plain lists, what they do first: "value" (JSON text), "object" (key, tree, condition or ""), "array", "text",
"number" and "flag" (an expression), "if" (a condition and a tree, else null), "edge" (a column of the first or last
row), "row" (an address that holds such a column), "base64", "seen" (what was seen for an expression's value), "rows".
"""

import base64
import json
import re
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import quote, unquote

from builder.compile import keys
from builder.induce import listanswer
from builder.induce.jsontext import Number, parsed
from builder.induce.listquery import ListQuery
from builder.induce.scores import quoted

Pairs = tuple[tuple[str, str], ...]
Node = list[Any]
Rows = Sequence[Mapping[str, str]]
"""Of each row, column -> JSON text; empty text for a member that the row does not have."""
Evaluate = Callable[[str, Pairs, Mapping[str, int], str], Any]
"""Path, parameters, numbers of the page, and the expression to work out."""
_OF_PAGES = re.compile(r"\b(pages|first|last)\b")
_PAGING = re.compile(r"(?:page|paging|pagination|pager)(?:\[(\w+)\]|\.(\w+))")
_WRITING = re.compile(r"\s*(#[^\n]*\n\s*)*(mutation|subscription)\b")
ROW = "ROWOFTHISPAGE"
"""Stands in an address where a row is named."""
NAME = "NAMEOFWHATISASKEDFOR"
"""Stands in a text where the site repeats what it does not have."""


class UnknownError(Exception):
    """Nothing known says what stands here."""


class Made(NamedTuple):
    """An answer, not yet written as text."""

    value: Any
    view: Mapping[str, Any]
    headers: Pairs
    keys: tuple[str, ...] = ()


def taken_apart(pairs: Pairs, leaves: Mapping[str, str]) -> tuple[Pairs, Pairs] | None:
    """What of a request is always the same, and its parameters; None for what is no question that repeats.

    A query document is asked with other variables; otherwise the address has all the parameters.

    >>> taken_apart((), {"/query": "query Q($n: Int) {a(n: $n)}", "/variables/n": "=3"})
    ((('/query', 'query Q($n: Int) {a(n: $n)}'),), (('n', '3'),))
    """
    if not leaves:
        sent = dict(pairs)
        if "{" not in sent.get("query", ""):
            return (), pairs
        try:
            given = json.loads(sent.pop("variables", "") or "{}")
        except ValueError:
            return None
        return tuple(sorted(sent.items())), _variables(
            keys.leaves_of("json", json.dumps({"variables": given}).encode())
        )
    document = leaves.get("/query", "")
    if pairs or "{" not in document or _WRITING.match(document):
        return None
    fixed = [(name, value) for name, value in leaves.items() if not name.startswith("/variables")]
    return tuple(sorted(fixed)), _variables(leaves)


def plain_name(name: str) -> str:
    """What a parameter is called that belongs to a group of those that turn pages.

    >>> plain_name("page[offset]"), plain_name("paging.first"), plain_name("filter[kind]")
    ('offset', 'first', 'filter[kind]')
    """
    found = _PAGING.fullmatch(name)
    return found[1] or found[2] if found else name


def _variables(leaves: Mapping[str, str]) -> Pairs:
    found = []
    for name, value in leaves.items():
        if name.startswith("/variables/") and value not in ("=null", "={}", "=[]"):
            plain = re.sub(r"\[\d+\]", "", name.removeprefix("/variables/")).replace("/", ".")
            found.append((plain, value.removeprefix("=")))
    return tuple(found)


def answer(
    database: sqlite3.Connection, api: Mapping[str, Any], query: ListQuery | None, path: str, pairs: Pairs, do: Evaluate
) -> Made | None:
    """The answer of an endpoint to a request; None if anything about it is not known."""
    asked = tuple(pair for pair in pairs if pair[0] not in api["ignored"])
    view, rest = _view(api, asked)
    if view is None or not _is_covered(api, rest):
        return None
    try:
        if query is None:
            return _one(database, api, view, path, pairs, rest, do)
        translated = _translated(database, api, rest)
        is_whole = api["whole_at"] is None or path in api["whole_at"]
        if not is_whole and [path, sorted(map(list, translated))] not in api["listed"]:
            return None
        found = listanswer.answer(database, query, str(api["list"] or path), translated)
        if found is None or (found.page > found.pages and not api["beyond"]):
            return None
        numbers = {
            "page": found.page, "pages": found.pages, "total": found.total, "first": found.first,
            "last": found.last, "size": found.size, "shown": len(found.rows),
        }  # fmt: skip
        rows = rows_of(database, str(api["table"]), found.rows)
        return _made(view, rows, found.rows, path, pairs, numbers, do)
    except UnknownError:
        return None


def _view(api: Mapping[str, Any], pairs: Pairs) -> tuple[Mapping[str, Any] | None, Pairs]:
    """How the answer is written, by the parameters that decide it, and the other parameters."""
    names = api["shaping"]
    asked = [[name, value] for name, value in pairs if name in names]
    rest = tuple(pair for pair in pairs if pair[0] not in names)
    return next((view for view in api["views"] if sorted(asked) in view["asked"]), None), rest


def _is_covered(api: Mapping[str, Any], pairs: Pairs) -> bool:
    """Whether values are among those that were seen, where more could not be learnt from them than what they say."""
    idle: Mapping[str, Sequence[str]] = api["idle"]
    only: Mapping[str, Sequence[str]] = api["only"]
    return all(value in only.get(name, idle.get(plain_name(name), [value])) for name, value in pairs)


def _translated(database: sqlite3.Connection, api: Mapping[str, Any], pairs: Pairs) -> Pairs:
    """The parameters with cursors replaced by the keys of the rows that they name."""
    found = []
    for name, value in pairs:
        column = api["cursors"].get(name)
        if column is not None and value:
            key = key_where(database, str(api["table"]), str(column), value)
            if key is None:
                raise UnknownError(value)
            value = key
        found.append((plain_name(name), value))
    return tuple(found)


def key_where(database: sqlite3.Connection, table: str, column: str, text: str) -> str | None:
    """The key of the one row whose column says this."""
    sql = f"SELECT key FROM {quoted(table)} WHERE {quoted(column)} = ? LIMIT 2"
    found = database.execute(sql, (text,)).fetchall()
    return str(found[0][0]) if len(found) == 1 else None


def rows_of(database: sqlite3.Connection, table: str, keys: Sequence[str]) -> list[dict[str, str]]:
    """What is known of each row as JSON, by column."""
    sql = f"SELECT field, source FROM {quoted(table + ':json')} WHERE key = ?"
    return [dict(database.execute(sql, (key,)).fetchall()) for key in keys]


def _one(
    database: sqlite3.Connection, api: Mapping[str, Any], view: Mapping[str, Any], path: str, pairs: Pairs, rest: Pairs,
    do: Evaluate,
) -> Made | None:  # fmt: skip
    """The object that a piece of the request names, or what the site says where it has no such thing."""
    one = api["one"]
    if sorted([name, value] for name, value in rest if name != one["source"]) not in view["with"]:
        return None
    found = re.fullmatch(listanswer.pattern(str(api["path"])), path)
    pieces = {f"/{number}": unquote(piece) for number, piece in enumerate(found.groups() if found else (), 1)}
    name = (pieces | dict(reversed(pairs))).get(one["source"], "")
    if not name.startswith(one["before"]) or not name.endswith(one["after"]):
        return None
    name = name[len(one["before"]) : len(name) - len(one["after"])]
    key = key_where(database, str(api["table"]), "key", f"{one['key']}={name}") if name else None
    if key is not None:
        made = _made(view, rows_of(database, str(api["table"]), (key,)), (key,), path, pairs, {}, do)
        return made._replace(value=with_name(made.value, NAME, name))
    if api["missing"] is None or not re.fullmatch(one["names"], name):
        return None
    made = _made(api["missing"], (), (), path, pairs, {}, do)
    return made._replace(value=with_name(made.value, NAME, name))


def with_name(value: Any, mark: str, name: str) -> Any:
    """The value with a mark in its texts replaced by what was asked for."""
    match value:
        case dict():
            return {key: with_name(inner, mark, name) for key, inner in value.items()}
        case list():
            return [with_name(inner, mark, name) for inner in value]
        case str() if not isinstance(value, Number):
            return value.replace(mark, name)
        case _:
            return value


def _made(
    view: Mapping[str, Any], rows: Rows, keys: Sequence[str], path: str, pairs: Pairs, numbers: Mapping[str, int],
    do: Evaluate,
) -> Made:  # fmt: skip
    page = _Page(view, rows, keys, numbers, lambda expression: do(path, pairs, numbers, expression))
    headers = []
    for name, node in view["headers"]:
        value = page.value(node)
        if isinstance(value, dict):
            value = ", ".join(f'<{target}>; rel="{rel}"' for rel, target in value.items())
        if value is not None:
            headers.append((str(name), str(value)))
    return Made(page.value(view["frame"]), view, tuple(headers), tuple(keys))


class _Page:
    """One answer as it is made."""

    def __init__(
        self, view: Mapping[str, Any], rows: Rows, keys: Sequence[str], numbers: Mapping[str, int],
        do: Callable[[str], Any],
    ) -> None:  # fmt: skip
        self.view, self.rows, self.keys, self.numbers, self.do = view, rows, keys, numbers, do

    def value(self, node: Node) -> Any:
        """What a tree gives. Raises UnknownError where something it needs is not known."""
        match node:
            case ["value", source]:
                return parsed(source)
            case ["object", members]:
                return {key: self.value(inner) for key, inner, test in members if not test or self.do(test)}
            case ["array", inner]:
                return [self.value(one) for one in inner]
            case ["text" | "number" as kind, expression]:
                if not self.rows and self.view["stays_full"] and _OF_PAGES.search(expression):
                    raise UnknownError(expression)
                return (str if kind == "text" else Number)(self.do(expression))
            case ["flag", expression]:
                return bool(self.do(expression))
            case ["if", expression, inner]:
                return self.value(inner) if self.do(expression) else None
            case ["edge", which, column, kind]:
                text = str(self._edge(which, column))
                return Number(text) if kind == "number" else text
            case ["row", which, column, expression]:
                return str(self.do(expression)).replace(ROW, quote(str(self._edge(which, column)), safe=""))
            case ["base64", inner]:
                return base64.b64encode(str(self.value(inner)).encode()).decode()
            case ["seen", expression, table]:
                found = dict(table).get(str(self.do(expression)))
                if found is None:
                    raise UnknownError(expression)
                return parsed(found)
            case _:
                return self._items()

    def _edge(self, which: int, column: str) -> Any:
        if not self.rows:
            raise UnknownError(column)
        return self._cell(self.rows[which], column)

    def _cell(self, row: Mapping[str, str], column: str) -> Any:
        if not row.get(column):
            raise UnknownError(column)
        return parsed(row[column])

    def _items(self) -> Any:
        items = [self._item(row, number) for number, row in enumerate(self.rows)]
        match self.view["way"]:
            case "one":
                return items[0]
            case "by key":
                return {str(_at(item, self.view["key"])): item for item in items}
            case "arrays":
                return [list(item.values()) for item in items]
            case _:
                return items

    def _item(self, row: Mapping[str, str], number: int) -> Any:
        return self._shaped(self.view["row"], row, number)

    def _shaped(self, node: Node, row: Mapping[str, str], number: int) -> Any:
        match node:
            case ["members", members]:
                found = {}
                for key, inner in members:
                    if inner[0] == "column" and inner[1] not in row:
                        raise UnknownError(inner[1])
                    if inner[0] != "column" or row[inner[1]]:
                        found[key] = self._shaped(inner, row, number)
                return found
            case ["place", before, more, is_encoded, is_number]:
                text = f"{before}{self.numbers['first'] + number + more}"
                text = base64.b64encode(text.encode()).decode() if is_encoded else text
                return Number(text) if is_number else text
            case ["column", column]:
                return self._cell(row, column)
            case ["identity", is_number]:
                name = self.keys[number].partition("=")[2]
                return Number(name) if is_number else name
            case _:
                raise UnknownError(str(node))


def _at(item: Any, place: Sequence[str]) -> Any:
    for key in place:
        item = item[key]
    return item
