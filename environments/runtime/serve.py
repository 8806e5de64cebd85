"""`python -m environments.runtime.serve --environment DIR`: one environment on two ports until it is told to stop."""

import argparse
import contextlib
import json
import os
import resource
import secrets
import signal
import sqlite3
import sys
import threading
from pathlib import Path
from typing import Any

from environments.runtime.clock import parse_instant
from environments.runtime.control import Served, create_control
from environments.runtime.failure import DAMAGED, ServeError
from environments.runtime.frozen import Frozen
from environments.runtime.host import Site
from environments.runtime.loading import load_application
from environments.runtime.manifest import Manifest, check_content, check_seed, read_manifest
from environments.runtime.places import Hosts
from environments.runtime.server import Server
from environments.runtime.sessions import Seed, Sessions, current
from environments.runtime.tunnel import Tunnels
from environments.runtime.unseen import Unseen

SITE_THREADS = 32  # an event stream keeps one for as long as it lasts; idle ones cost next to nothing
CONTROL_THREADS = 4


def arguments() -> argparse.ArgumentParser:
    """The command line. What may be secret or depends on the machine can come from the environment as well."""
    parser = argparse.ArgumentParser(prog="python -m environments.runtime.serve", description=__doc__)
    parser.add_argument("--environment", type=Path, required=True, help="folder with environment.json and mirror/")
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on")
    parser.add_argument("--port", type=int, default=0, help="the site's port; 0 takes a free one")
    parser.add_argument("--control-port", type=int, default=0, help="the control plane's port; 0 takes a free one")
    parser.add_argument(
        "--public-port", type=int, default=int(os.environ.get("WEBANYTHING_PUBLIC_PORT") or 0),
        help="port under which visitors reach the site, if it is another (WEBANYTHING_PUBLIC_PORT)",
    )  # fmt: skip
    parser.add_argument("--token", default=os.environ.get("WEBANYTHING_TOKEN") or "", help="or WEBANYTHING_TOKEN")
    parser.add_argument("--authority", type=Path, help="folder of the certificate authority for https by host name")
    parser.add_argument("--unseen", type=Path, help="append requests that no evidence covers to this file")
    parser.add_argument("--check", action="store_true", help="compare every file with the frozen digests first")
    parser.add_argument("--while-stdin", action="store_true", help="end when standard input closes")
    return parser


def main(argv: list[str] | None = None) -> int:
    """Serve until SIGTERM or SIGINT. A failure is one JSON line on stdout, three lines on stderr and its exit code."""
    options = arguments().parse_args(argv)
    _allow_many_files()
    stopped = threading.Event()
    for name in (signal.SIGTERM, signal.SIGINT):
        signal.signal(name, lambda *_: stopped.set())
    try:
        _serve(options, stopped)
    except ServeError as error:
        print(json.dumps({"error": error.as_dict()}), flush=True)
        print(f"error: {error.what}\n  at:  {error.where}\n  do:  {error.remedy}", file=sys.stderr)
        return error.exit_code
    return 0


def _serve(options: argparse.Namespace, stopped: threading.Event) -> None:
    manifest = read_manifest(options.environment.resolve())
    sessions = _sessions(manifest, check=options.check)
    hosts = Hosts(manifest.hosts)
    frozen, unseen = Frozen(), Unseen(options.unseen)
    application = _application(manifest, unseen)
    cookie = str(application.extensions.get("visitor_cookie") or "")
    site = Site(application, sessions, hosts, visitor_cookie=cookie, frozen=frozen)
    prepared = options.environment.resolve() / "tls"
    tunnels = Tunnels(options.authority or (prepared if prepared.is_dir() else None))
    address = "127.0.0.1" if options.host in ("0.0.0.0", "::", "") else options.host
    server, *behind = _site_ports(site, tunnels, options)
    authority = f"{address}:{options.public_port or server.port}"
    served = Served(manifest, sessions, hosts, frozen, unseen, authority, f"{address}:{behind[-1].port}")
    token = options.token or secrets.token_urlsafe(24)
    control = Server(
        create_control(served, token),
        host=options.host,
        port=options.control_port,
        threads=CONTROL_THREADS,
        flag="--control-port",
    )
    servers = (server, *behind, control)
    for each in servers:
        each.start()
    if options.while_stdin:
        threading.Thread(target=_stop_at_eof, args=(stopped,), daemon=True).start()
    ready = {"control_url": f"http://{address}:{control.port}", "token": token, "pid": os.getpid()}
    print(json.dumps(_places(served, tunnels) | ready), flush=True)
    os.dup2(2, 1)  # whoever reads the line reads no further; a mirror that prints must not fill the pipe
    stopped.wait()
    tunnels.stop()
    for each in servers:
        each.stop()


def _site_ports(site: Site, tunnels: Tunnels, options: argparse.Namespace) -> tuple[Server, Server, Server]:
    """The site's port, which is a proxy too; the inner one behind its tunnels; the proxy that asks for a session."""
    server = Server(
        site,
        host=options.host,
        port=options.port,
        threads=SITE_THREADS,
        flag="--port",
        ready=site.ready,
        tunnels=tunnels,
    )
    inner = Server(site.through_tunnel(tunnels), host="127.0.0.1", port=0, beside=server, flag="--port")
    tunnels.port = inner.port
    named = Server(site, host=options.host, port=0, beside=server, flag="--port", tunnels=tunnels, asks_who=True)
    return server, inner, named


def _places(served: Served, tunnels: Tunnels) -> dict[str, Any]:
    """Where visitors find the site in either mode, and as whom."""
    authority = tunnels.authority
    return {
        "url": served.url(),
        "accounts": served.manifest.accounts,
        "proxy": served.url(),
        "site": str(served.manifest.data["start"]),
        "ca": str(authority.path) if authority else "",
        "spki": authority.spki if authority else "",
    }


def _allow_many_files() -> None:
    """Every visited session holds the recorded answers open; the usual limit of 1024 is meant for other programs."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def _sessions(manifest: Manifest, *, check: bool) -> Sessions:
    if check:
        check_content(manifest)
    try:
        seed = Seed.of(manifest.mirror, parse_instant(str(manifest.data["clock"])))
    except (sqlite3.Error, ValueError, OSError) as error:
        raise ServeError(
            f"The mirror's seed cannot be used: {error}",
            where=str(manifest.mirror / "seed.sql"),
            remedy="Run `webanything build` again.",
            code="broken_seed",
            exit_code=DAMAGED,
        ) from error
    check_seed(manifest, seed.digest)
    return Sessions(seed)


def _application(manifest: Manifest, unseen: Unseen) -> Any:
    """The mirror's application, told where misses go and what time it is."""
    application = load_application(manifest.mirror)
    application.extensions["unseen"] = unseen
    application.extensions["inferred"] = unseen.infer
    application.extensions["now"] = lambda: current().clock.now()
    return application


def _stop_at_eof(stopped: threading.Event) -> None:
    with contextlib.suppress(OSError):
        while os.read(0, 1024):
            pass
    stopped.set()


if __name__ == "__main__":
    sys.exit(main())
