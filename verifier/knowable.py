"""Which sealed states the open evidence lets one know, and which nobody could have known."""

import re
from collections.abc import Iterable, Sequence

from artifacts.evidence import Exchange, PageState, Part
from artifacts.store import Store

KNOWN_SHARE = 0.95
"""Of a page's words that must occur somewhere in the open evidence for its content to count as knowable."""

_WORD = re.compile(r"\w+")
_READABLE = ("text/html", "application/json", "+json", "text/plain", "xml")
_ESCAPE = re.compile(r"\\u([0-9a-fA-F]{4})")


def words_of(text: str) -> Sequence[str]:
    """The words of a text, case and punctuation ignored.

    >>> list(words_of("Lamp, oak: 12.50 €"))
    ['lamp', 'oak', '12', '50']
    """
    return _WORD.findall(text.casefold())


def known_share(text: str, vocabulary: frozenset[str]) -> float:
    """The share of the text's words that are in the vocabulary; a text without words is known.

    >>> known_share("the oak table", frozenset({"the", "oak"}))
    0.6666666666666666
    """
    words = words_of(text)
    return sum(word in vocabulary for word in words) / len(words) if words else 1.0


def vocabulary(part: Part, store: Store) -> frozenset[str]:
    """Every word that the states and readable answers of this part hold."""
    found: set[str] = set()
    for digest in dict.fromkeys([*(state.text for state in part.states), *_bodies(part.exchanges)]):
        text = store.get(digest).decode("utf-8", "replace")
        found.update(words_of(_ESCAPE.sub(lambda code: chr(int(code[1], 16)), text)))
    return frozenset(found)


def _bodies(exchanges: Iterable[Exchange]) -> Iterable[str]:
    for exchange in exchanges:
        kind = exchange.said("content-type").lower()
        if exchange.response_body and any(part in kind for part in _READABLE):
            yield exchange.response_body


def unknowable(opened: Part, sealed: Sequence[PageState], store: Store) -> dict[str, float]:
    """Digest -> known share of the sealed states whose content is not to be found in the open evidence."""
    if not sealed:
        return {}
    known = vocabulary(opened, store)
    shares = {state.digest: known_share(store.get(state.text).decode("utf-8", "replace"), known) for state in sealed}
    return {digest: share for digest, share in shares.items() if share < KNOWN_SHARE}
