"""What a step made different, from the states before and after it. Pure."""

from collections.abc import Mapping
from typing import Any, Literal

from artifacts.evidence import Exchange, PageState
from explorer.crawl.urls import address_key


def document_of(exchanges: list[Exchange], *addresses: str) -> Exchange | None:
    """The exchange that brought the page: the last answer for one of its addresses, the truest first.

    A script may have given the page another address since, so that nothing was ever sent for the one it has now.
    """
    documents = [e for e in exchanges if e.destination in ("document", "") and e.status and not 300 <= e.status < 400]
    for address in addresses:
        exact = [exchange for exchange in documents if address_key(exchange.url) == address_key(address)]
        if exact:
            return exact[-1]
    loaded = [exchange for exchange in documents if exchange.destination == "document"]
    return loaded[-1] if loaded else None


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
    if after.url != before.url:
        return "navigation"
    if changes:
        return "storage"
    same = after.fingerprint == before.fingerprint and after.text == before.text
    return "none" if same and after.screenshot == before.screenshot else "page"
