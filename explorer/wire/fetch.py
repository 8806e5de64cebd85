"""Plain requests through the recording proxy, over connections that are kept open between them."""

import http.client
import re
import ssl
import threading
from collections import defaultdict
from pathlib import Path
from urllib.parse import quote, urlsplit, urlunsplit

from artifacts.errors import UsageError
from explorer.wire.tags import TAG_HEADER

_KEPT = 8
_PIECE = 1 << 16


class Fetcher:
    """HTTP/1.1 through one proxy. Safe to use from several threads."""

    def __init__(self, port: int, ca: Path) -> None:
        self._port = port
        self._context = ssl.create_default_context(cafile=str(ca))
        self._context.set_alpn_protocols(["http/1.1"])
        self._idle: defaultdict[tuple[str, str], list[http.client.HTTPConnection]] = defaultdict(list)
        self._lock = threading.Lock()

    def send(
        self,
        method: str,
        url: str,
        headers: dict[str, str],
        body: bytes | None,
        *,
        timeout: float,
        limit: int,
        fresh: bool = False,
    ) -> tuple[tuple[str, str], ...]:
        """The answer's headers, once the body has passed by or grown beyond `limit`.

        Raises OSError or http.client.HTTPException when there is no answer.
        """
        parts = urlsplit(url)
        key = (parts.scheme, parts.netloc)
        link = None if fresh else self._take(key)
        link = link or self._open(parts.scheme, parts.hostname or "", parts.port, timeout, headers)
        link.timeout = timeout
        if link.sock is not None:
            link.sock.settimeout(timeout)
        try:
            link.request(method, _target(url), body, headers)
            answer = link.getresponse()
            received = tuple(answer.getheaders())
            read = 0
            while piece := answer.read(_PIECE):
                read += len(piece)
                if read > limit:
                    link.close()
                    return received
        except BaseException:
            link.close()
            raise
        self._give(key, link)
        return received

    def close(self) -> None:
        with self._lock:
            for links in self._idle.values():
                for link in links:
                    link.close()
            self._idle.clear()

    def _open(
        self, scheme: str, host: str, port: int | None, timeout: float, headers: dict[str, str]
    ) -> http.client.HTTPConnection:
        if scheme == "https":
            link: http.client.HTTPConnection = http.client.HTTPSConnection(
                "127.0.0.1", self._port, timeout=timeout, context=self._context
            )
            link.set_tunnel(host, port or 443, {TAG_HEADER: headers.get(TAG_HEADER, "")})
            return link
        return http.client.HTTPConnection("127.0.0.1", self._port, timeout=timeout)

    def _take(self, key: tuple[str, str]) -> http.client.HTTPConnection | None:
        with self._lock:
            return self._idle[key].pop() if self._idle[key] else None

    def _give(self, key: tuple[str, str], link: http.client.HTTPConnection) -> None:
        with self._lock:
            if link.sock is not None and len(self._idle[key]) < _KEPT:
                self._idle[key].append(link)
                return
        link.close()


def _target(url: str) -> str:
    """What follows the method: the whole address for a plain proxy request, path and query inside a tunnel."""
    parts = urlsplit(url)
    return path_and_query(url) if parts.scheme == "https" else f"http://{parts.netloc}{path_and_query(url)}"


def path_and_query(url: str) -> str:
    """What a server is asked for.

    >>> path_and_query("http://a.example?b=1#c")
    '/?b=1'
    """
    parts = urlsplit(url)
    return (parts.path or "/") + (f"?{parts.query}" if parts.query else "")


def escaped(url: str) -> str:
    """The address as a browser would send it: spaces and characters outside ASCII escaped, what is escaped stays.

    Raises ValueError for one that cannot be taken apart.

    >>> escaped(" http://a.example/grüße b?q=a b&x=%26#top ")
    'http://a.example/gr%C3%BC%C3%9Fe%20b?q=a%20b&x=%26#top'
    """
    url = re.sub(r"[\t\r\n]", "", url.strip())
    parts = urlsplit(url.replace("\\", "/", url.partition("?")[0].count("\\")))
    path = quote(parts.path, safe="/%:@!$&'()*+,;=~-._|^[]")
    query = quote(parts.query, safe="/?%:@!$&'()*+,;=~-._[]{}|^`\\")
    return urlunsplit(parts._replace(path=path, query=query))


def checked(url: str) -> str:
    """The address itself, if it can be asked for. Raises UsageError otherwise."""
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
        if host:
            host.encode("idna") if not host.isascii() else host.encode()
    except (ValueError, UnicodeError) as error:
        raise _bad(url, str(error)) from error
    if parts.scheme not in ("http", "https"):
        raise _bad(url, "it begins with neither http:// nor https://")
    if not host or any(character.isspace() or ord(character) < 32 for character in url):
        raise _bad(url, "it names no host" if not host else "it contains spaces")
    if len(host) > 253 or any(not label or len(label) > 63 for label in host.rstrip(".").split(".")):
        raise _bad(url, "its host name is malformed")
    return url


def _bad(url: str, why: str) -> UsageError:
    return UsageError(
        f"This is no address a browser could open: {why}.",
        where=url or "(empty)",
        remedy="Give a whole address, such as https://shop.example/.",
        code="bad_url",
    )
