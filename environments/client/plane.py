"""The control plane from the outside: what an evaluator may ask and an agent may not."""

import json
import urllib.error
import urllib.request
from typing import Any
from urllib.parse import quote

from artifacts.errors import UnavailableError

SECONDS = 30.0


class ControlPlane:
    """Requests to one control plane; every answer is a JSON object."""

    def __init__(self, url: str, token: str) -> None:
        self.url = url.rstrip("/")
        self._token = token
        # no proxy of the user's stands between this process and a loopback address
        self._opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))

    def ask(self, method: str, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        """The answer to one request. Raises UnavailableError when it is refused or nobody answers."""
        data = None if body is None else json.dumps(body).encode()
        headers = {"Authorization": f"Bearer {self._token}", "Content-Type": "application/json"}
        request = urllib.request.Request(self.url + path, data=data, headers=headers, method=method)
        try:
            with self._opener.open(request, timeout=SECONDS) as answer:
                return dict(json.load(answer))
        except urllib.error.HTTPError as error:
            with error:
                told = error.read().decode(errors="replace").strip()
            raise UnavailableError(
                f"The control plane refused ({error.code}): {told[:300]}",
                where=self.url + path,
                remedy="Check the token and the session's name.",
                code="control_refused",
            ) from error
        except (OSError, ValueError) as error:
            raise UnavailableError(
                f"The control plane does not answer: {error}",
                where=self.url + path,
                remedy="Start the environment with `webanything serve`.",
                code="control_unreachable",
            ) from error

    def manifest(self) -> dict[str, Any]:
        return self.ask("GET", "/manifest")

    def reset(self, session: str | None = None) -> dict[str, Any]:
        """{"session", "seed", "state", "ms"}, after the session was put back to its seed."""
        return self.ask("POST", "/reset", {"session": session})

    def create_session(self, name: str | None = None) -> dict[str, Any]:
        return self.ask("POST", "/sessions", {"session": name})

    def session(self, name: str) -> dict[str, Any]:
        return self.ask("GET", f"/sessions/{quote(name, safe='')}")

    def delete_session(self, name: str) -> None:
        self.ask("DELETE", f"/sessions/{quote(name, safe='')}")
