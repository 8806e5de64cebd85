"""Each bad start address gives its own error; good ones give the page, whatever lies on the way."""

from collections.abc import Iterator

import pytest

from artifacts.errors import BlockedError, ExitCode, UnavailableError, UsageError, WebAnythingError
from artifacts.run import Account, CaptureRequest, Resolution
from artifacts.store import Store
from explorer.crawl.probe import probe, status_error
from explorer.wire.client import Wire
from tests.fakes.badsites import HTML, LOGIN, PAGE, Reply, bad_sites, site

EXPECTED: dict[str, tuple[str, type[WebAnythingError], str]] = {
    "bad_url": ("bad_url", UsageError, "neither http"),
    "no_such_host": ("no_such_host", UnavailableError, "no-such-host.invalid"),
    "refused": ("refused", UnavailableError, "refuses"),
    "timeout": ("timeout", UnavailableError, "no answer within"),
    "tls_error": ("tls_error", UnavailableError, "issuer certificate"),
    "not_a_page": ("not_a_page", UsageError, "application/pdf"),
    "empty_page": ("empty_page", UsageError, "empty"),
    "not_found": ("not_found", UsageError, "404"),
    "login_wall": ("login_wall", BlockedError, "/login"),
    "login_required": ("login_wall", BlockedError, "401"),
    "forbidden": ("forbidden", BlockedError, "403"),
    "rate_limited": ("rate_limited", UnavailableError, "429"),
    "server_error": ("server_error", UnavailableError, "500"),
    "redirect_loop": ("redirect_loop", UnavailableError, "without end"),
    "robots": ("robots", BlockedError, "line 3: Disallow: /"),
    "challenge": ("challenge", BlockedError, "Cloudflare"),
}


@pytest.fixture(scope="module")
def wire(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Wire]:
    folder = tmp_path_factory.mktemp("wire")
    resolve = [Resolution(host="shop.test", port=80, address="127.0.0.1:1")]
    with Wire(folder, Store(folder / "store"), resolve=resolve) as wire:
        wire.visit("probe")
        yield wire


@pytest.fixture(scope="module")
def addresses() -> Iterator[dict[str, str]]:
    with bad_sites() as sites:
        yield sites


def test_every_bad_site_is_expected(addresses: dict[str, str]) -> None:
    assert set(addresses) == set(EXPECTED)


@pytest.mark.parametrize("name", EXPECTED)
def test_a_bad_start_gives_its_own_error(name: str, addresses: dict[str, str], wire: Wire) -> None:
    code, kind, said = EXPECTED[name]
    with pytest.raises(kind) as caught:
        probe(CaptureRequest(url=addresses[name]), wire, timeout=1.5 if name == "timeout" else 10.0)
    error = caught.value
    assert error.code == code
    assert said in error.what
    assert error.where and error.remedy
    assert all(line and "\n" not in line for line in error.lines())


@pytest.mark.parametrize(
    "url",
    ["", "shop", "shop.example/x", "ftp://shop.example/", "http://", "http://a b/", "http://x:99999/", "//x.example"],
)
def test_what_is_no_address_is_said_before_anything_is_sent(url: str, wire: Wire) -> None:
    before = len(wire.exchanges("probe"))
    with pytest.raises(UsageError) as caught:
        probe(CaptureRequest(url=url), wire)
    assert caught.value.code == "bad_url"
    assert len(wire.exchanges("probe")) == before


def test_a_password_in_the_address_is_refused_and_not_repeated(wire: Wire) -> None:
    with pytest.raises(UsageError) as caught:
        probe(CaptureRequest(url="http://bob:hunter2@shop.example/"), wire)
    assert "hunter2" not in str(caught.value.lines())


def test_redirects_lead_to_the_page(wire: Wire) -> None:
    def reply(path: str) -> Reply:
        if path == "/":
            return Reply(301, "", headers={"Location": "/shop"})
        return Reply()

    with site(reply) as url:
        found = probe(CaptureRequest(url=url), wire)
    assert found.url == url + "shop"
    assert found.site == url.rstrip("/")
    assert (found.status, found.html) == (200, PAGE)


def test_a_cookie_that_ends_a_redirect_is_kept(wire: Wire) -> None:
    seen: list[int] = []

    def reply(path: str) -> Reply:
        if path == "/" and len(seen) < 1:
            seen.append(1)
            return Reply(302, "", headers={"Location": "/", "Set-Cookie": "checked=a1b2c3d4e5; Path=/"})
        return Reply()

    with site(reply) as url:
        assert probe(CaptureRequest(url=url), wire).url == url


def test_an_immediate_refresh_is_followed(wire: Wire) -> None:
    def reply(path: str) -> Reply:
        return Reply(body='<meta http-equiv="Refresh" content="0; url=\'/en/\'">') if path == "/" else Reply()

    with site(reply) as url:
        assert probe(CaptureRequest(url=url), wire).url == url + "en/"


def test_accounts_open_a_login_wall(addresses: dict[str, str], wire: Wire) -> None:
    account = Account(label="user", login_url="/login", user="bob", password="hunter2")
    found = probe(CaptureRequest(url=addresses["login_wall"], accounts=(account,)), wire)
    assert "/login" in found.url


def test_a_login_page_that_was_asked_for_is_no_wall(addresses: dict[str, str], wire: Wire) -> None:
    assert probe(CaptureRequest(url=addresses["login_wall"] + "login"), wire).status == 200


def test_a_login_box_beside_content_is_no_wall(wire: Wire) -> None:
    shop = "<title>Shop</title>" + LOGIN + "".join(f"<a href='/p/{n}'>Thing number {n}</a>" for n in range(20))
    with site(lambda _: Reply(body=shop)) as url:
        assert probe(CaptureRequest(url=url), wire).status == 200


def test_robots_may_be_ignored_by_the_owner(addresses: dict[str, str], wire: Wire) -> None:
    assert probe(CaptureRequest(url=addresses["robots"], ignore_robots=True), wire).status == 200
    assert probe(CaptureRequest(url=addresses["robots"] + "public/x"), wire).status == 200


def test_robots_that_cannot_be_read_forbid_everything(wire: Wire) -> None:
    def reply(path: str) -> Reply:
        return Reply(503, "down") if path == "/robots.txt" else Reply()

    with site(reply) as url:
        with pytest.raises(UnavailableError, match=r"robots\.txt"):
            probe(CaptureRequest(url=url), wire)
        assert probe(CaptureRequest(url=url, ignore_robots=True), wire).status == 200


def test_a_page_of_scripts_only_is_not_empty(wire: Wire) -> None:
    with site(lambda _: Reply(body="<!doctype html><div id=root></div><script src=/app.js></script>")) as url:
        assert probe(CaptureRequest(url=url), wire).status == 200


def test_xhtml_is_a_page_and_a_feed_is_none(wire: Wire) -> None:
    xhtml = (
        '<?xml version="1.0"?><!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml"><body><p>x</p></body></html>'
    )
    with site(lambda _: Reply(body=xhtml, kind="application/xml")) as url:
        assert probe(CaptureRequest(url=url), wire).status == 200
    feed = Reply(body="<?xml version='1.0'?><rss/>", kind="application/xml")
    with site(lambda _: feed) as url, pytest.raises(UsageError, match="application/xml"):
        probe(CaptureRequest(url=url), wire)


def test_a_captcha_in_a_contact_form_is_no_challenge(wire: Wire) -> None:
    page = "<title>Contact</title><p>Write to us.</p><form><textarea></textarea><div class=g-recaptcha></div></form>"
    with site(lambda _: Reply(body=page, kind=HTML)) as url:
        assert probe(CaptureRequest(url=url), wire).status == 200


@pytest.mark.parametrize("status", range(400, 600))
def test_every_refusal_has_an_exit_code_and_a_remedy(status: int) -> None:
    error = status_error(status, "http://x.example/")
    assert error.exit_code in (ExitCode.USAGE, ExitCode.BLOCKED, ExitCode.UNAVAILABLE)
    assert str(status) in error.what and error.remedy
