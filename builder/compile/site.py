"""The compiler: one part of the evidence in, all that the emitted application is made of out. Pure."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from artifacts.contract import Contract
from artifacts.errors import LimitReachedError
from artifacts.evidence import Action, Evidence, Part, login_of, probe_of
from builder.compile.answers import Answer, answers
from builder.compile.clauses import behaviours, unknown
from builder.compile.headers import VisitorCookie, visitor_cookie
from builder.compile.missing import not_found
from builder.compile.recordings import Read, Recording, recordings
from builder.compile.routes import routes
from builder.compile.sameness import Sameness, equal_requests, repeated_looks
from builder.compile.situations import Node, situations
from builder.compile.sockets import Talk, talks
from builder.compile.trails import Judge, trails
from builder.compile.volatile import Learned, Looks, learn

_MORE_LOOKS = 3
"""Further visits to one page that are compared with the first, besides its repetition."""


class Compiled(NamedTuple):
    """Everything the emitter needs; answers are in order of situation and name."""

    contract: Contract
    answers: tuple[Answer, ...]
    nodes: tuple[Node, ...]
    learned: Learned
    cookie: VisitorCookie
    own_hosts: int
    """How many of the contract's hosts are the site's own; they come first."""
    not_found: Mapping[str, int]
    """For each own host, the index of the answer that is its "not found"; hosts without one are left out."""
    talks: tuple[Talk, ...]
    """What was said over WebSockets."""


def compile_site(part: Part, evidence: Evidence, read: Read) -> Compiled:
    """The whole of the mirror as values. Raises LimitReachedError if there is not one page to answer with."""
    found = recordings((one for one in part.exchanges if not _is_second_look(one.visit)), read)
    if not any(recording.is_document and recording.status < 300 for recording in found):
        raise LimitReachedError(
            "The evidence holds no page to build from.",
            where=evidence.start,
            remedy="Explore again with a larger --max-pages or --max-time.",
            code="nothing_captured",
        )
    repeated = list(repeated_looks(part.states, found))
    sameness = Sameness()
    sameness.learn(pair for one, other in repeated for pair in equal_requests(one, other))
    learned = learn(found, [*repeated, *_other_looks(found)], sameness, _typed(part))
    walked, stray = trails(found, part.interactions)
    judge = Judge(walked, part.interactions, evidence.site)
    machine = situations(walked, stray, judge, sameness, learned)
    nodes, given = answers(machine, part.states, judge, sameness, learned)
    own = _own_hosts(found, evidence, judge)
    rules, patterns = routes(own, given, part.states)
    spoken = talks(part.exchanges, read)
    others = sorted(({answer.name.host for answer in given} | {talk.host for talk in spoken}) - set(own))
    contract = Contract(
        site=evidence.site,
        start=evidence.start,
        clock=evidence.lens.clock,
        hosts=(*own, *others),
        routes=rules,
        behaviours=behaviours(part.interactions, part.states, found, judge, patterns),
        volatile=learned.clauses(patterns),
        accounts=_accounts(part, evidence),
        unknown=unknown(evidence, part.skips, part.interactions, part.exchanges, ()),
    )
    missing = not_found(given, own, evidence.not_found)
    return Compiled(contract, given, nodes, learned, visitor_cookie(found, judge), len(own), missing, spoken)


def _is_second_look(visit: str) -> bool:
    """Whether somebody else looked at what a step did: that tells whom it concerns, and is no part of a trail."""
    probe = probe_of(visit)
    return probe is not None and probe.whose != "actor"


def _accounts(part: Part, evidence: Evidence) -> tuple[dict[str, str], ...]:
    """The named accounts that somebody logged in with; no recording lets anybody in with another."""
    unused = {skip.what for skip in part.skips if skip.reason == "login"}
    accounts = evidence.request.accounts
    return tuple({"label": one.label, "user": one.user} for one in accounts if login_of(one) not in unused)


def _typed(part: Part) -> frozenset[str]:
    return frozenset(action.value for action in _actions(part) if action.act in ("fill", "select") and action.value)


def _actions(part: Part) -> Iterable[Action]:
    return (action for interaction in part.interactions for action in interaction.actions)


def _other_looks(found: Sequence[Recording]) -> list[Looks]:
    """The first visit to each page, beside a few later visits that began with the same page."""
    visits: dict[str, list[Recording]] = defaultdict(list)
    for recording in found:
        if not probe_of(recording.visit):  # what was done before them is meant to show
            visits[recording.visit].append(recording)
    by_page: dict[tuple[object, ...], list[list[Recording]]] = defaultdict(list)
    for members in visits.values():
        first = members[0]
        if first.is_document and first.method == "GET":
            by_page[(*first.place, first.pairs)].append(members)
    return [(same[0], other) for same in by_page.values() for other in same[1 : 1 + _MORE_LOOKS]]


def _own_hosts(found: Iterable[Recording], evidence: Evidence, judge: Judge) -> tuple[str, ...]:
    """The site's own hosts, the one it is named after first."""
    own = {recording.host for recording in found if judge.is_own(recording)}
    return (evidence.site, *sorted(own - {evidence.site}))
