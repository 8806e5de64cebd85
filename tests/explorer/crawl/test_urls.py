import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.crawl.urls import Templates, address_key, canonical, in_scope, origin

PATHS = st.text(alphabet="ab/%20éç~.-_;:@1", max_size=20)


@given(PATHS, st.text(alphabet="ab=&+%20", max_size=12))
def test_canonical_is_idempotent(path: str, query: str) -> None:
    once = canonical(f"http://shop.example/{path}?{query}")
    assert canonical(once) == once


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("http://a.example/x?b=1&a=2", "http://a.example/x?a=2&b=1", True),
        ("http://A.example:80/x#top", "http://a.example/x", True),
        ("http://a.example/x;jsessionid=9AF?y=1", "http://a.example/x?y=1", True),
        ("http://a.example/x?PHPSESSID=1", "http://a.example/x", True),
        ("http://a.example/x?id=1", "http://a.example/x?id=2", False),
        ("http://a.example/x?a=", "http://a.example/x", False),
        ("http://a.example/a%2Fb", "http://a.example/a/b", False),
        ("http://a.example/%e2%82%ac", "http://a.example/€", True),
        ("http://a.example/x?a=1&a=2", "http://a.example/x?a=1", False),
        ("http://a.example/x?a=1&a=2", "http://a.example/x?a=2&a=1", False),
        ("http://a.example/x?a=1&b=3&a=2", "http://a.example/x?b=3&a=1&a=2", True),
    ],
)
def test_address_key_tells_pages_apart(one: str, other: str, same: bool) -> None:
    assert (address_key(one) == address_key(other)) is same


@pytest.mark.parametrize(
    ("url", "scope", "inside"),
    [
        ("http://www.a.example/docs/x", "prefix", True),
        ("http://www.a.example/blog", "prefix", False),
        ("http://www.a.example/blog", "host", True),
        ("https://www.a.example/blog", "host", True),
        ("http://www.a.example:81/blog", "host", False),
        ("http://shop.a.example/", "host", False),
        ("http://shop.a.example/", "domain", True),
        ("http://nota.example/", "domain", False),
        ("http://www.a.example/docs/", "page", True),
        ("http://www.a.example/docs/x", "page", False),
        ("mailto:x@a.example", "domain", False),
    ],
)
def test_scope(url: str, scope: str, inside: bool) -> None:
    assert in_scope(url, "http://www.a.example/docs/", scope) is inside  # type: ignore[arg-type]


def test_siblings_numbers_and_prefixes_become_variables() -> None:
    words = "emma dracula typhoon faust hamlet macbeth heidi kokoro".split()
    urls = [f"http://a.example/book/{word}/" for word in words]
    urls += [f"http://a.example/wiki/Special:{word}" for word in words] + [
        "http://a.example/about",
        "http://a.example/help",
    ]
    templates = Templates(urls)
    assert templates.of("http://a.example/book/unseen/") == "a.example/book/{}/"
    assert templates.of("http://a.example/wiki/Special:Unseen") == "a.example/wiki/Special:{}"
    assert templates.of("http://a.example/about") == "a.example/about"
    assert templates.of("http://a.example/item/7?page=2") == "a.example/item/{n}?page"
    assert templates.of("http://a.example/item/moby-dick_5/") == "a.example/item/{}_{n}/"


def test_a_key_that_selects_the_kind_of_page_keeps_its_value() -> None:
    urls = [
        f"http://a.example/index.php?title=T{n}&action={action}"
        for n in range(9)
        for action in ("history", "edit", "info")
    ]
    templates = Templates(urls)
    assert templates.of(urls[0]) == "a.example/index.php?action=history&title"


def test_origin_drops_default_ports() -> None:
    assert origin("https://shop.example:443/a?b#c") == "https://shop.example"
