"""Requests that differ in nothing but a password nobody knows any more, and were answered differently by it. Pure.

One password was refused and another let in: which one a visitor types cannot be told, so everybody gets the refusal,
and what was let in waits for the password of an account that is named.
"""

from collections import defaultdict
from collections.abc import Iterable
from urllib.parse import urlsplit

from builder.compile import keys
from builder.compile.recordings import Recording, header, target_of
from builder.compile.sameness import Sameness


def without_right_passwords(found: Iterable[Recording], sameness: Sameness) -> tuple[Recording, ...]:
    """The recordings in their order, those that only a right password led to made unlike any request."""
    found = tuple(found)
    alike: dict[tuple[object, ...], list[Recording]] = defaultdict(list)
    for recording in found:
        if not recording.is_safe and recording.passwords:
            alike[(*recording.place, recording.pairs, keys.body_key(recording.leaves))].append(recording)
    let_in = {recording.order for members in alike.values() for recording in _let_in(members, sameness)}
    return tuple(recording.told_apart() if recording.order in let_in else recording for recording in found)


def _let_in(members: list[Recording], sameness: Sameness) -> list[Recording]:
    """Those that had another password than one that was refused, and another answer; all of one kind if none was."""
    refused = max(members, key=_refusal)
    return [
        recording
        for recording in members
        if recording.passwords != refused.passwords and sameness.of(recording) != sameness.of(refused)
        and _refusal(recording)[:-1] < _refusal(refused)[:-1]
    ]  # fmt: skip


def _refusal(recording: Recording) -> tuple[bool, bool, bool, int]:
    """The greater, the more an answer looks like "no": an error, the form again, no new cookie; the first of equals."""
    location = header(recording.exchange.response_headers, "location")
    goes_on = bool(location) and not _is_back(recording, target_of(recording.exchange.url, location))
    has_new = any(value and recording.cookies_sent.get(name) != value for name, value in recording.cookies_set.items())
    return recording.status >= 400, not goes_on, not has_new, -recording.order


def _is_back(recording: Recording, target: str) -> bool:
    """Whether a redirect leads to the form again: to where it was sent, or to the page it was sent from."""
    referrer = urlsplit(header(recording.exchange.request_headers, "referer")).path
    return keys.path_of(urlsplit(target).path) in {
        recording.path,
        keys.path_of(referrer) if referrer else recording.path,
    }
