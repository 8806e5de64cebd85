"""`python -m tests.sites.shop --port N` serves the shop and prints one line of JSON when it is ready."""

import argparse
import json
import signal
import sys
import tempfile
from pathlib import Path

from waitress.server import create_server

from tests.sites.shop.app import create_app


def main() -> None:
    parser = argparse.ArgumentParser(prog="tests.sites.shop", description="A small shop, the same at every start.")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=0, help="0 takes a free port")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="shop-") as folder:
        server = create_server(create_app(Path(folder)), host=options.host, port=options.port, threads=8, ident=None)
        sys.stdout.write(json.dumps({"url": f"http://{options.host}:{server.effective_port}/"}) + "\n")
        sys.stdout.flush()
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
        server.run()  # returns on Ctrl-C


if __name__ == "__main__":
    main()
