"""handlers.py, the templates of parts, and the tables of what visitors' actions make of a site."""

import html
import json
import pprint
import re
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from builder.behave.contents import named_holes
from builder.behave.formulas import english
from builder.behave.learn import Form, Shown
from builder.behave.patches import text_of
from builder.behave.views import Moment, View
from builder.compile.recordings import Recording
from builder.compile.site import Compiled
from builder.induce.naming import unique
from builder.induce.scores import quoted

_HEAD = '''"""What actions do on {site}, as far as it is known beyond the recorded ones.

FORMS: what a request of each form is answered, and what it does to rows. PARTS: what is written into pages
that show those rows. VIEWS: the rows themselves; the session's database has a table for each. What formulas
mean is said in formulas.py, what is done with them in acting.py.
"""

'''
_WORD = re.compile(r"[^a-z0-9]+")
_TABLES = """
-- What handlers keep: who is signed in, what is said once on the next page, whose history is no recorded one.

CREATE TABLE signed_in (visitor INTEGER PRIMARY KEY, user TEXT NOT NULL);
CREATE TABLE message (visitor INTEGER PRIMARY KEY, change TEXT NOT NULL);
CREATE TABLE astray (visitor INTEGER PRIMARY KEY);

-- The pages whose rows are here and no longer those of a fresh visitor.

CREATE TABLE touched (visitor INTEGER NOT NULL, view TEXT NOT NULL, page TEXT NOT NULL,
  PRIMARY KEY (visitor, view, page));
"""
SCHEMA = """
CREATE TABLE pool (name TEXT NOT NULL, column TEXT NOT NULL, value TEXT NOT NULL, row TEXT NOT NULL,
  PRIMARY KEY (name, column, value)) WITHOUT ROWID;
CREATE TABLE start_row (view TEXT NOT NULL, page TEXT NOT NULL, place INTEGER NOT NULL, cells TEXT NOT NULL,
  PRIMARY KEY (view, page, place)) WITHOUT ROWID;
CREATE TABLE part_base (part TEXT NOT NULL, page TEXT NOT NULL, holes TEXT NOT NULL, PRIMARY KEY (part, page))
  WITHOUT ROWID;
CREATE TABLE login (user TEXT PRIMARY KEY, node INTEGER NOT NULL) WITHOUT ROWID;
"""


def tables_of(compiled: Compiled) -> str:
    """The part of seed.sql that holds what handlers keep."""
    out = [_TABLES]
    for view, table, columns in _tabled(compiled):
        cells = "".join(f",\n  {quoted(columns[cell])} TEXT" for cell in view.stored)
        out.append(
            f"\n-- {plain_text(view.name)}: visitor 0 where everybody sees the same.\n\n"
            f"CREATE TABLE {quoted(table)} (\n"
            f"  visitor INTEGER NOT NULL,\n  page TEXT NOT NULL,\n  place INTEGER NOT NULL{cells},\n"
            "  PRIMARY KEY (visitor, page, place)\n);\n"
        )
    return "".join(out)


def _tabled(compiled: Compiled) -> Iterator[tuple[View, str, dict[str, str]]]:
    """Each view, its table, and the column of each cell that is kept."""
    taken: set[str] = set()
    for view in compiled.behaviour.views:
        name = unique("rows_" + _WORD.sub("_", (view.part.family or view.part.name).lower()).strip("_"), taken)
        used = {"visitor", "page", "place"}
        names = named_holes(view.part.template or ())
        yield view, name, {cell: unique(_called(names.get(cell, cell)), used) for cell in view.stored}


def _called(name: str) -> str:
    return _WORD.sub("_", name.lower()).strip("_") or "cell"


def behaviour_files(compiled: Compiled) -> dict[str, str]:
    """File name in the application's folder -> text."""
    behaviour = compiled.behaviour
    names = {shown.part.name: f"part_{number + 1}.html" for number, shown in enumerate(behaviour.parts)}
    views = {
        view.name: {
            "table": table,
            "columns": columns,
            "derived": dict(view.derived),
            "scope": view.scope,
            "page": view.addresses()[0] if len(view.addresses()) == 1 else None,
        }
        for view, table, columns in _tabled(compiled)
    }
    out = [_HEAD.format(site=plain_text(compiled.contract.site))]
    out += [_literal("VIEWS", "dict[str, Any]", views)]
    out += [_commented(behaviour.forms)]
    out += [_literal("FORMS", "tuple[dict[str, Any], ...]", tuple(_form(form, compiled) for form in behaviour.forms))]
    out += [_literal("PARTS", "tuple[dict[str, Any], ...]", tuple(_part(one, names) for one in behaviour.parts))]
    out += [_literal("SAID_ONCE", "tuple[str, ...]", tuple(text_of(change) for change in behaviour.messages))]
    out.insert(1, "from typing import Any\n")
    files = {"handlers.py": "".join(out)}
    return files | {f"templates/{names[one.part.name]}": one.template for one in behaviour.parts if one.template}


def _literal(name: str, kind: str, value: object) -> str:
    return f"\n{name}: {kind} = " + pprint.pformat(value, width=100, sort_dicts=False) + "\n"


def _form(form: Form, compiled: Compiled) -> dict[str, Any]:
    method, family, *fields = form.form.split(" ", 2)
    return {
        "method": method,
        "family": family,
        "fields": fields[0].split(",") if fields else [],
        "hidden": sorted(form.hidden),
        "needs_user": form.needs_user,
        "joins": [list(vars(join).values()) for join in form.joins],
        "outcome": _answered(form.outcome, compiled),
        "user": form.user,
        "effects": list(form.effects),
        "message": form.message,
    }


def _answered(choice: Mapping[str, Any], compiled: Compiled) -> dict[str, Any]:
    """The outcome with recorded answers by their number."""
    if "test" in choice:
        sides = {name: _answered(choice[name], compiled) for name in ("yes", "no")}
        return {"test": choice["test"], **sides}
    leaf = dict(choice["leaf"])
    if "like" in leaf:
        orders = set(leaf.pop("like"))
        found = [n for n, one in enumerate(compiled.answers) if any(r.order in orders for r in one.recordings)]
        leaf["like"] = max(found, key=lambda n: _sent_back(compiled.answers[n].recordings[0]), default=None)
    return {"leaf": leaf}


def _sent_back(recording: Recording) -> int:
    """How many different things that were sent the answer holds: where it holds them, others can stand."""
    text = recording.body.decode("utf-8", "replace")
    return sum(bool(value) and html.escape(value) in text for value in set(recording.leaves.values()))


def _part(shown: Shown, names: Mapping[str, str]) -> dict[str, Any]:
    part = shown.part
    return {
        "name": part.name,
        "family": part.family,
        "pages": len({sight.address for sight in part.sights}) if part.family else 0,
        "place": list(part.place),
        "attribute": part.attribute,
        "after": part.after,
        "olds": [list(old) for old in part.olds],
        "template": names[part.name] if shown.template else "",
        "holes": shown.holes,
    }


def _commented(forms: Iterable[Form]) -> str:
    """The handlers as people read them."""
    out = []
    for form in forms:
        out.append(f"\n# {plain_text(form.form)}: gives all {form.examples} recorded answers of this form.\n")
        out += _lines("answer", form.outcome)
        out += _lines("signed in", form.user)
        for effect in form.effects:
            out += _lines(f"rows of {effect['view']} on {english(effect['page'])}", effect["choice"])
    return "".join(out)


def _lines(what: str, choice: Mapping[str, Any], before: str = "") -> Iterator[str]:
    if "test" in choice:
        yield from _lines(what, choice["yes"], f"{before}if {english(choice['test'])}: ")
        yield from _lines(what, choice["no"], f"{before}else: ")
        return
    text = plain_text(f"{what}: {before}{_said(choice['leaf'])}")
    yield from (
        f"# {'  ' if number else ''}{text[at : at + 90]}\n" for number, at in enumerate(range(0, len(text), 90))
    )


def _said(leaf: Any) -> str:
    if not isinstance(leaf, Mapping):
        return str(leaf)
    if "status" in leaf:
        return f"{leaf['status']} " + (english(leaf["location"]) if "location" in leaf else "as recorded")
    cells = "; ".join(f"{cell} = {english(formula)}" for cell, formula in leaf.get("cells", {}).items())
    return f"{leaf.get('do', '')} {cells}".strip()


def fill_behaviour(database: sqlite3.Connection, compiled: Compiled) -> None:
    """Write what handlers look up, and the rows that a fresh visitor sees."""
    behaviour = compiled.behaviour
    text = json.dumps([[form.effects, form.outcome, form.message] for form in behaviour.forms])
    spoken = {column for _, column in re.findall(r'"(e\d+)\.([^"]+)"', text)}
    pools = {pool.name: pool for pool in behaviour.pools}
    for name, column in sorted({(join.pool, join.column) for form in behaviour.forms for join in form.joins}):
        for value, number in pools[name].index[column].items():
            row = {key: found for key, found in pools[name].rows[number].items() if key in spoken}
            database.execute("INSERT INTO pool VALUES (?, ?, ?, ?)", (name, column, _kept(value), _json(row)))
    for view in behaviour.views:
        for (moment, page), rows in sorted(view.known.items(), key=lambda item: item[0]):
            if moment == Moment(-1, 0):
                for place, row in enumerate(rows):
                    database.execute("INSERT INTO start_row VALUES (?, ?, ?, ?)", (view.name, page, place, _json(row)))
    for shown in behaviour.parts:
        bases = {s.address: s.values for s in shown.part.sights if s.episode < 0 and shown.part.family}
        for page, values in sorted(bases.items()):
            plain = {hole: value for hole, value in values.items() if isinstance(value, str)}
            database.execute("INSERT INTO part_base VALUES (?, ?, ?)", (shown.part.name, page, _json(plain)))
    database.executemany("INSERT OR IGNORE INTO login VALUES (?, ?)", _logins(compiled))


def _logins(compiled: Compiled) -> Iterator[tuple[str, int]]:
    """The situation right after each account's login, the plainest one."""
    by_order = {r.order: n for n, one in enumerate(compiled.answers) for r in one.recordings}
    found = []
    for form in compiled.behaviour.forms:
        for order, user in form.logins:
            answer = compiled.answers[by_order[order]] if order in by_order else None
            if answer is not None and answer.target:
                found.append((len(compiled.nodes[answer.target]), user, answer.target))
    yield from ((user, node) for _, user, node in sorted(found))


def plain_text(text: str) -> str:
    """Text that cannot end a comment or a docstring."""
    return "".join(character for character in text if character.isprintable() and character not in '"\\')


def ways_back(compiled: Compiled) -> Iterator[tuple[str, str]]:
    """Path and query key of pages that handlers lead to with an address to come back to."""
    text = json.dumps([form.outcome for form in compiled.behaviour.forms])
    yield from re.findall(r'\["text", "(/[^"?]*)\?([^"=&]+)=", \["var"', text)


def _json(value: object) -> str:
    return _kept(json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":")))


def _kept(text: str) -> str:
    """Text that SQLite takes: half a surrogate pair is no character."""
    return text.encode("utf-8", "backslashreplace").decode()
