"""What capturing a site costs: `python -m bench.capture URL`."""

import json
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import click

from artifacts.evidence import Evidence, load_part
from artifacts.store import Store
from bench.crawlers import pages_of
from bench.figures import Result, ratio, shown, spread, tool
from bench.hosts import loopback
from bench.processes import Ran, run_tree
from explorer.lens.browser import find_browser


class Way(NamedTuple):
    """One way to capture: the command for an empty folder, and how many pages it then holds."""

    name: str
    command: Callable[[Path], list[str]]
    pages: Callable[[Path], int]


def html_files(out: Path) -> int:
    """Pages in a folder that wget filled, whatever their names end in."""
    heads = (path.open("rb").read(200).lower() for path in out.rglob("*") if path.is_file())
    return sum(b"<!doctype html" in head or b"<html" in head for head in heads)


def evidence_pages(out: Path) -> int:
    """Addresses whose page was rendered or fetched, both halves of the evidence together."""
    evidence = Evidence.from_bytes((out / "run" / "evidence.json").read_bytes())
    store = Store(out / "run" / "store")
    both = load_part(store, evidence.open) + load_part(store, evidence.sealed)
    rendered = {state.url for state in both.states}
    fetched = {
        exchange.url
        for exchange in both.exchanges
        if exchange.status == 200 and dict(exchange.response_headers).get("content-type", "").startswith("text/html")
    }
    return len(rendered | fetched)


def ways(url: str, listing: Path, limit: int) -> Iterator[Way]:
    if wget := tool("wget"):
        yield Way(
            "wget --mirror",
            lambda out: [wget, "-q", "--mirror", "--page-requisites", "-e", "robots=off", "-P", str(out), url],
            html_files,
        )
    shell, full = find_browser(), shutil.which("chromium")
    python = [sys.executable, "-m", "bench.crawlers"]

    def count(out: Path) -> int:
        return len(list(out.glob("*.html")))

    if full and Path(full) != shell:
        yield Way("plain Playwright, chromium", lambda out: [*python, "plain", str(listing), str(out), full], count)
    yield Way(
        "plain Playwright, found browser", lambda out: [*python, "plain", str(listing), str(out), str(shell)], count
    )
    yield Way("our look alone, found browser", lambda out: [*python, "lens", str(listing), str(out), str(shell)], count)
    if tool("wayback"):
        yield Way("pywb recording", lambda out: [*python, "pywb", str(listing), str(out), str(shell)], count)
    yield Way(
        "webanything explore",
        lambda out: [
            *(sys.executable, "-m", "webanything", "explore", url, "--out", str(out / "run"), "--json"),
            *("--max-pages", str(limit), "--max-actions", "1", "--requests-per-second", "1000", "--ignore-robots"),
        ],
        evidence_pages,
    )


def measure(way: Way) -> tuple[Ran, int]:
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        ran = run_tree(way.command(Path(folder)), cwd=Path(folder))
        return ran, way.pages(Path(folder)) if _worked(way, ran) else 0


def _worked(way: Way, ran: Ran) -> bool:
    """wget says 8 when one address answered an error, and has the rest all the same."""
    return ran.code in ((0, 8) if way.name.startswith("wget") else (0,))


@click.command()
@click.argument("url")
@click.option("--pages", "limit", default=12, show_default=True, help="Pages for everything but wget, which takes all.")
@click.option("--rounds", default=3, show_default=True, help="Interleaved rounds.")
@click.option("--json", "json_file", type=click.Path(path_type=Path), help="Write raw figures there.")
def main(url: str, limit: int, rounds: int, json_file: Path | None) -> None:
    """Capture a site on this machine with several tools, start of the tool included, and count the CPU of all of it."""
    start = loopback(url)
    columns = ["way", "pages", "pages/s", "CPU ms a page", "x plain"]
    result = Result(f"Capture of {url}", columns)
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        listing = Path(folder) / "pages.json"
        pages = pages_of(start, limit)
        listing.write_text(json.dumps(pages))
        found = list(ways(start, listing, len(pages)))
        samples: dict[str, list[tuple[Ran, int]]] = {way.name: [] for way in found}
        for _ in range(rounds):
            for way in found:
                samples[way.name].append(measure(way))
    _fill(result, samples)
    if not tool("wget"):
        result.skip("wget", "not installed")
    if not tool("wayback"):
        result.skip("pywb", "not installed")
    if "plain Playwright, chromium" not in samples:
        result.skip("plain Playwright in a full browser", "no chromium in PATH")
    result.notes.append(
        "wget runs no scripts, wget and pywb take no pictures; our look and explore also settle and scroll each page."
    )
    result.show(json_file)


def _fill(result: Result, samples: dict[str, list[tuple[Ran, int]]]) -> None:
    per_page = {name: [ran.cpu_ms / count for ran, count in measured if count] for name, measured in samples.items()}
    base = next(values for name, values in per_page.items() if name.startswith("plain"))
    for name, measured in samples.items():
        failed = next((ran for ran, count in measured if not count), None)
        if failed is not None:
            result.skip(name, f"it ended with {failed.code}: {failed.output.strip()[-200:]}")
            continue
        rate = [count / ran.wall_s for ran, count in measured]
        counts = sorted({count for _, count in measured})
        result.add(
            name, " to ".join(map(str, counts)), shown(rate, 2), shown(per_page[name], 0), ratio(per_page[name], base)
        )
        result.raw[name] = {
            "pages_per_second": spread(rate),
            "cpu_ms_per_page": spread(per_page[name]),
            "samples": [{"wall_s": ran.wall_s, "cpu_ms": ran.cpu_ms, "pages": count} for ran, count in measured],
        }


if __name__ == "__main__":
    main()
