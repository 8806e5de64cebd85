import pytest
from hypothesis import given
from hypothesis import strategies as st

from artifacts.contract import Volatile
from verifier.addresses import Addresses, address_key, same_address

BOTH = Addresses("https://shop.example", "http://127.0.0.1:8000")


@pytest.mark.parametrize(
    ("site", "candidate"),
    [
        ("https://shop.example/", "/"),
        ("https://shop.example", "/"),
        ("https://shop.example/a/b?x=1&y=%20#top", "/a/b?x=1&y=%20#top"),
        ("https://shop.example?q", "/?q"),
        ("http://shop.example/twin", "/twin"),
        ("https://SHOP.example:443/a", "/a"),
        ("https://cdn.example/x.css", "/~https~cdn.example/x.css"),
        ("http://cdn.example:81", "/~http~cdn.example~81/"),
        ("wss://live.example/socket", "/~https~live.example/socket"),
        ("http://[::1]:5000/x", "/~http~[::1]~5000/x"),
    ],
)
def test_every_address_has_its_place_on_the_candidate(site, candidate):
    assert BOTH.to_candidate(site) == "http://127.0.0.1:8000" + candidate


def test_what_is_not_http_stays():
    for url in ("data:text/plain,x", "about:blank", "mailto:a@b.example"):
        assert BOTH.to_candidate(url) == url == BOTH.to_site(url)


hosts = st.sampled_from(
    ["https://shop.example", "https://cdn.example", "http://x.example:81", "https://a.b.example:8443"]
)
paths = st.text(alphabet="abc/~-._%20?&=#", max_size=20)


@given(hosts, paths)
def test_there_and_back_is_the_same_address(host, path):
    url = f"{host}/p{path}"
    assert BOTH.to_site(BOTH.to_candidate(url)) == url


def test_addresses_inside_texts_are_mapped_back():
    text = "see http://127.0.0.1:8000/a, //127.0.0.1:8000, http://127.0.0.1:80001/ and http://127.0.0.1:8000/~https~cdn.example/x"
    assert BOTH.text_to_site(text) == (
        "see https://shop.example/a, //127.0.0.1:8000, http://127.0.0.1:80001/ and https://cdn.example/x"
    )


@pytest.mark.parametrize(
    ("url", "foreign"),
    [
        ("http://127.0.0.1:8000/a", False),
        ("ws://127.0.0.1:8000/socket", False),
        ("data:image/png,x", False),
        ("blob:http://127.0.0.1:8000/1", False),
        ("about:srcdoc", False),
        ("http://127.0.0.1:8001/", True),
        ("http://localhost:8000/", True),
        ("https://shop.example/", True),
        ("ftp://files.example/", True),
        ("mailto:ada@shop.example", False),
        ("tel:+491234", False),
    ],
)
def test_what_would_leave_the_sandbox(url, foreign):
    assert BOTH.is_foreign(url) is foreign


def test_spelling_does_not_make_another_address():
    assert address_key("https://a.example/%7Ex?b=2&a=1") == address_key("http://A.example/~x?a=1&b=2#f")
    assert address_key("https://a.example/x?a=1") != address_key("https://a.example/x?a=2")
    assert not same_address("https://a.example/x#/one", "https://a.example/x#/two")
    assert not same_address("https://a.example/x?a", "https://a.example/x")


def test_only_query_values_known_to_change_are_ignored():
    changing = (
        Volatile(place="query", route="https://a.example/x", key="t", because="differs"),
        Volatile(place="body", route="https://a.example/x", key="u", because="differs"),
    )
    assert same_address("https://a.example/x?t=1&q=2", "https://a.example/x?q=2&t=5", changing)
    assert not same_address("https://a.example/x?u=1", "https://a.example/x?u=2", changing)
    assert not same_address("https://a.example/y?t=1", "https://a.example/y?t=2", changing)
