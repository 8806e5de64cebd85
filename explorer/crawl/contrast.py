"""What sets one thing apart from trials that went before: one guard broken with all else valid, a limit and one beyond.

Successes tell what a form does; each of these tells of one condition. Pure.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from artifacts.evidence import Action, Actionable
from explorer.crawl.filling import fill, is_empty_required, must_fill, send
from explorer.crawl.safety import Judgement
from explorer.crawl.trial import TWO, Shown, Trial, Variant
from explorer.crawl.words import Words, is_amount

MALFORMED = "visitor.example.com"
"""An e-mail address without its sign."""
MARKUP = '<b>bold</b> & "quoted"\nnext line'
_AROUND = 2
"""Behaviours tried before and after logging in."""
_FIRST_TURN = 2
"""Values of earlier turns were sent by the trials that mean to succeed."""
_WHOLE = re.compile(r"-?\d+")


class _Broken(NamedTuple):
    """One field with a value that matters, everything else as it should be."""

    what: str
    variant: Variant
    field: Actionable
    value: str


def form_contrasts(
    page: Shown,
    form: str,
    fields: Sequence[Actionable],
    buttons: Sequence[Actionable],
    judgement: Judgement,
    behaviour: str,
    words: Words,
) -> Iterator[Trial]:
    """Ways to send a form that posts, most telling first; each is tried once on whatever page has the form."""
    sending = send(form, buttons[:1])

    def trial(what: str, variant: Variant, actions: tuple[Action, ...]) -> Trial:
        probes = variant != "failing"
        return Trial(behaviour, variant, what, judgement, page.url, (*actions, sending), probes, contrast=True)

    for turn, broken in enumerate(_broken(fields), start=_FIRST_TURN):
        valid = [_valid(field, words, turn) for field in fields if field is not broken.field]
        actions = (*(action for action in valid if action), fill(broken.field, broken.value))
        yield trial(broken.what, broken.variant, actions)
    if judgement.safety == "account" and any(field.input_type == "password" for field in fields):
        yield trial("the same again", "failing", tuple(must_fill(f, words) for f in fields if is_empty_required(f)))


def _valid(field: Actionable, words: Words, turn: int) -> Action | None:
    """An acceptable value where the form has none; what is filled in already stays."""
    return must_fill(field, words, turn=turn) if is_empty_required(field) else None


def _broken(fields: Sequence[Actionable]) -> Iterator[_Broken]:
    passwords = [field for field in fields if field.input_type == "password"]
    if len(passwords) > 1:
        yield _Broken("passwords that differ", "failing", passwords[-1], "Sandbox-pass-other")
    for field in fields:
        if field.input_type == "email":
            yield _Broken(f"{field.field_name} malformed", "failing", field, MALFORMED)
    typed = [field for field in fields if _is_typed(field)]
    for field in typed:
        if not is_amount(field) and (len(typed) > 1 or field.tag == "textarea"):
            yield _Broken(f"{field.field_name} empty", "failing", field, "")
    for field in typed:
        yield from _amounts(field) if is_amount(field) else _lengths(field)
        if field.tag == "textarea":
            yield _Broken(f"{field.field_name} with markup", "other", field, MARKUP)


def _is_typed(field: Actionable) -> bool:
    return field.tag == "textarea" or (
        field.tag == "input" and field.input_type in ("text", "email", "tel", "url", "password", "number", "search", "")
    )


def _amounts(field: Actionable) -> Iterator[_Broken]:
    """Two and three, where one and another were sent before; each limit and one beyond; nothing; what ends it last."""
    low, high = (_whole(field.attributes.get(name, "")) for name in ("min", "max"))
    wanted: list[tuple[Variant, int]] = [("other", 2), ("other", 1)]
    if high is not None:
        wanted += [("other", high), ("failing", high + 1)]
    wanted += [("failing", low - 1)] if low is not None and low > 0 else []
    wanted += [("other", 0)] if low is None or low <= 0 else []
    for variant, amount in dict.fromkeys(wanted):
        if str(amount) == field.value:
            continue
        if variant == "failing" or ((low is None or low <= amount) and (high is None or amount <= high)):
            yield _Broken(f"{_name(field)} {amount}", variant, field, str(amount))


def _lengths(field: Actionable) -> Iterator[_Broken]:
    """As much text as the field takes, and one character more."""
    most = _whole(field.attributes.get("maxlength", ""))
    if most is not None and 0 < most <= 500 and field.input_type in ("text", "") and field.tag == "input":
        text = ("long text " * (most // 10 + 1))[:most].rstrip().ljust(most, "x")
        yield _Broken(f"{field.field_name} of {most} characters", "other", field, text)
        yield _Broken(f"{field.field_name} of {most + 1} characters", "failing", field, text + "x")


def _whole(text: str) -> int | None:
    return int(text) if _WHOLE.fullmatch(text) else None


def _name(field: Actionable) -> str:
    return re.sub(r"\d+", "#", field.field_name or field.name)


def of_a_kind(trials: Iterable[Trial]) -> Iterator[Trial]:
    """What is done to one thing, then to another, then to the first again: two rows, and the same twice in one.

    `trials` are those of all pages. Only for what a visitor or the site keeps, and where it is offered on two pages or
    by two forms of one page, as beside each thing of a list.
    """
    ordinary: dict[str, dict[tuple[str, str], Trial]] = defaultdict(dict)
    other: dict[tuple[str, tuple[str, str]], Trial] = {}
    for trial in trials:
        if not trial.probes or trial.contrast or trial.judgement.safety not in ("session", "write"):
            continue
        if trial.variant == "ordinary":
            ordinary[trial.behaviour].setdefault(_place(trial), trial)
        elif trial.variant == "other":
            other.setdefault((trial.behaviour, _place(trial)), trial)
    for behaviour, by_place in ordinary.items():
        by_page: dict[str, Trial] = {}
        for trial in by_place.values():
            by_page.setdefault(trial.page, trial)
        found = list((by_page if len(by_page) > 1 else by_place).values())
        if len(found) > 1:
            first, second = found[:2]
            then = tuple(other.get((behaviour, _place(one)), one) for one in (second, first))
            yield first._replace(variant="other", instance=TWO, contrast=True, then=then)


def _place(trial: Trial) -> tuple[str, str]:
    """The page and, by what sends it, the form of a page."""
    return trial.page, trial.actions[-1].selector


def around_login(trials: Sequence[Trial]) -> Iterator[Trial]:
    """What a visitor keeps, done after logging in and before it: whose it is, and whether an account takes it over.

    For each account that logs in and the first behaviours that change something for the visitor.
    """
    logins = [one for one in trials if one.behaviour.startswith("login ") and one.variant == "ordinary"]
    kept: dict[str, Trial] = {}
    for trial in trials:
        if trial.variant == "ordinary" and trial.judgement.safety == "session" and trial.probes:
            kept.setdefault(trial.behaviour, trial)
    for login in logins:
        for trial in list(kept.values())[:_AROUND]:
            for first, second in ((login, trial), (trial, login)):
                instance = f"{login.instance.partition(' ')[0]} then {second.behaviour}"
                yield first._replace(variant="other", instance=instance, contrast=True, then=(second,))
