"""One reconstruction of the shop, made once a test session with the real command; its source is stopped before any test."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.e2e.command import SHOP, Said, webanything
from tests.sites import tiny


class Reconstructed(NamedTuple):
    url: str
    """Where the source was."""
    run: Path
    said: Said


@pytest.fixture(scope="session")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reconstructed]:
    run = tmp_path_factory.mktemp("runs") / "shop"
    with tiny.serve_module("tests.sites.shop") as site:
        said = webanything("reconstruct", site.url, "--out", str(run), *SHOP)
    yield Reconstructed(site.url, run, said)
