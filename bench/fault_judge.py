"""Runs the fixtures' own checker: `python -m bench.fault_judge FOLDER BASE OUT.json [--proxy URL --spki HASH] KIND...`.

A mirror lets accounts in with passwords of its own: `--password OLD NEW` has the checker type NEW where it would OLD.

FOLDER is the one that holds the `faults` package. With a proxy, the checker's browser and its plain requests go through
it and the base is the source's own address: that is origin mode, in which several host names are no leak.
"""

import argparse
import http.client
import importlib
import json
import os
import stat
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit


def proxied(proxy: str) -> type[http.client.HTTPConnection]:
    """A connection that asks this proxy for whatever host it is opened to."""
    via = urlsplit(proxy)

    class Proxied(http.client.HTTPConnection):
        def __init__(self, host: str, port: int, **options: Any) -> None:
            super().__init__(via.hostname or "", via.port, **options)
            self._authority = f"{host}:{port}"

        def putrequest(self, method: str, url: str, *_: Any, **options: Any) -> None:
            super().putrequest(method, f"http://{self._authority}{url}", skip_host=True, **options)
            self.putheader("Host", self._authority)

    return Proxied


def browser_behind(proxy: str, spki: str, browser: str, folder: Path) -> Path:
    """An executable that starts the browser with the proxy set, for a checker that has no option for one."""
    program = folder / "browser"
    flags = [f"--proxy-server={proxy}", "--proxy-bypass-list=<-loopback>"]
    flags += [f"--ignore-certificate-errors-spki-list={spki}"] if spki else []
    program.write_text(f'#!/bin/sh\nexec {browser} {" ".join(flags)} "$@"\n'.replace("<-loopback>", "'<-loopback>'"))
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return program


def retyped(value: Any, passwords: Sequence[Sequence[str]]) -> Any:
    """A value of JSON with other passwords in its texts.

    >>> retyped({"do": [["fill", "#pw", "old"]], "body": "user=a&pw=old"}, [["old", "new"]])
    {'do': [['fill', '#pw', 'new']], 'body': 'user=a&pw=new'}
    """
    if isinstance(value, dict):
        return {key: retyped(one, passwords) for key, one in value.items()}
    if isinstance(value, list):
        return [retyped(one, passwords) for one in value]
    for old, new in passwords if isinstance(value, str) else ():
        value = value.replace(old, new)
    return value


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.fault_judge", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("base")
    parser.add_argument("out", type=Path)
    parser.add_argument("kinds", nargs="+")
    parser.add_argument("--proxy", default="")
    parser.add_argument("--spki", default="")
    parser.add_argument("--password", nargs=2, action="append", default=[])
    options = parser.parse_args()
    sys.path.insert(0, str(options.folder))
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        if options.proxy:
            browser = os.environ["FAULTS_CHROMIUM"]
            os.environ["FAULTS_CHROMIUM"] = str(browser_behind(options.proxy, options.spki, browser, Path(folder)))
        checker = importlib.import_module("faults.check")
        known = checker.load_expect
        checker.load_expect = lambda kind: retyped(known(kind), options.password)  # type: ignore[attr-defined]
        if options.proxy:
            connection = proxied(options.proxy)
            checker.http = SimpleNamespace(client=SimpleNamespace(HTTPConnection=connection))  # type: ignore[attr-defined]
        found = checker.check(options.base, options.kinds, live=bool(options.proxy))
    options.out.write_text(json.dumps(found))


if __name__ == "__main__":
    main()
