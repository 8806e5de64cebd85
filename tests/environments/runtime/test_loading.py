import sys
from pathlib import Path

import pytest

from environments.runtime.failure import ServeError
from environments.runtime.loading import load_application


def mirror(folder: Path, **files: str) -> Path:
    folder.mkdir(exist_ok=True)
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text)
    return folder


def test_two_mirrors_with_modules_of_one_name_do_not_meet(tmp_path: Path) -> None:
    app = "import state\ndef create_app(connect):\n    return state.WHO"
    first = mirror(tmp_path / "a", app=app, state="WHO = 'first'")
    second = mirror(tmp_path / "b", app=app, state="WHO = 'second'")
    assert [load_application(first), load_application(second)] == ["first", "second"]
    assert "state" not in sys.modules
    assert not [path for path in sys.path if path.startswith(str(tmp_path))]


def test_modules_of_others_come_back(tmp_path: Path) -> None:
    before = sys.modules["json"]
    app = "import json\ndef create_app(connect):\n    return json.WHO"
    assert load_application(mirror(tmp_path / "a", app=app, json="WHO = 'mine'")) == "mine"
    assert sys.modules["json"] is before


@pytest.mark.parametrize(
    "text", ["raise RuntimeError('no')", "x = 1", "def create_app(connect): 1 / 0", "import nosuch"]
)
def test_a_mirror_that_does_not_load_is_a_failure_with_its_file(tmp_path: Path, text: str) -> None:
    with pytest.raises(ServeError) as failed:
        load_application(mirror(tmp_path / "a", app=text))
    assert failed.value.where.endswith("app.py")
    assert failed.value.exit_code == 8


def test_a_folder_without_an_application(tmp_path: Path) -> None:
    with pytest.raises(ServeError, match=r"no app\.py"):
        load_application(tmp_path)
