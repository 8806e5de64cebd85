"""What a reset costs: `python -m bench.reset ENV`."""

import contextlib
import json
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import click

from artifacts.environment import Environment
from bench.figures import Result, shown, spread, tool
from bench.hosts import free_port
from bench.processes import running
from bench.resets import Timed, copy_file, each_size, padded, recorded, reset_session
from bench.writing import Control, Visitor, find_writing_form
from environments.image import SITE_PORT
from environments.serving import servable

_ENOUGH_FOR_P99 = 20


class Served(NamedTuple):
    url: str
    control: Control


@contextlib.contextmanager
def served(folder: Path) -> Iterator[Served]:
    with running([sys.executable, "-m", "webanything", "serve", str(folder)]) as (_, line):
        said = json.loads(line)
        yield Served(said["url"], Control(said["control_url"], said["token"]))


def over_http(site: Served, rounds: int, result: Result) -> Timed:
    """POST /reset after a visitor has changed something, connection set-up included."""
    form = find_writing_form(site.url, site.control)
    if form is None:
        result.notes.append("over HTTP: no form of this mirror writes, so clean sessions were reset")
    else:
        result.notes.append(f"over HTTP: dirtied by form {form.place + 1} of {form.page}")
    times, equal = [], 0
    for number in range(rounds + 1):
        if form is not None:
            Visitor().submit(form)
            assert site.control.is_dirty(), "nothing was written, so nothing would be reset"
        began = time.perf_counter()
        proof = site.control.reset()
        took = 1000 * (time.perf_counter() - began)
        if number:
            times.append(took)
            equal += proof["state"] == proof["seed"]
    return Timed(times, equal)


def recreate(image: str, rounds: int) -> Timed:
    """Remove the container, start another, first answer of the site: a true reset by container."""
    port, times = free_port(), []
    name = f"webanything-bench-{port}"
    start = ["docker", "run", "-d", "--init", "--name", name, "-p", f"127.0.0.1:{port}:{SITE_PORT}", image]
    try:
        subprocess.run(start, check=True, capture_output=True)
        _wait_for_answer(port)
        for _ in range(rounds):
            began = time.perf_counter()
            subprocess.run(["docker", "rm", "-f", name], check=True, capture_output=True)
            subprocess.run(start, check=True, capture_output=True)
            _wait_for_answer(port)
            times.append(1000 * (time.perf_counter() - began))
    finally:
        subprocess.run(["docker", "rm", "-f", name], capture_output=True)
    return Timed(times, 0)


def _wait_for_answer(port: int) -> None:
    deadline = time.monotonic() + 60
    while True:
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=2).close()
        except urllib.error.HTTPError:
            return
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.01)
        else:
            return


@click.command()
@click.argument("env", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--rounds", default=50, show_default=True, help="Resets of each kind and size.")
@click.option("--sizes", default="1,10,100", show_default=True, help="Megabytes to pad the database to.")
@click.option("--containers", default=3, show_default=True, help="Containers to recreate; 0 for none.")
@click.option("--json", "json_file", type=click.Path(path_type=Path), help="Write raw figures there.")
def main(env: Path, rounds: int, sizes: str, containers: int, json_file: Path | None) -> None:
    """Reset an environment in its database and over HTTP, beside a file copy and a recreated container."""
    result = Result(f"Reset of {env.name}", ["way", "database MB", "ms", "p99", "x smallest", "equal to the seed"])
    wanted = [float(size) for size in sizes.split(",")]
    with servable(env) as place, tempfile.TemporaryDirectory(prefix="bench-") as name:
        _in_database(result, place / "mirror", wanted, rounds, Path(name))
        with served(place) as site:
            _add(result, "POST /reset", {0.0: over_http(site, rounds, result)}, "its own")
        _containers(result, place, containers)
    result.notes.append("ours is timed with its proof; the file copy without, and proved at its last round only")
    result.show(json_file)


def _in_database(result: Result, mirror: Path, sizes: list[float], rounds: int, folder: Path) -> None:
    images = {size: padded(mirror, size) for size in [0.0, *sizes]}

    def with_recorded(size: float) -> Timed:
        site = folder / f"site-{size}.db"
        recorded(site, size)
        return reset_session(images[0.0], site, rounds)

    few = max(5, rounds // 5)
    _add(result, "database, padded seed", each_size(sizes, lambda size: reset_session(images[size], None, rounds)))
    _add(result, "database, padded recordings", each_size(sizes, with_recorded))
    _add(result, "file copy and reopen", each_size(sizes, lambda size: copy_file(images[size], folder, few)))


def _containers(result: Result, place: Path, count: int) -> None:
    image = Environment.from_bytes((place / "environment.json").read_bytes()).image.split()
    if not count:
        result.skip("container recreate", "not asked for")
    elif not tool("docker") or subprocess.run(["docker", "info"], capture_output=True).returncode:
        result.skip("container recreate", "no Docker engine answers")
    elif not image:
        result.skip("container recreate", "the environment has no image; make one with: webanything image ENV")
    else:
        _add(result, "container recreate", {0.0: recreate(image[0], count)}, "its own")


def _add(result: Result, way: str, timed: dict[float, Timed], label: str = "") -> None:
    least = spread(next(iter(timed.values())).ms)["median"]
    raw: dict[str, Any] = {}
    for size, found in timed.items():
        numbers = spread(found.ms)
        proved = f"{found.equal} of {len(found.ms)}" if found.equal else "not asked"
        growth = f"{numbers['median'] / least:.1f}" if len(timed) > 1 else "-"
        p99 = f"{numbers['p99']:.2f}" if len(found.ms) >= _ENOUGH_FOR_P99 else "-"
        result.add(way, label or f"{size:g}", shown(found.ms, 2), p99, growth, proved)
        raw[label or f"{size:g}"] = numbers | {"equal": found.equal}
    result.raw[way] = raw


if __name__ == "__main__":
    main()
