"""What the site itself noted of a visitor who may only read."""

from collections.abc import Sequence
from typing import NamedTuple

import pytest

from artifacts.events import ignore, never
from artifacts.evidence import Part, load_part
from artifacts.run import Budget, CaptureRequest
from artifacts.store import Store
from explorer.crawl.explore import explore
from tests.sites import forbidden
from tests.sites.tiny import serve

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]


class Visited(NamedTuple):
    asked: Sequence[str]
    part: Part


@pytest.fixture(scope="module", params=["looked at", "fetched"])
def visited(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Visited:
    """Once with a budget for all of it, and once with most pages taken by plain requests."""
    folder = tmp_path_factory.mktemp("forbidden")
    budget = (
        Budget(max_pages=40, max_actions=40) if request.param == "looked at" else Budget(max_pages=6, max_actions=4)
    )
    asked: list[str] = []
    with serve(forbidden.create_app(asked)) as url:
        store = Store(folder / "store")
        evidence = explore(
            CaptureRequest(url=url, budget=budget, requests_per_second=100), accounts=(), folder=folder / "evidence", store=store,
            created="2026-01-02T03:04:05Z", emit=ignore, stop=never,
        )  # fmt: skip
    return Visited(asked, load_part(store, evidence.open) + load_part(store, evidence.sealed))


def test_nothing_was_sent_that_is_not_reading(visited: Visited) -> None:
    assert {line.partition(" ")[0] for line in visited.asked} <= {"GET", "HEAD", "OPTIONS"}


def test_no_order_was_given_and_no_trap_was_stepped_into(visited: Visited) -> None:
    assert sorted({line for line in visited.asked if "/do/" in line.partition("?")[0]}) == []


def test_all_that_may_be_read_was_asked_for(visited: Visited) -> None:
    pages = {*forbidden.ORDINARY, *(f"/orders/{kind}" for kind in (*forbidden.KINDS, "addresses", "forms", "traps"))}
    assert pages <= {line.partition(" ")[2] for line in visited.asked}


def test_what_was_refused_is_listed_with_the_reason(visited: Visited) -> None:
    refused = {skip.what: skip.detail for skip in visited.part.skips if skip.reason in ("safety", "trap")}
    links = {f"/do/{kind}-{code}" for kind, labels in forbidden.KINDS.items() for code in labels}
    listed = {what.partition("://")[2].partition("/")[2] for what in refused}
    assert {link for link in links if link.lstrip("/") not in listed} == set()
    assert {path for path in forbidden.ADDRESSES if path.lstrip("/") not in listed} == set()
    assert all(refused.values())
