"""Content security policies in local mode: the hosts they name are mapped, what would break plain http is left out."""

import re

from environments.runtime.places import DEFAULT_PORTS, Front, Origin

_DROPPED = {"upgrade-insecure-requests", "block-all-mixed-content", "report-uri", "report-to"}
_SOURCE = re.compile(
    r"(?:(?P<scheme>https?|wss?)://)?(?P<host>\*|\*(?:\.[\w-]+)+|[\w-]+(?:\.[\w-]+)+|localhost)(?::(?P<port>\d+|\*))?(?P<path>/[^\s;,]*)?",
    re.IGNORECASE,
)


def policy_to_local(policy: str, front: Front, hashes: dict[str, str]) -> str:
    """One policy as the browser is told it in local mode: never stricter than the site's was.

    `hashes` maps the hash sources of inline scripts that were changed to their new ones.

    >>> from environments.runtime.places import Hosts
    >>> hosts = Hosts(("https://shop.example", "https://cdn.example"))
    >>> front = Front("127.0.0.1:80", hosts, hosts.main)
    >>> policy_to_local("script-src 'self' *.example https://no.where; upgrade-insecure-requests", front, {})
    "script-src 'self' http://127.0.0.1:80 https://no.where"
    """
    kept = []
    for directive in policy.split(";"):
        words = directive.split()
        if not words or words[0].lower() in _DROPPED:
            continue
        mapped = dict.fromkeys(new for source in words[1:] for new in _sources(source, front, hashes))
        kept.append(" ".join((words[0], *mapped)))
    return "; ".join(kept)


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
