"""Addresses in style sheets, and the start of any address that a tag or a style sheet loads."""

import re

from environments.runtime.places import Front, Origin
from environments.runtime.text import COLON, text_to_local

_SLASH = rb"(?:/|\\|&\#0*47;|&\#x0*2f;|&sol;)"
_ABSOLUTE = re.compile(
    rb"(?P<scheme>https?|wss?)(?:" + COLON + rb")" + _SLASH + rb"{2,}+"
    rb"(?P<authority>[^/?\#&\s\"'<>\\()]+)",
    re.IGNORECASE,
)
_RELATIVE_SCHEME = re.compile(_SLASH + rb"{2}+(?P<authority>[^/?\#&\s\"'<>\\()]+)", re.IGNORECASE)
_ROOT = re.compile(rb"(?:/|&\#0*47;|&\#x0*2f;|&sol;)(?!/|\\|&\#0*47;|&\#x0*2f;|&sol;)", re.IGNORECASE)
_CSS_LOADS = re.compile(
    rb"(?P<lead>url\(\s*+(?:[\"']|&quot;|&apos;|&\#0*3[49];|&\#x0*2[27];)?+|@import\s*+[\"']|src\(\s*+[\"'])"
    rb"(?P<target>[^\s\"')&][^\s\"')]*+)",
    re.IGNORECASE,
)


def load_to_local(value: bytes, front: Front) -> bytes:
    """An address that something loads or navigates to, so that it stays in the sandbox whatever host it names.

    Root-relative addresses move into the folder of the host the document is from. Others that are relative stay.

    >>> from environments.runtime.places import Hosts
    >>> hosts = Hosts(("https://shop.example", "https://cdn.example"))
    >>> front = Front("127.0.0.1:8000", hosts, Origin("https", "cdn.example"))
    >>> load_to_local(b"//else.example/x", front), load_to_local(b"/y", front), load_to_local(b"z", front)
    (b'http://127.0.0.1:8000/~https~else.example/x', b'/~https~cdn.example/y', b'z')
    """
    at = len(value) - len(value.lstrip())
    if found := _ABSOLUTE.match(value, at):
        scheme = found["scheme"].decode().lower()
    elif found := _RELATIVE_SCHEME.match(value, at):
        scheme = front.here.scheme
    else:
        if front.base and (root := _ROOT.match(value, at)) and not value.startswith(b"/~http", at):
            return value[:at] + front.base.encode() + value[root.start() :]
        return value
    authority = found["authority"].decode("utf-8", "replace").rpartition("@")[2]
    if authority.lower() == front.authority:
        return value
    prefix = front.prefix(Origin.named(scheme, authority)).encode("utf-8", "replace")
    lead = b"ws://" if scheme in ("ws", "wss") else b"http://"
    return value[:at] + lead + front.authority.encode() + prefix + value[found.end() :]


def css_to_local(data: bytes, front: Front) -> bytes:
    """A style sheet with everything it loads kept in the sandbox. Also for a style attribute, entities and all.

    >>> from environments.runtime.places import Hosts
    >>> hosts = Hosts(("https://shop.example",))
    >>> css_to_local(b"a{background:url('https://x.example/i.png')}", Front("127.0.0.1:80", hosts, hosts.main))
    b"a{background:url('http://127.0.0.1:80/~https~x.example/i.png')}"
    """
    mapped = text_to_local(data, front)
    return _CSS_LOADS.sub(lambda found: found["lead"] + load_to_local(found["target"], front), mapped)
