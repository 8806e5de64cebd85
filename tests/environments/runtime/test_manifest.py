import json
from pathlib import Path

import pytest

from artifacts.digest import digest_tree
from artifacts.digest import tree_files as other_tree_files
from environments.runtime.failure import ServeError
from environments.runtime.manifest import FILE, check_content, check_seed, digest_files, read_manifest, tree_files
from tests.environments import tinymirror


def test_both_halves_of_the_project_digest_alike(tmp_path: Path) -> None:
    (tmp_path / "é").mkdir()
    (tmp_path / "é" / "a.txt").write_text("x")
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__" / "a.pyc").write_text("x")
    assert tree_files(tmp_path) == other_tree_files(tmp_path)
    assert digest_files(tree_files(tmp_path)) == digest_tree(other_tree_files(tmp_path))


def test_an_untouched_environment_passes_and_a_touched_one_does_not(tmp_path: Path) -> None:
    record = tinymirror.write_environment(tmp_path / "env")
    manifest = read_manifest(tmp_path / "env")
    check_content(manifest)
    check_seed(manifest, record.seed)
    with pytest.raises(ServeError, match="seed"):
        check_seed(manifest, "0" * 64)
    (tmp_path / "env" / "mirror" / "app.py").write_text("changed = True")
    with pytest.raises(ServeError, match="files are not the ones"):
        check_content(manifest)


def test_another_runtime_is_told_apart_from_a_changed_mirror(tmp_path: Path) -> None:
    tinymirror.write_environment(tmp_path / "env")
    path = tmp_path / "env" / FILE
    path.write_text(json.dumps({**json.loads(path.read_text()), "content": "0" * 64}))
    with pytest.raises(ServeError, match="another version of the runtime"):
        check_content(read_manifest(tmp_path / "env"))


@pytest.mark.parametrize(("text", "code"), [("{", 8), ("[]", 8), ('{"id": "x"}', 8), (None, 2)])
def test_what_is_no_manifest(tmp_path: Path, text: str | None, code: int) -> None:
    if text is not None:
        (tmp_path / FILE).write_text(text)
    with pytest.raises(ServeError) as failed:
        read_manifest(tmp_path)
    assert failed.value.exit_code == code
