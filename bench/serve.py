"""What serving a mirror costs: `python -m bench.serve RUN [--source URL]`."""

import contextlib
import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urljoin, urlsplit

import click
from playwright.sync_api import Browser, Page, Request, Response

from artifacts.run import Lens
from bench.figures import Result, ratio, shown, spread, tool
from bench.hosts import loopback
from bench.nginx import nginx
from bench.processes import listener_pid, running, tree_cpu_ms
from explorer.lens.browser import new_context, open_browser

_REST_S = 0.2


class Server(NamedTuple):
    name: str
    base: str
    pid: int | None
    """None when the process behind the address cannot be seen; its CPU is then not given."""

    def cpu_ms(self) -> float:
        return tree_cpu_ms(self.pid) if self.pid else float("nan")


class Load(NamedTuple):
    """One page load: time, CPU of the server's processes, what was asked for and what failed."""

    ms: float
    server_ms: float
    asked: tuple[str, ...]
    failed: tuple[str, ...]


_ELSEWHERE = re.compile(r"//[^/]+/~https?~")
"""A resource of another host that the capture could not reach: it fails alike on the mirror and on nginx."""


class Hammered(NamedTuple):
    """One second or so of requests for one address."""

    per_second: float
    cpu_us: float
    failed: int


def load(browser: Browser, server: Server, path: str) -> Load:
    """Load the page with a cold cache, and note every address that failed."""
    context = new_context(browser, Lens())
    page = context.new_page()
    asked, failed = _watch(page)
    cpu, began = server.cpu_ms(), time.perf_counter()
    page.goto(urljoin(server.base, path), wait_until="load")
    took = 1000 * (time.perf_counter() - began)
    time.sleep(_REST_S)
    used = server.cpu_ms() - cpu
    context.close()
    return Load(took, used, tuple(asked), tuple(failed))


def _watch(page: Page) -> tuple[list[str], list[str]]:
    asked: list[str] = []
    failed: list[str] = []

    def answered(response: Response) -> None:
        asked.append(response.url)
        if response.status >= 400:
            failed.append(f"{response.status} {response.url}")

    def lost(request: Request) -> None:
        failed.append(f"{request.failure} {request.url}")

    page.on("response", answered)
    page.on("requestfailed", lost)
    return asked, failed


def hammer(server: Server, path: str, seconds: int, wrk: str) -> Hammered:
    """Requests a second over eight kept connections, and the server's CPU for each."""
    cpu = server.cpu_ms()
    command = [wrk, "-t1", "-c8", f"-d{seconds}s", "-H", "Accept-Encoding: gzip", urljoin(server.base, path)]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    used = server.cpu_ms() - cpu
    found = re.search(r"(\d+) requests in ([\d.]+)s", said)
    if not found or not int(found[1]):
        raise RuntimeError(f"wrk got no answer from {server.base}: {said[-300:]}")
    bad = re.search(r"Non-2xx or 3xx responses: (\d+)", said)
    count = int(found[1])
    return Hammered(count / float(found[2]), 1000 * used / count, int(bad[1]) if bad else 0)


@contextlib.contextmanager
def mirror(run: Path) -> Iterator[Server]:
    with running([sys.executable, "-m", "webanything", "serve", str(run)]) as (_, line):
        said = json.loads(line)
        yield Server("mirror", said["url"], said["pid"])


def _resources(server: Server, first: Load) -> list[str]:
    """Paths on the server's own address, as the page asked for them."""
    origin = urlsplit(server.base).netloc
    parts = [urlsplit(url) for url in dict.fromkeys(first.asked)]
    lost = {failed.partition(" ")[2] for failed in first.failed}
    kept = [part for part in parts if part.netloc == origin and part.geturl() not in lost]
    return [part._replace(scheme="", netloc="", fragment="").geturl() for part in kept]


@contextlib.contextmanager
def servers(run: Path, source: str | None, path: str, browser: Browser, result: Result) -> Iterator[list[Server]]:
    with contextlib.ExitStack() as stack:
        ours = stack.enter_context(mirror(run))
        found = [ours]
        first = load(browser, ours, path)
        broken = [failed for failed in first.failed if not _ELSEWHERE.search(failed)]
        if broken:
            raise click.ClickException(f"the mirror's page is not whole: {', '.join(broken)}")
        if tool("nginx"):
            pid, base = stack.enter_context(nginx(ours.base, _resources(ours, first)))
            found.append(Server("nginx, same bytes", base, pid))
        else:
            result.skip("nginx", "not installed")
        if source:
            pid_of_source = listener_pid(urlsplit(source).port or 80)
            found.append(Server("source", source, pid_of_source))
        else:
            result.skip("source", "give its address with --source")
        yield found


@click.command()
@click.argument("run", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--source", help="Address of the live source on this machine.")
@click.option("--path", default="/", show_default=True, help="The page to load, on all of them.")
@click.option("--rounds", default=7, show_default=True, help="Interleaved rounds; one more before them is not counted.")
@click.option("--seconds", default=1, show_default=True, help="Of requests, each server and round.")
@click.option("--json", "json_file", type=click.Path(path_type=Path), help="Write raw figures there.")
def main(run: Path, source: str | None, path: str, rounds: int, seconds: int, json_file: Path | None) -> None:
    """Load a page of a mirror in a browser, and hammer it, beside nginx with the same bytes and the live source."""
    columns = ["server", "load ms", "ratio", "its CPU ms", "requests/s", "CPU us each", "x nginx", "failed"]
    result = Result(f"{path} of {run.name}", columns)
    wrk = tool("wrk")
    loads: dict[str, list[Load]] = {}
    hits: dict[str, list[Hammered]] = {}
    with open_browser() as browser, servers(run, source and loopback(source), path, browser, result) as found:
        for number in range(rounds + 1):
            for server in found:
                sample = load(browser, server, path)
                hit = hammer(server, path, seconds, wrk) if wrk else None
                if number:
                    loads.setdefault(server.name, []).append(sample)
                    hits.setdefault(server.name, []).extend([hit] if hit else [])
    if not wrk:
        result.skip("requests a second", "wrk is not installed")
    _fill(result, loads, hits)
    result.show(json_file)


def _fill(result: Result, loads: dict[str, list[Load]], hits: dict[str, list[Hammered]]) -> None:
    limit = next((name for name in loads if name.startswith("nginx")), "mirror")
    base = [load.ms for load in loads[limit]]
    base_us = [hit.cpu_us for hit in hits[limit]]
    for name, samples in loads.items():
        took, used = [sample.ms for sample in samples], [sample.server_ms for sample in samples]
        rate, each = [hit.per_second for hit in hits[name]], [hit.cpu_us for hit in hits[name]]
        failed = sum(len(sample.failed) for sample in samples) + sum(hit.failed for hit in hits[name])
        result.add(name, shown(took, 0), ratio(took, base), shown(used, 0), shown(rate, 0), shown(each, 0),
                   ratio(each, base_us), failed)  # fmt: skip
        result.raw[name] = {"load_ms": spread(took), "server_cpu_ms": spread(used)}
        if rate:
            result.raw[name] |= {"per_second": spread(rate), "cpu_us": spread(each)}


if __name__ == "__main__":
    main()
