"""What accounts that logged in have seen, and what is left to see and to try as them. Pure.

A tour is one visit of an account: it logs in, looks at a few pages, and takes further ones by plain requests. What a
stranger was kept from comes first, then what only signed-in pages link to, then one page of each known kind.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple
from urllib.parse import urlsplit

from artifacts.evidence import Action, Actionable, PageState
from artifacts.run import Account
from explorer.crawl import safety
from explorer.crawl.filling import is_fillable
from explorer.crawl.safety import Judgement
from explorer.crawl.step import Step
from explorer.crawl.trial import Shown, Trial, Variant
from explorer.crawl.urls import Templates, address_key, is_file, joined
from explorer.crawl.walls import is_login_address

LOOKS = 6
"""Pages looked at in one tour."""
BATCH = 20
"""Pages taken by plain requests in one tour."""
SHARE = 3
"""One page in so many is looked at as somebody, as long as much else is left to look at."""
KNOWN_KIND = 65.0
"""Value of looking at a page of a kind that strangers see: it may offer more to who is signed in."""
ANOTHER_ACCOUNT = 30.0
"""By how much a page is worth less for each account that was there before."""
_GIVE_UP = 2
"""Tours in which the login may fail."""
_LEAST = 15.0
"""Value below which a page is only fetched."""
_VALUES = (99.5, 62.0, 41.0)
"""Of the first pages of a kind: new to everybody, they come before new kinds that strangers see, within their share."""
_LOGIN_FIELD = re.compile(r"mail|user|login|nick|handle", re.I)


class Sight(NamedTuple):
    """What the frontier knows of the site as strangers see it."""

    templates: Templates
    addresses: Mapping[str, str]
    """Everything that may be asked for, by its key."""
    looked: Mapping[str, PageState]
    linked: Collection[str]
    """Keys of what strangers are linked to."""


class Members:
    """What is known of each account that logged in, by its label."""

    def __init__(self, labels: Iterable[str], key: Callable[[str], str]) -> None:
        """`labels` in the order in which the accounts were named; `key` tells addresses apart."""
        self._labels = tuple(labels)
        self._key = key
        self._inside: set[str] = set()
        self._links: dict[str, dict[str, None]] = defaultdict(dict)
        self._asked: dict[str, dict[str, None]] = defaultdict(dict)
        self._looked: dict[str, dict[str, None]] = defaultdict(dict)
        self._pages: dict[str, dict[str, Shown]] = defaultdict(dict)
        self._failed: Counter[str] = Counter()
        self._toured: set[str] = set()
        self.fetched: dict[str, None] = {}
        self.looks = 0
        """Pages looked at as somebody."""

    @property
    def is_any_inside(self) -> bool:
        """Whether any account ever logged in."""
        return bool(self._inside)

    def saw(self, state: PageState, links: Iterable[str]) -> None:
        """An account's page was seen, in a tour or after something it did, with links that only read."""
        self._inside.add(state.identity)
        self._links[state.identity] |= dict.fromkeys(map(self._key, links))

    def absorb_tour(
        self, label: str, asked: Iterable[str], seen: Iterable[tuple[PageState, Sequence[Actionable]]], looks: int
    ) -> None:
        """A tour ended that was to ask for these addresses, and saw this."""
        self._asked[label] |= dict.fromkeys(map(self._key, asked))
        self._toured.add(label)
        self.looks += looks
        mine = [(state, items) for state, items in seen if state.identity == label]
        self._failed[label] = 0 if mine else self._failed[label] + 1
        self._looked[label] |= {self._key(state.requested): None for state, _ in mine}
        for state, items in mine:
            if state.status < 400 and not is_closed(state):
                shown = Shown(state.requested, state.template, tuple(items), state.url, label)
                self._pages[label].setdefault(self._key(state.requested), shown)

    def next_tour(
        self, logins: Mapping[str, Trial], sight: Sight, *, most: int, fetches: int
    ) -> tuple[float, Step] | None:
        """The tour worth most: `most` looks and `fetches` plain requests at most. None if there is nothing to see."""
        best: tuple[float, Step] | None = None
        for number, label in enumerate(label for label in self._labels if label in logins and label in self._inside):
            if self._failed[label] >= _GIVE_UP:
                continue
            values = dict(self._values(label, sight, also_known=number == 0))
            looks = sorted((key for key, value in values.items() if value >= _LEAST), key=lambda key: -values[key])
            looks = looks[: min(LOOKS, max(most, 0))]
            batch = [key for key in self._kept_from_strangers(label, sight) if key in values and key not in looks]
            batch = [key for key in batch if values[key] < _VALUES[1] or not most][: min(BATCH, max(fetches, 0))]
            if not looks and not batch:
                continue
            value = values[looks[0]] - ANOTHER_ACCOUNT * number if looks else 0.0
            urls = [tuple(sight.addresses[key] for key in keys) for keys in (looks, batch)]
            leave = label not in self._toured
            step = Step("tour", (*urls[0], *urls[1])[0], logins[label], looks=urls[0], batch=urls[1], leave=leave)
            if best is None or value > best[0]:
                best = (value, step)
        return best

    def _values(self, label: str, sight: Sight, *, also_known: bool) -> Iterator[tuple[str, float]]:
        """What looking at each page would be worth, in the order in which they were found."""
        asked = self._asked[label]
        taken = Counter(sight.templates.of(sight.addresses.get(key, key)) for key in self._looked[label])
        for key in self._kept_from_strangers(label, sight):
            template = sight.templates.of(sight.addresses[key])
            yield key, _VALUES[taken[template]] if taken[template] < len(_VALUES) else 40 / taken[template]
            taken[template] += 1
        if not also_known:
            return
        for key, state in sight.looked.items():
            template = sight.templates.of(state.requested)
            may_be = key in sight.addresses and state.status < 400 and not is_closed(state)
            if may_be and not taken[template] and key not in asked and not is_login_address(state.url):
                yield key, KNOWN_KIND
                taken[template] += 1

    def _kept_from_strangers(self, label: str, sight: Sight) -> Iterator[str]:
        """Keys of what a stranger was not shown, or is not linked to, and this account did not ask for yet."""
        closed = [key for key, state in sight.looked.items() if is_closed(state)]
        kinds = {sight.templates.of(sight.looked[key].requested) for key in closed}
        for key in dict.fromkeys((*closed, *self._links[label])):
            url = sight.addresses.get(key, "")
            if not url or key in self._asked[label] or is_file(url) or "#" in url or is_login_address(url):
                continue
            if key in closed or key not in sight.linked or sight.templates.of(url) in kinds:
                yield key

    def pages(self) -> Iterator[Shown]:
        """Pages that an account was shown before it did anything, to plan on."""
        for label in self._labels:
            yield from self._pages[label].values()


def is_closed(state: PageState) -> bool:
    """Whether somebody was kept from the page: told so, or sent to log in instead."""
    moved = address_key(state.requested) != address_key(state.url)
    return state.status in (401, 403) or (moved and is_login_address(state.url))


def logins_in(trials: Iterable[Trial]) -> dict[str, Trial]:
    """How each account logs in, as the first page says it that offers that."""
    found: dict[str, Trial] = {}
    for trial in trials:
        if trial.identity and trial.variant == "ordinary" and not trial.after:
            found.setdefault(trial.identity, trial)
    return found


def answers_to_challenges(accounts: Iterable[Account], start: str, looked: Mapping[str, PageState]) -> Iterator[Trial]:
    """How accounts log in where a site asks for it by its headers: on pages that answer 401 under their login address.

    `looked` are the pages as strangers see them, by their keys.
    """
    named = list(accounts)
    for number, account in enumerate(named):
        url = joined(start, account.login_url)
        state = looked.get(address_key(url))
        if state is None or state.status != 401:
            continue
        judgement = Judgement("account", "an account's name and password")
        right = f"{{{{password:{account.label}}}}}"
        words: list[tuple[Variant, str]] = [("ordinary", right), ("failing", "not-the-password")]
        for variant, word in words[: 1 if number else 2]:
            action = Action(act="goto", url=url, value=f"{account.user}:{word}")
            label = account.label if variant == "ordinary" else ""
            yield Trial(f"login at {urlsplit(url).path}", variant, f"{account.user} {word}", judgement, url, (action,),
                        identity=label)  # fmt: skip


def answers_challenge(trial: Trial) -> bool:
    """Whether a trial tells a name and password that the site asked for by its headers."""
    return bool(trial.actions) and trial.actions[-1].act == "goto" and bool(trial.actions[-1].value)


def as_member(trials: Iterable[Trial], page: Shown, login: Trial, open_to_all: Collection[str]) -> Iterator[Trial]:
    """The trials of a signed-in page that are worth making after the login, so that what they change is put back.

    `open_to_all` are behaviours that strangers are offered too: only what writes is tried again. What takes away what
    was there before, and what could keep the account from logging in again, is left out.
    """
    for trial in trials:
        kind = trial.judgement.safety
        if trial.behaviour.startswith(("login ", "follow ")) or safety.ends_session(trial.behaviour):
            continue
        if kind != "write" and trial.behaviour in open_to_all:
            continue
        if kind == "read":
            yield trial._replace(after=login)
            continue
        touched = [item for item in page.items if any(action.selector == item.selector for action in trial.actions)]
        if not any(safety.takes_away(item.name) for item in touched):
            yield from _with_return(trial, touched, page, login)


def _with_return(trial: Trial, touched: Sequence[Actionable], page: Shown, login: Trial) -> Iterator[Trial]:
    fields = [item for item in touched if is_fillable(item)]
    standing = [item for item in fields if item.value]
    if any(item.input_type == "password" for item in fields):
        return
    member = trial._replace(after=login)
    if not standing:
        once = not fields and not trial.contrast and len(trial.actions) == 1 and not _has_fields(touched, page)
        # What one click does, a second may take back: a like, a vote, a place on a list.
        yield member._replace(probes=True, then=(member,)) if once else member
        return
    if trial.contrast or trial.variant == "failing" or any(_is_of_login(item, login) for item in standing):
        spared = _without_login_fields(member, fields, login)
        if trial.contrast or trial.variant == "failing" or spared is None:
            return
        member = spared
        standing = [item for item in standing if not _is_of_login(item, login)]
    back = tuple(_put_back(action, standing) for action in member.actions)
    yield member._replace(then=(member._replace(actions=back, instance="as it was"),))


def _has_fields(touched: Sequence[Actionable], page: Shown) -> bool:
    forms = {item.form for item in touched if item.form}
    return any(item.form in forms and is_fillable(item) for item in page.items)


def _is_of_login(item: Actionable, login: Trial) -> bool:
    """Whether changing a field could change how the account logs in."""
    said = f"{item.field_name} {item.input_type} {item.attributes.get('autocomplete', '')}"
    user = login.instance.partition(" ")[0]
    return bool(item.value) and (bool(_LOGIN_FIELD.search(said)) or item.value in (user, login.actions[0].value))


def _without_login_fields(trial: Trial, fields: Sequence[Actionable], login: Trial) -> Trial | None:
    """The trial that leaves those fields alone; None if nothing else would be changed."""
    kept = {item.selector for item in fields if _is_of_login(item, login)}
    actions = tuple(action for action in trial.actions if action.selector not in kept)
    return trial._replace(actions=actions) if len(actions) > 1 else None


def _put_back(action: Action, standing: Sequence[Actionable]) -> Action:
    item = next((item for item in standing if item.selector == action.selector), None)
    return action.replaced(value=item.value) if item and action.act in ("fill", "select") else action
