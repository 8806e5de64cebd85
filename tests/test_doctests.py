"""The examples in docstrings are true, in every module that has some."""

import doctest
import importlib
from pathlib import Path

import pytest

HOME = Path(__file__).parent.parent
PACKAGES = ("artifacts", "builder", "environments", "explorer", "verifier", "webanything")
EMITTED = HOME / "builder" / "emit" / "templates"
"""Sources of another application: they cannot be imported here."""
MODULES = [
    ".".join(path.relative_to(HOME).with_suffix("").parts)
    for package in PACKAGES
    for path in sorted((HOME / package).rglob("*.py"))
    if path.parent != EMITTED and ">>>" in path.read_text(encoding="utf-8")
]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    result = doctest.testmod(importlib.import_module(name))
    assert result.attempted
    assert not result.failed
