"""Requests and answers as WSGI has them."""

import base64
import io
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from environments.runtime.frozen import Answer
from environments.runtime.headers import Headers
from environments.runtime.local import WHOLE, media_type
from environments.runtime.places import Front
from environments.runtime.text import text_to_site

Environ = dict[str, Any]
StartResponse = Callable[..., Any]
Application = Callable[[Environ, StartResponse], Iterable[bytes]]

LARGEST_MAPPED_REQUEST = 16 * 1024 * 1024
_MAPPED_REQUESTS = ("application/x-www-form-urlencoded", "application/json", "multipart/form-data", "text/plain")
PROXIED = "http://"
THROUGH_PROXY = "webanything.through_proxy"


def unproxied(environ: Environ) -> None:
    """A request for a whole address, as proxies get them, becomes one for a path, with the host in its header."""
    address = str(environ.get("REQUEST_URI", ""))
    if not address.startswith(PROXIED):
        return
    environ["HTTP_HOST"], environ["REQUEST_URI"] = split_proxied(address)
    environ["HTTP_X_FORWARDED_PROTO"] = "http"
    environ[THROUGH_PROXY] = user_of(str(environ.pop("HTTP_PROXY_AUTHORIZATION", "")))


def split_proxied(address: str) -> tuple[str, str]:
    authority, slash, path = address[len(PROXIED) :].partition("/")
    return authority.rpartition("@")[2].lower(), slash + path or "/"


def user_of(credentials: str) -> str:
    """The user of a Proxy-Authorization header, which names the session; empty if there is none."""
    try:
        return base64.b64decode(credentials.partition(" ")[2]).decode().partition(":")[0]
    except ValueError:
        return ""


def closing(result: Iterable[bytes], written: list[bytes]) -> Iterator[bytes]:
    """The chunks of a WSGI answer; its `close` is called at the end, whatever happens."""
    try:
        yield from result
        if written:
            yield b"".join(written)
    finally:
        close = getattr(result, "close", None)
        if close is not None:
            close()


def ms_since(began: float) -> float:
    return (time.perf_counter() - began) * 1000


def send(start_response: StartResponse, answer: Answer, *, head: bool = False) -> list[bytes]:
    headers = [pair for pair in answer.headers if pair[0].lower() != "content-length"]
    if answer.status[:3] not in ("204", "304") and answer.status[:1] != "1":
        headers.append(("Content-Length", str(len(answer.body))))
    start_response(answer.status, headers)
    return [] if head or answer.status[:3] in ("204", "304") else [answer.body]


def plain(start_response: StartResponse, status: str, headers: Headers | None = None) -> list[bytes]:
    body = status[4:].encode() + b"\n"
    fixed = [("Content-Type", "text/plain; charset=utf-8"), ("Content-Length", str(len(body)))]
    start_response(status, [*fixed, *(headers or [])])
    return [body]


def is_stream(headers: Headers) -> bool:
    """Whether the answer is still being made; a document that is made piece by piece is waited for and mapped whole."""
    if any(name.lower() == "content-length" for name, _ in headers):
        return False
    return media_type(content_type_of(headers)) not in WHOLE


def content_type_of(headers: Headers) -> str:
    return next((value for name, value in headers if name.lower() == "content-type"), "")


def header_of(environ: Environ, name: str) -> str:
    return str(environ.get("HTTP_" + name.upper().replace("-", "_"), ""))


def address_of(environ: Environ) -> str:
    """Raw path and query."""
    if "REQUEST_URI" in environ:
        return str(environ["REQUEST_URI"])
    query = str(environ.get("QUERY_STRING", ""))
    return str(environ.get("PATH_INFO", "")) + ("?" + query if query else "")


def map_request_body(inner: Environ, front: Front) -> None:
    """Addresses of the sandbox in a form or a document that is sent become the site's own again."""
    length = str(inner.get("CONTENT_LENGTH") or "0")
    kind = media_type(str(inner.get("CONTENT_TYPE", "")))
    if not length.isdigit() or not 0 < int(length) <= LARGEST_MAPPED_REQUEST:
        return
    if not kind.startswith(_MAPPED_REQUESTS) and not kind.endswith("+json"):
        return
    body = inner["wsgi.input"].read(int(length))
    if kind != "multipart/form-data" or b"filename=" not in body:  # a file that is uploaded stays as it is
        body = text_to_site(body, front)
    inner["wsgi.input"] = io.BytesIO(body)
    inner["CONTENT_LENGTH"] = str(len(body))
