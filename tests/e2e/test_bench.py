"""The benches' own honesty: all CPU is counted, failures show, other machines are refused."""

import doctest
import json
import re
import sys
from pathlib import Path
from types import ModuleType

import click
import pytest
from flask import Flask

from bench import coverage, figures, page_of
from bench.hosts import loopback
from bench.processes import run_tree, running, tree_cpu_ms
from bench.writing import Visitor
from tests.sites import tiny

BURN = "import time; t = time.process_time()\nwhile time.process_time() - t < 0.3: pass"
ORPHAN = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {BURN!r}])"


def test_cpu_of_an_orphan_is_counted(tmp_path: Path) -> None:
    ran = run_tree([sys.executable, "-c", ORPHAN], cwd=tmp_path)
    assert ran.code == 0 and ran.cpu_ms >= 300


def test_a_failing_command_is_told_from_one_that_works(tmp_path: Path) -> None:
    ran = run_tree([sys.executable, "-c", "print('no'); raise SystemExit(7)"], cwd=tmp_path)
    assert (ran.code, ran.output.strip()) == (7, "no")


def test_what_does_not_end_is_ended(tmp_path: Path) -> None:
    ran = run_tree([sys.executable, "-c", "import time; time.sleep(60)"], cwd=tmp_path, limit_s=1)
    assert ran.code == -9 and ran.wall_s < 20


def test_a_servers_cpu_grows_with_its_work() -> None:
    with running([sys.executable, "-m", "bench.page_of", "20"]) as (pid, line):
        before = tree_cpu_ms(pid)
        url = line.split('"')[3]
        for _ in range(300):
            assert Visitor().page(url) is not None
        assert tree_cpu_ms(pid) > before


def test_the_page_is_as_many_resources_as_it_says() -> None:
    made = page_of.files(100)
    assert len(made) == 101 and len({body for _, body in made.values()}) == 101


@pytest.mark.parametrize("url", ["http://127.0.0.1:9/", "http://localhost:9/a", "http://[::1]:9/"])
def test_this_machine_is_measured(url: str) -> None:
    assert loopback(url) == url


@pytest.mark.parametrize("url", ["http://192.0.2.7/", "ftp://127.0.0.1/", "/shop"])
def test_other_machines_are_refused(url: str) -> None:
    with pytest.raises(click.BadParameter):
        loopback(url)


@pytest.mark.parametrize("module", [figures, coverage])
def test_doctests(module: ModuleType) -> None:
    assert doctest.testmod(module).failed == 0


def table_of(pages: dict[str, str]) -> Flask:
    app = Flask("table")
    for path, body in pages.items():
        app.add_url_rule(path, path, lambda body=body: body)
    return app


@pytest.mark.browser
def test_breadth_first_follows_what_a_browser_shows_in_its_order_and_no_further_than_the_budget() -> None:
    made = "<script>document.body.innerHTML += '<a href=/made>made</a>'; fetch('/data')</script>"
    pages = {"/": f"<a href=/one#x>1</a><a href=/two>2</a><a href=//other.test/>o</a>{made}", "/data": "{}",
             "/one": "<a href=/deep>d</a><a href=/deep#y>d</a><form method=post action=send></form>", "/two": "<form></form>", "/made": "", "/deep": ""}  # fmt: skip
    with tiny.serve(table_of(pages)) as url:
        some, every = coverage.breadth_first(url, 3), coverage.breadth_first(url, 30)
    assert some.pages == {"/", "/one", "/two"}
    assert (some.forms, some.rendered) == ({"post /send", "get /two"}, 3)
    assert {"GET /", "GET /data", "GET /one"} <= some.requests and "GET /deep" not in some.requests
    assert (every.pages, every.rendered) == ({"/", "/one", "/two", "/made", "/deep"}, 5)


def test_every_list_of_what_to_expect_has_templates_forms_and_doings_that_can_be_matched() -> None:
    lists = sorted((Path(coverage.__file__).parent / "expected").glob("*.json"))
    assert len(lists) >= 3
    for path in lists:
        told = json.loads(path.read_text())
        assert told["about"] and all(told[kind] for kind in ("templates", "forms", "behaviours"))
        for pattern in (one for kind in ("templates", "forms", "behaviours") for one in told[kind].values()):
            re.compile(pattern)
