"""What a run still lacks, as addresses to ask the site for: the queue of unseen requests, and the report's findings."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from artifacts.report import Fault, Report
from artifacts.run import Wanted

QUEUE = "unseen.jsonl"
_PAGES = frozenset({"", "document", "iframe", "frame"})


class Queue(NamedTuple):
    """The requests that a served mirror could not answer."""

    wanted: tuple[Wanted, ...]
    """Those that can simply be asked again, each once."""
    others: int
    """Requests that change something: only an action on a page can send them."""


def unseen(path: Path) -> Queue:
    """The queue that `serve` wrote; empty where there is none. Torn lines are passed over."""
    found: dict[str, Wanted] = {}
    others = 0
    for record in _records(path):
        if record.get("method") not in ("GET", "HEAD"):
            others += 1
            continue
        query = f"?{record['query']}" if record.get("query") else ""
        url = f"{record.get('host', '')}{record.get('path', '')}{query}"
        if url.startswith(("http://", "https://")):
            found.setdefault(url, Wanted(url=url, as_page=record.get("destination", "") in _PAGES))
    return Queue(tuple(found.values()), others)


def _records(path: Path) -> Iterator[dict[str, Any]]:
    try:
        lines = path.read_text("utf-8", "replace").splitlines()
    except FileNotFoundError:
        return
    for line in lines:
        try:
            record = json.loads(line)
        except ValueError:
            continue
        if isinstance(record, dict):
            yield record


def lacking(report: Report) -> tuple[Wanted, ...]:
    """The addresses that findings blame the evidence for."""
    looked_at = {check.url for check in report.states}
    blamed = [one.subject for one in report.findings if one.fault is Fault.EVIDENCE and one.subject.startswith("http")]
    return tuple(Wanted(url=url, as_page=url in looked_at) for url in dict.fromkeys(blamed))
