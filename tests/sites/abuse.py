"""`python -m tests.sites.abuse --port N`: pages that would hang or swell whoever looks at them without a limit."""

import argparse
import gzip
import json
import signal
import sys
import time
from collections.abc import Iterator, Sequence

from flask import Flask, Response
from waitress.server import create_server

PAGES = ("big", "endless", "bomb", "links", "restless", "looping", "alerts", "deep", "plain")
_DRIP_S = 0.05


def create_app(pages: Sequence[str] = PAGES) -> Flask:
    """One page a kind of abuse, all linked from the first."""
    app = Flask(__name__, static_folder=None)

    @app.get("/")
    def home() -> str:
        links = "".join(f"<li><a href=/{name}>{name}</a>" for name in pages)
        return f"<!doctype html><title>Abuse</title><h1>Abuse</h1><ul>{links}</ul>"

    @app.get("/big")
    def big() -> Response:
        return _page("Big", "<p>" + "word " * 10_500_000)

    @app.get("/endless")
    def endless() -> Response:
        def drip() -> Iterator[bytes]:
            yield b"<!doctype html><title>Endless</title><h1>Endless</h1>"
            while True:
                yield b"<p>more</p>"
                time.sleep(_DRIP_S)

        return Response(drip(), content_type="text/html")

    @app.get("/bomb")
    def bomb() -> Response:
        packed = gzip.compress(b"<!doctype html><title>Bomb</title>" + b" " * 300_000_000, 1)
        return Response(packed, content_type="text/html", headers={"Content-Encoding": "gzip"})

    @app.get("/links")
    def links() -> Response:
        return _page("Links", "".join(f"<a href=/leaf/{number}>leaf {number}</a> " for number in range(10_000)))

    @app.get("/leaf/<int:number>")
    def leaf(number: int) -> Response:
        return _page(f"Leaf {number}", f"<p>{number}</p><a href=/>home</a>")

    @app.get("/restless")
    def restless() -> Response:
        script = "setInterval(() => { n.textContent = Math.random(); fetch('/tick?' + Math.random()) }, 30)"
        return _page("Restless", f"<p id=n></p><script>{script}</script>")

    @app.get("/tick")
    def tick() -> str:
        return "tick"

    @app.get("/looping")
    def looping() -> Response:
        return _page("Looping", "<script>setTimeout(() => { for (;;); }, 50)</script>")

    @app.get("/alerts")
    def alerts() -> Response:
        return _page("Alerts", "<script>setInterval(() => alert('again'), 20)</script>")

    @app.get("/deep")
    def deep() -> Response:
        return _page("Deep", "<div>" * 20_000 + "bottom")

    @app.get("/plain")
    def plain() -> Response:
        return _page("Plain", "<p>plain</p>")

    return app


def _page(title: str, body: str) -> Response:
    return Response(f"<!doctype html><title>{title}</title><h1>{title}</h1>{body}", content_type="text/html")


def main() -> None:
    parser = argparse.ArgumentParser(prog="tests.sites.abuse", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    options = parser.parse_args()
    server = create_server(create_app(), host="127.0.0.1", port=options.port, threads=16, ident=None)
    sys.stdout.write(json.dumps({"url": f"http://127.0.0.1:{server.effective_port}/"}) + "\n")
    sys.stdout.flush()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    server.run()


if __name__ == "__main__":
    main()
