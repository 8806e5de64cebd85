"""The bundled shop, recorded and rebuilt: actions nobody recorded are answered as the shop itself answers them."""

import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from artifacts.run import Account
from builder.emit.seed import sandbox_password
from tests.builder.recorder import Recorder, plain
from tests.builder.world import SITE, Visitor, World, application
from tests.sites.shop import store
from tests.sites.shop.app import create_app

ACCOUNT = store.accounts()[0]
GOODS = dict(enumerate(store.goods(), 1))
PAGES = {number: f"/product/{item['slug']}/" for number, item in GOODS.items()}
SHELVES = ("/", "/shop/", *(f"/shop/{slug}/" for slug, *_ in store.CATEGORIES), "/about/")
LOGIN = {"email": ACCOUNT["user"], "password": ACCOUNT["password"]}


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    """The shop as one looks at it who tries a few things: four products are bought, the other 36 are only seen."""
    folder = tmp_path_factory.mktemp("recorded")
    world = World(folder, accounts=[Account(label=ACCOUNT["label"], login_url="/login", user=ACCOUNT["user"])])
    recorder = Recorder(world, create_app(folder), {ACCOUNT["label"]: ACCOUNT["password"]})
    recorder.look(*SHELVES, "/cart", "/login", "/register", "/account/", "/nowhere", *PAGES.values())
    world.not_found = world.site + "/nowhere"
    one, two, three, four = [number for number, item in GOODS.items() if item["stock"] >= 10][:4]

    def add(number: int, quantity: int) -> dict[str, Any]:
        return {"url": "/cart/add", "on": PAGES[number], "product": str(number), "quantity": str(quantity)}

    def change(number: int, quantity: int) -> dict[str, Any]:
        return {"url": "/cart/update", "on": "/cart", "product": str(number), "quantity": str(quantity)}

    def remove(number: int) -> dict[str, Any]:
        return {"url": "/cart/remove", "on": "/cart", "product": str(number)}

    right, wrong = {**LOGIN, "next": ""}, {**LOGIN, "next": "", "password": "wrong"}
    first = [add(one, 1), add(two, 2), add(one, 1), change(two, 3), remove(one), remove(two)]
    second = [add(three, 3), add(four, 1), change(three, 0), change(four, 2)]
    third = [add(one, 4), add(three, 1), add(four, 2), remove(three), add(three, 2)]
    for steps in (first, second, third):
        actor = recorder.episode()
        for step in steps:
            actor.post(**step)
    recorder.episode().post("/login", "account", on="/login", **wrong).get("/about/")
    member = recorder.episode().post("/login", "account", on="/login", **right).get("/about/")
    member.post("/logout", "account", on="/about/").get("/about/")
    buyer = recorder.episode().post(**add(two, 2)).post("/login", "account", on="/login", **{**right, "next": "/cart"})
    buyer.get("/cart").post(**add(one, 1)).post("/logout", "account", on="/about/").get("/cart")
    world.build()
    return world


@pytest.fixture
def visitor(world: World) -> Visitor:
    return Visitor(application(world.folder / "mirror"), SITE)


def password() -> str:
    return sandbox_password(SITE, ACCOUNT["label"])


class Shopper:
    """Does the same in the shop and in the mirror."""

    def __init__(self, shop: FlaskClient, mirror: Visitor) -> None:
        self._shop = shop
        self._mirror = mirror
        self.problems: list[str] = []

    def asked(self, page: str) -> str:
        return self._shop.get(page, base_url=SITE).get_data(as_text=True)

    def send(self, url: str, on: str, **form: str) -> None:
        found = re.search(r'name="csrf_token" value="([^"]+)"', self.asked(on))
        token = found[1] if found else ""
        self._mirror.text(on)
        headers = {"Referer": SITE + on}
        real = self._shop.post(url, base_url=SITE, data={"csrf_token": token, **form}, headers=headers)
        if form.get("password") == ACCOUNT["password"]:
            form["password"] = password()
        mine = self._mirror.post(url, {"csrf_token": "t" * 24, **form}, headers=headers)
        said = [(answer.status_code, answer.headers.get("Location")) for answer in (real, mine)]
        if said[0] != said[1]:
            self.problems.append(f"{url} {form}: {said[0]}, not {said[1]}")
        for page in (real.headers.get("Location"), "/cart", "/about/", "/shop/", "/account/", PAGES[7], "/nowhere"):
            if page:
                self._compare(page, f"{page} after {url} {form}")

    def _compare(self, page: str, what: str) -> None:
        real, mine = self._shop.get(page, base_url=SITE), self._mirror.open(page)
        same = plain(real.get_data(as_text=True)) == plain(mine.get_data(as_text=True))
        if not same or real.status_code != mine.status_code:
            self.problems.append(what)


def walk(shopper: Shopper, chance: random.Random, steps: int) -> Iterator[str]:
    """Random actions: products, quantities and orders of steps that are nowhere in the recording."""
    member = False
    for step in range(steps):
        kind = chance.choice(["add", "add", "add", "change", "remove", "login", "wrong", "logout"])
        inside = re.findall(r'name="product" value="(\d+)"', shopper.asked("/cart"))
        if kind == "add":
            number = chance.choice([number for number, item in GOODS.items() if item["stock"] >= 20])
            shopper.send("/cart/add", PAGES[number], product=str(number), quantity=str(chance.randint(1, 3)))
        elif kind in ("change", "remove") and inside:
            form = {"quantity": str(chance.randint(0, 5))} if kind == "change" else {}
            shopper.send(f"/cart/{kind.replace('change', 'update')}", "/cart", product=chance.choice(inside), **form)
        elif kind in ("login", "wrong") and not member:
            form = LOGIN if kind == "login" else {**LOGIN, "password": f"no {step}"}
            shopper.send("/login", "/login", next=chance.choice(["", "/about/", "/cart"]), **form)
            member = kind == "login"
        elif kind == "logout" and member:
            shopper.send("/logout", "/about/")
            member = False
        else:
            continue
        yield kind


@pytest.mark.parametrize("seed", range(4))
def test_walks_that_nobody_recorded_lead_through_the_same_pages(world: World, tmp_path: Path, seed: int) -> None:
    shopper = Shopper(create_app(tmp_path).test_client(), Visitor(application(world.folder / "mirror"), SITE))
    done = list(walk(shopper, random.Random(seed), 8))
    assert len(done) > 3
    assert shopper.problems == []


def test_what_was_recorded_is_answered_as_it_was_recorded(world: World, visitor: Visitor) -> None:
    """Byte by byte: nothing is written anew where the visitor's history is a recorded one."""
    number = next(number for number, item in GOODS.items() if item["stock"] >= 10)
    visitor.post("/cart/add", {"csrf_token": "t" * 24, "product": str(number), "quantity": "1"})
    shown = visitor.open("/cart").get_data()
    recorded = [e for e in world.exchanges if e.visit == "e0001.1/0" and e.url.endswith("/cart")]
    assert shown == world.store.get(str(recorded[0].response_body))


def test_two_visitors_have_two_carts(visitor: Visitor) -> None:
    other = visitor.again()
    visitor.post("/cart/add", {"csrf_token": "t" * 24, "product": "9", "quantity": "2"})
    other.post("/cart/add", {"csrf_token": "t" * 24, "product": "11", "quantity": "3"})
    for one, number in ((visitor, 9), (other, 11)):
        assert re.findall(r'href="(/product/[^"]+)"', one.text("/cart")) == [PAGES[number]]
    assert "Your cart is empty" in visitor.again().text("/cart")


def test_a_form_that_names_nothing_known_is_not_answered_by_a_handler(visitor: Visitor) -> None:
    visitor.post("/cart/add", {"csrf_token": "t" * 24, "product": "4711", "quantity": "1"})
    assert "4711" not in visitor.text("/cart")


def test_a_person_can_read_what_each_handler_does(world: World) -> None:
    source = (world.folder / "mirror" / "handlers.py").read_text()
    assert "# POST /cart/remove product: gives all 3 recorded answers of this form." in source
    assert "on '/cart': if there is such a row: update" in source
    seed = (world.folder / "mirror" / "seed.sql").read_text()
    table = re.search(r'CREATE TABLE "rows_cart" \((.*?)\);', seed, re.S)
    assert table is not None
    assert {"quantity", "product"} <= set(re.findall(r'"(\w+)" TEXT', table[1]))


def test_the_contract_says_what_handlers_rest_on_and_what_would_settle_the_rest(world: World) -> None:
    contract, _ = world.build("again")
    handlers = {one.trigger: one for one in contract.behaviours if one.name.startswith("handler ")}
    added = handlers["POST /cart/add product,quantity"]
    assert added.status == "observed"
    assert any(line.startswith("rows of /cart") and "11 examples, 11 of a change" in line for line in added.variants)
    assert len(added.observed) == 11
    assert handlers["POST /logout"].experiment == "Send it again with all values different."
    assert handlers["POST /logout"].status == "inferred"
