import hypothesis
import hypothesis.strategies as st
import pytest

from environments.runtime.places import Front, Hosts, Origin

HOSTS = Hosts(("https://shop.example", "http://shop.example:81", "https://cdn.example", "http://[::1]:8080"))
LABEL = st.from_regex(r"[a-z0-9]([a-z0-9-]{0,8}[a-z0-9])?", fullmatch=True)


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("https://Shop.Example:443/a", "https://shop.example"),
        ("http://shop.example:443", "http://shop.example:443"),
        ("ws://a.b/x", "http://a.b"),
        ("https://user:pw@shop.example/x", "https://shop.example"),
        ("https://shop.example?x", "https://shop.example"),
        ("https://shop.example.", "https://shop.example"),
        ("http://[::1]:8080/x", "http://[::1]:8080"),
    ],
)
def test_origins_are_spelled_one_way(url: str, origin: str) -> None:
    assert str(Origin.of(url)) == origin


@hypothesis.given(
    st.sampled_from(["http", "https"]), st.lists(LABEL, min_size=1, max_size=3), st.none() | st.integers(1, 65535)
)
def test_a_prefix_leads_back_to_its_origin(scheme: str, labels: list[str], port: int | None) -> None:
    origin = Origin.named(scheme, ".".join(labels) + (f":{port}" if port else ""))
    found, path = HOSTS.split(HOSTS.prefix(origin) + "/a/~https~b?c")
    assert (found, path) == (HOSTS.known(origin) or origin, "/a/~https~b?c")


def test_the_other_scheme_of_a_captured_host_is_that_host() -> None:
    assert HOSTS.prefix(Origin.of("http://shop.example")) == ""
    assert HOSTS.prefix(Origin.of("http://cdn.example")) == "/~https~cdn.example"
    assert HOSTS.prefix(Origin.of("http://shop.example:81")) == "/~http~shop.example~81"
    assert HOSTS.known(Origin.of("https://shop.example:444")) is None


@pytest.mark.parametrize("path", ["/", "/~user/", "/~https", "/~ftp~a.b/", "/a/~https~b/", "/~https~~/"])
def test_paths_of_the_site_itself_stay(path: str) -> None:
    assert HOSTS.split(path) == (HOSTS.main, path)


def test_a_prefix_without_a_path_is_noticed() -> None:
    assert HOSTS.split("/~https~cdn.example") == (Origin("https", "cdn.example"), "")


def test_a_host_header_that_names_a_captured_host() -> None:
    assert HOSTS.asked_by_name("shop.example", "") == HOSTS.main
    assert HOSTS.asked_by_name("shop.example:81", "http") == HOSTS.origins[1]
    assert HOSTS.asked_by_name("127.0.0.1:8000", "") is None


def test_absolute_addresses_of_any_host_become_local() -> None:
    front = Front("s1.shop.localhost:9", HOSTS, HOSTS.main)
    assert front.to_local("https://cdn.example") == "http://s1.shop.localhost:9/~https~cdn.example/"
    assert front.to_local("https://shop.example?q=1") == "http://s1.shop.localhost:9/?q=1"
