"""The examples in docstrings are true."""

import doctest
import importlib

import pytest

MODULES = (
    "environments.compose",
    "environments.image",
    "environments.registry",
    "environments.client.calls",
    "environments.runtime.clock",
    "environments.runtime.gate",
    "environments.runtime.headers",
    "environments.runtime.local",
    "environments.runtime.places",
    "environments.runtime.policy",
    "environments.runtime.styles",
    "environments.runtime.text",
)


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    result = doctest.testmod(importlib.import_module(name))
    assert result.attempted
    assert not result.failed
