"""nginx serving exactly the answers another server gave: the limit for serving those files."""

import contextlib
import http.client
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.parse import unquote, urlsplit

from bench.figures import tool
from bench.hosts import free_port, wait_for_port
from bench.processes import end

_CONFIG = """
daemon off; worker_processes 1; pid {folder}/nginx.pid; error_log {folder}/error.log;
events {{ worker_connections 256; }}
http {{
  access_log off; sendfile on; tcp_nopush on; keepalive_requests 1000000; types {{ }}
  client_body_temp_path {folder}/t1; proxy_temp_path {folder}/t2; fastcgi_temp_path {folder}/t3;
  uwsgi_temp_path {folder}/t4; scgi_temp_path {folder}/t5;
  server {{ listen 127.0.0.1:{port}; {locations} }}
}}
"""


def _answer(base: str, target: str) -> tuple[int, str, str, bytes]:
    """Status, type, content encoding and body as they are on the wire."""
    parts = urlsplit(base)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port or 80, timeout=30)
    try:
        connection.request("GET", target, headers={"Accept-Encoding": "gzip"})
        answer = connection.getresponse()
        kind, coding = answer.headers.get("Content-Type", ""), answer.headers.get("Content-Encoding", "")
        return answer.status, kind, coding, answer.read()
    finally:
        connection.close()


def _location(folder: Path, number: int, base: str, target: str) -> str:
    status, kind, coding, body = _answer(base, target)
    if status != 200:
        raise RuntimeError(f"{target} is answered {status}, not 200")
    file = folder / f"{number}.bin"
    file.write_bytes(body)
    path, kind = (text.replace("\\", "\\\\").replace('"', '\\"') for text in (unquote(urlsplit(target).path), kind))
    packed = f'add_header Content-Encoding "{coding}";' if coding else ""
    return f'location = "{path}" {{ root {folder}; try_files /{file.name} =404; default_type "{kind}"; {packed} }}'


@contextlib.contextmanager
def nginx(base: str, targets: Sequence[str]) -> Iterator[tuple[int, str]]:
    """The pid and address of an nginx that answers these paths as `base` does now; a query decides nothing there."""
    program = tool("nginx")
    assert program is not None
    by_path = {urlsplit(target).path: target for target in reversed(targets)}
    with tempfile.TemporaryDirectory(prefix="bench-nginx-") as name:
        folder, port = Path(name), free_port()
        folder.chmod(0o755)  # the worker runs as another user where we are root
        locations = "\n".join(_location(folder, number, base, by_path[path]) for number, path in enumerate(by_path))
        (folder / "nginx.conf").write_text(_CONFIG.format(folder=folder, port=port, locations=locations))
        process = subprocess.Popen(
            [program, "-p", str(folder), "-c", str(folder / "nginx.conf")], stderr=subprocess.DEVNULL
        )
        try:
            wait_for_port(port)
            address = f"http://127.0.0.1:{port}/"
            for path, target in by_path.items():
                if _answer(address, target)[0] != 200:
                    raise RuntimeError(f"nginx does not serve {path}: {(folder / 'error.log').read_text()[-300:]}")
            yield process.pid, address
        finally:
            end(process)
