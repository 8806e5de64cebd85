"""The candidate's control plane, asked over HTTP as any harness would."""

import json
import urllib.error
import urllib.request
from typing import Any

from artifacts.errors import UnavailableError

_direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class Control:
    """The routes of the control plane that a verification needs."""

    def __init__(self, url: str, token: str) -> None:
        self.url = url.rstrip("/")
        self._token = token

    def manifest(self) -> dict[str, Any]:
        """What the candidate says it is; empty where it does not say."""
        try:
            return self._ask("GET", "/manifest")
        except UnavailableError:
            return {}

    def new_session(self) -> tuple[str, str] | None:
        """Name and address of a session of its own; None where the candidate has no sessions."""
        try:
            said = self._ask("POST", "/sessions", {})
            return str(said["session"]), str(said["url"])
        except (UnavailableError, KeyError):
            return None

    def end_session(self, session: str) -> None:
        """Give a session up. One that is gone already is gone."""
        try:
            self._ask("DELETE", f"/sessions/{session}")
        except UnavailableError:
            return

    def reset(self, session: str | None) -> dict[str, str]:
        """Put a session back to the seed: {"seed", "state", "ms"}, as said. Raises UnavailableError."""
        said = self._ask("POST", "/reset", {"session": session})
        return {name: str(said.get(name, "")) for name in ("seed", "state", "ms")}

    def _ask(self, method: str, path: str, body: Any = None) -> dict[str, Any]:
        request = urllib.request.Request(
            self.url + path,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {self._token}", "Content-Type": "application/json"},
            method=method,
        )
        try:
            with _direct.open(request, timeout=30) as answer:
                said = json.loads(answer.read() or b"{}")
        except (OSError, ValueError) as error:
            raise UnavailableError(
                f"The candidate's control plane does not answer {method} {path}: {error}",
                where=self.url,
                remedy="Serve the candidate again; look at its log.",
                code="control_unreachable",
            ) from error
        return said if isinstance(said, dict) else {}
