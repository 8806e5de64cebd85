"""The functions that run in the page, one JavaScript function expression a file."""

import functools
from importlib import resources


@functools.cache
def script(name: str) -> str:
    """The function expression in NAME.js, as Playwright's `evaluate` takes it."""
    return resources.files(__name__).joinpath(f"{name}.js").read_text(encoding="utf-8").strip()
