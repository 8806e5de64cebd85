"""Whose each exchange of an archive is: told by the cookies and tokens that answers gave and requests brought back.

An exchange belongs to a session if its request carries what an earlier answer of that session set, or if its own answer
sets something to be carried. What carries nothing is a fresh visitor's, whatever others did before it. Pure.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple
from urllib.parse import urlsplit

from explorer.archives.traffic import Taken, header
from explorer.crawl.urls import joined
from explorer.redact.names import field_kind, is_secret_header, is_token_shaped, names_visitor

RECORDED = "recorded"
"""Who sent what may have changed something for everybody, and saw it; a session's number follows its name."""
FRESH = "anonymous"
_SAFE = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})
_FIELD = re.compile(rb"name=\"([^\"]{2,64})\"|([\w$.\[\]-]{2,64})[\"']?\s*[=:]")
_GONE = re.compile(r"max-age\s*=\s*\"?(?:-|0\b)|expires\s*=[^;]*\b19[67]\d\b", re.I)


class Whose(NamedTuple):
    """Where an exchange is filed, as `Exchange` has it."""

    visit: str
    identity: str


class _Proof(NamedTuple):
    """Something a request carries; `site` is empty for a header that proves who is asking."""

    site: str
    name: str
    value: str


def whose(traffic: Sequence[Taken]) -> list[Whose]:
    """Visit and identity of each exchange, in order. Each page with what it asked for is a visit."""
    numbers = _Sessions(traffic).numbers()
    identities = _identities(traffic, numbers)
    visits = _Visits()
    return [Whose(visits.of(taken, identity), identity) for taken, identity in zip(traffic, identities, strict=True)]


def sends_password(taken: Taken) -> bool:
    """Whether a field of the request's body is named as one for passwords."""
    names = (found[1] or found[2] for found in _FIELD.finditer(taken.request_body)) if taken.request_body else ()
    return any(field_kind(name.decode("latin-1")) == "password" for name in names)


class _Sessions:
    """Follows what is carried through an archive. Sessions are numbered from 1; 0 is none."""

    def __init__(self, traffic: Sequence[Taken]) -> None:
        self._traffic = traffic
        self._numbers: list[int] = []
        self._same: list[int] = [0]
        self._holder: dict[_Proof, int] = {}
        self._onward: dict[str, tuple[int, str]] = {}
        """For each site, the session that was just told to forget its cookies, and the address it was sent to."""
        self._alike = {proof for proof, count in Counter(_first_given(traffic)).items() if count > 1}
        """What several visitors were given alike: it tells nobody apart, and goes with whoever got it last."""

    def numbers(self) -> list[int]:
        """The session of each exchange. Where an archive tells of no cookie at all, a password begins one."""
        if not any(_carried(taken) or any(_given(taken)) for taken in self._traffic):
            begun = next((n for n, taken in enumerate(self._traffic) if sends_password(taken)), len(self._traffic))
            return [int(n >= begun) for n in range(len(self._traffic))]
        for taken in self._traffic:
            self._numbers.append(self._number(taken))
        return [self._find(number) for number in self._numbers]

    def _number(self, taken: Taken) -> int:
        carried = _carried(taken)
        number = self._known(carried) or self._unknown(carried) or self._left(taken)
        site = _site(taken.url)
        for proof, is_kept in _given(taken):
            if is_kept:
                number = number or self._begin()
                self._holder[proof] = number
            elif any((proof.site, proof.name) == one[:2] for one in carried):
                self._onward[site] = (number, _onward(taken))
        return number

    def _known(self, carried: Sequence[_Proof]) -> int:
        """The session that set what is carried. Whoever carries what two sessions set makes one of them."""
        found = [proof for proof in carried if proof in self._holder]
        telling = [proof for proof in found if proof not in self._alike and proof.site]
        telling = telling or [proof for proof in found if not proof.site]
        if not telling:
            return self._find(self._holder[found[-1]]) if found else 0
        first, *others = (self._find(self._holder[proof]) for proof in telling)
        for other in others:
            self._same[max(first, other)] = first = min(first, other)
        for proof in carried:
            if _speaks(proof):
                self._holder.setdefault(proof, first)
        return first

    def _unknown(self, carried: Sequence[_Proof]) -> int:
        """What no answer set as a cookie and yet tells visitors apart: a script had it from an answer, or made it."""
        speaking = [proof for proof in carried if _speaks(proof)]
        if not speaking:
            return 0
        number = next(filter(None, (self._told(proof.value) for proof in speaking)), 0) or self._begin()
        for proof in speaking:
            self._holder[proof] = number
        return number

    def _told(self, value: str) -> int:
        """The session of the latest answer whose text held a value; one begins there if there was none."""
        wanted = value.rpartition(" ")[2].encode("utf-8", "surrogatepass")
        for place in range(len(self._numbers) - 1, -1, -1):
            taken = self._traffic[place]
            if wanted in taken.response_body and taken.destination not in ("script", "style"):
                self._numbers[place] = self._numbers[place] or self._begin()
                return self._numbers[place]
        return 0

    def _left(self, taken: Taken) -> int:
        """The session whose browser has just lost its cookies, up to the first page it is shown without them."""
        site = _site(taken.url)
        number, address = self._onward.get(site, (0, ""))
        if not number or address not in ("", taken.url):
            return 0
        if 300 <= taken.status < 400:
            self._onward[site] = (number, _onward(taken))
        elif _is_page(taken):
            del self._onward[site]
        return number

    def _begin(self) -> int:
        self._same.append(len(self._same))
        return self._same[-1]

    def _find(self, number: int) -> int:
        while self._same[number] != number:
            number = self._same[number]
        return number


def _identities(traffic: Sequence[Taken], numbers: Sequence[int]) -> Iterator[str]:
    """Sessions by number. Of the rest, what was sent and what came to look otherwise after it belong together."""
    seen: dict[tuple[str, str], bytes] = {}
    is_changed = False
    for taken, number in zip(traffic, numbers, strict=True):
        if number:
            yield f"{RECORDED} {number}"
        elif taken.method not in _SAFE:
            is_changed = True
            yield RECORDED
        else:
            before = seen.setdefault((taken.method, taken.url), taken.response_body)
            yield RECORDED if is_changed and before != taken.response_body else FRESH


class _Visits:
    """Gives each page a visit, and what a page asked for the visit of that page."""

    def __init__(self) -> None:
        self._latest: dict[str, str] = {}
        self._showing: dict[tuple[str, str], str] = {}
        self._is_led: dict[str, bool] = {}
        """Whether the identity's latest document only sent the browser on."""
        self._count = 0

    def of(self, taken: Taken, identity: str) -> str:
        if not _is_document(taken):
            page = header(taken.request_headers, "referer").partition("#")[0]
            return self._showing.get((identity, page)) or self._latest.get(identity) or self._new(identity)
        visit = self._latest[identity] if self._is_led.get(identity) else self._new(identity)
        self._is_led[identity] = 300 <= taken.status < 400
        self._showing[(identity, taken.url)] = visit
        return visit

    def _new(self, identity: str) -> str:
        self._count += 1
        self._latest[identity] = f"i{self._count:04}"
        return self._latest[identity]


def _first_given(traffic: Sequence[Taken]) -> Iterator[_Proof]:
    for taken in traffic:
        carried = _carried(taken)
        yield from (proof for proof, is_kept in _given(taken) if is_kept and proof not in carried)


def _carried(taken: Taken) -> list[_Proof]:
    found = []
    for name, value in taken.request_headers:
        if name.lower() == "cookie":
            pairs = (pair.strip().partition("=") for pair in value.split(";"))
            found += [_Proof(_site(taken.url), key, text) for key, _, text in pairs if text]
        elif is_secret_header(name) and value:
            found.append(_Proof("", name.lower(), value))
    return found


def _given(taken: Taken) -> Iterator[tuple[_Proof, bool]]:
    """The cookies an answer sets, and False with those it takes back."""
    for name, value in taken.response_headers:
        if name.lower() == "set-cookie":
            pair, _, attributes = value.partition(";")
            key, _, text = pair.strip().partition("=")
            yield _Proof(_site(taken.url), key, text), bool(text) and not _GONE.search(attributes)


def _speaks(proof: _Proof) -> bool:
    """Whether it tells one visitor from another by itself."""
    return not proof.site or (names_visitor(proof.name) and is_token_shaped(proof.value))


def _site(url: str) -> str:
    """The end of a host's name, which hosts that share cookies share."""
    host = urlsplit(url).hostname or ""
    return host if host.rpartition(".")[2].isdigit() else ".".join(host.split(".")[-2:])


def _onward(taken: Taken) -> str:
    location = header(taken.response_headers, "location") if 300 <= taken.status < 400 else ""
    return joined(taken.url, location).partition("#")[0] if location else ""


def _is_document(taken: Taken) -> bool:
    if taken.destination:
        return taken.destination == "document"
    return _is_page(taken) or (300 <= taken.status < 400 and not taken.response_body)


def _is_page(taken: Taken) -> bool:
    return taken.destination in ("", "document") and "html" in header(taken.response_headers, "content-type").lower()
