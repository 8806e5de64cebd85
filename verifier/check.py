"""A state or an interaction of the evidence against what was seen on the candidate. Reads the store, no browser."""

import io
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from PIL import Image

from artifacts.contract import Volatile
from artifacts.evidence import Interaction, PageState
from artifacts.report import InteractionCheck, Metrics, Noise, StateCheck, Which
from artifacts.store import Store
from verifier.addresses import Addresses, address_key, same_address
from verifier.limits import LIMITS, telling, within_noise
from verifier.measure.compare import NOTHING, Taken, compared
from verifier.measure.text import change_f1, change_in_words, words
from verifier.observe import Sight

_NUMBER = re.compile(r"\d+")


def of_source(store: Store, state: PageState) -> Taken:
    """What was taken of the site. Raises DamagedError."""
    return Taken(store.get(state.full_page), _text(store, state), store.get_json(state.axtree))


def of_mirror(sight: Sight, addresses: Addresses) -> Taken:
    """What was taken of the candidate, its addresses mapped back."""
    tree = [{**node, "name": addresses.text_to_site(str(node["name"]))} for node in sight.look.axtree]
    return Taken(sight.look.full_page, sight.text, tree)


def check_state(
    state: PageState,
    sight: Sight,
    *,
    which: Which,
    store: Store,
    addresses: Addresses,
    noise: Noise | None,
    volatile: Iterable[Volatile] = (),
) -> StateCheck:
    """The state beside what the candidate shows for it; a page that could not be had scores nothing."""
    mirror = of_mirror(sight, addresses)
    notes = [sight.trouble] if sight.trouble else []
    if not same_address(state.url, sight.address, volatile):
        notes.append(f"led to {sight.address} instead of {state.url}")
    return StateCheck(
        state=state.digest,
        url=state.requested,
        template=state.template,
        which=which,
        metrics=NOTHING if sight.trouble else compared(of_source(store, state), mirror),
        status_expected=state.status,
        status_seen=sight.status,
        source_picture=state.full_page,
        mirror_picture=store.put(mirror.picture),
        source_text=state.text,
        mirror_text=store.put(mirror.text.encode("utf-8", "replace")),
        new_console_errors=_new(state.console_errors, sight.console_errors),
        new_failed_requests=_new_failures(state.failed_requests, sight.failed_requests, own=sight.address),
        foreign_requests=sight.foreign,
        noise=noise,
        note="; ".join(notes),
    )


def lost_state(state: PageState, because: str, *, which: Which, store: Store, status: int) -> StateCheck:
    """The check of a state whose page the candidate gave, but in a way that cannot be looked at."""
    blank = io.BytesIO()
    Image.new("RGB", (1, 1), "white").save(blank, "PNG")
    return StateCheck(
        state=state.digest,
        url=state.requested,
        template=state.template,
        which=which,
        metrics=NOTHING,
        status_expected=state.status,
        status_seen=status,
        source_picture=state.full_page,
        mirror_picture=store.put(blank.getvalue()),
        source_text=state.text,
        mirror_text=store.put(b""),
        note=because,
    )


def is_fine(check: StateCheck) -> bool:
    """Whether nothing about the state would have to be mentioned."""
    noise = check.noise.metrics if check.noise else None
    is_close = not telling(check.metrics, noise)
    is_quiet = not (check.new_console_errors or check.new_failed_requests or check.foreign_requests)
    return is_close and is_quiet and check.status_seen == check.status_expected and not check.note


def closeness(check: StateCheck) -> tuple[float, ...]:
    """The greater, the closer the candidate came: the right status first, then the four metrics together."""
    metrics = check.metrics
    total = metrics.ssim + metrics.pixel + metrics.text_f1 + metrics.axtree_f1
    troubles = len(check.new_console_errors) + len(check.new_failed_requests)
    return (check.status_seen == check.status_expected, not check.note, total, -troubles)


def _new(known: Iterable[str], seen: Iterable[str]) -> tuple[str, ...]:
    """What was seen and not known, where numbers do not matter."""
    left = Counter(_NUMBER.sub("0", entry) for entry in known)
    fresh = []
    for entry in seen:
        masked = _NUMBER.sub("0", entry)
        if left[masked]:
            left[masked] -= 1
        else:
            fresh.append(entry)
    return tuple(fresh)


def _new_failures(known: Iterable[str], seen: Iterable[str], *, own: str) -> tuple[str, ...]:
    """Failures of addresses that did not fail on the site, whatever the reason. The page's own is its status."""

    def place(url: str) -> str:
        return address_key(url).partition("?")[0]

    failed = {place(entry.partition(" ")[2]) for entry in known} | {place(own)}
    return tuple(entry for entry in seen if place(entry.partition(" ")[2]) not in failed)


class Replayed(NamedTuple):
    """An interaction repeated on the candidate."""

    before: Sight
    after: Sight
    dialogs: tuple[str, ...]
    popups: tuple[str, ...]
    downloads: tuple[str, ...]


class Step(NamedTuple):
    """An interaction of the evidence with the states at its two ends."""

    interaction: Interaction
    before: PageState
    after: PageState
    noise: Metrics | None = None
    """Of the after-state's template."""
    volatile: frozenset[str] = frozenset()
    """Shapes of words that change by themselves on pages of these templates."""


def check_interaction(
    step: Step,
    seen: Replayed,
    *,
    which: Which,
    store: Store,
    addresses: Addresses,
    volatile: Iterable[Volatile] = (),
) -> InteractionCheck:
    """Whether the same actions had the same consequences, and if not, the first that differed."""
    source, mirror = of_source(store, step.after), of_mirror(seen.after, addresses)
    metrics = compared(source, mirror)
    because = _difference(step, seen, metrics, store, tuple(volatile))
    failures = _new_failures(step.after.failed_requests, seen.after.failed_requests, own=seen.after.address)
    if because and failures:
        because += f"; {failures[0]}"
    return failed(step, which, because).replaced(
        reproduced=not because,
        metrics=metrics,
        address_seen=seen.after.address,
        mirror_picture=store.put(mirror.picture),
        before_picture=store.put(seen.before.look.full_page),
        foreign_requests=seen.after.foreign,
    )


def failed(step: Step, which: Which, because: str) -> InteractionCheck:
    """An interaction that got nowhere."""
    return InteractionCheck(
        interaction=step.interaction.digest,
        behaviour=step.interaction.behaviour,
        which=which,
        reproduced=False,
        because=because,
        address_expected=step.after.url,
        source_picture=step.after.full_page,
    )


def _difference(step: Step, seen: Replayed, metrics: Metrics, store: Store, volatile: tuple[Volatile, ...]) -> str:
    """The first consequence that is another one, in words; empty when there is none."""
    interaction = step.interaction
    if not same_address(step.after.url, seen.after.address, volatile):
        return f"leads to {seen.after.address} instead of {step.after.url}"
    if step.after.status != seen.after.status and seen.after.status:
        return f"is answered with {seen.after.status} instead of {step.after.status}"
    if _masked(interaction.dialogs) != _masked(seen.dialogs):
        return f"dialogs {list(seen.dialogs)} instead of {list(interaction.dialogs)}"
    for what, expected, got in (
        ("windows", interaction.popups, seen.popups),
        ("downloads", interaction.downloads, seen.downloads),
    ):
        if len(expected) != len(got) or not all(map(same_address, expected, got, [volatile] * len(got))):
            return f"{what} {list(got)} instead of {list(expected)}"
    if storage := _storage_difference(interaction.storage_change, seen):
        return storage
    return _visible_difference(step, seen, metrics, store)


def _masked(entries: Iterable[str]) -> list[str]:
    return [_NUMBER.sub("0", entry) for entry in entries]


def _storage_difference(expected: Mapping[str, str], seen: Replayed) -> str:
    """Cookies are the server's own affair, and HttpOnly ones beyond any script; what scripts keep must agree.

    Scripts also keep things by the clock, so what had to appear may have been there a moment before the action already.
    """
    before, after = seen.before.storage, seen.after.storage
    for key, how in sorted(expected.items()):
        if not key.startswith(("local.", "session.")):
            continue
        held = {
            "added": key in after,
            "removed": key not in after,
            "changed": key in after and before.get(key) != after[key],
        }
        if not held[how]:
            return f"storage {key} is not {how}"
    return ""


def _visible_difference(step: Step, seen: Replayed, metrics: Metrics, store: Store) -> str:
    before, after = (_calm(_text(store, state), step.volatile) for state in (step.before, step.after))
    seen_before, seen_after = (_calm(sight.text, step.volatile) for sight in (seen.before, seen.after))
    if change_f1(before, after, seen_before, seen_after) < LIMITS.change_f1:
        return f"changes {change_in_words(seen_before, seen_after)} instead of {change_in_words(before, after)}"
    pictures = seen.before.look.screenshot, seen.after.look.screenshot
    if step.interaction.effect == "page" and pictures[0] == pictures[1] and words(before) == words(after):
        return "changes nothing that can be seen"
    if metrics.text_f1 < LIMITS.after_text_f1 and not within_noise(metrics, step.noise):
        return f"text F1 {metrics.text_f1:.3f} afterwards"
    if metrics.ssim < LIMITS.after_ssim and not within_noise(metrics, step.noise):
        return f"SSIM {metrics.ssim:.3f} afterwards"
    return ""


def _text(store: Store, state: PageState) -> str:
    return store.get(state.text).decode("utf-8", "replace")


def _calm(text: str, volatile: frozenset[str]) -> str:
    """The text without the words that change by themselves on this kind of page."""
    return " ".join(word for word in text.casefold().split() if not volatile.intersection((word, shape_of(word))))


def shape_of(word: str) -> str:
    """The word with its digits masked; a bare number is itself, since counts are what many actions change.

    >>> shape_of("12:30"), shape_of("134")
    ('0:0', '134')
    """
    masked = _NUMBER.sub("0", word)
    return word if masked == "0" else masked


def volatile_words(one: str, other: str) -> frozenset[str]:
    """Shapes of the words that two looks at one page of the site do not share."""
    first, second = words(one), words(other)
    return frozenset(shape_of(word) for word in ((first - second) + (second - first)))
