"""Words to type: taken from the site where they should find something, made up where they should not. Pure."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from artifacts.evidence import Actionable, PageState

_BY_TYPE = {
    "date": ("2030-01-15", "2030-01-16"),
    "time": ("10:30", "16:45"),
    "month": ("2030-01", "2030-02"),
    "week": ("2030-W03", "2030-W04"),
    "datetime-local": ("2030-01-15T10:30", "2030-01-16T16:45"),
    "color": ("#336699", "#cc3300"),
}
_HOW_MANY = re.compile(
    r"quantity|qty|anzahl|menge|quantité|cantidad|quantità|quantidade|aantal|ilość|количество|数量|個数|수량|الكمية|כמות|adet"
)
LEAST_TITLES = 4
"""Titles of things that are enough to take words from."""
NOWHERE = "zqxjkvbwq"
"""A word that no site has."""

LETTERS = ("a", "e")
"""What most names have in them, for sites that show nothing before they are asked."""
_FEW = 3
"""Different words of links from which on they name things."""
_STOP = frozenset(
    """
    home page next previous back login logout register search menu about contact help more view all sort show hide
    add cart basket with from this that your and the for are not you was have has will can our terms privacy policy
    read here click close open toggle first last results result items item total price new log sign out
    """.split()
)
_WORD = re.compile(r"[^\W\d_]{4,20}")


class Words(NamedTuple):
    """What the site's own vocabulary offers for typing."""

    one: str
    other: str
    pair: str
    """Two words that occur together, such as the start of a title."""
    name_things: bool = True
    """Whether they are of things that the site links to: where they are not, they may find nothing."""


def site_words(states: Iterable[PageState], link_texts: Iterable[str], titles: Sequence[str] = ()) -> Words:
    """Words that name things on this site, the same for the same evidence.

    They come out of the `titles` of things if enough are known, such as begin one first: a search finds those, and
    suggestions their beginnings. Else words of link texts that occur in few links are preferred: they name an item, not
    the menu.
    """
    different = list(dict.fromkeys(titles))
    is_known = len(different) >= LEAST_TITLES
    counts: Counter[str] = Counter()
    pairs: Counter[str] = Counter()
    begins: set[str] = set()
    link_texts = tuple(link_texts)
    linked = {word.casefold() for text in link_texts for word in _WORD.findall(text)} - _STOP
    for text in different if is_known else [*link_texts, *(state.title for state in states)]:
        found = [word for word in _WORD.findall(text) if word.casefold() not in _STOP]
        counts.update({word.casefold() for word in found})
        if len(found) >= 2:
            pairs[f"{found[0]} {found[1]}".casefold()] += 1
        if is_known and found and text.startswith(found[0]):
            begins.add(found[0].casefold())
    if not begins:
        begins = set(counts)
    ranked = sorted(counts, key=lambda word: (word not in begins, not 2 <= counts[word] <= 6, -counts[word], word))
    one = ranked[0] if ranked else "test"
    other = next((word for word in ranked[1:] if word[:4] != one[:4]), "example")
    pair = min(pairs, key=lambda text: (-pairs[text] if pairs[text] <= 3 else 0, text), default=f"{one} {other}")
    return Words(one, other, pair, is_known or len(linked) >= _FEW)


def field_value(field: Actionable, words: Words, *, turn: int = 0) -> str:
    """Something acceptable for a field, by its type, name and limits; `turn` gives a different one."""
    name = f"{field.field_name} {field.name} {field.attributes.get('autocomplete', '')}".casefold()
    kind = field.input_type
    number = "" if turn == 0 else str(turn + 1)
    if kind == "email" or "mail" in name:
        return f"visitor{number}@example.com"
    if kind == "password":
        return f"Sandbox-pass-{turn + 7}x"
    if is_amount(field):
        return _within(field, turn + 2)
    if kind in _BY_TYPE:
        return _BY_TYPE[kind][turn % 2]
    if kind == "range":
        return field.attributes.get("min", "0") if turn % 2 else field.attributes.get("max", "100")
    if kind == "url":
        return "https://example.com/"
    if kind == "tel" or "phone" in name:
        return f"+1 555 010 {turn:04}"
    if re.search(r"post ?code|zip", name):
        return f"1234{turn % 10}"
    if re.search(r"user|login|nick", name):
        return f"visitor{number or '1'}"
    if "name" in name:
        return ("Ada", "Grace", "Alan")[turn % 3]
    text = (words.one, words.other, words.pair)[turn % 3]
    limit = field.attributes.get("maxlength", "")
    return text[: int(limit)] if limit.isdigit() and int(limit) > 0 else text


def is_amount(field: Actionable) -> bool:
    """Whether a field asks how many: it says so, or holds a small number."""
    name = f"{field.field_name} {field.name}".casefold()
    says_so = bool(_HOW_MANY.search(name)) or bool(re.fullmatch(r"\d{1,3}", field.value))
    return field.input_type == "number" or (field.tag == "input" and field.input_type in ("", "text") and says_so)


def _within(field: Actionable, wanted: int) -> str:
    low, high = field.attributes.get("min", ""), field.attributes.get("max", "")
    if re.fullmatch(r"-?\d+", high):
        wanted = min(wanted, int(high))
    if re.fullmatch(r"-?\d+", low):
        wanted = max(wanted, int(low))
    return str(wanted)
