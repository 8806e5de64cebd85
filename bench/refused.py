"""Why a page of a list is not answered: the first thing that is not known, in words that name the parameter."""

import sqlite3
from collections.abc import Mapping

from builder.induce.cutting import cut, listed
from builder.induce.listanswer import condition, order_of, read, where
from builder.induce.listparts import is_part
from builder.induce.listquery import Asked, ListQuery
from builder.induce.pages import Page
from builder.induce.scores import quoted
from builder.induce.site import Induced


def refusal(induced: Induced, databases: Mapping[str, sqlite3.Connection], page: Page) -> str:
    """The reason for which no list of the site answers for a page; `databases` holds each answering list's tables."""
    family = (induced.part_of or {}).get(page.family, page.family)
    one = next((one for one in induced.lists if one.family.name == family and one.family.pages), None)
    if one is None:
        is_open = any(other.name == family for other in induced.open)
        return "no query gives back its captured pages" if is_open else "no list of such addresses was captured"
    query, database = one.query, databases[family]
    asked = read(query, page.path, page.pairs)
    if asked is None:
        known = {parameter.name for parameter in query.parameters}
        strange = [name for name, _ in (*page.pairs, ("", "")) if name not in known]
        return f"parameter {strange[0]} was not seen" if strange[0] else "another kind of address"
    if where(database, query, asked) is None:
        return _unknown_value(database, query, asked)
    name = listed(query.family, asked.path, asked.given)
    if query.whole is not None and not any(is_part(query, whole, asked) for whole in query.whole):
        return _not_seen(database, query, name)
    if order_of(query, asked) is None and asked.sort:
        return "order " + " ".join(f"{name}={value}" for name, value in asked.sort) + " is not known"
    if cut(query.pages, asked, 1_000_000) is None:
        return "a page of that number or size is not known"
    return "which of its rows come first is not known, or how such a page looks"


def _unknown_value(database: sqlite3.Connection, query: ListQuery, asked: Asked) -> str:
    tests = {test.name: test for test in query.tests}
    searches = {search.name for search in query.searches}
    for name, value in asked.given:
        if name not in tests and name not in searches:
            return f"what {name} leaves is not known"
        if name in tests and condition(database, query.table, tests[name], value) is None:
            return f"what this value of {name} leaves is not known"
    return "which rows are there is not known"


def _not_seen(database: sqlite3.Connection, query: ListQuery, name: str) -> str:
    table = quoted(f"{query.table}:stretches")
    seen = database.execute(f"SELECT 1 FROM {table} WHERE list = ? LIMIT 1", [name]).fetchone()
    return "rows missing: another part of the list was seen" if seen else "rows missing: the list was not seen"
