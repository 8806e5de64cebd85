"""The frame that pages share, as a visitor's situation makes it.

A page that was recorded in the visitor's situation is left as it is. Any other page is taken from
an earlier situation, and the parts of its frame that are known to differ are exchanged.
"""

import re
import sqlite3
from collections.abc import Sequence

import patches
from flask import Response, request

PAGES = ("text/html", "application/xhtml+xml")
META = re.compile(rb"<meta\s[^>]*charset\s*=\s*[\"']?\s*([\w.:-]+)", re.I)


def changes(database: sqlite3.Connection, chain: Sequence[int], taken: int) -> list[patches.Change]:
    """What the situations since the one that a page is taken from make of its frame."""
    found: dict[object, patches.Change] = {}
    for node in chain:
        if node == taken:
            break
        rows = database.execute("SELECT change FROM site.fragment WHERE node = ?", (node,))
        for (text,) in rows.fetchall():
            change = patches.change_of(text)
            found.setdefault(change.spot, change)
    return list(found.values())


def put(answer: Response, made: Sequence[patches.Change], path: str) -> Response:
    """The answer to a request for this path with these changes made, if it is a page."""
    if not made or answer.mimetype not in PAGES or answer.is_streamed or request.method == "HEAD":
        return answer
    body = answer.get_data()
    name = charset_of(answer, body)
    query = request.query_string.decode("latin-1")
    address = f"{path}?{query}" if query else path
    try:
        text = patches.patched(body.decode(name), address, made)
    except (LookupError, UnicodeDecodeError):
        return answer
    headers = answer.headers.copy()
    answer.set_data(text.encode(name, "xmlcharrefreplace"))
    answer.headers = headers
    for header in ("Content-Length", "ETag", "Last-Modified", "Accept-Ranges", "Content-MD5"):
        answer.headers.pop(header, None)
    return answer


def charset_of(answer: Response, body: bytes) -> str:
    """What the page says it is written in."""
    said = answer.mimetype_params.get("charset", "")
    meta = META.search(body[:4096])
    return said or (meta[1].decode("ascii") if meta else "") or "utf-8"
