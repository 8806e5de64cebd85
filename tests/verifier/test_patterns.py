import pytest

from artifacts.contract import Route
from verifier.patterns import matches


def route(pattern, host="https://shop.example"):
    return Route(name="r", host=host, methods=("GET",), pattern=pattern)


@pytest.mark.parametrize(
    ("pattern", "url", "covered"),
    [
        ("/", "https://shop.example", True),
        ("/a/<slug>/", "https://shop.example/a/b/", True),
        ("/a/<slug>/", "https://shop.example/a/b/c/", False),
        ("/a/<path:rest>", "https://shop.example/a/b/c?x=1", True),
        ("/n/<int:number>", "https://shop.example/n/x", False),
        ("/n/<int(min=1):number>", "https://shop.example/n/12", True),
        ("/f.<name>.html", "https://shop.example/f.x.html", True),
        ("/f.html", "https://shop.example/fxhtml", False),
        ("/ü", "https://shop.example/%C3%BC", True),
        ("/a", "https://other.example/a", False),
    ],
)
def test_which_addresses_a_route_covers(pattern, url, covered):
    assert matches(route(pattern), url) is covered


def test_the_host_may_be_bare_or_missing():
    assert matches(route("/a", "shop.example"), "https://shop.example/a")
    assert matches(route("/a", ""), "https://anything.example/a")
    assert not matches(route("/a", "shop.example"), "https://other.example/a")
