"""Stops requests that would change the site while only reading is allowed, before they leave this machine.

What an action does is judged by its words beforehand; a script may do otherwise. So during an action that should only
read, whatever could change something is refused here, and the action counts as one that was not allowed. Pure.
"""

import json
import re

_SAFE = frozenset(("GET", "HEAD", "OPTIONS", "TRACE"))
_MUTATION = re.compile(r"^\s*(?:#.*\n\s*)*mutation\b")


class Guard:
    """Knows what pages send by themselves when they are merely looked at; that much they may send again."""

    def __init__(self) -> None:
        self.is_on = False
        self._usual: set[tuple[str, str, str]] = set()

    def refuses(self, method: str, host: str, path: str, body: bytes) -> bool:
        """Whether this request must not be sent now. Requests of unguarded visits are learned from."""
        if method.upper() in _SAFE:
            return False
        kind = (method.upper(), host.lower(), path.partition("?")[0])
        if not self.is_on:
            self._usual.add(kind)
            return False
        return not (is_query(body) or (kind in self._usual and kind[0] == "POST" and not is_mutation(body)))


def is_query(body: bytes) -> bool:
    """Whether a request body is a GraphQL query, or several, and nothing but queries.

    >>> is_query(b'{"query": "query Q { a }"}'), is_query(b'{"query": "mutation { b }"}'), is_query(b'{"q": 1}')
    (True, False, False)
    """
    texts = _operations(body)
    return bool(texts) and not any(_MUTATION.match(text) for text in texts) and all("{" in text for text in texts)


def is_mutation(body: bytes) -> bool:
    """Whether a request body asks GraphQL for a change."""
    return any(_MUTATION.match(text) for text in _operations(body))


def _operations(body: bytes) -> list[str]:
    try:
        said = json.loads(body)
    except ValueError:
        return []
    asked = said if isinstance(said, list) else [said]
    texts = [one.get("query") if isinstance(one, dict) else None for one in asked]
    return [text for text in texts if isinstance(text, str)] if all(isinstance(text, str) for text in texts) else []
