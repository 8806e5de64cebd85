"""robots.txt, case by case as RFC 9309 and its examples have it."""

import re
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from artifacts.errors import UnavailableError
from artifacts.store import Store
from explorer.crawl.robots import Robots, fetch_robots
from explorer.wire.client import Wire
from tests.fakes.badsites import Reply, site

HOST = "https://shop.example"


def allows(text: str, path: str) -> bool:
    return Robots.parse(text).allows(HOST + path)


def rules(*lines: str) -> str:
    return "User-agent: *\n" + "\n".join(lines)


@pytest.mark.parametrize(
    ("lines", "path", "allowed"),
    [
        (["Disallow: /fish"], "/fish", False),
        (["Disallow: /fish"], "/fish/salmon.html", False),
        (["Disallow: /fish"], "/fishheads", False),
        (["Disallow: /fish"], "/Fish.asp", True),
        (["Disallow: /fish"], "/catfish", True),
        (["Disallow: /fish/"], "/fish", True),
        (["Disallow: /fish*"], "/fishheads.php?id=x", False),
        (["Disallow: /*.php"], "/folder/any.php.file.html", False),
        (["Disallow: /*.php"], "/windows.PHP", True),
        (["Disallow: /*.php$"], "/filename.php", False),
        (["Disallow: /*.php$"], "/filename.php?parameters", True),
        (["Disallow: /fish*.php"], "/fishheads/catfish.php?p=1", False),
        (["Disallow: /a$b"], "/a$b", False),
        (["Allow: /p", "Disallow: /"], "/page", True),
        (["Allow: /folder", "Disallow: /folder"], "/folder/page", True),
        (["Disallow: /folder", "Allow: /folder"], "/folder/page", True),
        (["Allow: /page", "Disallow: /*.htm"], "/page.htm", False),
        (["Allow: /$", "Disallow: /"], "/", True),
        (["Allow: /$", "Disallow: /"], "/page.htm", False),
        (["Disallow:"], "/anything", True),
        (["Disallow: /"], "/robots.txt", True),
        (["Disallow: /search?q="], "/search?q=shoes", False),
        (["Disallow: /search?q="], "/search?page=2&q=shoes", True),
        (["Disallow: /a%3cd.html"], "/a%3Cd.html", False),
        (["Disallow: /%7Ejoe/"], "/~joe/index.html", False),
        (["Disallow: /bücher"], "/b%C3%BCcher/1", False),
        (["Disallow: /x # not for robots"], "/x", False),
        (["  DISALLOW :/x"], "/x", False),
        (["Noindex: /x", "nonsense"], "/x", True),
        (["Disallow: *"], "/x", False),
        (["Disallow: /a.b"], "/aXb", True),
    ],
)
def test_paths(lines: list[str], path: str, allowed: bool) -> None:
    assert allows(rules(*lines), path) is allowed


def test_our_own_group_comes_before_everyones() -> None:
    text = "User-agent: *\nDisallow: /\n\nUser-agent: WebAnything/1.0\nDisallow: /private\n"
    assert allows(text, "/page")
    assert not allows(text, "/private/x")


def test_groups_of_one_name_are_one_and_names_share_a_group() -> None:
    text = (
        "User-agent: webanything\nUser-agent: other\nDisallow: /a\n\nUser-agent: x\nDisallow: /\n\n"
        "User-agent: WEBANYTHING\nDisallow: /b\n"
    )
    assert [allows(text, path) for path in ("/a", "/b", "/c")] == [False, False, True]


def test_other_robots_rules_are_not_ours() -> None:
    assert allows("User-agent: webanything-news\nDisallow: /\n", "/x")
    assert allows("User-agent: otherbot\nDisallow: /\n", "/x")
    assert allows("Disallow: /\n", "/x"), "a rule before any name binds nobody"


def test_a_name_between_rules_begins_a_new_group() -> None:
    text = "User-agent: a\nDisallow: /a\nUser-agent: *\nDisallow: /b\n"
    assert allows(text, "/a") and not allows(text, "/b")


def test_the_deciding_line_is_named() -> None:
    robots = Robots.parse("# hello\nUser-agent: *\nAllow: /shop\nDisallow: /  # all\n")
    assert robots.line_for(HOST + "/x") == "line 4: Disallow: /  # all"
    assert robots.line_for(HOST + "/shop/1") == "line 3: Allow: /shop"
    assert Robots.parse(rules("Disallow: /x")).line_for(HOST + "/y") == ""


def test_sitemaps_and_delay_are_noted() -> None:
    robots = Robots.parse(
        "Sitemap: https://x.example/s.xml\nUser-agent: *\nCrawl-delay: 2.5\nDisallow: /a\nsitemap: /t.xml"
    )
    assert robots.sitemaps == ("https://x.example/s.xml", "/t.xml")
    assert robots.crawl_delay == 2.5
    assert Robots.parse("").crawl_delay is None


def test_line_endings_and_marks_do_not_matter() -> None:
    assert not allows("\ufeffUser-agent: *\r\nDisallow: /x\r\n", "/x")
    assert not allows("User-agent: *\rDisallow: /x", "/x")


@pytest.mark.parametrize(
    ("status", "allowed"), [(200, False), (404, True), (403, True), (429, True), (500, False), (503, False)]
)
def test_the_status_decides_about_what_could_not_be_read(status: int, allowed: bool) -> None:
    robots = Robots.parse("User-agent: *\nDisallow: /", status=status)
    assert robots.allows(HOST + "/x") is allowed
    if status >= 500:
        assert str(status) in robots.line_for(HOST + "/x")


@given(st.text(max_size=300), st.text(max_size=30))
def test_any_file_can_be_read(text: str, path: str) -> None:
    robots = Robots.parse(text)
    assert robots.allows(HOST + "/robots.txt")
    if not robots.allows(f"{HOST}/{path}"):
        assert "isallow" in robots.line_for(f"{HOST}/{path}").lower()


@given(st.text(alphabet="ab*$/", min_size=1, max_size=10), st.text(alphabet="ab/", max_size=12))
def test_rules_fit_as_the_expression_they_stand_for(rule: str, path: str) -> None:
    body = ".*".join(re.escape(part) for part in rule.removesuffix("$").split("*"))
    expected = re.match("/" + body + ("$" if rule.endswith("$") else ""), "/" + path)
    assert allows(rules(f"Disallow: /{rule}"), "/" + path) is (expected is None)


def test_a_hostile_rule_costs_nothing() -> None:
    assert allows(rules("Disallow: /" + "a*" * 200 + "b"), "/" + "a" * 2000)


@pytest.fixture(scope="module")
def wire(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Wire]:
    folder = tmp_path_factory.mktemp("wire")
    with Wire(folder, Store(folder / "store")) as wire:
        wire.visit("robots")
        yield wire


def test_the_file_is_fetched_through_redirects(wire: Wire) -> None:
    def reply(path: str) -> Reply:
        if path == "/robots.txt":
            return Reply(301, "", headers={"Location": "/r2.txt"})
        return Reply(200, rules("Disallow: /x"), "text/plain")

    with site(reply) as url:
        assert fetch_robots(wire, url + "deep/page?x=1") == (rules("Disallow: /x"), 200)


def test_redirects_without_end_count_as_no_file(wire: Wire) -> None:
    with site(lambda _: Reply(302, "", headers={"Location": "/robots.txt"})) as url:
        assert fetch_robots(wire, url) == ("", 404)


def test_no_answer_is_an_error(wire: Wire) -> None:
    with site(lambda _: Reply()) as url:
        gone = url
    with pytest.raises(UnavailableError) as caught:
        fetch_robots(wire, gone)
    assert caught.value.code == "refused"
