import os
import urllib.request
from collections.abc import Iterable

import pytest

from tests.sites import tiny


def _hello(environ: object, start_response: object) -> Iterable[bytes]:
    start_response("200 OK", [("Content-Type", "text/plain")])  # type: ignore[operator]
    return [b"hello"]


def test_a_thread_serves_until_the_block_ends() -> None:
    with tiny.serve(_hello) as url:
        assert urllib.request.urlopen(url).read() == b"hello"
    with pytest.raises(OSError):
        urllib.request.urlopen(url, timeout=2)


def test_the_shop_runs_in_a_process_that_ends_with_the_block() -> None:
    with tiny.serve_module("tests.sites.shop") as site:
        assert b"Lantern &amp; Loom" in urllib.request.urlopen(site.url).read()
    with pytest.raises(ProcessLookupError):
        os.kill(site.pid, 0)


def test_a_module_that_fails_is_named() -> None:
    with pytest.raises(RuntimeError, match=r"tests\.sites\.none"), tiny.serve_module("tests.sites.none"):
        pass
