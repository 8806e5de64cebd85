"""Content security policies in local mode: the site's own, mapped, and a fence that keeps pages inside the sandbox."""

import re

from environments.runtime.places import DEFAULT_PORTS, Front, Origin
from environments.runtime.shim import allowed_by

_DROPPED = {"upgrade-insecure-requests", "block-all-mixed-content", "report-uri", "report-to"}
_SOURCE = re.compile(
    r"(?:(?P<scheme>https?|wss?)://)?(?P<host>\*|\*(?:\.[\w-]+)+|[\w-]+(?:\.[\w-]+)+|localhost)(?::(?P<port>\d+|\*))?(?P<path>/[^\s;,]*)?",
    re.IGNORECASE,
)

_AUTHORITY = re.compile(r"[\w.\-]+(?::\d+)?|\[[0-9a-f:.]+\](?::\d+)?", re.ASCII)
_ACTIVE = re.compile(r"[^/]*|.*(?:html|svg|xml|script|unknown|\*/|multipart).*")


def policy_to_local(policy: str, front: Front, hashes: dict[str, str]) -> str:
    """One policy as the browser is told it in local mode: never stricter than the site's was.

    `hashes` maps the hash sources of inline scripts that were changed to their new ones.

    >>> from environments.runtime.places import Hosts
    >>> hosts = Hosts(("https://shop.example", "https://cdn.example"))
    >>> front = Front("127.0.0.1:80", hosts, hosts.main)
    >>> policy_to_local("img-src 'self' *.example https://no.where; upgrade-insecure-requests", front, {})
    "img-src 'self' http://127.0.0.1:80 https://no.where"
    """
    kept = []
    for directive in policy.split(";"):
        words = directive.split()
        if not words or words[0].lower() in _DROPPED:
            continue
        mapped = dict.fromkeys(new for source in words[1:] for new in _sources(source, front, hashes))
        kept.append(" ".join((words[0], *mapped)))
    return allowed_by("; ".join(kept), front)


def _sources(source: str, front: Front, hashes: dict[str, str]) -> list[str]:
    if source in hashes:
        return [source, hashes[source]]
    if source.lower() in ("https:", "http:", "wss:", "ws:"):
        socket = source.lower().startswith("ws")
        return [source, f"{'ws' if socket else 'http'}://{front.authority}"]
    found = _SOURCE.fullmatch(source)
    if not found or found["host"] == "*":
        return [source]
    matching = [origin for origin in front.hosts.origins if _covers(found, origin, front)]
    if not matching:
        return [source]
    scheme = "ws" if (found["scheme"] or "").lower().startswith("ws") else "http"
    # a wildcard or the site's own host stands for the whole sandbox: everything is one origin there
    if any(origin == front.hosts.main for origin in matching):
        return [f"{scheme}://{front.authority}"]
    path = found["path"] or "/"
    return [f"{scheme}://{front.authority}{front.hosts.prefix(origin)}{path}" for origin in matching]


def _covers(found: re.Match[str], origin: Origin, front: Front) -> bool:
    scheme = {"ws": "http", "wss": "https"}.get((found["scheme"] or "").lower(), (found["scheme"] or "").lower())
    if scheme and scheme != origin.scheme and not (scheme == "http" and origin.scheme == "https"):
        return False
    port = found["port"] or ""
    if port not in ("", "*") and port != (origin.port or DEFAULT_PORTS[origin.scheme]):
        return False
    host = found["host"].lower()
    return origin.host.endswith(host[1:]) if host.startswith("*.") else origin.host == host


def fence(authority: str) -> str:
    """A policy of its own beside the site's: where requests may go, and nothing about what code may run.

    >>> fence("127.0.0.1:80").partition(";")[0]
    "default-src 'self' http://127.0.0.1:80 data: blob: 'unsafe-inline' 'unsafe-eval' 'wasm-unsafe-eval'"
    """
    named = authority if _AUTHORITY.fullmatch(authority) else ""
    own = f"'self' http://{named}" if named else "'self'"
    sockets = f" ws://{named} wss://{named}" if named else ""
    return "; ".join(
        (
            f"default-src {own} data: blob: 'unsafe-inline' 'unsafe-eval' 'wasm-unsafe-eval'",
            f"connect-src {own}{sockets} data: blob:",
            f"form-action {own} javascript:",  # a form whose action is a script goes nowhere by itself
        )
    )


def is_active(media_type: str) -> bool:
    """Whether a browser may run code of an answer of this type, or take it for one that does.

    >>> [is_active(kind) for kind in ("text/html", "image/svg+xml", "", "image/png", "text/css")]
    [True, True, True, False, False]
    """
    return _ACTIVE.fullmatch(media_type) is not None
