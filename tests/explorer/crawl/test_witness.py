"""What stands beside the steps of an episode, on the shop."""

from collections import defaultdict
from urllib.parse import urlsplit

import pytest

from artifacts.events import ignore, never
from artifacts.evidence import Exchange, Part, load_part, probe_of, probe_visit
from artifacts.run import Account, Budget, CaptureRequest, Wanted
from artifacts.store import Store
from explorer.crawl.explore import explore
from tests.sites.tiny import serve_module

pytestmark = pytest.mark.browser

ACCOUNT = Account(label="user", login_url="/login", user="ada@lantern.example", password="paper-boats-72")


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> tuple[Part, Store]:
    folder = tmp_path_factory.mktemp("witness")
    store = Store(folder / "store")
    with serve_module("tests.sites.shop") as site:
        asked = CaptureRequest(
            url=site.url, allow=("session", "account"), accounts=(ACCOUNT,), requests_per_second=200,
            wanted=(Wanted(url=site.url + "product/globe-bulb/"),),
            budget=Budget(max_pages=4, max_actions=10),
        )  # fmt: skip
        evidence = explore(
            asked, accounts=(ACCOUNT,), folder=folder / "evidence", store=store, created="2026-01-02T03:04:05Z",
            emit=ignore, stop=never,
        )  # fmt: skip
    return load_part(store, evidence.open) + load_part(store, evidence.sealed), store


def probes(part: Part) -> dict[str, list[Exchange]]:
    found = defaultdict(list)
    for exchange in part.exchanges:
        if probe_of(exchange.visit) and exchange.destination == "document":
            found[exchange.visit].append(exchange)
    return found


def paths(exchanges: list[Exchange]) -> list[str]:
    return [urlsplit(exchange.url).path for exchange in exchanges]


def test_the_same_pages_are_asked_before_and_after_each_step_that_changes_something(seen: tuple[Part, Store]) -> None:
    part, store = seen
    found = probes(part)
    changing = [step for step in part.interactions if step.safety != "read"]
    assert len(changing) >= 4
    for step in changing:
        before, after = found[probe_visit(f"{step.episode}/before")], found[probe_visit(step.visit)]
        assert set(paths(before)) - {"/login"} <= set(paths(after)) and len(before) >= 4, step.behaviour
        assert {"/cart", "/", "/account/"} <= set(paths(after))
    added = next(step for step in changing if "Add" in step.behaviour)
    badge = {
        path: {b'id="cart-badge">1<' in store.get(exchange.response_body or "") for exchange in found[probe_visit(step)]
               if urlsplit(exchange.url).path == path}
        for step, path in ((f"{added.episode}/before", "/cart"), (added.visit, "/cart"), (added.visit, "/"))
    }  # fmt: skip
    assert badge == {"/cart": {True}, "/": {True}}
    assert b'id="cart-badge">1<' not in store.get(found[probe_visit(f"{added.episode}/before")][0].response_body or "")


def test_probes_only_read_and_nothing_reading_is_probed(seen: tuple[Part, Store]) -> None:
    part, _ = seen
    found = probes(part)
    assert {exchange.method for each in found.values() for exchange in each} == {"GET"}
    assert not [url for each in found.values() for url in paths(each) if "logout" in url or "stock-room" in url]
    searches = [step for step in part.interactions if step.behaviour.startswith("search")]
    assert not [step for step in searches if probe_visit(step.visit) in found]


def test_no_secret_of_the_session_is_kept(seen: tuple[Part, Store]) -> None:
    part, _ = seen
    sent = [
        value
        for each in probes(part).values()
        for one in each
        for name, value in one.request_headers
        if name == "Cookie"
    ]
    assert sent and all("lantern_sid=redacted-" in value for value in sent)
