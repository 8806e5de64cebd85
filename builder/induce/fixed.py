"""What the rows of a fixed loop say of themselves: fields that programs for all of its rows may use. Pure."""

import html
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlsplit

from builder.induce.listing import Pairs

Rows = Sequence[Sequence[Mapping[str, Any]]]
_LETTERS = "abcdefghijlmnopqr"
"""What fields told of a slot are called, before its number; k is for words of its own."""


class _Seen(NamedTuple):
    """A value of one slot, on a page with these parameters."""

    value: Any
    pairs: Pairs


def role_fields(
    order: Sequence[str], named: Sequence[Sequence[str]], rows: Rows, sent: Sequence[Pairs]
) -> dict[str, dict[str, Any]]:
    """The fields of each role, in order: what its rows have the same wherever they stand, and what that tells.

    `named` and `rows` are the roles and fields of each page's rows, `sent` each page's parameters.
    """
    seen: dict[str, list[tuple[Mapping[str, Any], Pairs]]] = {role: [] for role in order}
    for names, instance, pairs in zip(named, rows, sent, strict=True):
        for role, row in zip(names, instance, strict=True):
            seen[role].append((row, pairs))
    slots = list(seen[order[0]][0][0])
    items: dict[str, dict[str, Any]] = {role: {} for role in order}
    for slot in slots:
        values = {role: [_Seen(row[slot], pairs) for row, pairs in seen[role]] for role in order}
        is_steady = all(_same([one.value for one in many]) for many in values.values())
        if is_steady:
            for role, item in items.items():
                item[slot] = values[role][0].value
        if all(isinstance(one.value, str) for many in values.values() for one in many):
            if not is_steady:
                _own_words(items, values, slot)
            _add(items, {role: _told(many) for role, many in values.items()}, slot)
    return items


def _same(values: Sequence[Any]) -> bool:
    return all(value == values[0] for value in values)


def _own_words(items: Mapping[str, dict[str, Any]], values: Mapping[str, Sequence[_Seen]], slot: str) -> None:
    """Add the words that a role's attribute always has, if they are its own."""
    always: dict[str, str] = {}
    for role, many in values.items():
        shared = set.intersection(*(set(one.value.split()) for one in many))
        always[role] = " ".join(word for word in many[0].value.split() if word in shared)
    if len(set(always.values())) > 1 and all(always.values()):
        for role, item in items.items():
            item[f"k{slot[1:]}"] = always[role]


def _told(values: Sequence[_Seen]) -> dict[str, str]:
    """What addresses, or a plain text, always say: parameters, the path, the text without escapes."""
    plain = [html.unescape(one.value) for one in values]
    found: dict[str, str] = {"text": plain[0]} if _same(plain) else {}
    if any("?" in value for value in plain) or all(value.startswith(("/", "http")) or not value for value in plain):
        try:
            parts = [urlsplit(value) for value in plain]
        except ValueError:
            return found
        if parts[0].path and _same([part.path for part in parts]):
            found["path"] = parts[0].path
        asked = [parse_qsl(part.query, keep_blank_values=True) for part in parts]
        found |= dict(_changed(asked, [one.pairs for one in values]))
    return found


def _changed(asked: Sequence[Sequence[tuple[str, str]]], sent: Sequence[Pairs]) -> Iterator[tuple[str, str]]:
    """Parameters with the one value that an address puts there or takes away, on whatever page it stands."""
    for key in sorted({name for pairs in (*asked, *sent) for name, _ in pairs}):
        common: set[str] | None = None
        wanted = [{value for name, value in pairs if name == key} for pairs in asked]
        now = [{value for name, value in pairs if name == key} for pairs in sent]
        for new, old in zip(wanted, now, strict=True):
            told = new ^ old or new
            common = told if common is None else common & told
        if common and len(common) > 1:
            common = {value for value in common if all(value in new for new in wanted)}
        if common and len(common) == 1:
            yield "?" + key, common.pop()


def _add(items: Mapping[str, dict[str, Any]], told: Mapping[str, Mapping[str, str]], slot: str) -> None:
    """Add what is told of some role and differs between roles."""
    every = list(dict.fromkeys(key for said in told.values() for key in sorted(said)))
    for letter, key in zip(_LETTERS, every, strict=False):
        values = {role: told[role].get(key, "") for role in items}
        is_plain = key == "text" and all(item.get(slot) == values[role] for role, item in items.items())
        if len(set(values.values())) > 1 and not is_plain:
            for role, item in items.items():
                item[letter + slot[1:]] = values[role]
