"""What the loop expects of a policy and of an environment, and what one episode comes to."""

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, Protocol

from artifacts._record import Record

Observation = Mapping[str, Any]
"""One observation with BrowserGym's keys."""

PolicyKind = Literal["llm", "scripted", "oracle", "heuristic", "random", "null"]
"""Named beside every number a policy made: a script that succeeds says nothing about a model."""

EndReason = Literal[
    "answered",
    "budget",
    "human_verification",
    "format_failure",
    "context_overflow",
    "env_error",
    "controller_abort",
    "interrupted",
    "agent_abort",
]


class Action(NamedTuple):
    """A turn that does something, as one BrowserGym action string such as "click('12')"."""

    text: str
    think: str = ""


class Answer(NamedTuple):
    """A turn that ends the episode. It is not counted as a step."""

    text: str
    think: str = ""


Turn = Action | Answer


class GaveUp(Exception):
    """Raised by a policy that cannot go on; the episode ends with "agent_abort"."""


class Policy(Protocol):
    """Decides one turn from one observation. `begin` comes before the first turn of every episode."""

    @property
    def kind(self) -> PolicyKind: ...

    @property
    def name(self) -> str: ...

    def begin(self, *, seed: int, accounts: Mapping[str, Mapping[str, str]]) -> None:
        """Forget the last episode. `accounts` are the sandbox's own, by label."""

    def act(self, observation: Observation) -> Turn: ...


class AgentEnvironment(Protocol):
    """The part of a Gymnasium environment that the loop uses."""

    def reset(self, *, seed: int | None = None) -> tuple[Observation, dict[str, Any]]: ...

    def step(self, action: str) -> tuple[Observation, float, bool, bool, dict[str, Any]]: ...


class Budget(NamedTuple):
    """Where an episode ends unless the policy ends it; an answer is not a step."""

    steps: int
    seconds: float = 0.0
    """Zero means no limit."""


class EpisodeResult(Record):
    """One finished episode in numbers; the trajectory folder holds the rest."""

    kind: Literal["episode.v1"] = "episode.v1"
    trajectory: str
    """Its folder."""
    environment: str
    policy_kind: PolicyKind
    policy: str
    seed: int
    steps: int
    errors: int
    """Steps whose action the environment could not do."""
    end: EndReason
    detail: str = ""
    answer: str | None = None
    reward: float = 0.0
    url: str = ""
    """Where the episode ended."""
    seconds: float
