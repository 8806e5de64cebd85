"""Web features that capture and replay lose, kind by kind: `python -m bench.faults FOLDER`.

FOLDER holds the `faults` package: small fixture sites and a checker that drives a browser against any address. They are
started, reconstructed, stopped; the mirror is served; the checker judges it in local mode and in origin mode.

A page that a visitor may open by its address and that no page leads to is asked of the mirror while the fixtures still
run, and recaptured just in time; other tools are given it to begin with.
"""

import contextlib
import http.client
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

import click

from bench import fault_peers
from bench.fault_peers import Served
from bench.figures import Result, tool
from bench.hosts import free_port, wait_for_port
from bench.processes import ROOT, end, running
from explorer.lens.browser import find_browser

WAYS = ("local", "origin", "wget", "pywb")
_JUDGE_S = 3600

Facts = list[dict[str, Any]]


@contextlib.contextmanager
def fixtures(folder: Path, port: int) -> Iterator[str]:
    """The fixture sites; the second origin is on the next port."""
    command = [sys.executable, "-m", "faults", "serve", "--port", str(port)]
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_for_port(port)
        wait_for_port(port + 1)
        yield f"http://127.0.0.1:{port}/"
    finally:
        end(process)


def port_pair() -> int:
    """A free port whose successor is free too."""
    while True:
        port = free_port()
        with contextlib.suppress(OSError), contextlib.ExitStack() as stack:
            for number in (port, port + 1):
                stack.enter_context(socket.socket()).bind(("127.0.0.1", number))
            return port


def opened(folder: Path, kind: str) -> list[str]:
    """Pages of a kind, relative to the fixtures' address, that its scenarios open by themselves; no queries."""
    expected = json.loads((folder / "faults" / "kinds" / kind / "expect.json").read_text(encoding="utf-8"))
    paths = {scenario["path"] or "" for scenario in expected["scenarios"]}
    return [f"{kind}/{path}" for path in sorted(paths) if path and not set(path) & set("?#")]


def entries(folder: Path) -> dict[str, str]:
    """The first page of each kind, relative to the fixtures' address."""
    listed = subprocess.run(
        [sys.executable, "-m", "faults", "list", "--json"], cwd=folder, capture_output=True, check=True
    )
    return {kind["kind"]: f"{kind['kind']}/{kind['entry']}" for kind in json.loads(listed.stdout)}


def reconstruct(url: str, run: Path, options: Sequence[str]) -> str:
    """Run the main job on one kind's fixture; what it came to, in words."""
    command = [
        sys.executable,
        "-m",
        "webanything",
        "reconstruct",
        url,
        "--out",
        str(run),
        "--scope",
        "prefix",
        "--json",
    ]
    began = time.monotonic()
    said = subprocess.run(
        [*command, *options], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False
    )
    last = json.loads(said.stdout.splitlines()[-1]) if said.stdout.strip() else {}
    return f"{last.get('verdict')} in {time.monotonic() - began:.0f} s"


def made_of(url: str, run: Path, asked: Sequence[str], options: Sequence[str], accounts: Sequence[str]) -> str:
    """Reconstruct one kind's fixture, and recapture what is asked of its mirror and missing; what it came to."""
    said = reconstruct(url, run, [*options, *accounts])
    lacking = recapture(run, asked, accounts) if asked else 0
    return said + (f", {lacking} pages recaptured" if lacking else "")


def recapture(run: Path, pages: Sequence[str], options: Sequence[str]) -> int:
    """Ask the mirror for pages of the source and have recaptured what it lacks; how many pages that is."""
    lacking = 0
    with mirror(run) as line:
        for page in pages:
            connection = http.client.HTTPConnection(urlsplit(line["url"]).netloc, timeout=30)
            with contextlib.closing(connection):
                connection.request("GET", urlsplit(page).path)
                lacking += connection.getresponse().status == 404
    if lacking:
        command = [sys.executable, "-m", "webanything", "recapture", str(run), "--from-unseen", "--json", *options]
        subprocess.run(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    return lacking


@contextlib.contextmanager
def mirror(run: Path) -> Iterator[dict[str, Any]]:
    """The line that `serve` prints, for as long as it serves."""
    with running([sys.executable, "-m", "webanything", "serve", str(run)]) as (_, line):
        yield json.loads(line)


def judge(
    folder: Path, served: Served, spki: str, kinds: Sequence[str], jobs: int, passwords: Sequence[Sequence[str]] = ()
) -> dict[str, Facts]:
    """The checker's facts by kind; of `passwords`, pairs, it types the second where it would the first."""
    retyped = [word for pair in passwords for word in ("--password", *pair)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "FAULTS_CHROMIUM": str(find_browser())}
    with tempfile.TemporaryDirectory(prefix="bench-") as out:
        parts = [list(kinds[number::jobs]) for number in range(jobs)]
        files = [Path(out) / f"{number}.json" for number in range(jobs)]
        processes = [
            subprocess.Popen(
                [sys.executable, "-m", "bench.fault_judge", str(folder), served.base, str(file), *part,
                 "--proxy", served.proxy, "--spki", spki, *retyped],
                env=environment, cwd=ROOT,
            )
            for part, file in zip(parts, files, strict=True)
            if part
        ]  # fmt: skip
        for process in processes:
            if process.wait(_JUDGE_S):
                raise click.ClickException("the checker itself failed")
        found: dict[str, Facts] = {}
        for file in files:
            if file.exists():
                found |= json.loads(file.read_text())
    return {kind: found[kind] for kind in kinds}


def judged(
    folder: Path, run: Path, kind: str, url: str, modes: Sequence[str], accounts: dict[str, Any]
) -> dict[str, Facts]:
    """The facts of one kind in each mode; the checker types the mirror's passwords instead of the source's."""
    with mirror(run) as line:
        places = {"local": Served(line["url"]), "origin": Served(url, line["proxy"])}
        given = {one["user"]: one["password"] for one in accounts.get("accounts", ())}
        own = [(given[one["user"]], one["password"]) for one in line["accounts"] if one["user"] in given]
        return {way: judge(folder, places[way], line["spki"], [kind], 1, own)[kind] for way in modes}


def passes(facts: Facts) -> tuple[int, int]:
    """Facts that hold, and all of them."""
    return sum(fact["pass"] for fact in facts), len(facts)


def _ways(chosen: Sequence[str], result: Result) -> list[str]:
    needed = {"wget": ("wget",), "pywb": ("wayback", "wb-manager")}
    kept = []
    for way in chosen:
        if missing := [name for name in needed.get(way, ()) if tool(name) is None]:
            result.skip(way, f"{' and '.join(missing)} not in PATH")
        else:
            kept.append(way)
    return kept


@click.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False, resolve_path=True, path_type=Path))
@click.option("--kind", "only", multiple=True, help="Only these kinds.")
@click.option("--way", "chosen", multiple=True, type=click.Choice(WAYS), help="Only these ways; all, if left out.")
@click.option(
    "--accounts",
    "accounts_file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help='Test accounts by kind, as in {"KIND": {"accounts": [..]}}.',
)
@click.option("--pages", default=25, show_default=True, help="Pages of each kind's reconstruction.")
@click.option("--actions", default=30, show_default=True, help="Actions of each kind's reconstruction.")
@click.option("--runs", "kept", type=click.Path(path_type=Path), help="Keep the runs there, and go on from them.")
@click.option("--port", default=0, help="The fixtures' port; must be the same where runs are gone on with.")
@click.option("--jobs", default=2, show_default=True, help="Reconstructions, or checkers, at once.")
@click.option("--json", "json_file", type=click.Path(path_type=Path), help="Write raw figures there.")
def main(
    folder: Path, only: tuple[str, ...], chosen: tuple[str, ...], accounts_file: Path | None, pages: int, actions: int,
    kept: Path | None, port: int, jobs: int, json_file: Path | None,
) -> None:  # fmt: skip
    """Reconstruct each fixture site, stop them all, and let their checker judge the mirrors and other tools."""
    known = entries(folder)
    kinds = [kind for kind in known if not only or kind in only]
    result = Result("Facts that hold, by kind of web feature", [])
    ways = _ways(chosen or WAYS, result)
    modes = [way for way in ways if way in ("local", "origin")]
    port = port or port_pair()
    options = ["--max-pages", str(pages), "--max-actions", str(actions), "--model", "none"]
    options += [option for allowed in ("session", "account", "write") for option in ("--allow", allowed)]
    accounts = json.loads(accounts_file.read_text(encoding="utf-8")) if accounts_file else {}
    found: dict[str, dict[str, Facts]] = {way: {} for way in ways}
    with tempfile.TemporaryDirectory(prefix="bench-") as scratch, contextlib.ExitStack() as copies:
        runs = kept or Path(scratch) / "runs"
        peers: dict[str, Served] = {}
        with fixtures(folder, port) as url, ThreadPoolExecutor(jobs) as pool:
            addresses = {kind: urljoin(url, known[kind]) for kind in kinds}
            asked = {kind: [urljoin(url, path) for path in opened(folder, kind)] for kind in kinds}

            def made(kind: str) -> str:
                named = _named(accounts.get(kind), Path(scratch) / f"{kind}.json")
                return made_of(addresses[kind], runs / kind, asked[kind], options, named)

            if modes:
                for kind, said in zip(kinds, pool.map(made, kinds), strict=True):
                    click.echo(f"{kind}: {said}", err=True)
            for way in ways:
                if way not in modes:
                    target = Path(scratch) / way
                    target.mkdir()
                    first = [*addresses.values(), *(page for pages in asked.values() for page in pages)]
                    peers[way] = copies.enter_context(getattr(fault_peers, way)(url, first, target))
        for kind in kinds if modes else ():
            for way, facts in judged(folder, runs / kind, kind, url, modes, accounts.get(kind, {})).items():
                found[way][kind] = facts
        for way, served in peers.items():
            found[way] = judge(folder, served, "", kinds, jobs)
    _show(result, found, kinds, json_file)


def _named(accounts: object, file: Path) -> list[str]:
    """The options that name a kind's accounts, written to a file; none where it has none."""
    if accounts is None:
        return []
    file.write_text(json.dumps(accounts), encoding="utf-8")
    return ["--accounts", str(file)]


def _show(result: Result, found: dict[str, dict[str, Facts]], kinds: Sequence[str], json_file: Path | None) -> None:
    result.columns = ("kind", *found)
    for kind in kinds:
        counts = {way: passes(facts[kind]) for way, facts in found.items()}
        result.add(kind, *(f"{good}/{all_}" if good < all_ else f"all {all_}" for good, all_ in counts.values()))
    for name, count in (("facts", _facts), ("kinds", _kinds)):
        result.add(name, *(count(facts) for facts in found.values()))
    result.raw = {way: {"facts": _facts(facts), "kinds": _kinds(facts), "found": facts} for way, facts in found.items()}
    for way in ("origin", "local"):
        for kind, facts in found.get(way, {}).items():
            for fact in facts:
                if not fact["pass"]:
                    told = f"{json.dumps(fact['fact'], ensure_ascii=False)[:120]} got {str(fact.get('got'))[:120]}"
                    result.notes.append(f"{way}: {kind} [{fact['scenario']}] {told}")
    result.show(json_file)


def _facts(found: dict[str, Facts]) -> str:
    good, all_ = (sum(counts) for counts in zip(*(passes(facts) for facts in found.values()), strict=True))
    return f"{good}/{all_}"


def _kinds(found: dict[str, Facts]) -> str:
    return f"{sum(passes(facts)[0] == passes(facts)[1] for facts in found.values())}/{len(found)}"


if __name__ == "__main__":
    main()
