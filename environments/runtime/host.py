"""The site's port: finds the session, asks the mirror by the site's own names, and maps its answers for local mode.

A request that names a host itself, as a proxy's client does or by its Host header (origin mode), is passed on as it is.
"""

import functools
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from http.cookies import CookieError, SimpleCookie
from typing import Any, NamedTuple
from urllib.parse import unquote, urljoin, urlsplit

from environments.runtime.frozen import Answer, Frozen, Key
from environments.runtime.headers import (
    HOP_BY_HOP,
    POLICIES,
    Headers,
    environ_to_site,
    headers_to_local,
    raw_to_site,
    referring_host,
)
from environments.runtime.local import Bodies, is_mapped, media_type
from environments.runtime.markup import Vouch, digests
from environments.runtime.places import Front, Hosts, Origin, folder_of
from environments.runtime.policy import fence, is_active
from environments.runtime.server import SOCKET, Again
from environments.runtime.sessions import DEFAULT, Session, Sessions
from environments.runtime.shim import DOCUMENTS, shim_of, with_shim
from environments.runtime.text import text_to_local, text_to_site
from environments.runtime.tunnel import Tunnels
from environments.runtime.wsgi import (
    PROXIED,
    THROUGH_PROXY,
    Application,
    Environ,
    StartResponse,
    address_of,
    closing,
    content_type_of,
    header_of,
    is_stream,
    map_request_body,
    ms_since,
    plain,
    send,
    split_proxied,
    unproxied,
    user_of,
)

_CONDITIONAL = ("range", "if-none-match", "if-modified-since", "if-range", "if-match")


class Asked(NamedTuple):
    """What the application said to one request, before any mapping."""

    status: str
    headers: Headers
    body: bytes
    writes: int
    stream: Iterator[bytes] | None
    """The rest of an answer that is still being made, such as an event stream."""


class Site:
    """The WSGI application behind the site's port."""

    def __init__(
        self, application: Application, sessions: Sessions, hosts: Hosts, *, visitor_cookie: str, frozen: Frozen
    ) -> None:
        self.application = application
        self.sessions = sessions
        self.hosts = hosts
        self.visitor_cookie = visitor_cookie
        self.frozen = frozen
        self.bodies = Bodies()

    def through_tunnel(self, tunnels: Tunnels) -> Application:
        """The application behind the inner port, at which what came through tunnels arrives."""

        def application(environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
            through = tunnels.behind(int(environ.get("REMOTE_PORT") or 0))
            if through is None:
                return plain(start_response, "403 Forbidden")
            environ.setdefault("HTTP_HOST", through.authority)
            environ["HTTP_X_FORWARDED_PROTO"] = through.scheme
            environ[THROUGH_PROXY] = user_of(through.session)
            return self(environ, start_response)

        return application

    def session_name(self, authority: str) -> str:
        """The session a Host header asks for: the first label of `s42.NAME.localhost:PORT`, else `default`."""
        labels = authority.partition(":")[0].rstrip(".").lower().split(".")
        return labels[0] if labels[-1] == "localhost" and len(labels) > 2 else DEFAULT

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        began = time.perf_counter()
        unproxied(environ)
        authority = str(environ.get("HTTP_HOST", "")).lower()
        session = self.sessions.find(environ.get(THROUGH_PROXY) or self.session_name(authority))
        if session is None:
            return plain(start_response, "404 Not Found")
        header = functools.partial(header_of, environ)
        key = self._key(str(environ["REQUEST_METHOD"]), address_of(environ), header)
        if key is not None:
            ready = self.frozen.get(key, header)
            if ready is not None:
                session.note(key[1], ready.url, int(ready.status[:3]), ms_since(began), 0)
                return send(start_response, ready, head=key[1] == "HEAD")
        try:
            return self._answer(environ, start_response, session, key, began)
        except Exception:  # noqa: BLE001 - the boundary to code that the project did not write
            traceback.print_exc(file=sys.stderr)
            session.note(str(environ["REQUEST_METHOD"]), address_of(environ), 500, ms_since(began), 0)
            return plain(start_response, "500 Internal Server Error")

    def ready(self, method: str, address: str, headers: dict[str, str]) -> Again | None:
        """What gives a frozen answer to this request, now and whenever it comes again; None when there can be none."""

        def header(name: str) -> str:
            return headers.get(name.upper().replace("-", "_"), "")

        key = self._key(method, address, header)
        if key is None or "PROXY_AUTHORIZATION" in headers:
            return None
        name = self.session_name(key[0])

        def again() -> tuple[bytes, bytes] | None:
            began = time.perf_counter()
            session = self.sessions.find(name)
            answer = self.frozen.get(key, header) if session else None
            if session is None or answer is None:
                return None
            session.note(method, answer.url, int(answer.status[:3]), ms_since(began), 0)
            return self.frozen.head(answer), b"" if method == "HEAD" else answer.body

        return again

    def _key(self, method: str, address: str, header: Callable[[str], str]) -> Key | None:
        """What decides the answer, for requests that may get a frozen one; None for all others."""
        if method not in ("GET", "HEAD") or any(header(name) for name in _CONDITIONAL):
            return None
        cookie = header("cookie")
        if self.visitor_cookie and self.visitor_cookie in cookie and self._is_visitor(cookie):
            return None
        kind = "document" if header("sec-fetch-dest") in DOCUMENTS else ""
        if address.startswith(PROXIED):
            authority, path = split_proxied(address)
            return (authority, method, path, header("origin"), "http", kind)
        return (header("host").lower(), method, address, header("origin"), header("x-forwarded-proto"), kind)

    def _is_visitor(self, cookie: str) -> bool:
        try:
            return self.visitor_cookie in SimpleCookie(cookie)
        except CookieError:
            return True

    def _answer(
        self, environ: Environ, start_response: StartResponse, session: Session, key: Key | None, began: float
    ) -> Iterable[bytes]:
        method = str(environ["REQUEST_METHOD"])
        authority = str(environ.get("HTTP_HOST", "")).lower()
        own = self._own(environ, authority)
        path = str(environ.get("PATH_INFO", "")) or "/"
        origin, inner_path = (own, path) if own else self.hosts.split(path)
        front = Front(authority, self.hosts, origin)
        if own is None and path == shim_of(self.hosts).path:
            return send(start_response, _shim(self.hosts), head=method == "HEAD")
        if self.hosts.known(origin) is None:
            session.note(method, f"{origin}{inner_path}", 502, ms_since(began), 0)
            return plain(start_response, "502 Bad Gateway")
        if not inner_path:
            raw, mark, query = address_of(environ).partition("?")
            return plain(start_response, "308 Permanent Redirect", [("Location", raw + "/" + mark + query)])
        if own is None and _is_long_way(path, origin, self.hosts, environ):
            place = raw_to_site(address_of(environ), front)
            return plain(start_response, "307 Temporary Redirect", [("Location", place)])
        inner = self._inner(environ, front, inner_path, local=own is None)
        asked = self._ask(inner, session)
        if own is None and origin == self.hosts.main and asked.status.startswith("404"):
            front, inner, asked = self._asked_for_sender(environ, front, (inner, asked), session)
        if own is None and asked.status.startswith("206") and is_mapped(content_type_of(asked.headers)):
            asked = self._whole_if_mapped(asked, inner, front, session)
        url = f"{origin}{address_of(inner)}"
        is_page = header_of(environ, "sec-fetch-dest") in DOCUMENTS
        vouch = functools.partial(self._vouch, inner, front, session, url)
        answer = self._localised(asked, front, url, vouch, is_page=is_page) if own is None else _bare(asked, url)
        session.note(method, url, int(asked.status[:3]), ms_since(began), asked.writes)
        if asked.stream is not None:
            start_response(answer.status, answer.headers)
            return _streamed(asked, session, front if own is None else None)
        if key is not None and inner.get("mirror.frozen") and asked.status.startswith("200"):
            text = is_mapped(content_type_of(asked.headers))
            self.frozen.put(key, functools.partial(header_of, environ), answer, text=text)
        return send(start_response, answer, head=method == "HEAD")

    def _own(self, environ: Environ, authority: str) -> Origin | None:
        """The host that the request names itself, captured or not; None in local mode."""
        scheme = str(environ.get("HTTP_X_FORWARDED_PROTO", ""))
        if THROUGH_PROXY not in environ:
            return self.hosts.asked_by_name(authority, scheme)
        asked = Origin.named(scheme, authority)
        return self.hosts.known(asked) or asked

    def _whole_if_mapped(self, part: Asked, inner: Environ, front: Front, session: Session) -> Asked:
        """A part of a text that is mapped would begin and end elsewhere; then the whole is a valid answer too."""
        asking = inner.pop("HTTP_RANGE", None)
        whole = self._ask(inner, session)
        if self.bodies.to_local(whole.body, content_type_of(whole.headers), front)[0] != whole.body:
            return whole
        inner["HTTP_RANGE"] = asking
        return part

    def _asked_for_sender(
        self, environ: Environ, front: Front, first: tuple[Environ, Asked], session: Session
    ) -> tuple[Front, Environ, Asked]:
        """Another host's page asked at the root for what the site does not have: it meant its own host."""
        sender = referring_host(environ, front)
        if sender == front.here or self.hosts.known(sender) is None or SOCKET in environ:
            return front, *first
        theirs = front._replace(here=sender)
        inner = self._inner(environ, theirs, str(environ.get("PATH_INFO", "")) or "/", local=True)
        asked = self._ask(inner, session)
        return (front, *first) if asked.status.startswith("404") else (theirs, inner, asked)

    def _inner(self, environ: Environ, front: Front, path: str, *, local: bool) -> Environ:
        """The request as the mirror sees it. HEAD is asked as GET, so that lengths fit what GET would send."""
        if not local:
            inner = dict(environ)
            inner.update({"wsgi.url_scheme": front.here.scheme, "HTTP_X_FORWARDED_PROTO": front.here.scheme})
            inner.pop("HTTP_ACCEPT_ENCODING", None)
        else:
            path = text_to_site(path.encode("latin-1"), front).decode("latin-1")
            query = text_to_site(str(environ.get("QUERY_STRING", "")).encode("latin-1"), front).decode("latin-1")
            inner = environ_to_site(environ, front, path, query)
            map_request_body(inner, front)
            if SOCKET in environ:
                inner["mirror.said_out"] = lambda text: text_to_local(text.encode(), front).decode()
                inner["mirror.said_in"] = lambda text: text_to_site(text.encode(), front).decode()
        if inner["REQUEST_METHOD"] == "HEAD":
            inner["REQUEST_METHOD"] = "GET"
        inner.pop("mirror.frozen", None)
        return inner

    def _ask(self, inner: Environ, session: Session) -> Asked:
        """The application's answer, taken in the session's turn. A stream is left open for the caller."""
        said: list[tuple[str, Headers]] = []
        written: list[bytes] = []

        def start(status: str, headers: Headers, exc_info: Any = None) -> Callable[[bytes], Any]:
            said[:] = [(status, list(headers))]
            return written.append

        with session.turn():
            before = session.changes()
            result = self.application(inner, start)
            if said and (is_stream(said[0][1]) or (SOCKET in inner and said[0][0].startswith("200"))):
                return Asked(*said[0], b"", session.changes() - before, closing(result, written))
            body = b"".join(closing(result, written))
            return Asked(*said[0], body, session.changes() - before, None)

    def _vouch(self, page: Environ, front: Front, session: Session, url: str, source: str, integrity: str) -> str:
        """The integrity of a resource once it is mapped; as it was where it did not hold, or nothing is mapped."""
        target = urlsplit(urljoin(url, source))
        origin = self.hosts.known(Origin.named(target.scheme, target.netloc))
        if origin is None:
            return integrity
        theirs = front._replace(here=origin)
        asking = {name: value for name, value in page.items() if name not in _PAGES_OWN}
        address = target.path + (f"?{target.query}" if target.query else "")
        asking |= {"PATH_INFO": unquote(target.path, "latin-1"), "QUERY_STRING": target.query, "REQUEST_URI": address}
        asking |= {"HTTP_HOST": origin.authority, "HTTP_X_FORWARDED_PROTO": origin.scheme, "REQUEST_METHOD": "GET"}
        asked = self._ask(asking, session)
        mapped, _ = self.bodies.to_local(asked.body, content_type_of(asked.headers), theirs)
        holds = any(digest in integrity.split() for digest in digests(asked.body))
        return " ".join(digests(mapped)[:1]) if holds and mapped != asked.body else integrity

    def _localised(self, asked: Asked, front: Front, url: str, vouch: Vouch, *, is_page: bool) -> Answer:
        hashes: dict[str, str] = {}
        body = asked.body
        encodings = {value.lower() for name, value in asked.headers if name.lower() == "content-encoding"}
        if encodings <= {"identity"}:
            body, hashes = self.bodies.to_local(body, content_type_of(asked.headers), front, vouch)
        headers = headers_to_local(asked.headers, front, hashes)
        if is_page and media_type(content_type_of(asked.headers)) == "text/html" and encodings <= {"identity"}:
            body = with_shim(body, front, ";".join(value for name, value in headers if name.lower() in POLICIES))
        if len(body) != len(asked.body):
            headers = [pair for pair in headers if pair[0].lower() not in ("content-length", "accept-ranges")]
        return Answer(asked.status, [*headers, *_fence(asked, front)], body, url)


def _shim(hosts: Hosts) -> Answer:
    shim = shim_of(hosts)
    headers = [("Content-Type", "text/javascript; charset=utf-8"), ("Cache-Control", "max-age=31536000, immutable")]
    return Answer("200 OK", headers, shim.body)


def _is_long_way(path: str, origin: Origin, hosts: Hosts, environ: Environ) -> bool:
    """Whether a page of the site itself is asked for below its host's folder, as other hosts' pages name it."""
    is_page = header_of(environ, "sec-fetch-dest") in DOCUMENTS and environ["REQUEST_METHOD"] in ("GET", "HEAD")
    return is_page and origin == hosts.main and path.startswith(folder_of(origin))


_PAGES_OWN = ("HTTP_RANGE", "HTTP_SEC_FETCH_DEST", "HTTP_SEC_FETCH_MODE", "HTTP_ACCEPT", "CONTENT_LENGTH", SOCKET)


def _fence(asked: Asked, front: Front) -> Headers:
    """The header that keeps a page, or a worker, from reaching another host; policies of one answer all hold."""
    name = "Content-Security-Policy"
    if asked.status.startswith("304"):  # what it names replaces the stored headers of that name, all of them
        needed = any(given.lower() == name.lower() for given, _ in asked.headers)
    else:
        needed = is_active(media_type(content_type_of(asked.headers)))
    return [(name, fence(front.authority))] if needed else []


def _streamed(asked: Asked, session: Session, front: Front | None) -> Iterator[bytes]:
    assert asked.stream is not None
    while True:
        with session.entered():
            chunk = next(asked.stream, None)
        if chunk is None:
            return
        yield text_to_local(chunk, front) if front else chunk


def _bare(asked: Asked, url: str) -> Answer:
    headers = [pair for pair in asked.headers if pair[0].lower() not in HOP_BY_HOP]
    return Answer(asked.status, headers, asked.body, url)
