from base64 import b64encode
from pathlib import Path

from flask import request

from artifacts.run import Account
from builder.emit.seed import sandbox_password
from tests.builder.world import SITE, World

VARY = [("Vary", "Accept-Language, User-Agent")]
PHONE = "Mozilla/5.0 (Linux; Android 14) Mobile Safari/537.36"
DESK = "Mozilla/5.0 (X11; Linux x86_64) Chrome/120.0 Safari/537.36"


def said(language: str, browser: str) -> tuple[tuple[str, str], ...]:
    return (("Accept-Language", language), ("User-Agent", browser))


def test_people_of_another_language_or_with_a_telephone_get_their_own_page(tmp_path: Path) -> None:
    world = World(tmp_path)
    for language, browser, body in (
        ("en-US", DESK, "Good day, desktop"),
        ("de;q=0.9", DESK, "Guten Tag, desktop"),
        ("fr;q=0.9", DESK, "Good day, desktop"),
        ("en-US", PHONE, "Good day, pocket"),
    ):
        world.get("/", body, visit="p1", headers=VARY, sent=said(language, browser))
    world.state("/", visit="p1")
    visitor = world.visitor()

    def shown(language: str, browser: str) -> str:
        return visitor.again().text("/", headers=dict(said(language, browser)))

    assert shown("de-DE,de;q=0.9,en;q=0.8", "Mozilla/5.0 (Windows NT 10.0) Firefox/130.0") == "Guten Tag, desktop"
    assert shown("en-GB", "Mozilla/5.0 (iPhone; CPU iPhone OS 17_0) Mobile/15E148") == "Good day, pocket"
    assert shown("en-GB,en;q=0.9", DESK) == "Good day, desktop"
    assert shown("is", DESK) == "Good day, desktop", "a language nobody asked for gets what the first look got"


def test_what_varies_and_says_so_may_be_kept_by_whoever_keeps_answers(tmp_path: Path) -> None:
    world = World(tmp_path)
    for language, body in (("en", "Good day"), ("de", "Guten Tag")):
        world.get("/", body, visit="p1", headers=VARY, sent=said(language, DESK))
        world.get("/silent", body, visit="p1", sent=said(language, DESK))
    world.state("/", visit="p1")
    visitor = world.visitor()
    kept = {}
    with visitor.client as client:
        for path in ("/", "/silent"):
            answer = client.get(path, base_url=visitor.site, headers=dict(said("de", DESK)))
            assert answer.get_data(as_text=True) == "Guten Tag"
            kept[path] = request.environ.get("mirror.frozen", False)
    assert kept == {"/": True, "/silent": False}


def test_what_lies_behind_a_challenge_is_shown_to_who_gives_the_mirrors_password(tmp_path: Path) -> None:
    world = World(tmp_path, accounts=[Account(label="user", login_url="/club/", user="ada")])
    named, wrong = (("Authorization", "Basic ada:{{password:user}}"),), (("Authorization", "Basic redacted-12"),)
    asks = {"status": 401, "headers": [("WWW-Authenticate", 'Basic realm="club"')]}
    world.page("/", "hall")
    for sent, more in ((), asks), (wrong, asks), (named, {}):
        body = "members only" if more else "welcome"
        world.get("/club/", body, visit="e1/0", sent=sent, **more)
        world.get("/club/badge.png", body, visit="e1/0", media="image/png", destination="image", sent=sent, **more)
    world.step("e1", 0, "/club/", behaviour="login at /club/", safety="account")
    visitor = world.visitor()
    password = sandbox_password(SITE, "user")

    def answered(path: str, said: str) -> tuple[int, str]:
        headers = {"Authorization": f"Basic {b64encode(said.encode()).decode()}"} if said else {}
        answer = visitor.again().open(path, headers=headers)
        return answer.status_code, answer.get_data(as_text=True)

    for path in ("/club/", "/club/badge.png"):
        assert answered(path, "") == answered(path, "ada:guess") == (401, "members only")
        assert answered(path, f"eve:{password}") == answered(path, "ada:{{password:user}}") == (401, "members only")
        assert answered(path, f"ada:{password}") == (200, "welcome")
    assert visitor.open("/club/").headers["WWW-Authenticate"] == 'Basic realm="club"'
    literal = {"Authorization": "Basic ada:{{password:user}}"}
    assert visitor.again().open("/club/", headers=literal).status_code == 401
