"""Where the site's hosts live in local mode: the site's own at the root, others under `/~scheme~host[~port]`."""

import re
from typing import NamedTuple

DEFAULT_PORTS = {"http": "80", "https": "443"}
_PREFIX = re.compile(r"/(?:~|%7[Ee])(https?)(?:~|%7[Ee])([^/~%?#]+)(?:(?:~|%7[Ee])(\d{1,5}))?(?=[/?#]|$)")


class Origin(NamedTuple):
    """One captured host, the way an address bar spells it."""

    scheme: str
    host: str
    port: str = ""
    """Empty for the scheme's own port."""

    @classmethod
    def of(cls, url: str) -> "Origin":
        """The origin of an absolute http, https, ws or wss address.

        >>> str(Origin.of("wss://Shop.example:443/socket"))
        'https://shop.example'
        """
        scheme, _, rest = url.partition("://")
        authority = re.split(r"[/?#\\]", rest, maxsplit=1)[0].rpartition("@")[2]
        return cls.named(scheme, authority)

    @classmethod
    def named(cls, scheme: str, authority: str) -> "Origin":
        """The origin from a scheme and a host[:port]; ws counts as http."""
        scheme = {"ws": "http", "wss": "https"}.get(scheme.lower(), scheme.lower())
        found = re.fullmatch(r"(\[[^\]]*\]|[^:]*)(?::(\d*))?", authority)
        host, port = (found[1], found[2] or "") if found else (authority, "")
        return cls(scheme, host.lower().rstrip("."), "" if port == DEFAULT_PORTS.get(scheme) else port)

    @property
    def authority(self) -> str:
        return f"{self.host}:{self.port}" if self.port else self.host

    def __str__(self) -> str:
        return f"{self.scheme}://{self.authority}"


def folder_of(origin: Origin) -> str:
    """The folder that stands for an origin, without the slash at the end."""
    return f"/~{origin.scheme}~{origin.host}" + (f"~{origin.port}" if origin.port else "")


class Hosts:
    """Every captured host, the site's own first."""

    def __init__(self, origins: tuple[str, ...]) -> None:
        self.origins = tuple(Origin.of(origin) for origin in origins)
        self.main = self.origins[0]
        self.names = frozenset(origin.host for origin in self.origins)
        self._by_authority: dict[str, Origin] = {}
        for origin in self.origins:
            self._by_authority.setdefault(origin.authority, origin)

    def known(self, origin: Origin) -> Origin | None:
        """The captured host that an address means: the same, or its twin under the other scheme; or None."""
        if origin in self.origins:
            return origin
        return self._by_authority.get(origin.authority)

    def asked_by_name(self, authority: str, scheme: str) -> Origin | None:
        """The captured host a Host header names outright; None in local mode."""
        if scheme in DEFAULT_PORTS and (exact := Origin.named(scheme, authority)) in self.origins:
            return exact
        return next((origin for origin in self.origins if Origin.named(origin.scheme, authority) == origin), None)

    def prefix(self, origin: Origin) -> str:
        """The folder an origin's paths are under, without the slash at the end; empty for the site's own.

        >>> Hosts(("https://shop.example", "http://cdn.example:81")).prefix(Origin("http", "cdn.example", "81"))
        '/~http~cdn.example~81'
        """
        origin = self.known(origin) or origin
        return "" if origin == self.main else folder_of(origin)

    def split(self, path: str) -> tuple[Origin, str]:
        """The origin a local path belongs to, and the path there.

        >>> hosts = Hosts(("https://shop.example", "http://cdn.example:81"))
        >>> origin, path = hosts.split("/~http~cdn.example~81/a.css"); str(origin), path
        ('http://cdn.example:81', '/a.css')
        >>> hosts.split("/~user/")[1]
        '/~user/'
        """
        found = _PREFIX.match(path)
        if not found:
            return self.main, path
        origin = Origin.named(found[1], f"{found[2]}:{found[3]}" if found[3] else found[2])
        return self.known(origin) or origin, path[found.end() :]


class Front(NamedTuple):
    """One side of the mapping: how the browser calls the sandbox, and which captured host the document is from."""

    authority: str
    """HOST:PORT in the address bar."""
    hosts: Hosts
    here: Origin

    @property
    def base(self) -> str:
        """What a path of this document's host begins with."""
        return self.hosts.prefix(self.here)

    def origin(self) -> str:
        return f"http://{self.authority}"

    def prefix(self, origin: Origin) -> str:
        """What stands for an origin in a document from here.

        Within another host's documents the site's own host is named outright, so that an address at the root there
        can only mean the document's own host.
        """
        if self.base and self.hosts.known(origin) == self.hosts.main:
            return folder_of(self.hosts.main)
        return self.hosts.prefix(origin)

    def to_local(self, url: str) -> str:
        """The local address of an absolute http(s) address, captured or not.

        >>> front = Front("127.0.0.1:8000", Hosts(("https://shop.example",)), Origin("https", "shop.example"))
        >>> front.to_local("https://shop.example/a?b"), front.to_local("http://else.example")
        ('http://127.0.0.1:8000/a?b', 'http://127.0.0.1:8000/~http~else.example/')
        """
        origin = Origin.of(url)
        rest = url.partition("://")[2]
        path = rest[len(re.split(r"[/?#\\]", rest, maxsplit=1)[0]) :]
        return self.origin() + self.prefix(origin) + (path if path[:1] == "/" else "/" + path)
