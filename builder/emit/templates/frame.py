"""The frame that pages share, as a visitor's situation makes it.

A page that was recorded in the visitor's situation is left as it is. Any other page is taken from
an earlier situation, and the parts of its frame that are known to differ are exchanged.
"""

import html
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import behaviour
import keys
import patches
import respond
from flask import Response, request

PAGES = ("text/html", "application/xhtml+xml")


class Echo(NamedTuple):
    """A field that says what the address says, or what was sent."""

    name: str
    old: str
    new: str


META = re.compile(rb"<meta\s[^>]*charset\s*=\s*[\"']?\s*([\w.:-]+)", re.I)


def changes(
    visit: behaviour.Visit, chain: Sequence[int], taken: int
) -> list[patches.Change]:
    """What the situations since the one that a page is taken from make of it, and what rows do."""
    database = visit.database
    found: dict[object, patches.Change] = {}
    for node in chain:
        if node == taken:
            break
        rows = database.execute("SELECT change FROM site.fragment WHERE node = ?", (node,))
        for (text,) in rows.fetchall():
            change = patches.change_of(text)
            found.setdefault(change.spot, change)
    is_own = taken == chain[0] and not behaviour.is_astray(visit)
    if not is_own or (chain[0] == behaviour.EVERYBODY and behaviour.is_moved(visit)):
        found |= {change.spot: change for change in behaviour.changes(visit)}
    return list(found.values())


def put(
    answer: Response,
    visit: behaviour.Visit,
    made: Sequence[patches.Change],
    echoed: Sequence[Echo] = (),
) -> Response:
    """The answer with these changes made if it is a page, and with what is said once."""
    said = behaviour.message(visit) if is_next_page(answer, visit) else []
    if not (made or said or echoed) or answer.mimetype not in PAGES or answer.is_streamed or request.method == "HEAD":
        return answer
    body = answer.get_data()
    name = charset_of(answer, body)
    query = request.query_string.decode("latin-1")
    address = f"{visit.path}?{query}" if query else visit.path
    try:
        text = with_echoes(body.decode(name), echoed)
        text = patches.patched(text, address, made)
        text = patches.patched(text, address, said) if said else text
    except (LookupError, UnicodeDecodeError):
        return answer
    headers = answer.headers.copy()
    answer.set_data(text.encode(name, "xmlcharrefreplace"))
    answer.headers = headers
    for header in ("Content-Length", "ETag", "Last-Modified", "Accept-Ranges", "Content-MD5"):
        answer.headers.pop(header, None)
    return answer


def echoes(recorded: keys.Pairs, asked: keys.Pairs, names: set[str]) -> list[Echo]:
    """Values of these names that a page was recorded with, and that are others now."""
    old = dict(recorded)
    return [
        Echo(name, old.get(name, ""), new)
        for name, new in asked
        if name in names and old.get(name, "") != new
    ]


def retyped(recorded: Mapping[str, str], asked: Mapping[str, str]) -> list[Echo]:
    """What was typed into a form that a page sends back, where the recorded one held something else."""
    return [
        Echo(name, old, asked[name])
        for name, old in recorded.items()
        if old and not old.startswith(("{{", "redacted-")) and asked.get(name, old) != old
    ]


def with_echoes(text: str, echoed: Sequence[Echo]) -> str:
    """A page whose fields of these names hold what is asked for now."""
    for one in echoed:
        name = re.escape(one.name)
        area = re.compile(rf"(<textarea\b(?=[^>]*\bname=[\"']?{name}[\"'\s/>])[^>]*>)([^<]*)", re.I)
        for found in area.finditer(text):
            if html.unescape(found[2]).split() == one.old.split():
                written = html.escape(one.new, quote=False)
                text = text[: found.start(2)] + written + text[found.end(2) :]
                break
        field = re.compile(rf"<input\b(?=[^>]*\bname=[\"']?{name}[\"'\s/>])[^>]*>", re.I)
        old, new = f'"{html.escape(one.old)}"', f'"{html.escape(one.new)}"'
        pieces, at = [], 0
        for found in field.finditer(text):
            pieces += [text[at : found.start()], found[0].replace(old, new)]
            at = found.end()
        text = "".join([*pieces, text[at:]])
    return text


def is_next_page(answer: Response, visit: behaviour.Visit) -> bool:
    """Whether this is where something that is said once may be said."""
    is_page = request.method == "GET" and answer.mimetype in PAGES and answer.status_code == 200
    return is_page and visit.visitor != behaviour.EVERYBODY and respond.is_document()


def charset_of(answer: Response, body: bytes) -> str:
    """What the page says it is written in."""
    said = answer.mimetype_params.get("charset", "")
    meta = META.search(body[:4096])
    return said or (meta[1].decode("ascii") if meta else "") or "utf-8"
