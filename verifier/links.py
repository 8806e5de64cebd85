"""Whether the candidate answers for the addresses that its pages link to."""

import http.client
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

from verifier.addresses import Addresses, authority

MOST = 3_000
TIMEOUT_SECONDS = 20


def status(url: str) -> int:
    """The status of a GET without history, redirects not followed; 0 for no answer."""
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port or 80, timeout=TIMEOUT_SECONDS)
    try:
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        connection.request("GET", target, headers={"Host": authority(url), "Accept": "text/html,*/*;q=0.8"})
        return connection.getresponse().status
    except (OSError, http.client.HTTPException):
        return 0
    finally:
        connection.close()


def dead(links: Iterable[str], addresses: Addresses) -> frozenset[str]:
    """Those of the addresses of the evidence that the candidate answers with an error or not at all."""
    asked = list(dict.fromkeys(links))
    with ThreadPoolExecutor(4) as threads:
        statuses = threads.map(lambda link: status(addresses.to_candidate(link)), asked)
        return frozenset(link for link, said in zip(asked, statuses, strict=True) if not 0 < said < 400)
