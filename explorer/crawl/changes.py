"""What differs between two states of a page. Pure."""

from collections.abc import Mapping
from typing import Any, Literal

from artifacts.evidence import PageState


def storage_change(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, str]:
    """What was added, changed or removed, as "local.key" -> "added" and so on; values stay in the states."""
    changes: dict[str, str] = {}
    flat = [_flat_storage(storage) for storage in (before, after)]
    for key in sorted(flat[0].keys() | flat[1].keys()):
        if key not in flat[0]:
            changes[key] = "added"
        elif key not in flat[1]:
            changes[key] = "removed"
        elif flat[0][key] != flat[1][key]:
            changes[key] = "changed"
    return changes


def _flat_storage(storage: Mapping[str, Any]) -> dict[str, str]:
    flat = {
        f"{area}.{key}": str(value) for area in ("local", "session") for key, value in storage.get(area, {}).items()
    }
    flat |= {f"cookie.{cookie['name']}": str(cookie.get("value", "")) for cookie in storage.get("cookies", [])}
    return flat


def effect_of(
    before: PageState, after: PageState, changes: Mapping[str, str]
) -> Literal["none", "page", "storage", "navigation"]:
    """The strongest thing that happened, as `Interaction.effect` has it."""
    if after.url != before.url:
        return "navigation"
    if changes:
        return "storage"
    same = after.fingerprint == before.fingerprint and after.text == before.text
    return "none" if same and after.screenshot == before.screenshot else "page"
