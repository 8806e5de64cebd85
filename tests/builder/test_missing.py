"""Requests that nothing covers: what pages, scripts and files are answered."""

from pathlib import Path
from typing import Any

import pytest

from tests.builder.world import SITE, World

SHELL = "<div id=app></div><script src=/app.js></script>"
FETCH = {"Sec-Fetch-Dest": "empty", "Accept": "*/*"}
PLAIN = "<!doctype html>\n<html><head><title>404</title></head><body><h1>404</h1></body></html>\n"
PAGE = {"Sec-Fetch-Dest": "document"}


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World(tmp_path)
    world.page("/", "home")
    return world


def _told(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.get_data(as_text=True)


def _single_page(world: World) -> None:
    world.get("/no-such-page-1", SHELL, visit="p0009.1", headers=[("X-Shell", "1")])
    world.not_found = SITE + "/no-such-page-1"


def test_a_single_page_application_answers_every_address_with_its_shell(world: World) -> None:
    _single_page(world)
    visitor = world.visitor()
    answer = visitor.open("/settings/profile", headers=PAGE)
    assert _told(answer) == (200, SHELL)
    assert answer.headers["X-Shell"] == "1"
    head = visitor.open("/settings", "HEAD", headers=PAGE)
    assert (head.status_code, head.data, head.headers["Content-Length"]) == (200, b"", str(len(SHELL)))
    assert _told(visitor.open("http://shop.test/settings")) == (200, SHELL)
    assert _told(visitor.open("/")) == (200, "home")


def test_the_shell_is_no_success_for_what_was_sent(world: World) -> None:
    _single_page(world)
    assert _told(world.visitor().post("/settings", {"a": "1"})) == (404, SHELL)


def test_the_answer_asked_for_comes_before_other_pages_of_status_404(world: World) -> None:
    world.get("/gone", "this item was sold", visit="p2", status=404)
    world.get("/no-such-page-1", "no such page", visit="p3", status=410)
    world.not_found = SITE + "/no-such-page-1"
    assert _told(world.visitor().open("/other")) == (410, "no such page")


def test_an_answer_asked_for_and_not_kept_leaves_the_first_of_status_404(world: World) -> None:
    world.get("/gone", "sorry", visit="p2", status=404)
    world.not_found = SITE + "/no-such-page-1"
    assert _told(world.visitor().open("/other")) == (404, "sorry")


def test_another_spelling_of_the_address_is_followed_and_another_page_is_not(world: World) -> None:
    world.get("/no-such-page-1", visit="p2", status=301, media="", headers=[("Location", "/no-such-page-1/")])
    world.get("/no-such-page-1/", "sorry", visit="p2", status=404)
    world.not_found = SITE + "/no-such-page-1"
    assert _told(world.visitor().open("/other")) == (404, "sorry")
    world.get("/no-such-page-2", visit="p3", status=302, media="", headers=[("Location", "/")])
    world.not_found = SITE + "/no-such-page-2"
    world.build("second")
    answer = world.visitor("second").open("/other")
    assert (answer.status_code, answer.headers["Location"]) == (302, "/")


def test_other_hosts_of_the_site_do_not_answer_with_its_shell(world: World) -> None:
    _single_page(world)
    world.get("https://help.shop.test/", "help", visit="p2")
    world.get("https://help.shop.test/gone", "no such help", visit="p3", status=404)
    world.get("https://cdn.test/a.js", "code", visit="p2", media="text/javascript", destination="script")
    visitor = world.visitor()
    assert _told(visitor.open("https://help.shop.test/other")) == (404, "no such help")
    assert _told(visitor.open("https://cdn.test/other")) == (404, PLAIN)


@pytest.mark.parametrize("headers", [{"Accept": ""}, {"Accept": "*/*"}, {"Accept": "text/html,*/*;q=0.8"}, PAGE])
@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
def test_the_sites_own_page_goes_to_pages_and_to_who_does_not_say(
    world: World, headers: dict[str, str], method: str
) -> None:
    world.get("/gone", "<h1>Nothing here, sorry</h1>", visit="p2", status=404)
    answer = world.visitor().open("/other", method, headers=headers)
    assert _told(answer) == (404, "<h1>Nothing here, sorry</h1>")


@pytest.mark.parametrize("destination", ["script", "image", "style", "empty"])
def test_files_and_scripts_get_nothing_where_nothing_like_it_was_recorded(world: World, destination: str) -> None:
    _single_page(world)
    answer = world.visitor().open("/other.js", headers={"Sec-Fetch-Dest": destination, "Accept": "*/*"})
    assert _told(answer) == (404, "")
    assert "Content-Type" not in answer.headers


def test_a_script_gets_the_error_recorded_beside_it(world: World) -> None:
    _single_page(world)
    error, more = [("Set-Cookie", "seen=1"), ("X-Error", "1")], {"media": "application/problem+json", "visit": "p2"}
    world.get("/api/me", '{"error":"who"}', status=401, **more)
    world.get("/api/items/0", '{"error":"none"}', status=404, headers=error, **more)
    world.get("/apiary/1", '{"error":"bees"}', status=404, **more)
    visitor = world.visitor()
    for headers in (FETCH, {"Accept": "application/json"}):
        answer = visitor.open("/api/orders/7", headers=headers)
        assert _told(answer) == (404, '{"error":"none"}')
        assert answer.headers["X-Error"] == "1"
        assert "Set-Cookie" not in answer.headers
    assert _told(visitor.open("/api/orders/7", "POST", json={}, headers=FETCH)) == (404, '{"error":"none"}')
    assert _told(visitor.open("/data/orders/7", headers=FETCH)) == (404, "")


def test_a_script_gets_an_empty_object_where_answers_are_json(world: World) -> None:
    _single_page(world)
    for number in range(2):
        world.get(f"/api/items/{number}", f"[{number}]", visit="p2", media="application/json")
    world.get("/api/docs", "<h1>Docs</h1>", visit="p2")
    visitor = world.visitor()
    answer = visitor.open("/api/items/9", headers=FETCH)
    assert _told(answer) == (404, "{}")
    assert answer.headers["Content-Type"] == "application/json"
    assert _told(visitor.open("/api/items/9", headers={"Accept": "image/png"})) == (404, "")
    assert _told(visitor.open("/api/docs?x=1", headers=FETCH)) == (404, "")


@pytest.mark.parametrize("headers", [PAGE, FETCH, {"Accept": "*/*"}, {"Sec-Fetch-Dest": "image"}])
def test_whoever_listens_is_told_in_every_case(world: World, headers: dict[str, str]) -> None:
    _single_page(world)
    visitor, heard = world.visitor(), list[dict[str, Any]]()
    visitor.app.extensions["unseen"] = heard.append
    visitor.open("/other", headers=headers)
    assert [one["path"] for one in heard] == ["/other"]
