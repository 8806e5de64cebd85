"""A page with many resources, served by a process of its own: `python -m bench.page_of 100`."""

import hashlib
import json
import sys
import zlib
from collections.abc import Callable, Iterable
from struct import pack
from typing import Any

from waitress.server import create_server


def picture(number: int, side: int = 24) -> bytes:
    """A PNG of noise, about 2 kB, other bytes for every number."""
    noise = b"".join(
        hashlib.sha256(f"{number} {block}".encode()).digest() for block in range(side * side * 3 // 32 + 1)
    )
    rows = b"".join(b"\0" + noise[row * side * 3 : (row + 1) * side * 3] for row in range(side))
    parts = [(b"IHDR", pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)), (b"IDAT", zlib.compress(rows)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        pack(">I", len(data)) + name + data + pack(">I", zlib.crc32(name + data)) for name, data in parts
    )


def files(count: int) -> dict[str, tuple[str, bytes]]:
    """Path to type and body: one page, a fifth of its resources style sheets, a fifth scripts, the rest pictures."""
    sheets = [f"/s{number}.css" for number in range(count // 5)]
    scripts = [f"/s{number}.js" for number in range(count // 5)]
    pictures = [f"/p{number}.png" for number in range(count - len(sheets) - len(scripts))]
    made = {path: ("text/css", f".c{path[2:-4]} {{ color: #123 }}\n".encode() * 40) for path in sheets}
    made |= {path: ("text/javascript", f"window.s{path[2:-3]} = 1;\n".encode() * 60) for path in scripts}
    made |= {path: ("image/png", picture(number)) for number, path in enumerate(pictures)}
    page = "".join(f'<link rel="stylesheet" href="{path}">' for path in sheets)
    page += "".join(f'<script src="{path}"></script>' for path in scripts)
    page += "".join(f'<img src="{path}" width="24" height="24" alt="">' for path in pictures)
    made["/"] = ("text/html; charset=utf-8", f"<!doctype html><title>{count} resources</title>{page}".encode())
    return made


def application(count: int) -> Callable[..., Iterable[bytes]]:
    """The page as a WSGI application, without anything that costs time."""
    made = files(count)

    def answer(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        kind, body = made.get(environ["PATH_INFO"], ("text/plain", b""))
        status = "200 OK" if environ["PATH_INFO"] in made else "404 Not Found"
        start_response(
            status, [("Content-Type", kind), ("Content-Length", str(len(body))), ("Cache-Control", "no-store")]
        )
        return [body]

    return answer


def main() -> None:
    server = create_server(application(int(sys.argv[1])), host="127.0.0.1", port=0, threads=8, ident=None)
    print(json.dumps({"url": f"http://127.0.0.1:{server.effective_port}/"}), flush=True)
    server.run()


if __name__ == "__main__":
    main()
