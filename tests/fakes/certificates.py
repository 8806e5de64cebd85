"""Certificates for loopback servers: an authority of our own, and leaves it signs or does not."""

import datetime
import ipaddress
import ssl
from pathlib import Path
from typing import NamedTuple

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


class Authority(NamedTuple):
    key: ec.EllipticCurvePrivateKey
    certificate: x509.Certificate
    pem: Path
    """The public certificate, for whoever is to trust it."""


def make_authority(folder: Path) -> Authority:
    """A certificate authority nobody knows yet."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = _name("Test authority")
    certificate = (
        _dated(x509.CertificateBuilder(), days=30)
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(x509.KeyUsage(True, False, False, False, False, True, True, False, False), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem = folder / "authority.pem"
    pem.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    return Authority(key, certificate, pem)


def server_context(
    authority: Authority, folder: Path, *names: str, days: int = 30, alpn: tuple[str, ...] = ("http/1.1",)
) -> ssl.SSLContext:
    """A server's TLS settings with a certificate for these names; negative `days` make it expired."""
    key = ec.generate_private_key(ec.SECP256R1())
    known = [x509.IPAddress(ipaddress.ip_address(name)) if _is_ip(name) else x509.DNSName(name) for name in names]
    certificate = (
        _dated(x509.CertificateBuilder(), days=days)
        .subject_name(_name(names[0]))
        .issuer_name(authority.certificate.subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .add_extension(x509.SubjectAlternativeName(known), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(authority.key.public_key()), critical=False)
        .sign(authority.key, hashes.SHA256())
    )
    chain = folder / f"{names[0].replace('*', '_')}-{days}.pem"
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    chain.write_bytes(private + certificate.public_bytes(serialization.Encoding.PEM))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(chain)
    context.set_alpn_protocols(list(alpn))
    return context


def _dated(builder: x509.CertificateBuilder, *, days: int) -> x509.CertificateBuilder:
    now = datetime.datetime.now(datetime.UTC)
    start = now - datetime.timedelta(days=60)
    return builder.not_valid_before(start).not_valid_after(now + datetime.timedelta(days=days))


def _name(common: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common)])


def _is_ip(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
