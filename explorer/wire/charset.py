"""The text in an answer's bytes, as a browser would read it."""

import codecs
import re

_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_NAMED = re.compile(r"charset\s*=\s*[\"']?([\w.:-]+)", re.IGNORECASE)
_NAMES_ITSELF = re.compile(r"<meta[^>]+charset\s*=\s*[\"']?([\w.:-]+)|\A@charset \"([\w.:-]+)\"", re.IGNORECASE)


def text_of(body: bytes, content_type: str) -> str:
    """A page or style sheet as text: by its byte order mark, the charset its header names, or the one it names itself.

    >>> text_of(b"<meta charset=windows-1252>\\x80", "text/html")[-1]
    '\u20ac'
    """
    for mark, charset in _MARKS:
        if body.startswith(mark):
            return body[len(mark) :].decode(charset, "replace")
    named = _NAMED.search(content_type) or _NAMES_ITSELF.search(body[:2048].decode("latin-1"))
    charset = next(filter(None, named.groups()), "utf-8") if named else "utf-8"
    try:
        return body.decode(charset, "replace")
    except LookupError:
        return body.decode("utf-8", "replace")
