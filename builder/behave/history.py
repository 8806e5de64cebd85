"""What visitors did and saw, in order: the evidence that behaviour is learned from. Pure."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from artifacts.evidence import probe_of
from builder.behave import acting
from builder.compile import keys
from builder.compile.recordings import Recording, header, target_of
from builder.compile.texts import text_of
from builder.compile.trails import Trail
from builder.compile.volatile import Learned

_PAGES = ("text/html", "application/xhtml+xml")


@dataclass(frozen=True, eq=False)
class Look:
    """A page that was seen."""

    address: str
    """Path and query."""
    family: str
    source: str
    prior: int
    """How many actions the visitor had done before."""
    is_first: bool
    """Whether it is the first page after an action: messages are shown there once."""


@dataclass(frozen=True, eq=False)
class Act:
    """A request that was meant to change something, and what it was answered."""

    form: str
    """Method, path with variable segments starred, and names of the fields: equal for requests of one form."""
    names: Mapping[str, str]
    """Variables that formulas may speak of."""
    groups: tuple[Mapping[str, str], ...]
    """The fields that a form has once for each of several things, by thing."""
    hidden: frozenset[str]
    """Fields that were sent and decide nothing."""
    status: int
    location: str
    """Path and query that a redirect leads to; empty if it leads nowhere on this host."""
    order: int
    """Place of the exchange among all."""
    forgets: bool
    """Whether the answer deletes a cookie."""


@dataclass(frozen=True, eq=False)
class Episode:
    """What one visitor did and saw, from the first page on, without cookies before."""

    name: str
    acts: tuple[Act, ...]
    looks: tuple[Look, ...]
    seconds: tuple[tuple[str, Look], ...] = ()
    """What somebody else saw meanwhile: "stranger", or "elsewhere" for the same account in another session."""


@dataclass(frozen=True)
class Reading:
    """How requests are read."""

    host: str
    learned: Learned
    users: Mapping[str, str]
    """Label of an account -> its user name."""
    family: Callable[[str], str]
    """The family of a path."""


def episodes(trails: Iterable[Trail], reading: Reading, seconds: Iterable[Recording] = ()) -> tuple[Episode, ...]:
    """The visits in which something was done on the site's own host; `seconds` are looks of others at what it did."""
    trails = tuple(trails)
    ends = _sign_out(trails, reading)
    found = []
    beside: dict[str, list[tuple[str, Recording]]] = {}
    for recording in seconds:
        probe = probe_of(recording.visit)
        if probe is not None and _is_page(recording, reading):
            beside.setdefault(probe.after.partition("/")[0], []).append((probe.whose, recording))
    for trail in trails:
        acts: list[Act] = []
        looks: list[Look] = []
        fresh = False
        for recording in trail.recordings:
            if recording.host != reading.host or recording.is_static:
                continue
            signs_out = ends(recording)
            if (not recording.is_safe or signs_out) and recording.status < 500:
                acts.append(_act(recording, reading, forgets=signs_out))
                fresh = True
            elif _is_page(recording, reading):
                looks.append(_look(recording, reading, len(acts), is_first=fresh))
                fresh = False
        if acts:
            others = tuple(
                (whose, _look(one, reading, sum(act.order < one.order for act in acts), is_first=False))
                for whose, one in beside.get(trail.name, ())
            )
            found.append(Episode(trail.name, tuple(acts), tuple(looks), others))
    return tuple(found)


def _is_page(recording: Recording, reading: Reading) -> bool:
    is_own = recording.host == reading.host and recording.method == "GET"
    return is_own and recording.is_document and recording.status == 200 and recording.media in _PAGES


def _look(recording: Recording, reading: Reading, prior: int, *, is_first: bool) -> Look:
    return Look(
        address_of(recording.exchange.url),
        reading.family(recording.path),
        text_of(recording),
        prior,
        is_first,
    )


def address_of(url: str) -> str:
    """Path and query of an address."""
    parts = urlsplit(url)
    return keys.path_of(parts.path) + (f"?{parts.query}" if parts.query else "")


def _sign_out(trails: Iterable[Trail], reading: Reading) -> Callable[[Recording], bool]:
    """Whether an answer takes back what a login gave: a cookie that only logins set, or any of theirs as it leads on.

    Sites keep other things in cookies that a login may set too, such as a message that the next page shows.
    """
    given: set[str] = set()
    others: set[str] = set()
    for recording in (one for trail in trails for one in trail.recordings):
        is_login = bool(known_user(recording.leaves, reading.users)) and recording.status < 400
        (given if is_login else others).update(name for name, value in recording.cookies_set.items() if value)

    def ends(recording: Recording) -> bool:
        gone = {name for name, value in recording.cookies_set.items() if not value} & recording.cookies_sent.keys()
        return bool(gone & (given - others)) or (300 <= recording.status < 400 and bool(gone & given))

    return ends


def _act(recording: Recording, reading: Reading, *, forgets: bool) -> Act:
    family = recording.path if recording.is_safe else reading.family(recording.path)
    hidden = reading.learned.names(recording.place, "body")
    leaves = {name: value for name, value in recording.leaves.items() if name not in hidden}
    referer = header(recording.exchange.request_headers, "referer")
    names = acting.request_names(family, recording.path, leaves, recording.pairs)
    names |= {"referer": address_of(referer) if referer else "", "known": known_user(leaves, reading.users)}
    location = header(recording.exchange.response_headers, "location")
    target = target_of(recording.exchange.url, location) if location else ""
    parts = urlsplit(target)
    is_own = keys.origin_of(parts.scheme, parts.hostname or "", parts.port) == recording.host if target else False
    return Act(
        acting.form_of(recording.method, family, acting.fields_of(leaves)),
        names,
        acting.grouped(leaves)[1],
        hidden & recording.leaves.keys(),
        recording.status,
        address_of(target) if is_own else "",
        recording.order,
        forgets,
    )


def known_user(leaves: Mapping[str, str], users: Mapping[str, str]) -> str:
    """The account that a form names together with its own password; empty if it names none."""
    for value in leaves.values():
        placeholder = keys.PASSWORD.fullmatch(value)
        if placeholder and users.get(placeholder[1]) in leaves.values():
            return placeholder[1]
    return ""


def latest(looks: Sequence[Look], prior: int) -> list[Look]:
    """The pages seen after so many actions, the last look at each."""
    return list({look.address: look for look in looks if look.prior == prior}.values())
