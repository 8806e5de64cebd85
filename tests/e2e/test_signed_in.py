"""A club that shows most of itself to members: explored with one account, then rebuilt."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import pytest

from artifacts.events import ignore, never
from artifacts.evidence import Part, load_part
from artifacts.run import Account, Budget, CaptureRequest
from artifacts.store import Store
from builder.build import build
from explorer.crawl.explore import explore
from tests.builder.world import application
from tests.sites.club import create_club
from tests.sites.tiny import serve

pytestmark = pytest.mark.browser

ACCOUNT = Account(label="user", login_url="/login", user="ada", password="paper-boats-72")
LOGIN = {"next": "", "user": "ada", "password": "sandbox-pass-1"}


class Known(NamedTuple):
    """What was captured and built, and what the site was sent."""

    part: Part
    sent: list[str]
    mirror: Path
    site: str


@pytest.fixture(scope="module")
def club(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Known]:
    folder, sent = tmp_path_factory.mktemp("club"), list[str]()
    store = Store(folder / "store")
    with serve(create_club(sent)) as url:
        asked = CaptureRequest(
            url=url, allow=("account", "write"), accounts=(ACCOUNT,), budget=Budget(max_pages=18, max_actions=33)
        )
        evidence = explore(
            asked, accounts=(ACCOUNT,), folder=folder / "evidence", store=store, created="2026-01-02T03:04:05Z",
            emit=ignore, stop=never,
        )  # fmt: skip
    part = load_part(store, evidence.open) + load_part(store, evidence.sealed)
    build(
        part, evidence, store=store, out=folder / "mirror", parts="all", emit=ignore,
        sandbox_passwords={"user": LOGIN["password"]},
    )  # fmt: skip
    yield Known(part, sent, folder / "mirror", evidence.site)


def test_the_account_looks_at_what_strangers_are_kept_from_and_fetches_the_rest(club: Known) -> None:
    mine = {urlsplit(state.requested).path for state in club.part.states if state.identity == "user"}
    assert mine >= {"/", "/profile/", "/letters/", "/letters/1/", "/notes/", "/news/1/"}
    asked = {urlsplit(one.url).path for one in club.part.exchanges if one.identity == "user" and one.status == 200}
    assert asked >= {f"/letters/{n}/" for n in range(1, 9)}
    strangers = [one for one in club.part.states if one.identity == "anonymous" and "/profile/" in one.requested]
    assert strangers and all(urlsplit(one.url).path == "/login" for one in strangers)


def test_every_such_episode_begins_with_the_login_and_one_ends_with_leaving(club: Known) -> None:
    steps = {(one.episode, one.step): one for one in club.part.interactions}
    for (episode, _), step in steps.items():
        if step.identity == "user":
            assert steps[episode, 0].behaviour.startswith("login ") and steps[episode, 0].identity == "anonymous"
    assert [one for one in steps.values() if one.behaviour == "log out"]


def test_what_the_account_had_is_as_it_was(club: Known) -> None:
    done = {one.behaviour for one in club.part.interactions if one.identity == "user"}
    assert any("/profile/" in name for name in done) and any("/notes/" in name for name in done)
    assert any("Star" in name for name in done)
    towns = [line.split()[2] for line in club.sent if line.startswith("/profile/ ")]
    assert len(set(towns)) == 2 and towns[-1] == "Harbour"
    assert sum(line.startswith("/news/1/star ada") for line in club.sent) % 2 == 0
    assert not [line for line in club.sent if line.startswith("/profile/letters")]


def test_the_mirror_shows_to_who_logs_in_what_it_keeps_from_strangers(club: Known) -> None:
    app = application(club.mirror)
    stranger, member = (app.test_client() for _ in range(2))
    for path in ("/profile/", "/letters/", "/letters/1/", "/notes/"):
        answer = stranger.get(path, base_url=club.site)
        assert answer.status_code == 302 and answer.headers["Location"].endswith(f"/login?next={path}"), path
    assert member.post("/login", data=LOGIN, base_url=club.site).status_code == 302
    for path in ("/profile/", "/letters/", *(f"/letters/{n}/" for n in range(1, 9)), "/notes/"):
        answer = member.get(path, base_url=club.site)
        assert answer.status_code == 200 and "Log out" in answer.text, path
