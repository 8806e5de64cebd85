"""What stands beside the steps of an episode, on the shop and on a wall where everybody reads what one wrote."""

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import pytest
from flask import Flask, redirect, request

from artifacts.evidence import Exchange, probe_visit
from artifacts.run import Account, Budget, CaptureRequest, Lens
from artifacts.store import Store
from explorer.crawl.contrast import around_login
from explorer.crawl.plan import trials
from explorer.crawl.rest import Rest
from explorer.crawl.robots import Robots
from explorer.crawl.telling import Telling
from explorer.crawl.trial import Shown, Trial
from explorer.crawl.urls import Templates
from explorer.crawl.views import Seen
from explorer.crawl.visit import Episode, Visitor
from explorer.crawl.words import Words
from explorer.lens.browser import open_browser
from explorer.redact.redactor import Redactor
from explorer.wire.client import Wire
from tests.sites.tiny import serve, serve_module

pytestmark = pytest.mark.browser

ACCOUNT = Account(label="user", login_url="/login", user="ada@lantern.example", password="paper-boats-72")
WORDS = Words("lantern", "harbour", "quiet lantern")


class Bench(NamedTuple):
    """A visitor at a site, and what it recorded."""

    visitor: Visitor
    wire: Wire
    telling: Telling
    templates: Templates
    waited: list[None]

    def planned(self, *urls: str) -> list[Trial]:
        """What the pages at these addresses offer."""
        found: list[Trial] = []
        for number, url in enumerate(urls):
            seen = self.visitor.look_at(url, visit=f"p{number}", templates=self.templates)
            assert isinstance(seen, Seen), seen
            found += trials(Shown(url, "t", seen.items, seen.state.url), self.templates, WORDS, (ACCOUNT,))
        return found

    def done(self, trial: Trial, episode: str = "e1") -> Episode:
        done = self.visitor.try_out(
            trial, episode=episode, templates=self.templates, words=WORDS, known=lambda _: None, limit=4
        )
        assert not done.skips, done.skips
        self.telling.absorb(done.outcome)
        return done

    def probed(self, visit: str) -> list[Exchange]:
        return [exchange for exchange in self.wire.exchanges(visit) if exchange.destination == "document"]

    def saying(self, visit: str, text: bytes) -> set[str]:
        """Paths of the probed pages that hold the text."""
        found = [one for one in self.probed(visit) if one.response_body]
        return {urlsplit(one.url).path for one in found if text in self.wire.store.get(one.response_body or "")}


@contextlib.contextmanager
def bench(url: str, folder: Path, paths: Sequence[str]) -> Iterator[Bench]:
    asked = CaptureRequest(
        url=url, allow=("session", "account", "write"), accounts=(ACCOUNT,), budget=Budget(max_actions=30)
    )
    telling = Telling(asked, url, Robots.parse("User-agent: *\nDisallow: /stock-room/"))
    store, redactor, waited = Store(folder / "store"), Redactor((ACCOUNT,)), list[None]()
    with (
        Wire(folder / "wire", store, redactor=redactor) as wire,
        open_browser(wire.proxy, spki=(wire.spki,)) as browser,
    ):
        visitor = Visitor(
            browser, wire, lens=Lens(), store=store, redactor=redactor, request=asked, accounts=(ACCOUNT,),
            rest=Rest(wire), telling=telling, wait=lambda: waited.append(None),
        )  # fmt: skip
        yield Bench(visitor, wire, telling, Templates(url + path for path in paths), waited)


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """The shop, where somebody logged in, put something into the cart, and changed and emptied it."""
    paths = ("", "login", "cart", "account/", "shop/", "product/globe-bulb/")
    with (
        serve_module("tests.sites.shop") as site,
        bench(site.url, tmp_path_factory.mktemp("shop"), paths) as found,
    ):
        offered = found.planned(site.url + "login", site.url + "product/globe-bulb/")
        together = next(iter(around_login(offered)))
        behaviours = [step.behaviour for step in found.done(together).interactions]
        assert behaviours[0].startswith("login ") and "Add to cart" in behaviours[2], behaviours
        yield found


def test_the_same_pages_are_asked_for_before_and_after_each_step_that_changes_something(shop: Bench) -> None:
    before, logged_in, added = (probe_visit(f"e1/{step}") for step in ("before", "0", "2"))
    for visit in (before, logged_in, added):
        assert {"/", "/cart", "/account/", "/shop/"} <= {urlsplit(one.url).path for one in shop.probed(visit)}, visit
    assert shop.probed(probe_visit("e1/1")) == [], "looking changes nothing"
    assert shop.saying(before, b'cart-badge">1<') == shop.saying(logged_in, b'cart-badge">1<') == set()
    assert {"/", "/cart", "/account/", "/shop/"} <= shop.saying(added, b'cart-badge">1<')
    assert "/account/" in shop.saying(logged_in, b"Hello, Ada") and not shop.saying(before, b"Hello, Ada")


def test_a_stranger_and_the_same_account_elsewhere_look_too(shop: Bench) -> None:
    stranger, elsewhere = probe_visit("e1/2", "stranger"), probe_visit("e1/2", "elsewhere")
    assert {"/", "/cart", "/shop/"} <= {urlsplit(one.url).path for one in shop.probed(stranger)}
    assert shop.saying(stranger, b'cart-badge">1<') == set()
    assert "/account/" in shop.saying(elsewhere, b"Hello, Ada")
    assert shop.saying(elsewhere, b'cart-badge">1<') == set(), "in this shop a cart belongs to the session"
    assert shop.probed(probe_visit("e1/0", "elsewhere")) == [], "nothing had been done yet"


def test_probes_only_read_take_their_turn_and_keep_no_secret(shop: Bench) -> None:
    visits = [probe_visit(f"e1/{step}", whose) for step in ("before", 0, 1, 2, 3) for whose in ("actor", "stranger")]
    sent = [one for visit in visits for one in shop.probed(visit)]
    assert {one.method for one in sent} == {"GET"} and len(shop.waited) >= len(sent) > 20
    assert not [one.url for one in sent if "logout" in one.url or "stock-room" in one.url]
    cookies = [value for one in sent for name, value in one.request_headers if name == "Cookie"]
    assert cookies and all("lantern_sid=redacted-" in value for value in cookies)


FORM = "<title>Wall</title><form method=post action=/write><textarea name=text></textarea><button>Post</button></form>"


def test_what_concerns_everybody_is_seen_by_a_stranger_every_time(tmp_path: Path) -> None:
    app, wrote = Flask("wall"), list[str]()
    app.add_url_rule("/", "home", lambda: f'{FORM}<p>{len(wrote)} written <a href="/all">all of it</a>')
    app.add_url_rule("/all", "all", lambda: "<title>All</title>" + "".join(f"<p>{text}" for text in wrote))

    @app.post("/write")
    def write() -> object:
        wrote.append(request.form["text"])
        return redirect("/all")

    with serve(app) as url, bench(url, tmp_path, ("", "all")) as found:
        post = next(trial for trial in found.planned(url) if trial.judgement.safety == "write")
        for episode in ("e1", "e2", "e3"):
            found.done(post, episode)
        for number in (1, 2, 3):
            assert found.saying(probe_visit(f"e{number}/0", "stranger"), f"{number} written".encode()) == {"/"}
            assert found.saying(probe_visit(f"e{number}/0", "stranger"), b"<p>lantern") == {"/all"}


def test_what_is_ones_own_is_looked_for_by_strangers_twice(tmp_path: Path) -> None:
    app = Flask("basket")
    form = "<title>Thing</title><form method=post action=/basket/add><button>Add to basket</button></form>"
    app.add_url_rule("/", "home", lambda: f"{form}{request.cookies.get('n', 0)} in your <a href=/basket>basket</a>")
    app.add_url_rule("/basket", "basket", lambda: f"<title>Basket</title>{request.cookies.get('n', 0)}")

    @app.post("/basket/add")
    def add() -> object:
        answer = redirect("/basket")
        answer.set_cookie("n", str(int(request.cookies.get("n", 0)) + 1))
        return answer

    with serve(app) as url, bench(url, tmp_path, ("", "basket")) as found:
        post = next(trial for trial in found.planned(url) if trial.judgement.safety == "session")
        for episode in ("e1", "e2", "e3"):
            found.done(post, episode)
        looked = [bool(found.probed(probe_visit(f"e{number}/0", "stranger"))) for number in (1, 2, 3)]
        assert looked == [True, True, False]
        assert found.saying(probe_visit("e3/0"), b"1 in your") == {"/"}
