"""Request and response headers between the browser's view of the sandbox and the site's own."""

import re
from typing import Any

from environments.runtime.places import Front, Origin
from environments.runtime.policy import policy_to_local
from environments.runtime.styles import load_to_local
from environments.runtime.text import text_to_local, text_to_site

Headers = list[tuple[str, str]]

HOP_BY_HOP = {
    "connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "te", "trailer", "trailers",
    "transfer-encoding", "upgrade", "proxy-connection",
}  # fmt: skip
_DROPPED = {
    "strict-transport-security", "alt-svc", "expect-ct", "report-to", "nel", "reporting-endpoints", "content-md5",
}  # fmt: skip
_LOCATIONS = {"location", "content-location", "sourcemap", "x-sourcemap"}
POLICIES = {"content-security-policy", "content-security-policy-report-only"}
_LINK = re.compile(r"<([^<>]*)>")
_REFRESH = re.compile(r"(\s*[\d.]+\s*[;,]\s*(?:url\s*=\s*)?[\"']?)([^\"'\s]+)(.*)", re.IGNORECASE | re.DOTALL)


def _load(value: str, front: Front) -> str:
    data = value.encode("latin-1")
    return load_to_local(text_to_local(data, front), front).decode("latin-1")


def cookie_to_local(cookie: str, front: Front) -> str:
    """A Set-Cookie header for plain http on the sandbox's name.

    A cookie of another captured host stays in that host's folder, unless its domain covers the site's own host.

    >>> from environments.runtime.places import Hosts
    >>> hosts = Hosts(("https://www.shop.example", "https://api.shop.example"))
    >>> front = Front("127.0.0.1:8000", hosts, Origin("https", "api.shop.example"))
    >>> cookie_to_local("a=1; Path=/; Domain=.shop.example; Secure; HttpOnly; SameSite=None", front)
    'a=1; Path=/; HttpOnly; SameSite=Lax'
    >>> cookie_to_local("b=2; Path=/v1", front)
    'b=2; Path=/~https~api.shop.example/v1'
    """
    pair, *attributes = cookie.split(";")
    # these are refused without Secure, and browsers take Secure ones from loopback names
    prefixed = pair.strip().startswith(("__Host-", "__Secure-"))
    kept: list[str] = []
    path, domain = "/", ""
    for attribute in attributes:
        name, _, value = attribute.strip().partition("=")
        lower = name.strip().lower()
        if lower == "domain":
            domain = value.strip().lstrip(".").lower()
        elif lower == "path":
            path = value.strip() or "/"
        elif (lower == "secure" and not prefixed) or lower == "partitioned":
            continue
        elif lower == "samesite" and value.strip().lower() == "none" and not prefixed:
            kept.append("SameSite=Lax")
        else:
            kept.append(attribute.strip())
    main = front.hosts.main.host
    shared = bool(domain) and (main == domain or main.endswith("." + domain))
    folder = "" if shared or prefixed else front.base
    given = any(attribute.strip().lower().startswith("path=") for attribute in attributes)
    if given or (shared and front.base):
        kept.insert(0, f"Path={folder}{path}")
    return "; ".join([pair.strip(), *kept])


def headers_to_local(headers: Headers, front: Front, hashes: dict[str, str]) -> Headers:
    """Response headers as the browser gets them: mapped, and without what belongs to https or the connection."""
    mapped: Headers = []
    for name, value in headers:
        lower = name.lower()
        if lower in HOP_BY_HOP or lower in _DROPPED:
            continue
        if lower == "set-cookie":
            value = cookie_to_local(value, front)
        elif lower in _LOCATIONS:
            value = _load(value, front)
        elif lower == "link":
            value = _LINK.sub(lambda found: f"<{_load(found[1], front)}>", value)
        elif lower == "refresh":
            found = _REFRESH.match(value)
            value = found[1] + _load(found[2], front) + found[3] if found else value
        elif lower in POLICIES:
            value = ", ".join(policy_to_local(policy, front, hashes) for policy in value.split(","))
        elif lower == "access-control-allow-origin" and value not in ("*", "null"):
            value = front.origin()
        else:
            value = text_to_local(value.encode("latin-1"), front).decode("latin-1")
        mapped.append((name, value))
    return mapped


def referring_host(environ: dict[str, Any], front: Front) -> Origin:
    """The captured host whose page sent the request, by its Referer; the site's own if it does not say."""
    referer = str(environ.get("HTTP_REFERER", ""))
    if referer.startswith(front.origin() + "/"):
        return front.hosts.split(referer[len(front.origin()) :])[0]
    return front.hosts.main


def environ_to_site(environ: dict[str, Any], front: Front, path: str, query: str) -> dict[str, Any]:
    """The request as the site would have received it: its own host, scheme, Origin and Referer, whole and unpacked."""
    site = dict(environ)
    here = front.here
    sender = referring_host(environ, front)
    site.update(
        {
            "HTTP_HOST": here.authority,
            "SERVER_NAME": here.host,
            "SERVER_PORT": here.port or ("443" if here.scheme == "https" else "80"),
            "wsgi.url_scheme": here.scheme,
            "HTTP_X_FORWARDED_PROTO": here.scheme,
            "PATH_INFO": path,
            "QUERY_STRING": query,
        }
    )
    raw = environ.get("REQUEST_URI")
    if raw is not None:
        site["REQUEST_URI"] = site["RAW_URI"] = raw_to_site(str(raw), front)
    if environ.get("HTTP_ORIGIN") == front.origin():
        site["HTTP_ORIGIN"] = str(sender)
    for name in ("HTTP_REFERER", "HTTP_COOKIE"):
        if name in site:
            site[name] = text_to_site(str(site[name]).encode("latin-1"), front).decode("latin-1")
    site.pop("HTTP_ACCEPT_ENCODING", None)
    return site


def raw_to_site(raw: str, front: Front) -> str:
    """A raw path and query as the site saw them."""
    if raw.startswith(("http://", "https://")):
        raw = "/" + raw.split("/", 3)[3] if raw.count("/") > 2 else "/"
    path, mark, query = raw.partition("?")
    path = front.hosts.split(path)[1] or "/"
    return text_to_site((path + mark + query).encode("latin-1"), front).decode("latin-1")
