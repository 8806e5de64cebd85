from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.archives.sessions import sends_password, whose
from explorer.archives.traffic import Taken

SITE = "http://shop.test"
A, B, C = "9f86d081884c7d65", "3b4a1c0de5f60718", "77aa10c2de0198fe"
GONE = "sid=; Max-Age=0"


def asked(path: str, *, method: str = "GET", cookie: str = "", sets: Sequence[str] = (), **more: object) -> Taken:
    """One page, unless said otherwise."""
    sent = [*more.pop("sent", ()), *([("Cookie", cookie)] if cookie else [])]  # type: ignore[misc]
    got = [("Content-Type", "text/html"), *more.pop("got", ()), *(("Set-Cookie", one) for one in sets)]  # type: ignore[misc]
    fields = {"request_body": b"", "status": 200, "response_body": path.encode(), "destination": "document", **more}
    url = path if "://" in path else SITE + path
    return Taken(method=method, url=url, request_headers=tuple(sent), response_headers=tuple(got), **fields)  # type: ignore[arg-type]


def identities(*traffic: Taken) -> list[str]:
    return [owner.identity for owner in whose(traffic)]


def test_who_carries_nothing_is_a_fresh_visitor_whatever_was_posted_before() -> None:
    login = asked("/login", method="POST", status=303, got=[("Location", "/me")], sets=[f"sid={A}; HttpOnly"])
    assert identities(asked("/"), login, asked("/me", cookie=f"sid={A}"), asked("/about")) == [
        "anonymous", "recorded 1", "recorded 1", "anonymous"
    ]  # fmt: skip


def test_visitors_are_told_apart_by_what_each_was_given_even_where_they_take_turns() -> None:
    assert identities(
        asked("/", sets=[f"sid={A}"]),
        asked("/", sets=[f"sid={B}"]),
        asked("/cart", cookie=f"sid={A}"),
        asked("/cart", cookie=f"sid={B}"),
    ) == ["recorded 1", "recorded 2", "recorded 1", "recorded 2"]


def test_a_new_cookie_for_an_old_one_goes_on_with_the_session() -> None:
    login = asked("/login", method="POST", cookie=f"sid={A}", sets=[f"sid={B}"])
    assert identities(asked("/", sets=[f"sid={A}"]), login, asked("/me", cookie=f"sid={B}")) == ["recorded 1"] * 3


def test_a_cookie_that_everybody_is_given_alike_joins_nobody() -> None:
    first = [asked("/", sets=["lang=en", f"sid={A}"]), asked("/a", cookie=f"lang=en; sid={A}")]
    second = [asked("/", sets=["lang=en"]), asked("/b", cookie="lang=en")]
    assert identities(*first, *second, asked("/c", cookie=f"lang=en; sid={A}")) == [
        "recorded 1", "recorded 1", "recorded 2", "recorded 2", "recorded 1"
    ]  # fmt: skip


def test_cookies_of_two_sessions_sent_together_make_them_one() -> None:
    assert (
        identities(
            asked("/", sets=[f"sid={A}"]),
            asked("/pixel", sets=[f"visitor={B}"]),
            asked("/me", cookie=f"sid={A}; visitor={B}"),
            asked("/track", cookie=f"visitor={B}"),
        )
        == ["recorded 1"] * 4
    )


def test_a_token_that_an_answer_told_is_carried_by_the_header_that_proves_it() -> None:
    login = asked("/api/login", method="POST", response_body=f'{{"token": "{A}"}}'.encode(), destination="empty")
    orders = asked("/api/orders", sent=[("Authorization", f"Bearer {A}")], destination="empty")
    assert identities(asked("/"), login, orders, asked("/news")) == [
        "anonymous", "recorded 1", "recorded 1", "anonymous"
    ]  # fmt: skip


def test_who_was_signed_in_before_the_archive_begins_is_one_visitor() -> None:
    assert identities(asked("/a", cookie=f"sid={A}"), asked("/b", cookie=f"sid={A}"), asked("/a")) == [
        "recorded 1", "recorded 1", "anonymous"
    ]  # fmt: skip


def test_after_the_cookies_were_taken_back_the_page_that_is_shown_still_belongs_to_the_session() -> None:
    leave = asked("/logout", method="POST", cookie=f"sid={A}", status=302, got=[("Location", "/")], sets=[GONE])
    traffic = [asked("/in", sets=[f"sid={A}"]), leave, asked("/about"), asked("/"), asked("/")]
    assert identities(*traffic) == ["recorded 1", "recorded 1", "anonymous", "recorded 1", "anonymous"]


def test_what_is_sent_without_a_session_and_what_looks_otherwise_after_it_belong_together() -> None:
    empty, full = asked("/notes", response_body=b"none"), asked("/notes", response_body=b"one")
    assert identities(
        asked("/", sets=[f"sid={A}"]), empty, asked("/notes", method="POST"), full, asked("/about"), empty
    ) == ["recorded 1", "anonymous", "recorded", "recorded", "anonymous", "anonymous"]


def test_where_cookies_were_left_out_of_the_archive_everything_from_the_password_on_is_one_session() -> None:
    login = asked("/login", method="POST", request_body=b"user=ada&password=x")
    assert identities(asked("/"), asked("/login"), login, asked("/me")) == [
        "anonymous", "anonymous", "recorded 1", "recorded 1"
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("body", "expected"),
    [(b"user=a&pwd=b", True), (b'{"user": "a", "passWord": "b"}', True), (b"q=password", False), (b"", False),
     (b'--x\r\nContent-Disposition: form-data; name="password"\r\n\r\nb\r\n--x--', True)],
)  # fmt: skip
def test_a_password_is_known_by_its_field(body: bytes, expected: bool) -> None:
    assert sends_password(asked("/", method="POST", request_body=body)) is expected


def test_a_page_its_redirects_and_what_it_asks_for_are_a_visit() -> None:
    def part(path: str, page: str) -> Taken:
        return asked(path, sent=[("Referer", SITE + page)], destination="script", got=[("Content-Type", "text/plain")])

    traffic = [
        asked("/old", status=301, got=[("Location", "/a")]), asked("/a"), part("/a.js", "/a"),
        asked("/b"), part("/a2.js", "/a"), part("/b.js", "/b"),
    ]  # fmt: skip
    assert [owner.visit for owner in whose(traffic)] == ["i0001", "i0001", "i0001", "i0002", "i0001", "i0002"]


steps = st.lists(
    st.tuples(st.sampled_from(["/a", "/b"]), st.sampled_from(["GET", "POST"]), st.sampled_from(["", A, B, C]),
              st.sampled_from(["", A, B, C]), st.booleans()),
    max_size=12,
)  # fmt: skip


@given(steps)
def test_whoever_carries_what_an_answer_set_is_in_its_session(found: list[tuple[str, str, str, str, bool]]) -> None:
    traffic = [
        asked(
            path,
            method=method,
            cookie=f"sid={sent}" if sent else "",
            sets=[GONE] * gone + [f"sid={given}"] * bool(given),
        )
        for path, method, sent, given, gone in found
    ]
    owners = whose(traffic)
    assert len(owners) == len(traffic)
    for number, (_, _, sent, _, _) in enumerate(found):
        givers = [n for n in range(number) if found[n][3] == sent]
        fresh = [n for n in range(len(found)) if found[n][3] == sent and found[n][2] != sent]
        if sent and givers and len(fresh) == 1:
            assert owners[number].identity == owners[givers[-1]].identity
