"""The pieces of work that a verification is cut into, and what comes of one. All of it travels between processes."""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from artifacts.contract import Volatile
from artifacts.evidence import Action, PageState
from artifacts.report import InteractionCheck, Metrics, Noise, StateCheck, Which
from artifacts.run import Lens
from verifier.check import Step
from verifier.judge import Trouble

SECONDS_EACH = 90.0
"""A look or a step that takes longer hangs."""


class Setup(NamedTuple):
    """What every worker is given."""

    store: Path
    site: str
    address: str
    lens: Lens
    control: str | None
    token: str
    own_session: bool
    secrets: Mapping[str, str]
    volatile: tuple[Volatile, ...]


class NoiseUnit(NamedTuple):
    """Two looks of the Explorer at one address of the site."""

    first: PageState
    second: PageState

    @property
    def subject(self) -> str:
        return self.first.requested

    @property
    def seconds(self) -> float:
        return SECONDS_EACH


class StateUnit(NamedTuple):
    """One state to look at."""

    state: PageState
    which: Which
    noise: Noise | None

    @property
    def subject(self) -> str:
        return self.state.requested

    @property
    def seconds(self) -> float:
        return 2 * SECONDS_EACH


class EpisodeUnit(NamedTuple):
    """Interactions that follow each other."""

    steps: tuple[Step, ...]
    which: Which

    @property
    def subject(self) -> str:
        return self.steps[0].interaction.behaviour

    @property
    def seconds(self) -> float:
        return 2 * SECONDS_EACH * (1 + len(self.steps))


Unit = NoiseUnit | StateUnit | EpisodeUnit


class Outcome(NamedTuple):
    """What came of one unit."""

    states: tuple[StateCheck, ...] = ()
    links: tuple[str, ...] = ()
    """Of the page on the candidate, as addresses of the evidence."""
    interactions: tuple[InteractionCheck, ...] = ()
    noise: Metrics | None = None
    volatile: frozenset[str] = frozenset()
    resets: tuple[dict[str, str], ...] = ()
    troubles: tuple[Trouble, ...] = ()
    missed: str = ""
    """Why the unit was not done at all."""
    damage: tuple[str, str, str] | None = None
    """A blob of the evidence that cannot be read: what, where and remedy."""


def in_words(action: Action) -> str:
    """The action as a person would be told to do it.

    >>> in_words(Action(act="fill", name="Search", value="lamp"))
    'fill Search with "lamp"'
    >>> in_words(Action(act="goto", url="https://shop.example/"))
    'open https://shop.example/'
    """
    if action.act == "goto":
        return f"open {action.url}" + (f" as {action.value.partition(':')[0]}" if action.value else "")
    what = action.name or action.selector
    match action.act:
        case "fill":
            return f'fill {what} with "{action.value}"'
        case "select":
            return f'choose "{action.value}" in {what}'
        case "press":
            return f"press {action.value}" + (f" in {what}" if what else "")
        case _:
            return f"{action.act} {what}"
