"""What the contract says of handlers: what each does, what it rests on, what would settle what is open. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from artifacts.contract import Behaviour
from artifacts.evidence import Interaction
from builder.behave.formulas import english
from builder.behave.learn import Behaviour as Learned
from builder.behave.learn import Form

_ENOUGH, _MOST = 2, 20
"""Examples that make a finding of a guess; interactions that a clause names."""


def handlers(learned: Learned, interactions: Sequence[Interaction]) -> tuple[Behaviour, ...]:
    """One clause for each form that a handler answers."""
    by_order = {order: one.digest for one in interactions for order in one.exchanges}
    return tuple(_clause(form, by_order) for form in learned.forms)


def unexplained(learned: Learned) -> tuple[str, ...]:
    """The forms that were sent and that no handler answers, and why."""
    spoken = {form: why for form, why in (learned.open or {}).items() if form.partition(" ")[0].isupper()}
    return tuple(f"{form}: {why}" for form, why in sorted(spoken.items()))


def _clause(form: Form, by_order: Mapping[int, str]) -> Behaviour:
    least = min((effect["changing"] for effect in form.effects), default=form.examples)
    observed = dict.fromkeys(by_order[order] for order in form.orders if order in by_order)
    return Behaviour(
        name=f"handler {form.form}",
        safety="write" if form.effects else "account",
        trigger=form.form,
        observed=tuple(observed)[:_MOST],
        variants=tuple(_told(form)),
        status="observed" if least >= _ENOUGH else "inferred",
        refuted_by="an answer to this form, or rows after it, other than these formulas give",
        experiment=_experiment(form, least),
    )


def _told(form: Form) -> Iterator[str]:
    """Each slot, how it is known, and with how many examples."""
    yield f"answer: exact, {form.examples} examples"
    if form.user != {"leaf": "stays"}:
        yield f"who is signed in: exact, {form.examples} examples"
    for effect in form.effects:
        rests = f"{effect['examples']} examples, {effect['changing']} of a change"
        yield f"rows of {effect['view']} on {english(effect['page'])}: exact, {rests}"
    if form.message != {"leaf": None}:
        yield "message: exact"
    if any("like" in leaf for leaf in leaves(form.outcome)):
        yield "page that is sent back: recorded"


def leaves(choice: Mapping[str, Any]) -> Iterator[Any]:
    """Everything that a choice may come to."""
    if "test" in choice:
        yield from leaves(choice["yes"])
        yield from leaves(choice["no"])
    elif choice["leaf"] is not None:
        yield choice["leaf"]


def _experiment(form: Form, least: int) -> str:
    if least < _ENOUGH:
        return "Send it again with all values different."
    if form.needs_user:
        return "Send it without being signed in."
    if len(list(leaves(form.outcome))) == 1:
        return "Send it with one field empty or wrong."
    return ""
