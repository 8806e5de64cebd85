"""Why an exchange failed, as KIND: DETAIL, from what the proxy says of it. Pure.

Kinds: no_such_host, refused, unreachable, timeout, tls, closed (by the server), cancelled (by the browser),
protocol, aborted.
"""

import re

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


def kind_of(failure: str) -> str:
    """The kind in an Exchange.failure.

    >>> kind_of("tls: certificate has expired"), kind_of("")
    ('tls', '')
    """
    return failure.partition(":")[0]
