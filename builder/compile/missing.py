"""What the site says of addresses it does not have. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from urllib.parse import urlsplit

from builder.compile import keys
from builder.compile.answers import Answer
from builder.compile.recordings import header, target_of

_LONGEST_CHAIN = 5


def not_found(given: Sequence[Answer], own: Sequence[str], asked: str) -> Mapping[str, int]:
    """For each of the site's own hosts, the number of the answer that is its "not found".

    `asked` is the address that was asked for to see it, empty if none was: what came back is the answer of its host,
    whatever its status. Other hosts have the first page the fresh visitor got with status 404, their own or the site's.
    """
    pages = [
        (answer.recordings[0].order, number)
        for number, answer in enumerate(given)
        if answer.node == 0
        and answer.name.host in own
        and answer.recordings[0].status == 404
        and answer.recordings[0].is_document
    ]
    shown = _answer_to(given, asked)
    found = {}
    for host in own:
        if shown is not None and _same_host(host, _host(asked)):
            found[host] = shown
        elif pages:
            found[host] = min(pages, key=lambda page: (given[page[1]].name.host != host, page))[1]
    return found


def _answer_to(given: Sequence[Answer], asked: str) -> int | None:
    """The answer to an address; where that only leads to another spelling of the address, the answer there."""
    number = _at(given, asked)
    for _ in range(_LONGEST_CHAIN):
        if number is None:
            break
        recording = given[number].recordings[0]
        location = header(recording.exchange.response_headers, "location")
        target = target_of(recording.exchange.url, location)
        if not 300 <= recording.status < 400 or not location or not _same_path(asked, target):
            break
        further = _at(given, target)
        if further is None:
            break
        number = further
    return number


def _at(given: Iterable[Answer], url: str) -> int | None:
    """The answer to an address as the fresh visitor got it, or else as whoever did."""
    if not url:
        return None
    parts = urlsplit(url)
    wanted = (_host(url), "GET", keys.path_of(parts.path), keys.pairs_of(parts.query))
    candidates = [
        (answer.node, not answer.recordings[0].is_document, answer.recordings[0].order, number)
        for number, answer in enumerate(given)
        if (*answer.recordings[0].place, answer.recordings[0].pairs) == wanted
    ]
    return min(candidates)[3] if candidates else None


def _host(url: str) -> str:
    parts = urlsplit(url)
    return keys.origin_of(parts.scheme, parts.hostname or "", parts.port)


def _same_host(one: str, other: str) -> bool:
    """Whether two origins are one host, be it by http or by https."""
    first, second = urlsplit(one), urlsplit(other)
    return one == other or (first.hostname == second.hostname and first.port is None and second.port is None)


def _same_path(one: str, other: str) -> bool:
    """Whether two addresses have one path but for slashes at its end."""
    first, second = (keys.path_of(urlsplit(url).path).rstrip("/") for url in (one, other))
    return first == second
