import gzip
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tests.sites.shop import store
from tests.sites.shop.app import create_app

ACCOUNT = store.accounts()[0]


@pytest.fixture
def client(tmp_path: Path) -> Iterator[FlaskClient]:
    yield create_app(tmp_path).test_client()


def token(answer: TestResponse) -> str:
    found = re.search(r'name="csrf_token" value="([^"]+)"', answer.text)
    assert found
    return found[1]


def post(client: FlaskClient, path: str, where: str, **form: str) -> TestResponse:
    return client.post(path, data={"csrf_token": token(client.get(where)), **form})


def titles(answer: TestResponse) -> list[str]:
    return re.findall(r'<h3><a href="/product/[^"]+">([^<]+)</a>', answer.text)


def test_lists_are_paged_and_sorted(client: FlaskClient) -> None:
    pages = [titles(client.get(f"/shop/?page={page}&sort=name")) for page in range(1, 6)]
    everything = [title for page in pages for title in page]
    assert [len(page) for page in pages] == [8] * 5
    assert everything == sorted(everything, key=str.casefold)
    assert client.get("/shop/?page=6").status_code == 404
    assert len(titles(client.get("/shop/garden/?page=2"))) == 2


def test_search_looks_at_title_and_description_for_every_word(client: FlaskClient) -> None:
    assert titles(client.get("/search?q=OAK+tray")) == ["Letter Tray", "Herb Pots, Three"]
    assert titles(client.get("/search?q=%25")) == []
    assert "No results for “zebra”" in client.get("/search?q=zebra").text


def test_suggestions_need_two_letters(client: FlaskClient) -> None:
    assert client.get("/api/suggest?q=l").json == {"query": "l", "suggestions": []}
    found = client.get("/api/suggest?q=lantern").get_json()["suggestions"]
    assert found == [{"title": "Storm Lantern", "url": "/product/storm-lantern/", "price_cents": 4200}]


def test_cart_adds_up_and_belongs_to_one_visitor(client: FlaskClient) -> None:
    answer = post(client, "/cart/add", "/product/letter-tray/", product="13", quantity="1")
    assert (answer.status_code, answer.location) == (303, "/cart")
    page = client.get("/cart")
    assert "Letter Tray is in your cart." in page.text
    assert "Letter Tray is in your cart." not in client.get("/cart").text, "a message is shown once"
    assert '<dd class="sum" id="total">€40.90</dd>' in page.text
    post(client, "/cart/update", "/cart", product="13", quantity="2")
    page = client.get("/about/")
    assert 'id="cart-badge">2<' in page.text
    assert '<dd id="shipping">Free</dd>' in client.get("/cart").text
    assert 'id="cart-badge" data-empty>0<' in client.application.test_client().get("/").text
    post(client, "/cart/remove", "/cart", product="13")
    assert "Your cart is empty" in client.get("/cart").text


def test_cart_stops_at_the_stock_and_refuses_what_is_sold_out(client: FlaskClient) -> None:
    post(client, "/cart/add", "/product/fountain-pen/", product="19", quantity="999")
    assert 'id="cart-badge">8<' in client.get("/").text
    assert post(client, "/cart/add", "/product/stoneware-mug/", product="10", quantity="1").status_code == 400


def test_a_form_without_its_token_changes_nothing(client: FlaskClient) -> None:
    client.get("/")
    assert client.post("/cart/add", data={"product": "1", "quantity": "1"}).status_code == 400
    assert "data-empty" in client.get("/").text


def test_login_leads_back_to_the_gated_page_and_takes_the_cart_along(client: FlaskClient) -> None:
    post(client, "/cart/add", "/product/stoneware-mug/", product="1", quantity="1")
    sent = client.get("/account/")
    assert (sent.status_code, sent.location) == (302, "/login?next=/account/")
    wrong = post(client, "/login", sent.location, email=ACCOUNT["user"], password="nonsense")
    assert wrong.status_code == 401 and "do not match" in wrong.text
    assert 'name="email" type="email" value="ada@lantern.example"' in wrong.text
    right = post(client, "/login", sent.location, email=ACCOUNT["user"], password=ACCOUNT["password"], next="/account/")
    assert (right.status_code, right.location) == (303, "/account/")
    home = client.get("/account/")
    assert "Hello, Ada Brook" in home.text and "LL-1113" in home.text and 'id="cart-badge">1<' in home.text
    assert post(client, "/logout", "/account/").status_code == 303
    assert client.get("/account/").status_code == 302


def test_login_never_leads_to_another_site(client: FlaskClient) -> None:
    for target in ("https://elsewhere.example/", "//elsewhere.example/", "/\\elsewhere.example"):
        answer = post(client, "/login", "/login", email=ACCOUNT["user"], password=ACCOUNT["password"], next=target)
        assert answer.location == "/account/"
        post(client, "/logout", "/")


def test_registration_names_each_mistake(client: FlaskClient) -> None:
    form = {"name": "B", "email": "nobody", "password": "short", "repeat": "other"}
    answer = post(client, "/register", "/register", **form)
    assert answer.status_code == 422 and "3 fields" in answer.text
    for words in ("tell us your name", "does not look like an e-mail", "at least 8 characters"):
        assert words in answer.text
    form = {"name": "Bo Lind", "email": ACCOUNT["user"].upper(), "password": "long enough", "repeat": "long enough"}
    assert "an account with this address already" in post(client, "/register", "/register", **form).text
    answer = post(client, "/register", "/register", **(form | {"email": "bo@lantern.example"}))
    assert answer.location == "/account/" and "Hello, Bo Lind" in client.get("/account/").text


def test_answers_are_packed_and_can_be_asked_for_again_cheaply(client: FlaskClient) -> None:
    first = client.get("/static/parts.css", headers={"Accept-Encoding": "gzip"})
    assert first.headers["Content-Encoding"] == "gzip" and gzip.decompress(first.data).startswith(b"/*")
    again = client.get("/static/parts.css", headers={"Accept-Encoding": "gzip", "If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")
    picture = client.get("/pictures/stoneware-mug-material.png", headers={"Accept-Encoding": "gzip"})
    assert "Content-Encoding" not in picture.headers and picture.data.startswith(b"\x89PNG")


def test_every_page_of_the_sitemap_answers_and_all_its_links_and_pictures_do(client: FlaskClient) -> None:
    pages = re.findall(r"<loc>http://localhost([^<]*)</loc>", client.get("/sitemap.xml").text)
    assert len(pages) == 47
    wanted = set(pages)
    for page in pages:
        text = client.get(page).text
        wanted.update(re.findall(r'(?:href|src|data-src|data-picture)="(/[^"#]*)"', text))
    dead = [path for path in wanted if client.get(path.replace("&amp;", "&")).status_code not in (200, 302)]
    assert not dead


def test_two_starts_are_equal(tmp_path: Path) -> None:
    texts = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        shop = create_app(tmp_path / name).test_client()
        pages = [shop.get(path).text for path in ("/", "/shop/?page=2", "/search?q=lamp", "/product/globe-bulb/")]
        pictures = [shop.get(path).data for path in ("/pictures/globe-bulb.svg", "/pictures/globe-bulb-material.png")]
        texts.append(([re.sub(r'value="[\w-]{24}"', "", page) for page in pages], pictures))
    assert texts[0] == texts[1]


def test_an_unknown_address_has_the_shops_own_page(client: FlaskClient) -> None:
    answer = client.get("/product/no-such-thing/")
    assert answer.status_code == 404 and "Nothing on this shelf" in answer.text and "Lantern" in answer.text
