"""Tests that need a tool are skipped where it is missing, naming the doctor's line, and fail where it must be there.

CI=true demands every tool; WEBANYTHING_REQUIRE=browser,docker demands those it names.
"""

import functools
import os
from collections.abc import Callable

import hypothesis
import pytest

from webanything import doctor

_TOOLS: dict[str, Callable[[], list[doctor.Check]]] = {"browser": doctor.browser, "docker": doctor.docker}

# deadlines measure the machine, and the machine is shared
hypothesis.settings.register_profile("ci", derandomize=True, deadline=None, print_blob=True)
hypothesis.settings.register_profile("here", deadline=None)
hypothesis.settings.load_profile("ci" if os.environ.get("CI") else "here")


def pytest_runtest_setup(item: pytest.Item) -> None:
    for marker in _TOOLS:
        if item.get_closest_marker(marker) is None:
            continue
        reason = _missing(marker)
        if reason and _is_required(marker):
            pytest.fail(reason, pytrace=False)
        if reason:
            pytest.skip(reason)


@functools.cache
def _missing(tool: str) -> str:
    """The doctor's first line that speaks against this tool; empty when all is well."""
    bad = next((check for check in _TOOLS[tool]() if check.state != "ok"), None)
    return f"webanything doctor: {bad.name}: {bad.state} ({bad.found}); to mend: {bad.mend}" if bad else ""


def _is_required(tool: str) -> bool:
    required = os.environ.get("WEBANYTHING_REQUIRE", "")
    return os.environ.get("CI", "").lower() in ("1", "true") or tool in required.split(",")
