"""One way to try one behaviour, and the page it is tried on."""

from typing import Literal, NamedTuple

from artifacts.evidence import Action, Actionable
from explorer.crawl.safety import Judgement

Variant = Literal["ordinary", "other", "failing"]


class Trial(NamedTuple):
    """One way to try one behaviour."""

    behaviour: str
    variant: Variant
    instance: str
    """Tells trials of one behaviour and variant apart: a button on another page, another word."""
    judgement: Judgement
    page: str
    """Address of the page it starts on."""
    actions: tuple[Action, ...]
    probes: bool = False
    """Whether pages that may show the effect are looked at afterwards."""


class Shown(NamedTuple):
    """What planning needs to know of a captured state."""

    url: str
    template: str
    items: tuple[Actionable, ...]


def is_twice(trial: Trial) -> bool:
    """Whether it does one and the same thing two times."""
    return len(trial.actions) == 2 and trial.actions[0] == trial.actions[1]
