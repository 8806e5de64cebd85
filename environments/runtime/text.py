"""Addresses of captured hosts inside any text, found in every spelling that pages use, and rewritten in the same one.

Works on bytes, so a page's charset does not matter as long as it contains ASCII.
"""

import functools
import re
from collections.abc import Callable

from environments.runtime.places import Front, Hosts, Origin

COLON = rb":|%3A|%253A|&\#0*58;|&\#x0*3a;|&colon;|\\u003a|\\x3a"
SLASH_PAIR = (
    rb"//|\\/\\/|\\\\/\\\\/|%2F%2F|%252F%252F|&\#0*47;&\#0*47;|&\#x0*2f;&\#x0*2f;|&sol;&sol;"
    rb"|\\u002f\\u002f|\\\\u002f\\\\u002f|\\x2f\\x2f"
)
_TILDE = rb"~|%7E|%257E"
_SCHEME_BEFORE = re.compile(rb"(https?|wss?)(" + COLON + rb")\Z", re.IGNORECASE)
_GLUED_BEFORE = re.compile(rb"(?:[A-Za-z0-9_./~:\\-]|" + COLON + rb")\Z", re.IGNORECASE)
_ESCAPE_BEFORE = re.compile(rb"(?:%(?:25)?(?!3A)[0-9a-f]{2}|\\[nrtbfv]|\\u(?!003a)[0-9a-f]{4})\Z", re.IGNORECASE)
_NAMESPACE = re.compile(rb"/(?:1999/x(?:html|link|sl)|2000/(?:svg|xmlns)|1998/math|xml/1998|200[0-9]/xml|tr/)", re.I)
_XMLNS_BEFORE = re.compile(rb"xmlns(?::[\w.-]+)?\s*=\s*[\"'][^\"'<>]*\Z")
_PORT = re.compile(rb"[0-9]+\Z")
_LOOK_BACK = 14


@functools.lru_cache(maxsize=64)
def _captured(hosts: Hosts) -> re.Pattern[bytes]:
    names = b"|".join(re.escape(name.encode()) for name in sorted(hosts.names, key=len, reverse=True))
    return re.compile(
        rb"(?P<slashes>" + SLASH_PAIR + rb")(?P<host>" + names + rb")(?P<port>(?:(?:" + COLON + rb")[0-9]{1,5})?+)"
        rb"(?![A-Za-z0-9_@-]|\.[A-Za-z0-9]|%40)",
        re.IGNORECASE,
    )


@functools.lru_cache(maxsize=1024)
def _fronted(authority: str) -> re.Pattern[bytes]:
    host, _, port = authority.partition(":")
    spelled = re.escape(host.encode()) + (rb"(?:" + COLON + rb")" + port.encode() if port else b"")
    return re.compile(
        rb"(?P<slashes>" + SLASH_PAIR + rb")" + spelled + rb"(?![0-9A-Za-z_.@-])"
        rb"(?P<prefix>(?:(?:/|\\/|%2F|%252F)(?:" + _TILDE + rb")(?P<scheme>https?)(?:" + _TILDE + rb")"
        rb"(?P<host>[A-Za-z0-9._\[\]-]+)(?:(?:" + _TILDE + rb")(?P<port>[0-9]{1,5}))?(?![A-Za-z0-9~]))?)",
        re.IGNORECASE,
    )


def _spelled(text: str, slashes: bytes) -> bytes:
    """The text with its colons and slashes written like the slashes beside it."""
    data = text.encode()
    slash = slashes[: len(slashes) // 2]
    if slash.lower() in (b"%2f", b"%252f"):
        data = data.replace(b":", b"%3A" if len(slash) == 3 else b"%253A")
    return data if slash == b"/" else data.replace(b"/", slash)


def _rewritten(
    data: bytes, found: re.Match[bytes], scheme: re.Match[bytes] | None, new: Origin | str, path: str
) -> bytes:
    """One address in its new form: scheme (if it had one), the slashes as they were, authority and path."""
    slashes = found["slashes"]
    if isinstance(new, Origin):
        secure, authority = new.scheme == "https", new.authority
    else:
        secure, authority = False, new
    lead = b""
    if scheme:
        name = (b"ws" if scheme[1][:1] in b"wW" else b"http") + (b"s" if secure else b"")
        lead = name + scheme[2]
    return lead + slashes + _spelled(authority + path, slashes)


def _replace(
    data: bytes,
    pattern: re.Pattern[bytes],
    rewrite: Callable[[re.Match[bytes], re.Match[bytes] | None], bytes | None],
) -> bytes:
    pieces: list[bytes] = []
    done = 0
    for found in pattern.finditer(data):
        before = data[max(done, found.start() - _LOOK_BACK) : found.start()]
        scheme = _SCHEME_BEFORE.search(before)
        if not scheme and _GLUED_BEFORE.search(before) and not _ESCAPE_BEFORE.search(before):
            continue
        new = rewrite(found, scheme)
        if new is None:
            continue
        pieces += (data[done : found.start() - (len(scheme[0]) if scheme else 0)], new)
        done = found.end()
    if not pieces:
        return data
    pieces.append(data[done:])
    return b"".join(pieces)


def text_to_local(data: bytes, front: Front) -> bytes:
    """The text with every address of a captured host turned into the sandbox's. XML namespaces are names and stay.

    >>> hosts = Hosts(("https://shop.example", "https://cdn.example"))
    >>> front = Front("127.0.0.1:8000", hosts, hosts.main)
    >>> text_to_local(b'"https:\\\\/\\\\/cdn.example\\\\/a" next=https%3A%2F%2Fshop.example%2F', front)
    b'"http:\\\\/\\\\/127.0.0.1:8000\\\\/~https~cdn.example\\\\/a" next=http%3A%2F%2F127.0.0.1%3A8000%2F'
    """

    def rewrite(found: re.Match[bytes], scheme: re.Match[bytes] | None) -> bytes | None:
        port = _PORT.search(found["port"])
        named = found["host"].decode("ascii") + (f":{port[0].decode()}" if port else "")
        origin = front.hosts.known(Origin.named(scheme[1].decode() if scheme else front.here.scheme, named))
        if origin is None or _is_name(data, found):
            return None
        return _rewritten(data, found, scheme, front.authority, front.prefix(origin))

    return _replace(data, _captured(front.hosts), rewrite)


def _is_name(data: bytes, found: re.Match[bytes]) -> bool:
    if found["host"].lower() == b"www.w3.org" and _NAMESPACE.match(data, found.end()):
        return True
    return bool(_XMLNS_BEFORE.search(data[max(0, found.start() - 60) : found.start()]))


_READS_HOST = re.compile(rb"location\s*\.\s*host\b")
_READS_HOSTNAME = re.compile(rb"location\s*\.\s*hostname\b|\.hostname\b|document\s*\.\s*domain\b")


@functools.lru_cache(maxsize=64)
def _own_names(hosts: Hosts) -> re.Pattern[bytes]:
    own = {origin.authority for origin in hosts.origins if origin.host == hosts.main.host}
    names = b"|".join(re.escape(name.encode()) for name in sorted(own, key=len, reverse=True))
    return re.compile(rb"(?P<quote>[\"'`])(?P<name>" + names + rb")(?P=quote)", re.IGNORECASE)


def names_to_local(script: bytes, front: Front) -> bytes:
    """A script in which the site's own host name, by itself in quotes, is what the address bar shows.

    >>> hosts = Hosts(("https://shop.example",))
    >>> front = Front("127.0.0.1:8000", hosts, hosts.main)
    >>> names_to_local(b"if (location.hostname !== 'shop.example') stop()", front)
    b"if (location.hostname !== '127.0.0.1') stop()"
    """
    asks_host = bool(_READS_HOST.search(script)) and not _READS_HOSTNAME.search(script)

    def rewrite(found: re.Match[bytes]) -> bytes:
        named_port = b":" in found["name"].rpartition(b"]")[2]
        shown = front.authority if named_port or asks_host else front.authority.rpartition(":")[0] or front.authority
        return found["quote"] + shown.encode() + found["quote"]

    return _own_names(front.hosts).sub(rewrite, script)


def text_to_site(data: bytes, front: Front) -> bytes:
    """The text with the sandbox's addresses turned back into the site's: the inverse of `text_to_local`.

    >>> hosts = Hosts(("https://shop.example", "https://cdn.example"))
    >>> front = Front("127.0.0.1:8000", hosts, hosts.main)
    >>> text_to_site(b"next=http%3A%2F%2F127.0.0.1%3A8000%2Fcart&img=http://127.0.0.1:8000/~https~cdn.example/i", front)
    b'next=https%3A%2F%2Fshop.example%2Fcart&img=https://cdn.example/i'
    """

    def rewrite(found: re.Match[bytes], scheme: re.Match[bytes] | None) -> bytes | None:
        origin = front.hosts.main
        if found["prefix"]:
            port = f":{found['port'].decode()}" if found["port"] else ""
            origin = Origin.named(found["scheme"].decode(), found["host"].decode() + port)
        return _rewritten(data, found, scheme, origin, "")

    return _replace(data, _fronted(front.authority), rewrite)
