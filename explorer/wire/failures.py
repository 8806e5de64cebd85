"""Why an exchange failed, as KIND: DETAIL, from what the proxy says of it. Pure.

Kinds: no_such_host, refused, unreachable, timeout, tls, closed (by the server), cancelled (by the browser),
protocol, aborted; and not_allowed, for what the guard refused to send.
"""

import re
from urllib.parse import urlsplit

from artifacts.errors import UnavailableError
from artifacts.evidence import Exchange

_RULES: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(pattern, re.IGNORECASE))
    for kind, pattern in (
        (
            "no_such_host",
            r"Errno -\d+\]|name or service not known|getaddrinfo|nodename nor servname|no address associated",
        ),
        ("tls", r"certificate|openssl|ssl routines|\btls\b|alert "),
        ("refused", r"Errno (?:111|61|10061)\]|connection refused"),
        ("timeout", r"Errno (?:110|60|10060)\]|timed? ?out|connection cancelled"),
        ("unreachable", r"Errno (?:101|113|51|65)\]|unreachable|no route"),
        ("protocol", r"protocol|invalid|malformed|refusing to prevent|received .* from server"),
        ("closed", r"disconnect|closed|reset|eof"),
    )
)


def reason_of(message: str, connection_error: str = "", *, client_gone: bool = False) -> str:
    """The failure in the words of Exchange.failure; the connection's own error tells more than the exchange's.

    Bytes that the proxy quotes are left out: nobody has looked through them for secrets.

    >>> reason_of("x", "[Errno -2] Name or service not known")
    'no_such_host: Name or service not known'
    >>> reason_of("stream reset by client (CANCEL)"), reason_of("server closed connection"), reason_of("")
    ('cancelled: the browser gave up', 'closed: server closed connection', 'aborted: no reason given')
    """
    if client_gone or "stream reset by client (CANCEL)" in message or message == "Client disconnected.":
        return "cancelled: the browser gave up"
    if connection_error == "connection closed":
        return "tls: the server closed the connection during the handshake"
    text = connection_error or message.replace("reset by client", "reset by the server")
    kind = next((kind for kind, pattern in _RULES if pattern.search(text)), "aborted")
    detail = re.sub(r"^(?:Multiple exceptions: )?\[Errno -?\d+\] ", "", text.strip())
    detail = re.sub(r":? ?\bb(['\"]).*", "", detail, flags=re.DOTALL)
    return f"{kind}: {detail[:300] or 'no reason given'}"


def failure_error(exchange: Exchange, url: str) -> UnavailableError:
    """The error for an exchange that got no answer."""
    host = urlsplit(url).hostname or url
    kind, _, detail = (exchange.failure or "").partition(": ")
    later = "Check that the site is up, then run the same command again."
    what, remedy, code = {
        "no_such_host": (
            f"There is no host named {host}.",
            "Check the spelling and your network connection.",
            "no_such_host",
        ),
        "refused": (f"{host} refuses the connection.", "Check the port, and that the site is up.", "refused"),
        "unreachable": (f"{host} cannot be reached: {detail}.", "Check your network connection.", "unreachable"),
        "timeout": (f"{host} does not answer: {detail}.", later, "timeout"),
        "tls": (
            f"The secure connection to {host} failed: {detail.rstrip('.')}.",
            "Check the address, or have the site's certificate put right; it is not bypassed.",
            "tls_error",
        ),
        "protocol": (
            f"{host} does not answer as a web server does: {detail}.",
            "Check the port and whether it is http or https.",
            "bad_answer",
        ),
    }.get(kind, (f"{host} broke off the connection: {detail}.", later, "closed"))
    return UnavailableError(what, where=url, remedy=remedy, code=code)
