"""Text that can be written down: scripts may hold half a character, UTF-8 may not."""

from typing import Any


def well_formed(value: Any) -> Any:
    """The value with every lone half of a surrogate pair in its strings replaced by U+FFFD.

    >>> well_formed({"name": ["ok", "cut \\ud83d"]})
    {'name': ['ok', 'cut \\ufffd']}
    """
    if isinstance(value, str):
        return value if value.isascii() else _replaced(value)
    if isinstance(value, list):
        return [well_formed(entry) for entry in value]
    if isinstance(value, dict):
        return {well_formed(key): well_formed(entry) for key, entry in value.items()}
    return value


def _replaced(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text
