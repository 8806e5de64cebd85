"""What recording costs a page load: `python -m bench.proxy`."""

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import click
from playwright.sync_api import Browser

from artifacts.run import Lens
from artifacts.store import Store
from bench.figures import Result, ratio, shown, spread, tool
from bench.hosts import free_port, wait_for_port
from bench.processes import end, running, tree_cpu_ms
from explorer.lens.browser import new_context, open_browser
from explorer.wire.client import Wire

_REST_S = 0.5


class Way(NamedTuple):
    """One way for the page to reach the browser."""

    name: str
    browser: Browser
    before: Callable[[], object]


def mitmdump() -> str | None:
    """The mitmdump of this Python, or another one."""
    beside = Path(sys.executable).with_name("mitmdump")
    return str(beside) if beside.exists() else tool("mitmdump")


@contextlib.contextmanager
def bare(program: str) -> Iterator[str]:
    """mitmdump without an addon: what any recorder built on it costs at least."""
    port = free_port()
    with tempfile.TemporaryDirectory(prefix="bench-ca-") as folder:
        command = [program, "-q", "--listen-host", "127.0.0.1", "-p", str(port), "--set", f"confdir={folder}"]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        try:
            wait_for_port(port)
            yield f"http://127.0.0.1:{port}"
        finally:
            end(process)


def load(way: Way, url: str) -> tuple[float, float, int]:
    """Milliseconds to the load event in a fresh context, CPU of everything, and how many resources did not arrive."""
    way.before()
    cpu = tree_cpu_ms(os.getpid())
    context = new_context(way.browser, Lens())
    page = context.new_page()
    bad: list[str] = []
    page.on("requestfailed", lambda request: bad.append(request.url))
    page.on("response", lambda response: bad.append(response.url) if response.status >= 400 else None)
    began = time.perf_counter()
    page.goto(url, wait_until="load")
    took = 1000 * (time.perf_counter() - began)
    time.sleep(_REST_S)  # recorders write after the page is there; their work is counted too
    used = tree_cpu_ms(os.getpid()) - cpu
    context.close()
    return took, used, len([address for address in bad if not address.endswith("/favicon.ico")])


@contextlib.contextmanager
def ways(folder: Path) -> Iterator[list[Way]]:
    with contextlib.ExitStack() as stack:
        found = [Way("direct", stack.enter_context(open_browser()), lambda: None)]
        if program := mitmdump():
            proxy = stack.enter_context(bare(program))
            found.append(Way("bare mitmdump", stack.enter_context(open_browser(proxy)), lambda: None))
        wire = stack.enter_context(Wire(folder / "evidence", Store(folder / "store")))
        browser = stack.enter_context(open_browser(wire.proxy, spki=[wire.spki]))
        numbers = iter(range(1, 1_000_000))
        found.append(Way("webanything", browser, lambda: wire.visit(f"bench-{next(numbers)}")))
        yield found


@click.command()
@click.option("--resources", default=100, show_default=True, help="Resources of the page.")
@click.option("--rounds", default=9, show_default=True, help="Interleaved rounds; one more before them is not counted.")
@click.option("--json", "json_file", type=click.Path(path_type=Path), help="Write raw figures there.")
def main(resources: int, rounds: int, json_file: Path | None) -> None:
    """Load a page of many small resources directly, through bare mitmdump and through the recording proxy."""
    result = Result(f"Page of {resources} resources, load event", ["way", "ms", "ratio", "CPU ms, all", "lost"])
    with (
        tempfile.TemporaryDirectory(prefix="bench-") as folder,
        running([sys.executable, "-m", "bench.page_of", str(resources)]) as (_, line),
        ways(Path(folder)) as found,
    ):
        url = json.loads(line)["url"]
        measured: dict[str, list[tuple[float, float, int]]] = {way.name: [] for way in found}
        for number in range(rounds + 1):
            for way in found:
                sample = load(way, url)
                if number:
                    measured[way.name].append(sample)
    base = [took for took, _, _ in measured["direct"]]
    for name, samples in measured.items():
        took, used = [sample[0] for sample in samples], [sample[1] for sample in samples]
        result.add(name, shown(took, 0), ratio(took, base), shown(used, 0), sum(sample[2] for sample in samples))
        result.raw[name] = {"ms": spread(took), "cpu_ms": spread(used), "samples": samples}
    if "bare mitmdump" not in measured:
        result.skip("bare mitmdump", "no mitmdump beside this Python nor in PATH")
    result.show(json_file)


if __name__ == "__main__":
    main()
