"""What the proxy says of a failure, in our words."""

import pytest

from artifacts.evidence import Exchange
from explorer.wire.failures import failure_error, reason_of


@pytest.mark.parametrize(
    ("message", "connection", "kind"),
    [
        ("x", "[Errno -2] Name or service not known", "no_such_host"),
        ("x", "[Errno -3] Temporary failure in name resolution", "no_such_host"),
        ("x", "[Errno -5] No address associated with hostname", "no_such_host"),
        ("x", "[Errno 111] Connect call failed ('127.0.0.1', 1)", "refused"),
        ("x", "Multiple exceptions: [Errno 111] Connect call failed ('::1', 1), [Errno 111] Connect call", "refused"),
        ("x", "[Errno 110] Connect call failed ('10.0.0.1', 80)", "timeout"),
        ("x", "connection cancelled", "timeout"),
        ("x", "[Errno 113] Connect call failed ('10.0.0.1', 80)", "unreachable"),
        ("x", "[Errno 101] Network is unreachable", "unreachable"),
        ("x", "Certificate verify failed: certificate has expired", "tls"),
        ("x", "Certificate verify failed: hostname mismatch", "tls"),
        ("x", "The remote server does not speak TLS.", "tls"),
        ("x", "connection closed", "tls"),
        ("x", "OpenSSL Error([('SSL routines', '', 'tlsv1 alert internal error')])", "tls"),
        ("server closed connection", "", "closed"),
        ("stream reset by client (INTERNAL_ERROR)", "", "closed"),
        ("stream reset by client (CANCEL)", "", "cancelled"),
        ("Client disconnected.", "", "cancelled"),
        ("HTTP/1 protocol error: illegal chunk header: bytearray(b'secret')", "", "protocol"),
        ("Cannot parse HTTP response: Invalid HTTP status line: b'token=abc'", "", "protocol"),
    ],
)
def test_failures_have_a_kind(message: str, connection: str, kind: str) -> None:
    reason = reason_of(message, connection)
    assert reason.partition(": ")[0] == kind
    assert "secret" not in reason and "token" not in reason
    error = failure_error(
        Exchange(order=1, visit="v", method="GET", url="https://x.example/", failure=reason), "https://x.example/"
    )
    assert error.code == {"tls": "tls_error", "protocol": "bad_answer", "cancelled": "closed"}.get(kind, kind)
    assert "x.example" in error.what


def test_a_browser_that_left_explains_every_failure() -> None:
    assert reason_of("anything", "", client_gone=True).startswith("cancelled: ")
