"""From what a page offers to the behaviours worth trying on it. Pure.

A behaviour is one kind of thing the site does ("search form /search/ q"); a trial is one way to try it: on which page,
with which input, meaning to succeed or to fail. One example settles nothing, so every behaviour gets several trials.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from urllib.parse import urlsplit

from artifacts.evidence import Action, Actionable
from artifacts.run import Account, Safety
from explorer.crawl import safety
from explorer.crawl.contrast import form_contrasts
from explorer.crawl.controls import control_trials, hover_trials, opens
from explorer.crawl.filling import (
    TEXT_TYPES,
    change,
    fill,
    is_empty_required,
    is_fillable,
    must_fill,
    send,
    submits,
    upload,
)
from explorer.crawl.safety import Judgement
from explorer.crawl.trial import Shown, Trial, Variant
from explorer.crawl.urls import Templates, address_key, canonical, is_route, joined
from explorer.crawl.words import LETTERS, NOWHERE, Words

_ELSEWHERE = re.compile(r"(?!https?:|javascript:|blob:|data:|about:)[a-z][a-z0-9+.-]*:", re.IGNORECASE)
_MASK = re.compile(r"\d+")


def trials(page: Shown, templates: Templates, words: Words, accounts: Sequence[Account]) -> Iterator[Trial]:
    """Everything worth trying on this page, most telling first."""
    forms: dict[str, list[Actionable]] = defaultdict(list)
    for item in page.items:
        if item.form:
            forms[item.form].append(item)
    for selector, items in forms.items():
        yield from form_trials(page, selector, tuple(items), words, accounts)
    for item in page.items:
        if not item.visible or item.form or "trap" in item.attributes:
            continue
        if item.tag == "a" and navigates(item):
            if _leads_elsewhere_on_site(page, item):
                yield _link_trial(page, item, templates)
            yield from hover_trials(page, item)
        elif item.tag == "a" and item.href.startswith("#") and len(item.href) > 1 and not opens(item):
            action = Action(act="click", selector=item.selector, role=item.role, name=item.name)
            yield Trial(
                "jump within the page", "ordinary", page.url, Judgement("read", "an anchor"), page.url, (action,)
            )
        elif item.tag == "a" and _ELSEWHERE.match(item.href):
            continue  # it opens another program: a mail, a telephone
        else:
            yield from control_trials(page, item, words)


def form_trials(
    page: Shown,
    selector: str,
    items: tuple[Actionable, ...],
    words: Words,
    accounts: Sequence[Account],
) -> Iterator[Trial]:
    """The ways to fill in and send one form."""
    fields = tuple(item for item in items if is_fillable(item))
    files = tuple(item for item in items if item.input_type == "file")
    buttons = tuple(item for item in items if submits(item))
    method = (items[0].form_method or "get").lower()
    action = (items[0].form_action and joined(page.url, items[0].form_action)) or page.url
    labels = " ".join(item.name for item in (*buttons, *fields))
    judgement = safety.of_form(method, urlsplit(action).path, labels, (*fields, *files))
    name = f"form {method} {_outline(action)} {_field_names(fields)}".strip()
    passwords = [field for field in fields if field.input_type == "password"]
    texts = [field for field in fields if field.tag == "input" and field.input_type in TEXT_TYPES]
    if len(passwords) == 1 and (len(texts) < 2 or _is_login_page(page, accounts)):  # more is a registration, a profile
        yield from _login_trials(page, selector, fields, buttons, judgement, name, accounts)
        return
    if method == "get" and texts and not passwords:
        yield from _search_trials(page, selector, texts[0], buttons, judgement, name, words)
    for field in fields:
        if field.tag == "select" and len(field.options) > 1 and method == "get":
            yield from _choice_trials(page, selector, field, buttons, judgement, name)
    if method == "get":
        yield from _tick_trials(page, selector, items, buttons, judgement, name)
    if method == "get" and not texts and buttons:
        yield Trial(f"send {name}", "ordinary", page.url, judgement, page.url, (send(selector, buttons),))
    if method != "get" or passwords or (judgement.safety != "read" and not texts):
        yield from _post_trials(page, selector, (*fields, *files), buttons, judgement, name, words)


def _search_trials(
    page: Shown,
    form: str,
    field: Actionable,
    buttons: tuple[Actionable, ...],
    judgement: Judgement,
    name: str,
    words: Words,
) -> Iterator[Trial]:
    one, other, pair = (words.one, words.other, words.pair) if words.name_things else (*LETTERS, words.one)
    inputs: tuple[tuple[Variant, str], ...] = (
        ("ordinary", one), ("failing", NOWHERE), ("other", other), ("other", pair), ("failing", "")
    )  # fmt: skip
    if field.value:
        yield Trial(f"search {name}", "other", field.value, judgement, page.url, (send(form, buttons, enter=field),))
    for number, (variant, text) in enumerate(inputs):
        by_button = number % 2 == 1  # by Enter first: a list of suggestions may cover the button
        actions = (fill(field, text), send(form, buttons if by_button else (), enter=field))
        yield Trial(f"search {name}", variant, text, judgement, page.url, actions)
    if words.one:
        yield Trial(f"suggest {name}", "ordinary", words.one[:4], judgement, page.url, (fill(field, words.one[:4]),))


def _choice_trials(
    page: Shown, form: str, field: Actionable, buttons: tuple[Actionable, ...], judgement: Judgement, name: str
) -> Iterator[Trial]:
    others = [option for option in field.options if option != field.value]
    for number, option in enumerate(others[:4]):
        choose = Action(act="select", selector=field.selector, role=field.role, name=field.name, value=option)
        actions = (choose, send(form, buttons)) if buttons else (choose,)
        variant: Variant = "ordinary" if number == 0 else "other"
        yield Trial(f"choose {field.field_name} in {name}", variant, option, judgement, page.url, actions)


def _tick_trials(
    page: Shown,
    form: str,
    items: tuple[Actionable, ...],
    buttons: tuple[Actionable, ...],
    judgement: Judgement,
    name: str,
) -> Iterator[Trial]:
    """The boxes and choices of a form that only reads: one of each name, then another of the same name."""
    tried: dict[str, int] = defaultdict(int)
    for item in items:
        if item.input_type not in ("checkbox", "radio") or not item.visible or "checked" in item.attributes:
            continue
        tried[item.field_name] += 1
        if tried[item.field_name] > 2:
            continue
        variant: Variant = "ordinary" if tried[item.field_name] == 1 else "other"
        tick = Action(act="check", selector=item.selector, role=item.role, name=item.name)
        actions = (tick, send(form, buttons)) if buttons else (tick,)
        instance = f"{page.url} {item.selector}"
        yield Trial(f"tick {item.field_name} in {name}", variant, instance, judgement, page.url, actions)


def _login_trials(
    page: Shown,
    form: str,
    fields: tuple[Actionable, ...],
    buttons: tuple[Actionable, ...],
    judgement: Judgement,
    name: str,
    accounts: Sequence[Account],
) -> Iterator[Trial]:
    user = next((f for f in fields if f.tag == "input" and f.input_type in TEXT_TYPES), None)
    secret = next(f for f in fields if f.input_type == "password")
    at = page.landed or page.url
    here = [account for account in accounts if _same_page(joined(at, account.login_url), at)]
    named = any(address_key(joined(at, account.login_url)) == address_key(page.url) for account in here)
    by_itself = not here or named or (_same_page(page.url, at) and not urlsplit(at).query)
    if user is None:
        return

    def trial(variant: Variant, who: str, word: str, probes: bool, *, contrast: str = "", label: str = "") -> Trial:
        actions = (fill(user, who), fill(secret, word), send(form, buttons, enter=secret))
        instance = contrast or f"{who} {word}"
        tried = Trial(f"login {name}", variant, instance, judgement, page.url, actions, probes, bool(contrast))
        return tried._replace(identity=label)

    if not by_itself:  # sent here from a closed page, to be sent back there
        for account in here[:1]:
            way = "on the way to another page"
            yield trial("other", account.user, _password_of(account), True, contrast=way, label=account.label)
        return
    for account in here:
        yield trial("ordinary", account.user, _password_of(account), True, label=account.label)
    for account in here[:1]:
        yield trial("failing", account.user, "not-the-password", False)
    yield trial("failing", "nobody@example.com" if user.input_type == "email" else "nobody", "not-the-password", False)
    if here:
        yield trial("failing", "", "", False)
    for account in here[:1]:
        yield trial("failing", account.user, "", False, contrast="password empty")
        yield trial("failing", "", "not-the-password", False, contrast="user empty")


def _is_login_page(page: Shown, accounts: Sequence[Account]) -> bool:
    at = page.landed or page.url
    return any(_same_page(joined(at, account.login_url), at) for account in accounts)


def _password_of(account: Account) -> str:
    return f"{{{{password:{account.label}}}}}"


def _post_trials(
    page: Shown,
    form: str,
    fields: tuple[Actionable, ...],
    buttons: tuple[Actionable, ...],
    judgement: Judgement,
    name: str,
    words: Words,
) -> Iterator[Trial]:
    probes = judgement.safety in ("session", "account", "write")
    files = tuple(field for field in fields if field.input_type == "file")
    fields = tuple(field for field in fields if field not in files)
    for number, button in enumerate(buttons[:3] or (None,)):
        label = f"send {name}" + (f" by {_MASK.sub('#', button.name)}" if button else "")
        sending = send(form, (button,) if button else ())
        as_is = tuple(must_fill(field, words) for field in fields if is_empty_required(field))
        as_is += tuple(upload(item) for item in files if item.required)
        yield Trial(label, "ordinary", f"{page.url} {form}", judgement, page.url, (*as_is, sending), probes)
        changed = tuple(action for field in fields if (action := change(field, words)))
        changed += tuple(upload(item) for item in files) if number == 0 else ()
        if changed and number == 0:
            yield Trial(label, "other", page.url, judgement, page.url, (*changed, sending), probes)
        clearable = tuple(
            fill(f, "") for f in fields if f.tag in ("input", "textarea") and f.input_type not in ("checkbox", "radio")
        )
        if clearable and number == 0:
            yield Trial(label, "failing", page.url, judgement, page.url, (*clearable, sending), False)
        if number == 0 and judgement.safety != "read" and not any(item.required for item in files):
            yield from form_contrasts(page, form, fields, buttons, judgement, label, words)


def _link_trial(page: Shown, item: Actionable, templates: Templates) -> Trial:
    target = joined(page.url, item.href)
    action = Action(act="click", selector=item.selector, role=item.role, name=item.name)
    judged = safety.of_link(target, item.name)
    if judged.safety != "read" and safety.is_change(target, item.name):  # a script may send it, and one like it undo it
        name = f"press link {_outline(target)} {_MASK.sub('#', item.name)}".strip()
        return Trial(name, "ordinary", canonical(target), judged, page.url, (action,), True)
    relation = item.attributes.get("rel", "") if item.attributes.get("rel", "") in ("next", "prev") else ""
    behaviour = f"follow {relation or 'link'} to {templates.of(target)}"
    return Trial(behaviour, "ordinary", canonical(target), judged, page.url, (action,))


def navigates(item: Actionable) -> bool:
    """Whether clicking goes to another address, as far as the markup tells."""
    href = item.href
    if not href or href.startswith(("javascript:", "mailto:", "tel:", "data:", "blob:")):
        return False
    if href.startswith("#") and not is_route(href[1:]):
        return False
    return item.role in ("link", "") and not opens(item)


def _leads_elsewhere_on_site(page: Shown, item: Actionable) -> bool:
    """Following a link to another site, or to the page itself, tells nothing about this site."""
    target = canonical(joined(page.url, item.href))
    return urlsplit(target).netloc == urlsplit(canonical(page.url)).netloc and target != canonical(page.url)


def _field_names(fields: Sequence[Actionable]) -> str:
    return ",".join(dict.fromkeys(_MASK.sub("#", field.field_name) for field in fields if field.field_name))


def _outline(url: str) -> str:
    """An address that stays the same for the same kind of form, whatever item it is about.

    >>> _outline("http://a.example/basket/add/5/"), _outline("http://a.example/basket/add/emma/?next=/x")
    ('/basket/add/*/', '/basket/add/*/')
    """
    first, *rest = [segment for segment in urlsplit(url).path.split("/") if segment] or [""]
    return (
        "/"
        + "/".join([first, *(segment if safety.is_deed(segment) else "*" for segment in rest)])
        + ("/" if url.split("?")[0].endswith("/") and first else "")
    )


def _same_page(one: str, other: str) -> bool:
    return urlsplit(canonical(one))[:3] == urlsplit(canonical(other))[:3]


def escalated(trial: Trial, refused: str) -> Trial:
    """A trial that was taken for reading, as what it turned out to be: it would have sent `refused`, METHOD ADDRESS."""
    return trial._replace(judgement=judgement_of(trial.behaviour, refused), probes=True)


def judgement_of(behaviour: str, refused: str) -> Judgement:
    """The class of a behaviour by what it would have sent."""
    return safety.of_form("post", urlsplit(refused.partition(" ")[2]).path, behaviour, ())


def allowed(trial: Trial, allow: Sequence[Safety]) -> bool:
    """Reading is always allowed; anything else, and what is done before and after it, only where it was named."""
    parts = [trial, *trial.then, *([trial.after] if trial.after else [])]
    return all(part.judgement.safety == "read" or part.judgement.safety in allow for part in parts)
