"""The text of a recorded document, and the charset it was written in. Pure."""

import re

from builder.compile.recordings import Recording, header

_CHARSET = re.compile(r"charset\s*=\s*[\"']?\s*([\w.:-]+)", re.I)
_META = re.compile(rb"<meta\s[^>]*charset\s*=\s*[\"']?\s*([\w.:-]+)", re.I)
_BOMS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))


def charset_of(recording: Recording) -> str:
    """The charset that a document's bytes are in, as Python calls it; UTF-8 where nothing fits better."""
    body = recording.body
    for mark, name in _BOMS:
        if body.startswith(mark):
            return name
    said = _CHARSET.search(header(recording.exchange.response_headers, "content-type"))
    meta = _META.search(body[:4096])
    for name in (said[1] if said else "", meta[1].decode("ascii") if meta else "", "utf-8", "windows-1252"):
        if name and _reads(body, name):
            return "windows-1252" if name.lower() in ("iso-8859-1", "latin-1", "latin1") else name
    return "utf-8"


def text_of(recording: Recording) -> str:
    """The document's text; what its charset cannot read is replaced."""
    return recording.body.decode(charset_of(recording), "replace")


def _reads(body: bytes, name: str) -> bool:
    try:
        body.decode(name)
    except (LookupError, UnicodeDecodeError):
        return False
    return True
