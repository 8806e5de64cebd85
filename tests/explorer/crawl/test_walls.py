"""Login walls and empty pages, told from pages that only look a little like them."""

import pytest

from explorer.crawl.walls import is_login_address, login_wall, read_markup

BASE = "https://x.example/inbox"
FORM = "<form><label>Email <input name=u></label><input type=password name=p><button>Sign in</button></form>"


def wall(html: str, reached: str = BASE, asked: str = BASE) -> str:
    return login_wall(asked, reached, read_markup(html, reached))


def test_a_redirect_to_a_login_page_is_a_wall() -> None:
    assert "login page https://x.example/login" in wall(FORM, "https://x.example/login?next=/inbox")
    assert wall("<title>Sign in - Acme</title><input name=email>", "https://accounts.acme.example/v3/signin")


def test_a_page_that_is_nothing_but_a_login_form_is_a_wall() -> None:
    assert wall(f"<title>Acme</title><h1>Sign in</h1>{FORM}<a href=/forgot>Forgot?</a><a href=/privacy>Privacy</a>")
    assert wall("<title>Log in</title><div><input><input type=password></div>"), "without a form element, too"


@pytest.mark.parametrize(
    "html",
    [
        "<title>Shop</title>" + FORM + "".join(f"<a href=/p/{n}>Shoe {n}</a>" for n in range(9)),
        "<title>News</title>" + FORM + "<p>" + "A long story about many things. " * 40 + "</p>",
        "<title>Join</title><form><input name=a><input name=b><input name=c><input type=password><button>Sign in</button></form>",
        "<title>Change</title><form>Sign in<input type=password><input type=password></form>",
        "<title>Sign in</title><p>The art of the sign in</p>",
        "<title>Vault</title><form>Unlock <input type=password></form>",
    ],
)
def test_pages_that_are_more_than_a_login_are_no_wall(html: str) -> None:
    assert wall(html) == ""


def test_a_login_page_that_was_asked_for_is_no_wall() -> None:
    assert wall(FORM, "https://x.example/login", "https://x.example/login") == ""


@pytest.mark.parametrize(
    "path", ["/login", "/users/sign_in", "/Account/LogOn.aspx", "/wp-login.php", "/oauth2/authorize", "/auth/"]
)
def test_login_addresses(path: str) -> None:
    assert is_login_address(f"https://x.example{path}?next=/")


@pytest.mark.parametrize("path", ["/", "/authors/", "/blog/login-tips-for-you", "/design", "/catalog", "/castle"])
def test_other_addresses(path: str) -> None:
    assert not is_login_address(f"https://x.example{path}")


@pytest.mark.parametrize(
    ("html", "empty"),
    [
        ("", True),
        ("   <!-- nothing -->  ", True),
        ("<html><head><title>T</title><style>a{}</style></head><body><div></div></body></html>", True),
        ("<body>x</body>", False),
        ("<body><div id=root></div><script src=a.js></script></body>", False),
        ("<body><img src=a.png></body>", False),
        ("<frameset><frame src=a></frameset>", False),
    ],
)
def test_empty_pages(html: str, empty: bool) -> None:
    assert read_markup(html, BASE).is_empty is empty


@pytest.mark.parametrize(
    ("content", "onward"),
    [
        ("0; url=/en/", "https://x.example/en/"),
        ("0;URL='https://y.example/'", "https://y.example/"),
        ("3, url=next", "https://x.example/next"),
        ("60; url=/slideshow/2", ""),
        ("5", ""),
        ("", ""),
    ],
)
def test_immediate_refreshes(content: str, onward: str) -> None:
    assert read_markup(f'<meta http-equiv="REFRESH" content="{content}">', BASE).refresh == onward
