"""How a plain request of ours tells the proxy which visit it belongs to."""

import json

TAG_HEADER = "x-webanything-fetch"
"""Taken off by the proxy; the site never sees it."""


def stamp(token: str, visit: str, identity: str, tag: str) -> str:
    """The header's value; the token keeps pages from writing one."""
    return f"{token} {json.dumps([visit, identity, tag])}"


def read_stamp(value: str, token: str) -> tuple[str, str, str] | None:
    """Visit, identity and tag; None if the value does not begin with the token.

    >>> read_stamp(stamp("t", "v1", "anonymous", "7"), "t")
    ('v1', 'anonymous', '7')
    >>> read_stamp("guess []", "t") is None
    True
    """
    found, _, rest = value.partition(" ")
    if found != token:
        return None
    visit, identity, tag = json.loads(rest)
    return visit, identity, tag
