from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from artifacts.errors import UsageError
from artifacts.run import CaptureRequest, Lens
from tests.webanything.fakes import SITE
from webanything.config import Layer, Settings, defaults, layers, nearest, resolve, seconds, user_file, variables
from webanything.pipeline import begin
from webanything.runfolder import RunFolder


def places(tmp_path: Path, **which: bool) -> list[Layer]:
    """Every place says max_pages, each another number; those switched off say nothing."""

    def on(name: str) -> bool:
        return which.get(name, True)

    environ = {"XDG_CONFIG_HOME": str(tmp_path / "user")}
    if on("user"):
        user_file(environ).parent.mkdir(parents=True)
        user_file(environ).write_text("max_pages = 6")
    if on("pyproject"):
        (tmp_path / "pyproject.toml").write_text("[tool.webanything]\nmax_pages = 5")
    if on("project"):
        (tmp_path / "webanything.toml").write_text("max_pages = 4")
    (tmp_path / "given.toml").write_text("max_pages = 3")
    if on("variable"):
        environ["WEBANYTHING_MAX_PAGES"] = "2"
    flags = {"max_pages": 1} if on("flag") else {}
    config = str(tmp_path / "given.toml") if on("config") else None
    return layers(flags, config=config, environ=environ, cwd=tmp_path)


@pytest.mark.parametrize(
    ("off", "value", "origin"),
    [
        ([], 1, "flag"),
        (["flag"], 2, "variable"),
        (["flag", "variable"], 3, "given.toml"),
        (["flag", "variable", "config"], 4, "webanything.toml"),
        (["flag", "variable", "config", "project"], 5, "pyproject.toml"),
        (["flag", "variable", "config", "project", "pyproject"], 6, "config.toml"),
        (["flag", "variable", "config", "project", "pyproject", "user"], 100, "default"),
    ],
)
def test_the_strongest_place_wins_and_is_named(tmp_path: Path, off: list[str], value: int, origin: str) -> None:
    resolved = resolve(places(tmp_path, **dict.fromkeys(off, False)))
    assert resolved.settings.max_pages == value
    assert resolved.origin["max_pages"].endswith(origin)


def test_every_setting_has_a_default_and_a_description() -> None:
    assert set(defaults().values) == set(Settings.model_fields)
    assert all(field.description for field in Settings.model_fields.values())
    assert resolve([defaults()]).settings.scope == "host"


@pytest.mark.parametrize("place", ["webanything.toml", "pyproject.toml"])
def test_an_unknown_key_is_an_error_that_names_the_nearest(tmp_path: Path, place: str) -> None:
    table = "[tool.webanything]\n" if place == "pyproject.toml" else ""
    (tmp_path / place).write_text(table + "max_page = 3")
    with pytest.raises(UsageError) as caught:
        resolve(layers({}, config=None, environ={}, cwd=tmp_path))
    assert "max_pages" in caught.value.remedy
    assert place in caught.value.where


def test_a_variable_that_looks_like_a_typo_is_an_error_and_others_are_left_alone() -> None:
    assert variables({"WEBANYTHING_BROWSER": "/bin/x", "WEBANYTHING_REQUIRE": "docker", "HOME": "/"}).values == {}
    with pytest.raises(UsageError) as caught:
        variables({"WEBANYTHING_MAX_PAGE": "3"})
    assert "max_pages" in caught.value.remedy


@pytest.mark.parametrize(
    ("values", "field", "expected"),
    [
        ({"max_time": "1h30m"}, "max_time", 5400.0),
        ({"max_time": 90}, "max_time", 90.0),
        ({"allow": "session,account"}, "allow", ("session", "account")),
        ({"allow": ["write"]}, "allow", ("write",)),
        ({"ignore_robots": "true"}, "ignore_robots", True),
        ({"max-pages": 7}, "max_pages", 7),
    ],
)
def test_values_are_read_as_the_setting_wants_them(values: dict[str, object], field: str, expected: object) -> None:
    assert getattr(resolve([Layer("x", values), defaults()]).settings, field) == expected


@pytest.mark.parametrize(
    "values",
    [{"max_pages": -1}, {"max_pages": "many"}, {"scope": "galaxy"}, {"allow": ["pay"]}, {"max_time": "soon"},
     {"requests_per_second": 0}],
)  # fmt: skip
def test_a_bad_value_names_the_setting_and_its_place(values: dict[str, object]) -> None:
    with pytest.raises(UsageError) as caught:
        resolve([Layer("file x.toml", values), defaults()])
    assert caught.value.what.startswith(next(iter(values)))
    assert caught.value.where == "file x.toml"


def test_a_file_named_in_a_file_is_relative_to_it(tmp_path: Path) -> None:
    folder = tmp_path / "deep"
    folder.mkdir()
    (folder / "c.toml").write_text('accounts = "them.json"\nlens = "mobile"')
    settings = resolve(layers({}, config=str(folder / "c.toml"), environ={}, cwd=tmp_path)).settings
    assert settings.accounts == str(folder / "them.json")
    assert settings.lens == "mobile"


@pytest.mark.parametrize(("name", "text"), [("gone.toml", None), ("bad.toml", "max_pages = = 3")])
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, name: str, text: str | None) -> None:
    if text:
        (tmp_path / name).write_text(text)
    with pytest.raises(UsageError) as caught:
        layers({}, config=str(tmp_path / name), environ={}, cwd=tmp_path)
    assert caught.value.where == str(tmp_path / name)


def test_a_run_repeats_with_its_own_settings(tmp_path: Path) -> None:
    asked = CaptureRequest(url=SITE, scope="prefix", allow=("session",), lens=Lens(width=390), budget={"max_pages": 9})
    begin(RunFolder(tmp_path / "r"), asked, name="r", version="1", now="2026-01-01T00:00:00Z", attempt=1, origin={})
    settings = resolve(layers({}, config=str(tmp_path / "r"), environ={}, cwd=tmp_path)).settings
    assert (settings.scope, settings.allow, settings.max_pages) == ("prefix", ("session",), 9)
    assert settings.lens == str(tmp_path / "r" / "run.json")


@given(st.integers(0, 50), st.integers(0, 59), st.integers(0, 59))
def test_durations_add_up(hours: int, minutes: int, rest: int) -> None:
    assert seconds(f"{hours}h{minutes}m{rest}s") == hours * 3600 + minutes * 60 + rest


@pytest.mark.parametrize("text", ["", "soon", "3 weeks", "-5m", "5mm", "m5"])
def test_what_is_no_duration_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="no duration"):
        seconds(text)


def test_nothing_near_is_nothing() -> None:
    assert nearest("zzz", ["scope", "lens"]) == ""
