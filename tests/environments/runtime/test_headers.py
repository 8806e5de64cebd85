import pytest

from environments.runtime.headers import cookie_to_local, environ_to_site, headers_to_local, raw_to_site
from environments.runtime.places import Front, Hosts
from environments.runtime.policy import policy_to_local
from environments.runtime.shim import allowed_by

HOSTS = Hosts(("https://www.shop.example", "https://api.shop.example", "https://cdn.example"))
FRONT = Front("s1.shop.localhost:8000", HOSTS, HOSTS.main)
API = Front("s1.shop.localhost:8000", HOSTS, HOSTS.origins[1])
CDN = Front("s1.shop.localhost:8000", HOSTS, HOSTS.origins[2])
L = "http://s1.shop.localhost:8000"


@pytest.mark.parametrize(
    ("name", "site", "local"),
    [
        ("Location", "https://www.shop.example/a?b", f"{L}/a?b"),
        ("Location", "//cdn.example/a", "//s1.shop.localhost:8000/~https~cdn.example/a"),
        ("Location", "https://else.example/a", f"{L}/~https~else.example/a"),
        ("Location", "a/b", "a/b"),
        ("Location", "https://else.example/?u=https%3A%2F%2Fcdn.example", f"{L}/~https~else.example/?u=http%3A%2F%2F"
         "s1.shop.localhost%3A8000%2F~https~cdn.example"),
        ("Content-Location", "https://cdn.example/x", f"{L}/~https~cdn.example/x"),
        ("Link", "<https://cdn.example/s.css>; rel=preload, </a>; rel=next", f"<{L}/~https~cdn.example/s.css>; rel=preload,"
         " </a>; rel=next"),
        ("Refresh", "5; url=https://else.example/", f"5; url={L}/~https~else.example/"),
        ("Refresh", "5", "5"),
        ("Access-Control-Allow-Origin", "https://www.shop.example", L),
        ("Access-Control-Allow-Origin", "*", "*"),
        ("X-Api", "https://api.shop.example/v1", f"{L}/~https~api.shop.example/v1"),
        ("ETag", '"abc"', '"abc"'),
    ],
)  # fmt: skip
def test_addresses_in_headers_are_mapped(name: str, site: str, local: str) -> None:
    assert headers_to_local([(name, site)], FRONT, {}) == [(name, local)]


def test_root_relative_redirects_stay_with_their_host() -> None:
    assert headers_to_local([("Location", "/a")], CDN, {}) == [("Location", "/~https~cdn.example/a")]
    assert headers_to_local([("Link", "</a>; rel=x")], CDN, {}) == [("Link", "</~https~cdn.example/a>; rel=x")]


def test_what_belongs_to_https_or_the_connection_is_left_out() -> None:
    dropped = ["Strict-Transport-Security", "Connection", "Transfer-Encoding", "Alt-Svc", "NEL", "Keep-Alive"]
    assert headers_to_local([(name, "x") for name in dropped], FRONT, {}) == []


@pytest.mark.parametrize(
    ("front", "site", "local"),
    [
        (FRONT, "a=1; Path=/; Secure; SameSite=None; Partitioned", "a=1; Path=/; SameSite=Lax"),
        (FRONT, "a=1", "a=1"),
        (FRONT, "a=1; Domain=shop.example; HttpOnly; Max-Age=5", "a=1; HttpOnly; Max-Age=5"),
        (FRONT, "a=1; SameSite=Strict", "a=1; SameSite=Strict"),
        (API, "a=1; Path=/", "a=1; Path=/~https~api.shop.example/"),
        (API, "a=1; Domain=.shop.example", "a=1; Path=/"),
        (API, "a=1; Domain=api.shop.example; Path=/x", "a=1; Path=/~https~api.shop.example/x"),
        (API, "a=1", "a=1"),
        (FRONT, "__Host-a=1; Secure; Path=/", "__Host-a=1; Path=/; Secure"),
    ],
)
def test_cookies_fit_plain_http_on_another_name(front: Front, site: str, local: str) -> None:
    assert cookie_to_local(site, front) == local


def test_the_site_sees_its_own_host_and_addresses() -> None:
    environ = {
        "REQUEST_METHOD": "POST",
        "REQUEST_URI": "/~https~api.shop.example/v1?u=http%3A%2F%2Fs1.shop.localhost%3A8000%2Fa",
        "HTTP_HOST": "s1.shop.localhost:8000",
        "HTTP_ORIGIN": L,
        "HTTP_REFERER": f"{L}/page?x",
        "HTTP_ACCEPT_ENCODING": "gzip",
    }
    site = environ_to_site(environ, API, "/v1", "u=x")
    assert site["HTTP_HOST"] == "api.shop.example"
    assert (site["wsgi.url_scheme"], site["HTTP_X_FORWARDED_PROTO"], site["SERVER_PORT"]) == ("https", "https", "443")
    assert site["HTTP_ORIGIN"] == "https://www.shop.example"
    assert site["HTTP_REFERER"] == "https://www.shop.example/page?x"
    assert site["REQUEST_URI"] == "/v1?u=https%3A%2F%2Fwww.shop.example%2Fa"
    assert "HTTP_ACCEPT_ENCODING" not in site
    assert environ["HTTP_HOST"] == "s1.shop.localhost:8000"


def test_the_origin_is_that_of_the_page_that_asked() -> None:
    environ = {"HTTP_ORIGIN": L, "HTTP_REFERER": f"{L}/~https~cdn.example/frame"}
    assert environ_to_site(environ, API, "/", "")["HTTP_ORIGIN"] == "https://cdn.example"


def test_a_raw_address_may_be_absolute() -> None:
    assert raw_to_site(f"{L}/~https~cdn.example/a?b", FRONT) == "/a?b"
    assert raw_to_site(L, FRONT) == "/"


@pytest.mark.parametrize(
    ("site", "local"),
    [
        ("default-src 'self' https://cdn.example", f"default-src 'self' {L}/~https~cdn.example/"),
        ("script-src https://cdn.example/js/", f"script-src {L}/~https~cdn.example/js/"),
        ("img-src *.shop.example", f"img-src {L}"),
        ("img-src api.shop.example:443", f"img-src {L}/~https~api.shop.example/"),
        ("img-src api.shop.example:8443", "img-src api.shop.example:8443"),
        ("connect-src wss://www.shop.example", "connect-src ws://s1.shop.localhost:8000"),
        ("img-src https: data:", f"img-src https: {L} data:"),
        ("img-src *", "img-src *"),
        ("upgrade-insecure-requests; report-uri /r; default-src 'none'", "default-src 'none'"),
        ("sandbox allow-scripts", "sandbox allow-scripts"),
        ("", ""),
    ],
)
def test_policies_name_the_sandbox(site: str, local: str) -> None:
    assert policy_to_local(site, FRONT, {}) == allowed_by(local, FRONT)


def test_several_policies_in_one_header_stay_several() -> None:
    header = ("Content-Security-Policy", "img-src 'self', script-src 'none'; block-all-mixed-content")
    assert headers_to_local([header], FRONT, {}) == [(header[0], "img-src 'self', script-src 'none'")]
