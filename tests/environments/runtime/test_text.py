import hypothesis
import hypothesis.strategies as st
import pytest

from environments.runtime.places import Front, Hosts
from environments.runtime.text import text_to_local, text_to_site

HOSTS = Hosts(("https://shop.example", "https://cdn.shop.example", "http://plain.example:81", "http://www.w3.org"))
FRONT = Front("127.0.0.1:8000", HOSTS, HOSTS.main)
CDN = Front("127.0.0.1:8000", HOSTS, HOSTS.origins[1])


@pytest.mark.parametrize(
    ("site", "local"),
    [
        (b"https://shop.example/a", b"http://127.0.0.1:8000/a"),
        (b"HTTPS://Shop.Example/a", b"http://127.0.0.1:8000/a"),
        (b"https://shop.example:443/a", b"http://127.0.0.1:8000/a"),
        (b"http://plain.example:81/a", b"http://127.0.0.1:8000/~http~plain.example~81/a"),
        (b"//cdn.shop.example/a", b"//127.0.0.1:8000/~https~cdn.shop.example/a"),
        (b"wss://shop.example/s", b"ws://127.0.0.1:8000/s"),
        (b'"https:\\/\\/cdn.shop.example\\/a"', b'"http:\\/\\/127.0.0.1:8000\\/~https~cdn.shop.example\\/a"'),
        (b"u=https%3A%2F%2Fcdn.shop.example%2Fa", b"u=http%3A%2F%2F127.0.0.1%3A8000%2F~https~cdn.shop.example%2Fa"),
        (b"x%3Dhttps%253A%252F%252Fshop.example%252F", b"x%3Dhttp%253A%252F%252F127.0.0.1%253A8000%252F"),
        (b"https&#58;&#47;&#47;shop.example&#47;a", b"http&#58;&#47;&#47;127.0.0.1:8000&#47;a"),
        (b"https\\u003a\\u002f\\u002fshop.example", b"http\\u003a\\u002f\\u002f127.0.0.1:8000"),
        (b"\\nhttps://shop.example\\n//shop.example", b"\\nhttp://127.0.0.1:8000\\n//127.0.0.1:8000"),
        (b"go to https://shop.example.", b"go to http://127.0.0.1:8000."),
        (b"%3D%2F%2Fshop.example%2F", b"%3D%2F%2F127.0.0.1%3A8000%2F"),
    ],
)
def test_every_spelling_is_mapped_and_back(site: bytes, local: bytes) -> None:
    assert text_to_local(site, FRONT) == local
    assert text_to_local(text_to_site(local, FRONT), FRONT) == local


@pytest.mark.parametrize(
    "same",
    [
        b"https://shop.example.org/",
        b"https://myshop.example/",
        b"https://shop.example-x/",
        b"https://shop.example@evil.example/",
        b"ftp://shop.example/",
        b"https://shop.example:8443/",
        b"mailto:x@shop.example",
        b"path//shop.example/",
        b"http://www.w3.org/2000/svg",
        b"http://www.w3.org/1999/xhtml",
        b'<a xmlns:x="https://shop.example/ns">',
    ],
)
def test_what_only_looks_like_it_stays(same: bytes) -> None:
    assert text_to_local(same, FRONT) == same


def test_a_captured_namespace_host_is_still_a_host() -> None:
    assert text_to_local(b"http://www.w3.org/standards/", FRONT) == b"http://127.0.0.1:8000/~http~www.w3.org/standards/"


def test_form_encoders_may_escape_the_tilde() -> None:
    sent = b"u=http%3A%2F%2F127.0.0.1%3A8000%2F%7Ehttps%7Ecdn.shop.example%2Fa"
    assert text_to_site(sent, FRONT) == b"u=https%3A%2F%2Fcdn.shop.example%2Fa"


def test_other_ports_of_this_machine_are_not_the_sandbox() -> None:
    for other in (b"http://127.0.0.1:80001/", b"http://127.0.0.1:80/", b"http://127.0.0.1/"):
        assert text_to_site(other, FRONT) == other


URLS = st.builds(
    lambda host, path, query: f"{host}/{path}{query}",
    st.sampled_from([str(origin) for origin in HOSTS.origins[:3]]),
    st.text("abc/~.-_", max_size=12),
    st.sampled_from(["", "?a=1", "?u=https%3A%2F%2Fshop.example%2F"]),
)


@hypothesis.given(st.lists(URLS, min_size=1, max_size=5), st.sampled_from([" ", "\n", '","', "<", "('"]))
def test_texts_come_back_as_they_were(urls: list[str], between: str) -> None:
    text = between.join(urls).encode()
    local = text_to_local(text, FRONT)
    assert b"shop.example/" not in local.replace(b"~https~cdn.shop.example/", b"")
    assert text_to_site(local, FRONT) == text


@hypothesis.given(st.binary(max_size=200))
def test_anything_else_stays_byte_for_byte(data: bytes) -> None:
    if b"shop.example" not in data.lower() and b"w3.org" not in data.lower():
        assert text_to_local(data, FRONT) == data
