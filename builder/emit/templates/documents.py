"""Answers in JSON that nobody recorded, made of the rows they show: other pages, filters, one thing by its name."""

import json
import re
import sqlite3
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import documentanswer
import jsontext
import keys
import listanswer
import respond
import wording
from documentanswer import Pairs
from flask import Response, request
from jinja2 import Environment
from listquery import ListQuery, query_of

FOLDER = Path(__file__).with_name("apis")
ENVIRONMENT = Environment(autoescape=False)


class Endpoint(NamedTuple):
    """What answers requests of one kind."""

    plain: dict[str, Any]
    query: ListQuery | None


def endpoints() -> Iterator[Endpoint]:
    """Every endpoint, as its files say."""
    for path in sorted(FOLDER.glob("*.json")):
        if not path.name.endswith(".query.json"):
            query = path.with_suffix(".query.json")
            known = query_of(query.read_text(encoding="utf-8")) if query.exists() else None
            yield Endpoint(json.loads(path.read_text(encoding="utf-8")), known)


ENDPOINTS = tuple(endpoints())


def answer(
    database: sqlite3.Connection, host: int, method: str, path: str, leaves: Mapping[str, str]
) -> Response | None:
    """The answer to the current request; None if no endpoint is for it, or not all of it is known."""
    asked = "GET" if method == "HEAD" else method
    sent = keys.sent_pairs(request.query_string.decode("latin-1"))
    apart = documentanswer.taken_apart(sent, leaves)
    for one in ENDPOINTS if apart else ():
        plain, (fixed, pairs) = one.plain, apart or ((), ())
        is_here = plain["host"] == host and plain["method"] == asked
        if not is_here or not re.fullmatch(listanswer.pattern(plain["path"]), path):
            continue
        if [list(pair) for pair in fixed] != plain["fixed"]:
            continue
        made = documentanswer.answer(database, plain, one.query, path, pairs, evaluated)
        if made is not None:
            return written(database, made)
    return None


def evaluated(path: str, pairs: Pairs, numbers: Mapping[str, int], expression: str) -> Any:
    """What an expression is worth for a request."""
    return ENVIRONMENT.compile_expression(expression)(**wording.context(path, pairs, {}, **numbers))


def written(database: sqlite3.Connection, made: documentanswer.Made) -> Response:
    """The answer as the site writes it, with the headers of a recorded one but those that say more of that."""
    text = jsontext.written(made.value, jsontext.Style(**made.view["style"]))
    found = respond.like(database, made.view["like"], text.encode("utf-8", "surrogatepass"))
    for name in made.view["left_out"]:
        found.headers.pop(name, None)
    for name, _ in made.view["headers"]:
        found.headers.pop(name, None)
    for name, value in made.headers:
        found.headers[name] = value
    return found
