"""Headers as they are given again, and the cookie by which a visitor is known. Pure."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import NamedTuple
from urllib.parse import urlsplit

from builder.compile import keys
from builder.compile.recordings import Recording, cookie_attributes, header
from builder.compile.trails import Judge, Strength, site_of

DROPPED = frozenset(
    {"connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection", "te", "trailer",
     "transfer-encoding", "upgrade", "content-encoding", "content-length", "content-range", "alt-svc", "expect-ct",
     "strict-transport-security", "report-to", "nel", "reporting-endpoints", "public-key-pins", "date"}
)  # fmt: skip
_SESSION_NAME = re.compile(r"sess|sid$|^sid|auth|token|login", re.I)
_HTTP_ONLY = 4
_EXPIRES = re.compile(r"(expires\s*=\s*)([^;]*)", re.I)


class VisitorCookie(NamedTuple):
    """The name of the site's own session cookie, and its domain where it had one."""

    name: str
    domain: str


def replayed(recording: Recording, clock: str) -> tuple[tuple[str, str], ...]:
    """The answer's headers without those that belong to the connection or to one moment.

    A cookie's expiry is written as "@+SECONDS" after the moment it was set.
    """
    sent = header(recording.exchange.response_headers, "date")
    found = []
    for name, value in recording.exchange.response_headers:
        lower = name.lower()
        if lower in DROPPED:
            continue
        if lower == "set-cookie":
            value = _without_own_domain(_relative_expiry(value, sent, clock), recording.host)
        found.append((name, value.replace("\r", " ").replace("\n", " ")))
    return tuple(found)


def _relative_expiry(cookie: str, sent: str, clock: str) -> str:
    found = _EXPIRES.search(cookie)
    if not found:
        return cookie
    expires, base = _instant(found[2]), _instant(sent) or _instant(clock)
    if expires is None or base is None or expires.year < 1980:
        return cookie
    seconds = int((expires - base).total_seconds())
    return cookie[: found.start(2)] + f"@{seconds:+d}" + cookie[found.end(2) :]


def _instant(text: str) -> datetime | None:
    """The instant a header or an ISO text names, or None."""
    for parse in (_http_date, datetime.fromisoformat):
        try:
            found = parse(text.strip())
        except (ValueError, TypeError, IndexError):
            continue
        if found.tzinfo is not None:
            return found
    return None


def _http_date(text: str) -> datetime:
    return parsedate_to_datetime(re.sub(r"(\d\d)-(\w{3})-(\d{2,4})", r"\1 \2 \3", text))


def _without_own_domain(cookie: str, host: str) -> str:
    domain = cookie_attributes(cookie).get("domain", "").lstrip(".").lower()
    if domain != urlsplit(host).hostname:
        return cookie
    return re.sub(r";\s*domain\s*=[^;]*", "", cookie, flags=re.I)


def visitor_cookie(recordings: Iterable[Recording], judge: Judge) -> VisitorCookie:
    """The cookie that the site itself knows a visitor by: set when something changes, hidden from scripts.

    One whose value is the same for everybody tells nobody apart, and one that scripts may read and people could guess,
    such as a counter or a theme, is no secret.
    """
    scores: Counter[str] = Counter()
    domains: dict[str, str] = {}
    values: dict[str, set[str]] = defaultdict(set)
    for recording in recordings:
        if not judge.is_own(recording):
            continue
        changing = judge.strength(recording) is not Strength.NONE
        for name, value in recording.exchange.response_headers:
            if name.lower() != "set-cookie" or not value.partition("=")[2].partition(";")[0].strip():
                continue
            cookie = value.partition("=")[0].strip()
            values[cookie].add(value.partition("=")[2].partition(";")[0].strip())
            attributes = cookie_attributes(value)
            score = _HTTP_ONLY * ("httponly" in attributes) + 2 * bool(_SESSION_NAME.search(cookie)) + changing
            scores[cookie] = max(scores[cookie], score)
            domains.setdefault(cookie, _shared_domain(attributes.get("domain", ""), recording.host))
    telling = [
        name for name in scores
        if any(map(_is_hidden, values[name])) or (len(values[name]) > 1 and scores[name] >= _HTTP_ONLY)
    ]  # fmt: skip
    if not telling:
        return VisitorCookie("session", "")
    best = min(telling, key=lambda name: (-scores[name], name))
    return VisitorCookie(best, domains[best])


def _is_hidden(value: str) -> bool:
    """Whether a cookie's value was a secret, or looks like one."""
    return value.startswith(("redacted-", "{{")) or keys.looks_random(value)


def _shared_domain(domain: str, host: str) -> str:
    """The domain of a cookie if it reaches beyond its own host."""
    domain = domain.lstrip(".").lower()
    own = urlsplit(host).hostname or ""
    return domain if domain and domain != own and domain.endswith(site_of(host)) else ""
