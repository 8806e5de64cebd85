"""The script that keeps addresses in the sandbox which a page's own scripts build, and how it gets into pages."""

import base64
import functools
import hashlib
import json
import re
from pathlib import Path
from typing import NamedTuple

from environments.runtime.places import Front, Hosts

_SOURCE = Path(__file__).with_name("shim.js")
_COMMENT = re.compile(r"^\s*//.*\n", re.MULTILINE)
_OPENING = re.compile(
    rb"\A(?:\xef\xbb\xbf)?(?:\s+|<!--.*?-->|<!doctype[^>]*>|<\?[^>]*>|<html(?:\s[^>]*)?>|<head(?:\s[^>]*)?>(?P<head>))*+",
    re.IGNORECASE | re.DOTALL,
)
_SCRIPTED = re.compile(rb"<script|\son\w+\s*=|javascript:", re.IGNORECASE)
_NONCE = re.compile(r"'nonce-([A-Za-z0-9+/_=-]+)'")
DOCUMENTS = frozenset({"document", "iframe", "frame", "object", "embed"})


class Shim(NamedTuple):
    """The script of one environment."""

    path: str
    """Where the site's port answers with it; changes with its content."""
    body: bytes
    digest: str
    """As `integrity` and a policy's source have it, without quotes."""


@functools.lru_cache(maxsize=64)
def shim_of(hosts: Hosts) -> Shim:
    """The script for these hosts."""
    source = _COMMENT.sub("", _SOURCE.read_text(encoding="utf-8")).strip()
    places = {str(origin): hosts.prefix(origin) for origin in hosts.origins}
    body = f"{source}({json.dumps(places)}, {_FRONT});\n".encode()
    digest = hashlib.sha256(body).digest()
    return Shim(f"/~~{digest.hex()[:12]}.js", body, "sha256-" + base64.b64encode(digest).decode())


_FRONT = 'typeof document === "object" && document.currentScript ? new URL(document.currentScript.src).origin : ""'


def with_shim(page: bytes, front: Front, policies: str) -> bytes:
    """The page with the script before everything that runs; a page without scripts stays as it is.

    `policies` are the values of its Content-Security-Policy headers: their nonce is taken over.
    """
    if not _SCRIPTED.search(page):
        return page
    opening = _OPENING.match(page)
    at = opening.end() if opening else 0
    shim = shim_of(front.hosts)
    nonce = _NONCE.search(policies)
    given = f' nonce="{nonce[1]}"' if nonce else ""
    return page[:at] + f'<script src="{shim.path}" integrity="{shim.digest}"{given}></script>'.encode() + page[at:]


def allowed_by(policy: str, front: Front) -> str:
    """The policy, with the script allowed by it.

    >>> hosts = Hosts(("https://shop.example",))
    >>> allowed_by("script-src 'self' 'nonce-x'", Front("127.0.0.1:80", hosts, hosts.main)).count("sha256-")
    1
    >>> allowed_by("img-src 'self'", Front("127.0.0.1:80", hosts, hosts.main))
    "img-src 'self'"
    """
    shim = shim_of(front.hosts)
    directives = [directive.split() for directive in policy.split(";") if directive.strip()]
    named = {words[0].lower() for words in directives}
    governing = next((name for name in ("script-src-elem", "script-src", "default-src") if name in named), "")
    for words in directives:
        if words[0].lower() not in (governing, "script-src" if "script-src-elem" in named else governing):
            continue
        if [word.lower() for word in words[1:]] == ["'none'"]:
            continue  # nothing runs there, and nothing has to be kept in
        words.append(f"{front.origin()}{shim.path}")
        if any(word.startswith(("'nonce-", "'sha", "'strict-dynamic")) for word in words):
            words.append(f"'{shim.digest}'")
    return "; ".join(" ".join(words) for words in directives)
