from pathlib import Path

import pytest

from artifacts.run import Account
from tests.builder.world import Pairs, World

FORM = "<form method=post action=/login>"
JAR = ("Set-Cookie", "sid=redacted-1111111111111111; HttpOnly")
SENT = ("Cookie", "sid=redacted-1111111111111111")
REFUSALS = {
    "an error": {"status": 401, "body": "wrong"},
    "the form again": {"status": 200, "body": f"{FORM}wrong"},
    "back to the form": {"status": 302, "media": "", "headers": [("Location", "/login?wrong=1")]},
}


def site(tmp_path: Path, right: str, *, accounts: list[Account] | None = None, **refusal: object) -> World:
    """Somebody who mistyped a password and then did not, in one go."""
    world = World(tmp_path, accounts=accounts or [])
    come_in: Pairs = [("Location", "/me"), JAR]
    world.get("/login", FORM, visit="i1", identity="recorded 1")
    wrong = {"visit": "i1", "identity": "recorded 1", **refusal}
    world.post("/login", {"user": "ada", "password": "{{secret:aa}}"}, **wrong)  # type: ignore[arg-type]
    world.post("/login", {"user": "ada", "password": right}, status=302, media="", headers=come_in, visit="i1",
               identity="recorded 1")  # fmt: skip
    world.get("/me", "hello ada", visit="i1", identity="recorded 1", sent=[SENT])
    return world


@pytest.mark.parametrize("refusal", REFUSALS.values(), ids=REFUSALS.keys())
def test_where_nobody_knows_the_right_password_everybody_is_refused(tmp_path: Path, refusal: dict[str, object]) -> None:
    visitor = site(tmp_path, "{{secret:bb}}", **refusal).visitor()
    for word in ("x", "y"):
        answer = visitor.post("/login", {"user": "ada", "password": word})
        assert (answer.status_code, answer.text) == (refusal["status"], refusal.get("body", ""))
        assert visitor.open("/me").status_code == 404


def test_an_account_that_is_named_is_let_in_and_nobody_else(tmp_path: Path) -> None:
    account = Account(label="user", login_url="/login", user="ada")
    world = site(tmp_path, "{{password:user}}", accounts=[account], **REFUSALS["an error"])
    world.build(sandbox_passwords={"user": "open"})
    visitor = world.visitor()
    assert visitor.post("/login", {"user": "ada", "password": "x"}).status_code == 401
    assert visitor.post("/login", {"user": "ada", "password": "open"}).status_code == 302
    assert visitor.text("/me") == "hello ada"


def test_any_password_will_do_where_all_of_them_did(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.get("/register", "form", visit="i1", identity="recorded 1")
    for word in ("aa", "bb"):
        world.post("/register", {"user": "ada", "password": f"{{{{secret:{word}}}}}"}, "welcome", visit="i1",
                   identity="recorded 1")  # fmt: skip
    assert world.visitor().post("/register", {"user": "ada", "password": "x"}).text == "welcome"
