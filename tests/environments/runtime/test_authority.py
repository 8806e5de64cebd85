"""Certificates that are made beforehand, for runtimes that cannot make any."""

import ssl
import sys
from pathlib import Path

import pytest

from environments.runtime.authority import Authority, Prepared, authority_of, prepare

HOSTS = ["shop.example", "cdn.shop.example", "127.0.0.1"]


def greet(server: ssl.SSLContext, trusted: Path, host: str) -> None:
    """Shake hands in memory. Raises SSLError where the client would not go on."""
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = ssl.create_default_context(cafile=trusted)
    ends = [
        client.wrap_bio(to_client, to_server, server_hostname=host),
        server.wrap_bio(to_server, to_client, server_side=True),
    ]
    for _ in range(4):
        for end in ends:
            try:
                end.do_handshake()
            except ssl.SSLWantReadError:
                continue


def test_prepared_certificates_need_no_package_and_fit_their_names_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare(tmp_path / "tls", HOSTS)
    monkeypatch.setitem(sys.modules, "cryptography", None)
    found = authority_of(tmp_path / "tls")
    assert isinstance(found, Prepared) and len(found.spki) == 44
    for host in HOSTS:
        greet(found.context(host), found.path, host)
    with pytest.raises(ssl.SSLCertVerificationError):
        greet(found.context("other.example"), found.path, "other.example")
    with pytest.raises(ImportError):
        authority_of(tmp_path / "empty")


def test_they_stay_until_the_names_change_and_the_key_that_signed_them_is_gone(tmp_path: Path) -> None:
    def there() -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in (tmp_path / "tls").iterdir()}

    prepare(tmp_path / "tls", HOSTS)
    first = there()
    prepare(tmp_path / "tls", HOSTS)
    assert there() == first and set(first) == {"ca.pem", "leaf.pem", "spki", "hosts"}
    prepare(tmp_path / "tls", HOSTS[:1])
    assert there()["leaf.pem"] != first["leaf.pem"]
    assert isinstance(authority_of(tmp_path / "own"), Authority)
