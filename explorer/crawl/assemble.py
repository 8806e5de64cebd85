"""From journals to Evidence: what belongs together, and which part is sealed.

Sealing is drawn by digest, so nobody chooses and the same site gives the same draw. A sealed state keeps its traffic
with it; what other looks also fetched is open through them.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Literal

from artifacts.digest import digest_bytes
from artifacts.evidence import Evidence, Exchange, Interaction, Item, PageState, Skip, store_part
from artifacts.run import CaptureRequest, Lens
from artifacts.store import Store
from explorer.crawl.urls import Templates, address_key, origin

SEALED_SHARE = 0.12
"""Of the states that may be sealed."""


def is_drawn(subject: str, share: float = SEALED_SHARE) -> bool:
    """Whether a subject falls into the sealed share; decided by its name alone."""
    return int(digest_bytes(b"sealed " + subject.encode())[:8], 16) / 0xFFFFFFFF < share


def sealed_visits(
    states: Sequence[PageState],
    interactions: Sequence[Interaction],
    start: str,
    templates: Templates,
    wanted: Set[str] = frozenset(),
) -> set[str]:
    """Visits whose evidence the Builder may not read.

    The start page and the only example of a template stay open: sealing them would test clairvoyance, not generality.
    So do pages that somebody asked for by their address (`wanted`, as `address_key` has it).
    """
    pages = [state for state in states if state.repeat_of is None and not state.visit.startswith("e")]
    examples = Counter(templates.of(state.requested) for state in pages)
    sealed = set()
    for state in pages:
        is_start = address_key(state.requested) == address_key(start) or address_key(state.url) == address_key(start)
        is_open = is_start or address_key(state.requested) in wanted
        if not is_open and examples[templates.of(state.requested)] > 1 and is_drawn(address_key(state.requested)):
            sealed.add(state.visit)
            examples[templates.of(state.requested)] -= 1
    repeats = {state.repeat_of: state.visit for state in states if state.repeat_of}
    sealed |= {repeats[state.digest] for state in pages if state.visit in sealed and state.digest in repeats}
    by_episode: dict[str, list[Interaction]] = {}
    for interaction in interactions:
        by_episode.setdefault(interaction.episode, []).append(interaction)
    tried = Counter(interaction.behaviour for interaction in interactions)
    for episode, steps in by_episode.items():
        known_otherwise = all(tried[step.behaviour] > 1 for step in steps)
        subject = (
            f"{steps[0].behaviour} {steps[0].variant} {[action.value for action in steps[0].actions]} {steps[0].before}"
        )
        if known_otherwise and is_drawn(subject):
            sealed.add(episode)
            tried.subtract(step.behaviour for step in steps)
    return sealed


def assemble(
    *,
    request: CaptureRequest,
    start: str,
    lens: Lens,
    store: Store,
    states: Sequence[PageState],
    interactions: Sequence[Interaction],
    exchanges: Iterable[Exchange],
    skips: Iterable[Skip],
    outcome: Literal["complete", "limit", "interrupted"],
    redactions: Mapping[str, int],
    templates: Templates,
    visits: Set[str] = frozenset(),
    fetched: int = 0,
    not_found: str = "",
) -> Evidence:
    """Everything journalled, as one Evidence record with its two parts in the store.

    `visits` are those that were finished without leaving a state. Exchanges of visits that were never finished are left
    out: the visit was repeated under another name.
    """
    finished = {state.visit.partition("/")[0] for state in states} | visits
    kept = [exchange for exchange in exchanges if exchange.visit.partition("/")[0] in finished]
    wanted = {address_key(one.url) for one in request.wanted}
    sealed = sealed_visits(states, interactions, start, templates, wanted)
    parts: dict[bool, list[Item]] = {False: [], True: []}
    happened: list[PageState | Exchange | Interaction] = [*states, *kept, *interactions]
    for item in happened:
        parts[item.visit in sealed or item.visit.partition("/")[0] in sealed].append(item)
    parts[False] += list(skips)
    return Evidence(
        request=request,
        site=origin(start),
        start=start,
        lens=lens,
        outcome=outcome,
        open=store_part(store, parts[False]),
        sealed=store_part(store, parts[True]),
        states=len(states),
        interactions=len(interactions),
        exchanges=len(kept),
        fetched=fetched,
        not_found=not_found if any(state.requested == not_found for state in states) else "",
        sealed_states=sum(isinstance(item, PageState) for item in parts[True]),
        sealed_interactions=sum(isinstance(item, Interaction) for item in parts[True]),
        redactions=dict(redactions),
        missing=_missing(kept),
    )


def _missing(exchanges: Sequence[Exchange]) -> tuple[tuple[str, str], ...]:
    """Addresses that were asked for and never answered in a way that could be kept, each with the last reason."""
    reasons: dict[str, str] = {}
    for exchange in exchanges:
        if exchange.failure and exchange.failure.startswith(("cancelled", "not_allowed")):
            continue  # the page changed its mind, or was not let
        if exchange.failure:
            reasons.setdefault(exchange.url, exchange.failure)
        elif exchange.note and exchange.response_body is None:
            reasons.setdefault(exchange.url, exchange.note)
    answered = {exchange.url for exchange in exchanges if exchange.response_body and not exchange.failure}
    return tuple(sorted((url, reason) for url, reason in reasons.items() if url not in answered))
