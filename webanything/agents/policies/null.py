"""The floor under every other policy."""

from collections.abc import Mapping

from webanything.agents.protocol import Answer, Observation, PolicyKind, Turn


class NullPolicy:
    """Answers with nothing at once. A check that it passes is no check."""

    kind: PolicyKind = "null"
    name = "null"

    def begin(self, *, seed: int, accounts: Mapping[str, Mapping[str, str]]) -> None:
        pass

    def act(self, observation: Observation) -> Turn:
        return Answer("")
