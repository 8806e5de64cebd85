"""One way to try one behaviour, and the page it is tried on."""

from typing import Literal, NamedTuple

from artifacts.evidence import Action, Actionable
from explorer.crawl.safety import Judgement

Variant = Literal["ordinary", "other", "failing"]

TWO = "two of a kind"
"""Instance of the trials that do something to two things and to one of them again."""


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
    contrast: bool = False
    """Whether it sets one thing apart from trials made before, which `instance` then names: a limit, an empty field."""
    then: tuple["Trial", ...] = ()
    """What is done next by the same visitor, each on its own page."""
    identity: str = ""
    """Label of the account that it logs in with, if that works."""
    after: "Trial | None" = None
    """The login that the same visitor begins with."""

    @property
    def name(self) -> str:
        """What it is counted as: the same done as somebody is another behaviour."""
        return f"{self.behaviour} as {self.after.identity}" if self.after else self.behaviour


class Shown(NamedTuple):
    """What planning needs to know of a captured state."""

    url: str
    template: str
    items: tuple[Actionable, ...]
    landed: str = ""
    """Where asking for `url` led, if elsewhere."""
    identity: str = "anonymous"
    """As whom it was seen."""


def is_twice(trial: Trial) -> bool:
    """Whether it does one and the same thing two times."""
    return len(trial.actions) == 2 and trial.actions[0] == trial.actions[1]


def looking(url: str, kind: str) -> Trial:
    """Going to an address of a page of that kind, by itself."""
    action = Action(act="goto", url=url)
    return Trial(f"look at {kind}", "ordinary", url, Judgement("read", "going to an address"), url, (action,))
