from artifacts.run import Account
from explorer.crawl.leftover import MOST_NAMED, not_captured, not_logged_in
from explorer.crawl.step import Found

ACCOUNT = Account(label="user", login_url="/enter", user="ada")


def test_the_first_pages_left_out_are_named_and_the_rest_is_counted() -> None:
    pages = [Found(f"http://a.example/{n}", 1, "http://a.example/") for n in range(MOST_NAMED + 3)]
    skips = list(not_captured(pages))
    assert len(skips) == MOST_NAMED + 1 and skips[-1].what == "3 further addresses"
    assert len(list(not_captured(pages[:2]))) == 2


def test_why_nobody_logged_in_is_said() -> None:
    def why(*, seen: bool, allowed: bool) -> list[str]:
        found = not_logged_in("http://a.example/", [(ACCOUNT, False, seen)], ["account"] if allowed else [])
        return [skip.detail.split(",")[0] for skip in found]

    assert why(seen=True, allowed=False) == ["--allow account was not given"]
    assert why(seen=False, allowed=True) == ["its login page could not be looked at within the budget"]
    assert why(seen=True, allowed=True) == ["no form with one password was found on its login page"]
    assert not list(not_logged_in("http://a.example/", [(ACCOUNT, True, True)], ["account"]))
