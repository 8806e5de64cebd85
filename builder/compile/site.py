"""The compiler: one part of the evidence in, all that the emitted application is made of out. Pure."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from artifacts.contract import Contract
from artifacts.errors import LimitReachedError
from artifacts.evidence import Action, Evidence, Part, login_of, probe_of
from builder.behave.frames import Fragments, Seen, fragments
from builder.behave.history import Reading, address_of, episodes
from builder.behave.learn import Behaviour, behaviour_of
from builder.compile import apis as json_apis
from builder.compile import inferred
from builder.compile.answers import Answer, answers
from builder.compile.clauses import behaviours, unknown
from builder.compile.handled import handlers, unexplained
from builder.compile.headers import VisitorCookie, visitor_cookie
from builder.compile.missing import not_found
from builder.compile.passwords import without_right_passwords
from builder.compile.recordings import Read, Recording, recordings
from builder.compile.routes import routes
from builder.compile.sameness import Sameness, equal_requests, repeated_looks
from builder.compile.situations import Node, Situations, situations
from builder.compile.sockets import Talk, talks
from builder.compile.texts import text_of
from builder.compile.trails import Judge, trails
from builder.compile.volatile import Learned, Looks, learn
from builder.induce.apis import Apis, induce_apis
from builder.induce.pages import Page
from builder.induce.site import Induced, induce_site

_VARIABLE = re.compile(r"[^/]*<[^>]*>[^/]*")
_PAGES = ("text/html", "application/xhtml+xml")
_MOST_SHOWN = 40
"""Pages of one situation that are compared with the fresh visitor's."""
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
    families: Mapping[str, str]
    """The rule of each route -> its path with the variable segments starred."""
    induced: Induced
    """What the captured pages let one know of others."""
    fragments: Mapping[int, Fragments]
    """Number of a situation -> what it makes of the frame that pages share."""
    behaviour: Behaviour
    """What actions do, as far as that is known beyond the recorded ones."""
    apis: Apis
    """What the captured answers in JSON let one know of others."""


def compile_site(part: Part, evidence: Evidence, read: Read) -> Compiled:
    """The whole of the mirror as values. Raises LimitReachedError if there is not one page to answer with."""
    found = recordings((one for one in part.exchanges if not _is_second_look(one.visit)), read)
    seconds = recordings((one for one in part.exchanges if _is_second_look(one.visit)), read)
    if not any(recording.is_document and recording.status < 300 for recording in found):
        raise _nothing_captured(evidence)
    repeated = list(repeated_looks(part.states, found))
    sameness = Sameness()
    sameness.learn(pair for one, other in repeated for pair in equal_requests(one, other))
    found = without_right_passwords(found, sameness)
    learned = learn(found, [*repeated, *_other_looks(found)], sameness, _typed(part))
    walked, stray = trails(found, part.interactions)
    judge = Judge(walked, part.interactions, evidence.site)
    machine = situations(walked, stray, judge, sameness, learned)
    nodes, given = answers(machine, part.states, judge, sameness, learned)
    own = _own_hosts(found, evidence, judge)
    rules, patterns = routes(own, given, part.states)
    families = {rule.pattern: _VARIABLE.sub("*", rule.pattern) for rule in rules}
    pages = tuple(_pages(given, evidence.site, patterns, families))
    induced = induce_site(pages)
    wide = induced.part_of or {}
    families = {pattern: wide.get(family, family) for pattern, family in families.items()}
    taken = json_apis.RESERVED | frozenset(entity.table.name for entity in induced.entities)
    apis = induce_apis(tuple(json_apis.documents(given, own, learned)), taken)
    fresh = [Seen(address_of(page.url), page.family, page.source) for page in pages]
    framed = _fragments(machine, nodes, fresh, evidence.site)
    reading = _reading(evidence, learned, lambda path: families.get(patterns.get(path, ""), path))
    behaviour = behaviour_of(fresh, episodes(walked, reading, seconds), framed, induced)
    spoken = talks(part.exchanges, read)
    acted = (
        *behaviours(part.interactions, part.states, found, judge, patterns),
        *handlers(behaviour, part.interactions),
    )
    contract = Contract(
        site=evidence.site,
        start=evidence.start,
        clock=evidence.lens.clock,
        hosts=_hosts(own, given, spoken),
        routes=rules,
        behaviours=(*acted, *inferred.lists(induced, given), *json_apis.endpoints(apis, given)),
        entities=(*inferred.tables(induced, given), *json_apis.tables(apis, given)),
        volatile=learned.clauses(patterns),
        accounts=_accounts(part, evidence),
        unknown=unknown(evidence, part.skips, part.interactions, part.exchanges, unexplained(behaviour)),
    )
    missing = not_found(given, own, evidence.not_found)
    cookie = visitor_cookie(found, judge)
    return Compiled(
        contract, given, nodes, learned, cookie, len(own), missing, spoken, families, induced, framed, behaviour, apis
    )  # fmt: skip


def _nothing_captured(evidence: Evidence) -> LimitReachedError:
    return LimitReachedError(
        "The evidence holds no page to build from.",
        where=evidence.start,
        remedy="Explore again with a larger --max-pages or --max-time.",
        code="nothing_captured",
    )


def _reading(evidence: Evidence, learned: Learned, family: Callable[[str], str]) -> Reading:
    users = {account.label: account.user for account in evidence.request.accounts}
    return Reading(evidence.site, learned, users, family)


def _hosts(own: Sequence[str], given: Iterable[Answer], spoken: Iterable[Talk]) -> tuple[str, ...]:
    """Every host that answers, the site's own first."""
    others = ({answer.name.host for answer in given} | {talk.host for talk in spoken}) - set(own)
    return (*own, *sorted(others))


def _pages(
    given: Sequence[Answer], site: str, patterns: Mapping[str, str], families: Mapping[str, str]
) -> Iterator[Page]:
    """The site's own pages as a fresh visitor gets them, each address once, named by the number of its answer."""
    seen: set[str] = set()
    for number, answer in enumerate(given):
        recording = answer.recordings[0]
        is_plain = answer.node == 0 and answer.name.method == "GET" and answer.name.host == site
        url = recording.exchange.url
        if is_plain and recording.status == 200 and recording.media in _PAGES and url not in seen:
            seen.add(url)
            family = families.get(patterns.get(answer.name.path, ""), answer.name.path)
            yield Page(url, family, recording.status, text_of(recording), str(number))


def _is_second_look(visit: str) -> bool:
    """Whether somebody else looked at what a step did: that tells whom it concerns, and is no part of a trail."""
    probe = probe_of(visit)
    return probe is not None and probe.whose != "actor"


def _fragments(machine: Situations, nodes: Sequence[Node], fresh: Sequence[Seen], host: str) -> Mapping[int, Fragments]:
    """What each situation makes of the frame. Of several looks at a page the last one shows what stays."""
    found: dict[int, list[Seen]] = {}
    for number, node in enumerate(nodes):
        looks = [found[-1] for name, found in sorted(machine.recorded[node].items()) if name.method == "GET"]
        mine = [one for one in looks if one.is_document and one.status == 200 and one.host == host]
        if node and (shown := [one for one in mine if one.media in _PAGES]):
            found[number] = [Seen(address_of(one.exchange.url), one.path, text_of(one)) for one in shown[:_MOST_SHOWN]]
    numbers = {node: number for number, node in enumerate(nodes)}
    before = {number: [numbers[node[:n]] for n in range(1, len(node))] for node, number in numbers.items()}
    return fragments(fresh, found, before)


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
            by_page[(first.exchange.identity, *first.place, first.pairs)].append(members)
    return [(same[0], other) for same in by_page.values() for other in same[1 : 1 + _MORE_LOOKS]]


def _own_hosts(found: Iterable[Recording], evidence: Evidence, judge: Judge) -> tuple[str, ...]:
    """The site's own hosts, the one it is named after first."""
    own = {recording.host for recording in found if judge.is_own(recording)}
    return (evidence.site, *sorted(own - {evidence.site}))
