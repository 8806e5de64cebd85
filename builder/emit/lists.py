"""lists.py, the queries and the page templates of an emitted application, and the tables they are answered from."""

import json
import sqlite3
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from builder.compile.site import Compiled
from builder.compile.texts import charset_of
from builder.emit.pages import jinja_of
from builder.induce.listquery import text_of
from builder.induce.site import Induced, List, View
from builder.induce.tables import Statement, tables_sql, write

_HEAD = '''"""The lists of {site}: where their rows come from, and how their pages are written."""

from pathlib import Path

from computed import ListPages, View
from listquery import query_of

QUERIES = Path(__file__).with_name("queries")


def pages(name: str, *views: View) -> ListPages:
    """A list, its query read from queries/."""
    return ListPages(query_of((QUERIES / f"{{name}}.json").read_text(encoding="utf-8")), views)
'''


class Named(NamedTuple):
    """A list, under the name of the route that answers for it."""

    name: str
    listed: List


def named_lists(compiled: Compiled) -> tuple[Named, ...]:
    """The lists in order of the routes; the name is also that of the files that belong to it.

    One route answers for several lists where a parameter chooses among them.
    """
    found: dict[List, str] = {}
    taken = {route.name for route in compiled.contract.routes}
    for route in compiled.contract.routes:
        number = 1
        for one in compiled.induced.lists:
            if path_of(one) == compiled.families.get(route.pattern) and one not in found:
                found[one] = route.name if number == 1 else unique(f"{route.name}_list_{number}", taken)
                taken.add(found[one])
                number += 1
    return tuple(Named(name, one) for one, name in found.items())


def path_of(one: List) -> str:
    """The path of a list's addresses, its variable segments starred."""
    return one.family.name.partition("?")[0]


def unique(name: str, taken: Collection[str]) -> str:
    """The name, or the first longer one that is not taken."""
    while name in taken:
        name += "_"
    return name


def list_files(compiled: Compiled) -> dict[str, str]:
    """File name in the application's folder -> text; lists.py is there even where no list is known."""
    lists = named_lists(compiled)
    files: dict[str, str] = {}
    files["lists.py"] = _HEAD.format(site=_plain(compiled.contract.site)) + "".join(
        _list(one, compiled) for one in lists
    )
    for one in lists:
        files[f"queries/{one.name}.json"] = text_of(one.listed.query) + "\n"
        for name, view in _views(one):
            files[f"templates/{name}"] = jinja_of(view.kind.template, view.frame, view.columns, view.fields)
    return files


def _views(one: Named) -> Iterator[tuple[str, View]]:
    """The file of each of a list's views."""
    for number, view in enumerate(one.listed.views):
        yield f"{one.name}{'' if not number else f'_{number + 1}'}.html", view


def _list(one: Named, compiled: Compiled) -> str:
    """A list as it is written in lists.py."""
    query = one.listed.query
    rests_on = f"{query.exact} of {query.checked} captured pages are given back"
    if any(view.fields for view in one.listed.views):
        rests_on = f"inferred, {query.members.because}"
    lines = [
        f"\n\n# {_plain(one.listed.family.name)}: rows of {_plain(query.table)}; {rests_on}\n",
        f"{one.name.upper()} = pages(\n    {json.dumps(one.name)},\n",
    ]
    for name, view in _views(one):
        answer = compiled.answers[int(view.kind.pages[0].name)]
        charset = charset_of(answer.recordings[0])
        paths = "frozenset(" + (f"{_listed(sorted(view.paths))}" if view.paths else "") + ")"
        parsed = "frozenset(" + (_listed(sorted(view.json_columns)) if view.json_columns else "") + ")"
        lines.append(
            f"    View(\n        template={json.dumps(name)},\n        has_rows={view.has_rows},\n"
            f"        paths={paths},\n        anywhere={not view.is_bound},\n"
            f"        like={int(view.kind.pages[0].name)},\n"
            f"        charset={json.dumps(charset)},\n        parsed={parsed},\n"
            + ("        about=True,\n" if view.fields else "")
            + "    ),\n"
        )
    return "".join([*lines, ")\n"])


def _listed(values: Sequence[str]) -> str:
    inner = "".join(f"                {json.dumps(value)},\n" for value in values)
    return f"\n            {{\n{inner}            }}\n        "


def fill_tables(database: sqlite3.Connection, induced: Induced) -> None:
    """Write the tables of every entity that a list is answered from, and what links call pages."""
    database.execute("CREATE TABLE name (path TEXT PRIMARY KEY, text TEXT NOT NULL) WITHOUT ROWID")
    database.executemany("INSERT INTO name VALUES (?, ?)", sorted((induced.names or {}).items()))
    for schema, statements in _tables(induced):
        write(database, schema, statements)


def schema_of(induced: Induced) -> str:
    """The tables as SQL that makes them empty."""
    return "".join(f"{schema}\n" for schema, _ in _tables(induced))


def _tables(induced: Induced) -> Iterator[tuple[str, tuple[Statement, ...]]]:
    for entity in induced.entities:
        queries = [one.query for one in induced.lists if one.family.entity is entity]
        if queries:
            yield tables_sql(entity.table, queries)


def _plain(text: str) -> str:
    return "".join(character for character in text if character.isprintable() and character not in '"\\')[:90]
