"""The benches' own honesty: all CPU is counted, failures show, other machines are refused."""

import doctest
import sys
from pathlib import Path

import click
import pytest

from bench import figures, page_of
from bench.hosts import loopback
from bench.processes import run_tree, running, tree_cpu_ms
from bench.writing import Visitor

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


def test_doctests() -> None:
    assert doctest.testmod(figures).failed == 0
