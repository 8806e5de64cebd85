"""One address answered differently because the requests said different things of themselves. Pure.

A header or a plainly readable cookie counts where it explains every difference: equal values, equal answers.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from builder.compile import keys
from builder.compile.recordings import Recording, header
from builder.compile.sameness import Sameness

_ACCIDENTAL = frozenset(
    {"cookie", "host", "connection", "content-length", "content-type", "cache-control", "pragma", "priority", "range",
     "sec-fetch-user", "sec-fetch-site", "upgrade-insecure-requests", "dnt", "te", "accept-encoding", "date", "purpose",
     "traceparent", "sec-purpose", "if-none-match", "if-modified-since", "if-range", "proxy-connection", "via",
     "forwarded"}
)  # fmt: skip
_ON_PURPOSE = ("accept-language", "authorization", "sec-fetch-dest", "user-agent")
_LAST = ("authorization", "accept-language", "sec-fetch-dest", "sec-fetch-mode", "origin", "referer", "user-agent")


class Condition(NamedTuple):
    """What a request must say of itself to get this answer rather than another one."""

    feature: str
    value: str


def features(recording: Recording) -> dict[str, str]:
    """Everything a request says of itself that may decide what it is answered."""
    headers = {name.lower(): value for name, value in recording.exchange.request_headers}
    names = [name for name in headers if name not in _ACCIDENTAL and not name.startswith("sec-ch-")]
    names += [f"cookie {name}" for name in recording.cookies_sent]
    return {name: keys.feature_of(name, headers, recording.cookies_sent) for name in names}


def profile(recording: Recording) -> dict[str, str]:
    """What a request said of itself on purpose; only requests that said the same can show that something changed."""
    return {
        name: said
        for name, said in features(recording).items()
        if said != "*" and (name not in _LAST or name in _ON_PURPOSE)
    }


def names_account(said: str) -> bool:
    """Whether a request said who asks, by an account's name and password in its headers."""
    return bool(keys.PASSWORD.search(said))


def split(
    recordings: Sequence[Recording], sameness: Sameness, *, acted: bool
) -> dict[Condition | None, list[Recording]]:
    """The recordings by what decides between their answers; all under None where nothing does.

    Where somebody has acted before, differences rather come from that than from what browsers add to requests.
    """
    if len(recordings) < 2 or len({sameness.of(one) for one in recordings}) < 2:
        return {None: list(recordings)}
    known = [features(recording) for recording in recordings]
    accounts = {name for found in known for name, said in found.items() if names_account(said)}
    if recordings[0].is_static and not accounts:
        return {None: list(recordings)}
    names = {name for found in known for name in found if not (acted and name in _LAST)} | accounts
    for name in _by_preference(names, recordings):
        answers: dict[str, set[str]] = defaultdict(set)
        for found, recording in zip(known, recordings, strict=True):
            answers[found.get(name, "")].add(sameness.of(recording))
        if len(answers) > 1 and all(len(answer) == 1 for answer in answers.values()):
            return _grouped(name, known, recordings)
    joined = "+".join(name for name in _by_preference(names, recordings) if name in _varied(recordings))
    if "+" in joined:
        together = [{joined: "+".join(found.get(name, "") for name in joined.split("+"))} for found in known]
        return _grouped(joined, together, recordings)
    return {None: list(recordings)}


def _varied(recordings: Sequence[Recording]) -> set[str]:
    """The headers that the answers say they vary by."""
    return {
        name.strip().lower()
        for recording in recordings
        for name in header(recording.exchange.response_headers, "vary").split(",")
    }


def _grouped(
    name: str, known: Sequence[Mapping[str, str]], recordings: Sequence[Recording]
) -> dict[Condition | None, list[Recording]]:
    grouped: dict[Condition | None, list[Recording]] = defaultdict(list)
    for found, recording in zip(known, recordings, strict=True):
        grouped[Condition(name, found.get(name, ""))].append(recording)
    return dict(grouped)


def _by_preference(names: set[str], recordings: Sequence[Recording]) -> list[str]:
    """What the answers say they vary by comes first, then what scripts and people set, then what browsers add."""
    vary = _varied(recordings)

    def rank(name: str) -> tuple[int, str]:
        if name in vary:
            return (0, name)
        if name in _LAST:
            return (4 + _LAST.index(name), name)
        return (1 if name.startswith(("x-", "hx-", "turbo")) else 2 if name.startswith("cookie ") else 3, name)

    return sorted(names, key=rank)
