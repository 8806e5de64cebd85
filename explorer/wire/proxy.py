"""The proxy process itself: mitmproxy's master with what recording needs, and the conversation with its parent.

Reads one line of configuration, answers {"port", "spki"}, then one line of JSON for each line asked. It ends when its
standard input ends, so it cannot outlive the process that started it.
"""

import asyncio
import base64
import datetime
import hashlib
import json
import logging
import os
import shutil
import signal
import sys
from pathlib import Path
from typing import Any

import certifi
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from mitmproxy.addons import core, disable_h2c, next_layer, proxyserver, tlsconfig
from mitmproxy.master import Master
from mitmproxy.options import Options

from explorer.wire.addon import Recorder

CA_NAME = "mitmproxy"


def make_ca(folder: Path) -> str:
    """Base64 SHA-256 of the key of a new certificate authority below `folder`; see the umask below."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True, mode=0o700)
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "WebAnything recording")])
    now = datetime.datetime.now(datetime.UTC)
    usage = x509.KeyUsage(True, False, False, False, False, True, True, False, False)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=2))
        .not_valid_after(now + datetime.timedelta(days=60))
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .add_extension(usage, critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .sign(key, hashes.SHA256())
    )
    public = certificate.public_bytes(serialization.Encoding.PEM)
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
    )
    (folder / f"{CA_NAME}-ca.pem").write_bytes(private + public)
    (folder / f"{CA_NAME}-ca-cert.pem").write_bytes(public)
    spki = key.public_key().public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
    return base64.b64encode(hashlib.sha256(spki).digest()).decode()


def options_of(config: dict[str, Any]) -> dict[str, Any]:
    """mitmproxy's options: loopback only, any free port, the site's certificates verified."""
    folder = Path(config["ca_folder"])
    options: dict[str, Any] = {
        "listen_host": "127.0.0.1",
        "listen_port": 0,
        "confdir": str(folder),
        "connection_strategy": "lazy",
        "ssl_insecure": config["insecure"],
        "rawtcp": False,
        "validate_inbound_headers": False,  # browsers put up with sloppy servers, and so must the recording
    }
    if config["upstream_ca"]:
        bundle = folder / "trusted.pem"
        own = Path(config["upstream_ca"]).read_bytes()
        bundle.write_bytes(Path(certifi.where()).read_bytes() + b"\n" + own)
        options["ssl_verify_upstream_trusted_ca"] = str(bundle)
    return options


async def run(config: dict[str, Any], inlet: asyncio.StreamReader) -> None:
    """Proxy and answer questions until the inlet ends."""
    spki = make_ca(Path(config["ca_folder"]))
    recorder = Recorder(config)
    master = Master(Options())
    server = proxyserver.Proxyserver()  # type: ignore[no-untyped-call]
    master.addons.add(  # type: ignore[no-untyped-call]
        core.Core(), disable_h2c.DisableH2C(), server, next_layer.NextLayer(), tlsconfig.TlsConfig(), recorder
    )
    master.options.update(**options_of(config))  # type: ignore[no-untyped-call]
    loop = asyncio.get_running_loop()
    if isinstance(loop, ResolvingLoop):
        loop.elsewhere = {(host, port): (address, to) for host, port, address, to in config["resolve"]}
    loop.add_signal_handler(signal.SIGTERM, master.shutdown)
    conversation = loop.create_task(_converse(master, server, recorder, inlet, spki))
    await master.run()
    conversation.cancel()
    recorder.finish()


async def _converse(
    master: Master, server: proxyserver.Proxyserver, recorder: Recorder, inlet: asyncio.StreamReader, spki: str
) -> None:
    while not server.listen_addrs():
        await asyncio.sleep(0.005)
    _say({"port": server.listen_addrs()[0][1], "spki": spki})
    while line := await inlet.readline():
        question = json.loads(line)
        match question["ask"]:
            case "visit":
                recorder.begin(question["visit"], question["identity"], reading=question["reading"])
                _say({"ask": question["number"]})
            case "in_flight":
                _say({"ask": question["number"], "count": recorder.count(question["visit"])})
            case _:
                recorder.flush(question["number"])
    master.shutdown()  # type: ignore[no-untyped-call]


def _say(answer: dict[str, Any]) -> None:
    os.write(sys.stdout.fileno(), json.dumps(answer).encode() + b"\n")


class ResolvingLoop(asyncio.SelectorEventLoop):
    """Connects elsewhere where the user said so; mitmproxy knows nothing of it, so SNI, Host and records stay."""

    def __init__(self) -> None:
        super().__init__()
        self.elsewhere: dict[tuple[str, int], tuple[str, int]] = {}

    async def getaddrinfo(self, host: Any, port: Any, **details: int) -> Any:
        host, port = self.elsewhere.get((str(host).lower(), port), (host, port))
        return await super().getaddrinfo(host, port, **details)


async def main() -> None:
    inlet = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(inlet), sys.stdin)
    first = await inlet.readline()
    if first:
        await run(json.loads(first), inlet)


if __name__ == "__main__":
    os.umask(0o077)  # keys are for their owner only
    logging.basicConfig(level=logging.ERROR, stream=sys.stderr)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle; it closes our input
    asyncio.run(main(), loop_factory=ResolvingLoop)
