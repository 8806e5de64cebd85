"""Web archive collections: a ZIP of WARC, index and list of pages. https://specs.webrecorder.net/wacz/1.1.1/"""

import hashlib
import io
import json
import tempfile
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO

from artifacts.errors import DamagedError
from artifacts.evidence import PageState
from explorer.archives.index import written
from explorer.archives.traffic import Sent, Taken
from explorer.archives.warc import read_warc, timestamp, write_warc

WACZ_VERSION = "1.1.1"
_ARCHIVES = (".warc", ".warc.gz")


def write_wacz(out: Path, *, title: str, software: str, states: Sequence[PageState], traffic: Iterable[Sent]) -> int:
    """Write the collection in one step and say how many exchanges it holds.

    Players answer from it what browsers asked for; WebSocket messages have no place in the format and are left out.
    """
    times: dict[tuple[str, str], str] = {}

    def dated() -> Iterator[Sent]:
        for one in traffic:
            times.setdefault((one.exchange.visit, one.exchange.url), timestamp(one.at))
            yield one

    fresh = out.with_name(f".{out.name}.part")
    with tempfile.TemporaryDirectory(dir=out.parent, prefix=".wacz-") as folder:
        warc = Path(folder) / "data.warc.gz"
        with warc.open("wb") as file:
            lines = list(write_warc(file, dated(), name=warc.name, software=software))
        index, blocks = written(lines)
        files: dict[str, Path | bytes] = {
            "archive/data.warc.gz": warc,
            "indexes/index.cdx.gz": index,
            "indexes/index.idx": blocks,
            "pages/pages.jsonl": _pages(states, times),
        }
        with zipfile.ZipFile(fresh, "w", zipfile.ZIP_STORED) as package:
            resources = [_add(package, name, content) for name, content in files.items()]
            described = {
                "profile": "data-package",
                "wacz_version": WACZ_VERSION,
                "title": title,
                "software": software,
                "created": max(times.values(), default=""),
                "resources": resources,
            }
            data = json.dumps(described, indent=2).encode()
            _add(package, "datapackage.json", data)
            digest = {"path": "datapackage.json", "hash": f"sha256:{hashlib.sha256(data).hexdigest()}"}
            _add(package, "datapackage-digest.json", json.dumps(digest).encode())
    fresh.replace(out)
    return len(lines)


def _pages(states: Sequence[PageState], times: dict[tuple[str, str], str]) -> bytes:
    """The pages that were looked at, each address once."""
    lines = [{"format": "json-pages-1.0", "id": "pages", "title": "All Pages", "hasText": False}]
    seen: set[str] = set()
    for state in states:
        url = state.requested.partition("#")[0]
        at = times.get((state.visit, url))
        if at is None or url in seen:
            continue
        seen.add(url)
        lines.append({"id": state.digest[:22], "url": url, "ts": at, "title": state.title})
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines).encode("utf-8", "backslashreplace")


def _add(package: zipfile.ZipFile, name: str, content: Path | bytes) -> dict[str, object]:
    """Store a file uncompressed, so that players can read ranges of it; its entry in the package's description."""
    info = zipfile.ZipInfo(name)
    sha, size = hashlib.sha256(), 0
    with package.open(info, "w") as into, _opened(content) as file:
        while block := file.read(1 << 20):
            into.write(block)
            sha.update(block)
            size += len(block)
    return {"name": name.rpartition("/")[2], "path": name, "hash": f"sha256:{sha.hexdigest()}", "bytes": size}


def _opened(content: Path | bytes) -> IO[bytes]:
    return io.BytesIO(content) if isinstance(content, bytes) else content.open("rb")


def read_wacz(data: bytes) -> Iterator[Taken]:
    """The answered requests of a collection, or of a bare WARC file. Raises DamagedError if it is neither."""
    if not zipfile.is_zipfile(io.BytesIO(data)):
        yield from read_warc(io.BytesIO(data))
        return
    with zipfile.ZipFile(io.BytesIO(data)) as package:
        names = [name for name in package.namelist() if name.endswith(_ARCHIVES)]
        if not names:
            raise DamagedError(
                "The ZIP file holds no WARC.",
                remedy="Give a WACZ, a WARC or a HAR file.",
                code="bad_archive",
            )
        for name in sorted(names):
            with package.open(name) as file:
                yield from read_warc(file)


def main_page(data: bytes) -> str:
    """The first page that a collection lists; empty if it lists none."""
    if not zipfile.is_zipfile(io.BytesIO(data)):
        return ""
    with zipfile.ZipFile(io.BytesIO(data)) as package:
        if "pages/pages.jsonl" not in package.namelist():
            return ""
        lines = package.read("pages/pages.jsonl").splitlines()
    for line in lines:
        try:
            page = json.loads(line)
        except ValueError:
            continue
        if isinstance(page, dict) and str(page.get("url", "")).startswith(("http://", "https://")):
            return str(page["url"]).partition("#")[0]
    return ""
