from pathlib import Path

import pytest

from builder.compile.headers import replayed
from builder.compile.recordings import Recording, recordings
from builder.compile.trails import site_of
from tests.builder.world import CLOCK, World


def recorded(tmp_path: Path, *headers: tuple[str, str]) -> Recording:
    world = World(tmp_path)
    world.get("/", "home", visit="p1", headers=headers)
    return recordings(world.exchanges, world.store.get)[0]


@pytest.mark.parametrize(
    ("cookie", "expected"),
    [
        ("a=1; Expires=Mon, 10 Jun 2024 09:00:00 GMT", "a=1; Expires=@+3600"),
        ("a=1; Expires=Mon, 10-Jun-24 09:00:00 GMT; Path=/", "a=1; Expires=@+3600; Path=/"),
        ("a=; Expires=Thu, 01 Jan 1970 00:00:00 GMT", "a=; Expires=Thu, 01 Jan 1970 00:00:00 GMT"),
        ("a=1; Expires=never", "a=1; Expires=never"),
        ("a=1; Domain=shop.test; Secure", "a=1; Secure"),
        ("a=1; Domain=.shop.test", "a=1"),
        ("a=1; Domain=test", "a=1; Domain=test"),
    ],
)
def test_cookies_are_set_again_from_now_on(tmp_path: Path, cookie: str, expected: str) -> None:
    assert ("Set-Cookie", expected) in replayed(recorded(tmp_path, ("Set-Cookie", cookie)), CLOCK)


def test_an_expiry_counts_from_when_the_answer_was_sent(tmp_path: Path) -> None:
    recording = recorded(
        tmp_path,
        ("Set-Cookie", "a=1; Expires=Mon, 10 Jun 2024 09:00:00 GMT"),
        ("Date", "Mon, 10 Jun 2024 08:59:00 GMT"),
    )
    assert replayed(recording, CLOCK)[0] == ("Set-Cookie", "a=1; Expires=@+60")


@pytest.mark.parametrize(
    ("origin", "site"),
    [
        ("https://www.shop.example", "shop.example"),
        ("https://shop.example", "shop.example"),
        ("http://a.b.shop.co.uk", "shop.co.uk"),
        ("http://10.0.0.1:80", "10.0.0.1"),
        ("http://[::1]:8000", "::1"),
        ("http://localhost:1", "localhost"),
    ],
)
def test_hosts_of_one_site(origin: str, site: str) -> None:
    assert site_of(origin) == site
