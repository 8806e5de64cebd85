"""A certificate authority of one's own, for browsers that ask for the site's real host names over https."""

import base64
import contextlib
import datetime
import hashlib
import ipaddress
import os
import ssl
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

_KEY, _CERTIFICATE = "key.pem", "ca.pem"
_LEAF, _SPKI, _HOSTS = "leaf.pem", "spki", "hosts"
_YEARS = 10
_LEAF_DAYS = 365
_NAME = "WebAnything local sandbox"


class Authority:
    """Signs a certificate for any host name. Key and certificate are kept in `folder` and made there once.

    Raises ImportError where the `cryptography` package is missing, and OSError where the folder cannot be written.
    """

    def __init__(self, folder: Path) -> None:
        from cryptography.hazmat.primitives.asymmetric import ec

        self._lock = threading.Lock()
        self._contexts: dict[str, ssl.SSLContext] = {}
        self._key, self.certificate = _load(folder) or _make(folder)
        self._leaf_key = ec.generate_private_key(ec.SECP256R1())
        self.path = folder / _CERTIFICATE

    @property
    def spki(self) -> str:
        """The base64 SHA-256 of its public key, as Chromium's --ignore-certificate-errors-spki-list takes it."""
        return base64.b64encode(hashlib.sha256(_public(self._key)).digest()).decode()

    def context(self, host: str) -> ssl.SSLContext:
        """What a server of this host name needs for TLS; HTTP/1.1 only."""
        with self._lock:
            if host not in self._contexts:
                with tempfile.NamedTemporaryFile() as file:  # the ssl module reads files only
                    file.write(self.signed([host], _LEAF_DAYS))
                    file.flush()
                    self._contexts[host] = _context(Path(file.name))
            return self._contexts[host]

    def signed(self, hosts: Sequence[str], days: int) -> bytes:
        """One certificate for these host names, valid for so many days, with its chain and its key, in PEM."""
        from cryptography import x509
        from cryptography.hazmat.primitives import hashes, serialization
        from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

        now = datetime.datetime.now(datetime.UTC)
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, hosts[0][:64])])
        certificate = (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self.certificate.subject)
            .public_key(self._leaf_key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - datetime.timedelta(days=2))
            .not_valid_after(now + datetime.timedelta(days=days))
            .add_extension(x509.SubjectAlternativeName([_alternative(host) for host in hosts]), critical=False)
            .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
            .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key()), critical=False)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(self._leaf_key.public_key()), critical=False)
            .sign(self._key, hashes.SHA256())
        )
        pem = certificate.public_bytes(serialization.Encoding.PEM)
        return bytes(pem + self.certificate.public_bytes(serialization.Encoding.PEM) + _private(self._leaf_key))


class Prepared:
    """Certificates that were made beforehand for the host names of one site. Needs no package but Python itself.

    Raises OSError where `folder` holds none, as `prepare` writes them.
    """

    def __init__(self, folder: Path) -> None:
        self._context = _context(folder / _LEAF)
        self.spki = (folder / _SPKI).read_text(encoding="ascii").strip()
        """As the authority's that signed them."""
        self.path = folder / _CERTIFICATE

    def context(self, host: str) -> ssl.SSLContext:
        """What a server of any of the host names needs for TLS; a browser refuses it under another."""
        return self._context


def prepare(folder: Path, hosts: Sequence[str]) -> None:
    """Write certificates for these host names into `folder`, signed by an authority that nobody keeps the key of.

    What is there for the same names stays. Raises ImportError where the `cryptography` package is missing.
    """
    said = "\n".join(hosts)
    with contextlib.suppress(OSError):
        if (folder / _HOSTS).read_text(encoding="utf-8") == said:
            return
    with tempfile.TemporaryDirectory() as kept_by_nobody:
        authority = Authority(Path(kept_by_nobody))
        folder.mkdir(parents=True, exist_ok=True)
        _write(folder / _LEAF, authority.signed(hosts, 365 * _YEARS - 30))
        _write(folder / _CERTIFICATE, authority.path.read_bytes())
        _write(folder / _SPKI, authority.spki.encode())
        _write(folder / _HOSTS, said.encode())


def authority_of(folder: Path) -> "Authority | Prepared":
    """What signs, or has signed, in this folder. Raises ImportError and OSError as the two do."""
    return Prepared(folder) if (folder / _LEAF).exists() else Authority(folder)


def _context(pem: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.set_alpn_protocols(["http/1.1"])
    context.load_cert_chain(pem)
    return context


def _alternative(host: str) -> Any:
    from cryptography import x509

    try:
        return x509.IPAddress(ipaddress.ip_address(host.strip("[]")))
    except ValueError:
        return x509.DNSName(host.encode("idna").decode() if not host.isascii() else host)


def _load(folder: Path) -> tuple[Any, Any] | None:
    """Key and certificate of an earlier start, if they are there and valid for a month yet."""
    from cryptography import x509
    from cryptography.hazmat.primitives import serialization

    try:
        key = serialization.load_pem_private_key((folder / _KEY).read_bytes(), None)
        certificate = x509.load_pem_x509_certificate((folder / _CERTIFICATE).read_bytes())
    except (OSError, ValueError):
        return None
    left = certificate.not_valid_after_utc - datetime.datetime.now(datetime.UTC)
    fits = _public(key) == _public(certificate)
    return (key, certificate) if fits and left > datetime.timedelta(days=30) else None


def _make(folder: Path) -> tuple[Any, Any]:
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import NameOID

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, _NAME)])
    now = datetime.datetime.now(datetime.UTC)
    usage = x509.KeyUsage(
        digital_signature=True, key_cert_sign=True, crl_sign=True, content_commitment=False, key_encipherment=False,
        data_encipherment=False, key_agreement=False, encipher_only=False, decipher_only=False,
    )  # fmt: skip
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=2))
        .not_valid_after(now + datetime.timedelta(days=365 * _YEARS))
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(usage, critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .sign(key, hashes.SHA256())
    )
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    _write(folder / _KEY, _private(key))
    _write(folder / _CERTIFICATE, certificate.public_bytes(serialization.Encoding.PEM))
    return key, certificate


def _write(path: Path, data: bytes) -> None:
    """Whole or not at all, and readable by nobody else."""
    handle, name = tempfile.mkstemp(dir=path.parent)
    with os.fdopen(handle, "wb") as file:
        file.write(data)
    Path(name).replace(path)


def _private(key: Any) -> bytes:
    from cryptography.hazmat.primitives import serialization

    return bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )


def _public(holder: Any) -> bytes:
    """The public key of a private one or of a certificate, in DER."""
    from cryptography.hazmat.primitives import serialization

    public = holder.public_key()
    return bytes(public.public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo))
