import json
from pathlib import Path

import pytest

from artifacts.errors import UsageError
from artifacts.run import CaptureRequest, Lens
from tests.webanything.fakes import SITE
from webanything.config import Layer, defaults, resolve
from webanything.pipeline import begin
from webanything.request import (
    capture_request,
    checked_name,
    checked_url,
    load_accounts,
    load_lens,
    resolution,
)
from webanything.runfolder import RunFolder


def test_settings_become_a_request() -> None:
    settings = resolve([Layer("flag", {"max_pages": 5, "max_time": "2m", "allow": ["write", "session"],
                                       "resolve": ["shop.example:443:127.0.0.1"], "lens": "mobile"}), defaults()]).settings  # fmt: skip
    asked = capture_request(SITE, settings, tasks=("buy a lamp",))
    assert (asked.budget.max_pages, asked.budget.max_seconds) == (5, 120)
    assert asked.allow == ("session", "write")
    assert asked.resolve[0].address == "127.0.0.1"
    assert asked.lens.mobile
    assert asked.tasks == ("buy a lamp",)


@pytest.mark.parametrize(
    "url",
    ["", "shop.example", "ftp://shop.example/", "file:///etc/passwd", "javascript:alert(1)", "https://", "http:///x",
     "https://a b/", "https://shop.example:99999/", "http://[::1"],
)  # fmt: skip
def test_what_is_no_web_address_is_refused(url: str) -> None:
    with pytest.raises(UsageError) as caught:
        checked_url(url)
    assert caught.value.code == "bad_url"


@pytest.mark.parametrize(
    "url",
    ["http://user:s3cret@host/", "https://s3cret@shop.example/a", "http://user:s3cret/x@host/", "user:s3cret@host",
     "http://user:s3/cret@host/", "ftp://user:s3cret@host/", "HTTP://user:s3cret@host:99999/", "http:/u:s3cret@host"],
)  # fmt: skip
def test_an_address_with_a_password_is_refused_without_showing_it(url: str) -> None:
    with pytest.raises(UsageError) as caught:
        checked_url(url)
    told = " ".join(caught.value.lines())
    assert caught.value.code == "bad_url"
    assert "s3" not in told and "***@" in told
    assert caught.value.__cause__ is None


def test_an_at_sign_in_a_path_is_no_password() -> None:
    assert checked_url("https://shop.example/@ada?m=a@b") == "https://shop.example/@ada?m=a@b"


@pytest.mark.parametrize("name", ["", "-a", "a-", "Shop", "a_b", "a.b", "x" * 60, "../x"])
def test_a_name_that_cannot_stand_in_a_host_name_is_refused(name: str) -> None:
    with pytest.raises(UsageError):
        checked_name(name)


@pytest.mark.parametrize("text", ["shop.example:443", "a:b:127.0.0.1", "a:0:1.2.3.4", "a:70000:1.2.3.4", "a:443:host"])
def test_a_resolution_that_cannot_be_read_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        resolution(text)


def test_a_resolution_takes_ipv6_in_brackets() -> None:
    assert resolution("Shop.Example:443:[::1]").address == "::1"
    assert resolution("Shop.Example:443:[::1]").host == "shop.example"


@pytest.mark.parametrize(
    ("name", "text"),
    [("lens.toml", "width = 800\nlocale = 'de-DE'"), ("lens.json", '{"width": 800, "locale": "de-DE"}')],
)
def test_a_lens_comes_from_a_file(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    assert load_lens(str(tmp_path / name)) == Lens(width=800, locale="de-DE")


def test_a_run_stands_for_its_lens(tmp_path: Path) -> None:
    asked = CaptureRequest(url=SITE, lens=Lens(width=333))
    begin(RunFolder(tmp_path), asked, name="r", version="1", now="2026-01-01T00:00:00Z", attempt=1, origin={})
    assert load_lens(str(tmp_path / "run.json")) == Lens(width=333)


@pytest.mark.parametrize(
    ("text", "part"),
    [('{"widht": 800}', "width"), ('{"width": "wide"}', "width"), ("[]", "object"), ("{", "JSON")],
)
def test_a_bad_lens_file_says_what_is_wrong(tmp_path: Path, text: str, part: str) -> None:
    (tmp_path / "l.json").write_text(text)
    with pytest.raises(UsageError) as caught:
        load_lens(str(tmp_path / "l.json"))
    assert part in " ".join(caught.value.lines())


def test_a_mistyped_lens_names_the_nearest() -> None:
    with pytest.raises(UsageError) as caught:
        load_lens("mobil")
    assert "mobile" in caught.value.remedy


ACCOUNT = {"label": "user", "login_url": "/login", "user": "ada", "password": "s3cret-pass"}


def test_accounts_are_read_and_none_named_is_none(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps({"accounts": [ACCOUNT]}))
    (account,) = load_accounts(str(tmp_path / "a.json"))
    assert (account.user, account.password) == ("ada", "s3cret-pass")
    assert load_accounts("") == ()


@pytest.mark.parametrize(
    "text",
    [
        "s3cret-pass",
        json.dumps([ACCOUNT]),
        '{"accounts": "s3cret-pass"}',
        '{"accounts": ["s3cret-pass"]}',
        json.dumps({"accounts": [{"label": "user", "password": "s3cret-pass"}]}),
        json.dumps({"accounts": [{**ACCOUNT, "password": ["s3cret-pass"]}]}),
        json.dumps({"accounts": [ACCOUNT, ACCOUNT]}),
    ],
    ids=["no json", "a list", "no list", "no object", "fields missing", "wrong type", "label twice"],
)
def test_a_bad_accounts_file_is_refused_without_showing_a_password(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.json").write_text(text)
    with pytest.raises(UsageError) as caught:
        load_accounts(str(tmp_path / "a.json"))
    assert "s3cret" not in " ".join(caught.value.lines())
    assert "login_url" in caught.value.remedy or "its own" in caught.value.remedy
    assert caught.value.__cause__ is None
