"""What the evidence holds and what it lacks, to say whose fault a discrepancy is. Pure."""

from collections.abc import Iterable
from typing import NamedTuple

from artifacts.contract import Contract, Route
from artifacts.evidence import Evidence, Exchange, Part
from verifier.addresses import address_key, authority
from verifier.patterns import matches


class Holdings(NamedTuple):
    """Addresses by key, as `address_key` gives it."""

    answered: frozenset[str]
    """Asked for and answered below 400, by GET."""
    tried: frozenset[str]
    """Asked for at all, by any method."""
    lacking: frozenset[str]
    """Failed, missing or skipped, and never had."""
    hosts: frozenset[str]
    """Every host that ever answered."""

    @classmethod
    def of(cls, evidence: Evidence, part: Part) -> "Holdings":
        """What these parts of the evidence hold."""
        answered = {address_key(exchange.url) for exchange in part.exchanges if _is_good(exchange)}
        answered |= {address_key(state.requested) for state in part.states if state.status < 400}
        tried = {address_key(exchange.url) for exchange in part.exchanges if exchange.status is not None}
        lacking = {address_key(exchange.url) for exchange in part.exchanges if exchange.failure}
        lacking |= {address_key(url) for url, _ in evidence.missing}
        lacking |= {address_key(skip.what) for skip in part.skips if skip.what.startswith(("http://", "https://"))}
        hosts = {authority(exchange.url) for exchange in part.exchanges if exchange.status is not None}
        return cls(frozenset(answered), frozenset(tried), frozenset(lacking - answered), frozenset(hosts))

    def has(self, url: str) -> bool:
        """Whether a mirror could know the answer for this address."""
        return address_key(url) in self.answered or (address_key(url) in self.tried and not self.lacks(url))

    def lacks(self, url: str) -> bool:
        """Whether the evidence itself failed to get this address."""
        return address_key(url) in self.lacking

    def knows_host(self, url: str) -> bool:
        return authority(url) in self.hosts


def _is_good(exchange: Exchange) -> bool:
    return exchange.method == "GET" and exchange.status is not None and exchange.status < 400


def clause_for(url: str, contract: Contract | None) -> Route | None:
    """The first route of the contract that covers this address."""
    routes: Iterable[Route] = contract.routes if contract else ()
    return next((route for route in routes if matches(route, url)), None)
