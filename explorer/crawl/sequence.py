"""What comes after the first step of an episode: change what it made, take it away, look where else it shows. Pure."""

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from urllib.parse import urlsplit

from artifacts.evidence import Action, Actionable
from artifacts.run import Safety
from explorer.crawl import safety
from explorer.crawl.controls import opens
from explorer.crawl.filling import submits
from explorer.crawl.plan import allowed, form_trials, navigates
from explorer.crawl.revealed import folded
from explorer.crawl.safety import Judgement
from explorer.crawl.telling import is_own
from explorer.crawl.trial import Shown, Trial, looking
from explorer.crawl.urls import Templates, canonical, joined
from explorer.crawl.words import Words

_MOST_OPENERS = 2
"""Things that are opened in one episode to see what can be done with what it made."""
LOG_OUT = "log out"
"""The behaviour of logging out."""


class Course:
    """The way of one episode, decided step by step from what each page shows."""

    def __init__(self, trial: Trial, templates: Templates, words: Words, allow: Sequence[Safety]) -> None:
        self._trial = trial
        self._templates = templates
        self._words = words
        of_itself = trial.judgement.safety
        self._allow = [kind for kind in allow if kind != "account" or kind == of_itself]  # who acts stays the same
        self._script = list(trial.then)
        self._queue: list[str] = []
        self._done: set[str] = set()
        self._gone_to = ""
        self._known: set[str] = set()
        self._stood: Counter[tuple[str, ...]] = Counter()
        self._named: set[tuple[str, str]] = set()
        self._openers: set[str] = set()
        self._led_to = ""
        self._exit = ""
        """The page last seen that one can log out from."""

    def did(self, step: Trial) -> None:
        """A step was taken."""
        self._done |= {_name(step), _kind(step)}

    def begin(self, before: Shown, after: Shown) -> None:
        """The first step led from one page to the other: note where its effect may show."""
        self._known, self._led_to = _offered(before), canonical(after.url)
        self._stood = Counter(_forms(before).values())
        self._named = {(item.href, item.name) for item in before.items}
        self._queue = [*effect_pages(before, after, self._trial.page)[:2], self._trial.page]

    def next(self, here: Shown) -> Trial | None:
        """The next step: what was laid down, else change what is shown here, else go where else the effect may show."""
        if self._script:
            page = self._script[0].page
            if canonical(here.url) != canonical(page) and self._gone_to != page:  # it may lead elsewhere
                return self._go_to(page)
            self._gone_to = ""
            return self._script.pop(0)
        if canonical(here.url) != canonical(self._trial.page):
            ours, allow = self._changeable(here)
            change = next_in_sequence(ours, self._done, self._words, allow, closely=bool(self._trial.then))
            change = change or self._opener(here)
            if change:
                return change
        out = leaving(here, self._allow) if self._trial.behaviour.startswith("login") else None
        self._exit = canonical(here.url) if out else self._exit
        if self._queue:
            return self._go_to(self._queue.pop(0))
        if any(done.startswith(LOG_OUT) for done in self._done):
            return None
        return out or (self._go_to(self._exit) if self._exit and self._gone_to != self._exit else None)

    def _changeable(self, here: Shown) -> tuple[Shown, Sequence[Safety]]:
        """What may be changed on a page. An account has things from before, and those are not ours to change.

        What the first step made is told by addresses that its page did not know: of the page, and of its forms. Forms
        that stood there before, in the frame of every page, have nothing to do with it.
        """
        forms = _forms(here)
        number = Counter(forms.values())
        stood = {form for form, kind in forms.items() if number[kind] <= self._stood[kind]} | folded(here)
        here = here._replace(items=tuple(item for item in here.items if item.form not in stood))
        if here.identity == "anonymous":
            return here, self._allow
        is_new = canonical(here.url) == self._led_to or canonical(here.url) not in self._known
        if not self._trial.after or not is_new:
            return here, [kind for kind in self._allow if kind == "session"]
        fresh = (item for item in here.items if not item.form or _action(here, item) not in self._known)
        return here._replace(items=tuple(fresh)), self._allow

    def _opener(self, here: Shown) -> Trial | None:
        """What opens something on a page that shows the effect: there may be more to do with what was made."""
        for item in here.items:
            folds = opens(item) or (item.tag == "a" and item.href.startswith("#") and len(item.href) > 1)
            known = (item.href, item.name) in self._named or item.selector in self._openers
            if not item.visible or item.form or known or not folds or safety.of_control(item).safety != "read":
                continue
            if len(self._openers) < _MOST_OPENERS:
                self._openers.add(item.selector)
                action = Action(act="click", selector=item.selector, role=item.role, name=item.name)
                behaviour = f"open {item.role or item.tag} {item.name}".strip()
                return Trial(behaviour, "ordinary", here.url, safety.of_control(item), here.url, (action,))
        return None

    def _go_to(self, url: str) -> Trial:
        self._gone_to = url
        return looking(url, self._templates.of(url))


def _offered(page: Shown) -> set[str]:
    """The addresses that a page links or sends to, and its own."""
    links = (canonical(joined(page.url, item.href)) for item in page.items if item.href)
    return {canonical(page.url), *links, *(_action(page, item) for item in page.items if item.form)}


def _forms(page: Shown) -> dict[str, tuple[str, ...]]:
    """What kind of form each form of a page is: where it sends, and what can be filled in and pressed."""
    parts: dict[str, list[str]] = {}
    for item in page.items:
        if item.form:
            where = [item.form_method, _action(page, item)]
            parts.setdefault(item.form, where).append(f"{item.tag} {item.field_name or item.name}")
    return {form: tuple(kind) for form, kind in parts.items()}


def _action(page: Shown, item: Actionable) -> str:
    return canonical(joined(page.url, item.form_action or page.url))


def _name(trial: Trial) -> str:
    return f"{trial.behaviour} {_way(trial)}"


def _kind(trial: Trial) -> str:
    """What trials of like forms of a page have in common, whatever thing their buttons name."""
    return f"{canonical(trial.page)} {trial.behaviour.partition(' by ')[0]} {_way(trial)}"


def _way(trial: Trial) -> str:
    return f"{trial.variant} {trial.instance}" if trial.contrast else trial.variant


def effect_pages(before: Shown, after: Shown, start: str) -> list[str]:
    """Addresses where an action's effect is likely to show, best first: pages of one's own, then what is new."""
    known = {(item.href, item.name) for item in before.items}
    ranked: list[tuple[int, int, str]] = []
    for place, item in enumerate(after.items):
        if item.tag != "a" or not item.visible or "trap" in item.attributes or not navigates(item):
            continue
        url = canonical(joined(after.url, item.href))
        if urlsplit(url).netloc != urlsplit(start).netloc or safety.of_link(url, item.name).safety != "read":
            continue
        own = is_own(item.name, url)
        new = (item.href, item.name) not in known
        if own or new:
            ranked.append((0 if own and new else 1 if own else 2, place, url))
    here = canonical(after.url)
    return [url for url in dict.fromkeys(url for _, _, url in sorted(ranked)) if url != here]


def has_logged_in(after: Shown, status: int, storage_change: Collection[str], page: str) -> bool:
    """Whether a login on `page` let somebody in, by the page that it led to.

    One can log out there; or it asks no more, and is another page or comes with something new to remember.
    """
    if leaving(after, ("account",)):
        return True
    asks = any(item.input_type == "password" and item.visible for item in after.items)
    moved = urlsplit(canonical(after.landed or after.url))[:3] != urlsplit(canonical(page))[:3]
    return status < 400 and (moved or bool(storage_change)) and not asks


def leaving(page: Shown, allow: Sequence[Safety]) -> Trial | None:
    """How to log out from this page, if it offers that and it is allowed."""
    for item in page.items:
        if item.visible and safety.ends_session(_said_of(item)) and "account" in allow:
            if item.tag == "a" and item.href and not item.form:
                judged = safety.of_link(joined(page.url, item.href), item.name)
            else:
                judged = Judgement("account", "it logs out")
            action = Action(act="click", selector=item.selector, role=item.role, name=item.name)
            return Trial(LOG_OUT, "ordinary", page.url, judged, page.url, (action,))
    return None


def _said_of(item: Actionable) -> str:
    """What a link or a button says that it does: its name, and where it leads."""
    where = item.form_action if item.form and submits(item) else item.href
    return f"{item.name} {urlsplit(where).path}"


def next_in_sequence(
    page: Shown, done: set[str], words: Words, allow: Sequence[Safety], *, closely: bool = False
) -> Trial | None:
    """What to do next on a page that shows the effect of an earlier step: change it before taking it away.

    With `closely`, what sets single values apart is tried on what is left.
    """
    forms: dict[str, list[Actionable]] = defaultdict(list)
    for item in page.items:
        if item.form:
            forms[item.form].append(item)
    options = [
        trial
        for selector, items in forms.items()
        for trial in form_trials(page, selector, tuple(items), words, ())
        if (closely if trial.contrast else trial.probes and trial.variant != "failing") and allowed(trial, allow)
        if _name(trial) not in done and not (trial.contrast and _kind(trial) in done)
        if not safety.ends_session(trial.behaviour)
    ]

    def rank(trial: Trial) -> int:
        """Changes first, then what has nothing to fill in and so takes away; what is sent as it stands last."""
        if trial.contrast:
            return 2
        if trial.variant == "other":
            return 0
        return 3 if len(trial.actions) > 1 or _has_values(trial, page) else 1

    return min(options, key=lambda trial: (_kind(trial) in done, rank(trial), options.index(trial)), default=None)


def _has_values(trial: Trial, page: Shown) -> bool:
    """Whether the form that its button belongs to shows something that could be changed."""
    form = next((item.form for item in page.items if item.selector == trial.actions[-1].selector), "")
    return any(
        item.form == form and item.visible and item.value and item.tag in ("input", "textarea", "select")
        and item.input_type not in ("submit", "hidden", "button", "image")
        for item in page.items
    )  # fmt: skip
