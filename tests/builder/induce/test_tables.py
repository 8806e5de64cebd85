"""Tables that emitted applications answer from, and the modules that answer."""

import json
import subprocess
import sys
from contextlib import closing
from pathlib import Path

from builder.emit.shipped import shipped
from builder.induce.listing import Table
from builder.induce.listquery import By, ListQuery, Order, Parameter, Search, text_of
from builder.induce.tables import columns_of, companions, filled, tables_sql


def test_columns_are_told_apart_without_case_and_keep_clear_of_ours() -> None:
    names = columns_of(Table("t", {"/1": {"Price": "1", "price": "2", "key": "k", "a:number": "3", "": "4"}}))
    assert len({name.lower() for name in names.values()}) == 5
    assert "key" not in {name.lower() for name in names.values()}
    assert not any(":" in name or not name for name in names.values())


def test_only_what_queries_look_at_is_worked_out() -> None:
    query = ListQuery(
        "/", "t", searches=(Search("q", ("title",), "stem"),),
        orders=(Order(by=(By("price", "number"), By("", "bm25", True), By("key", "text"))),),
    )  # fmt: skip
    assert companions(query) == {("title", "stems"), ("price", "number"), ("title", "words")}


def test_the_same_table_gives_the_same_statements() -> None:
    table = Table("t", {"/2": {"b": "x"}, "/1": {"a": "y"}}, {"/1": frozenset({"/p/", "/q/"})})
    assert tables_sql(table, ()) == tables_sql(table, ())
    assert [values for statement, values in tables_sql(table, ())[1] if "links" in statement] == [
        ("/p/", "/1"), ("/q/", "/1"),
    ]  # fmt: skip


def test_what_is_shipped_answers_alone(tmp_path: Path) -> None:
    table = Table("t", {f"/{n}": {"title": f"Part {n}"} for n in range(1, 13)})
    query = ListQuery(
        "/l/", "t", (Parameter("q", "search"),), (), (Search("q", ("title",), blank="all"),),
        (Order(by=(By("title", "natural", True),)),),
    )  # fmt: skip
    for name, source in shipped().items():
        (tmp_path / name).write_text(source)
    (tmp_path / "query.json").write_text(text_of(query))
    schema, statements = tables_sql(table, [query])
    (tmp_path / "rows.json").write_text(json.dumps([schema, statements]))
    script = (
        "import json, sqlite3, listanswer, listquery\n"
        "query = listquery.query_of(open('query.json').read())\n"
        "schema, statements = json.load(open('rows.json'))\n"
        "database = sqlite3.connect(':memory:')\n"
        "database.executescript(schema)\n"
        "for statement, values in statements: database.execute(statement, values)\n"
        "print(listanswer.answer(database, query, '/l/', (('q', 'part'),)).rows[:3])\n"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False,
        env={"PYTHONPATH": str(tmp_path)},
    )  # fmt: skip
    assert (done.stdout, done.stderr) == ("('/12', '/11', '/10')\n", "")


def test_tables_are_made_whatever_their_columns_are_called() -> None:
    table = Table("t", {"/1": {'a";\nDROP TABLE t;\n--': "x", "b": "y"}})
    with closing(filled(table, ())) as database:
        assert database.execute("SELECT b FROM t").fetchall() == [("y",)]
