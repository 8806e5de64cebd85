"""Benches measure this machine and nothing else."""

import ipaddress
import socket
import time
from urllib.parse import urlsplit

import click


def loopback(url: str) -> str:
    """The address, if it is http(s) and every address its host has is this machine's own."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise click.BadParameter(f"{url!r} is no http address")
    try:
        found = socket.getaddrinfo(parts.hostname, parts.port or 80, type=socket.SOCK_STREAM)
    except OSError as error:
        raise click.BadParameter(f"{parts.hostname} is not known: {error}") from error
    addresses = {str(entry[4][0]).partition("%")[0] for entry in found}
    if not all(ipaddress.ip_address(address).is_loopback for address in addresses):
        raise click.BadParameter(f"{parts.hostname} is another machine; benches only measure this one")
    return url


def free_port() -> int:
    """A port nothing listened on a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def wait_for_port(port: int, *, seconds: float = 20) -> None:
    """Return once something listens there."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)
        else:
            return
