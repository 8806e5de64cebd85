"""Scripts of the lens in a page, in a world of their own: they share the document and nothing else with the page's.

A page may replace Map, JSON or Array.from, or freeze prototypes; in a world of its own the lens does not notice, and
the scripts of the page cannot see the lens.
"""

import contextlib
import weakref
from typing import Any, Self

from playwright.sync_api import CDPSession, Error, Page

from explorer.lens.characters import well_formed
from explorer.lens.scripts import script

ANSWER_MS = 30_000
"""A page whose own scripts leave no room for an answer for this long is given up."""

_sessions: weakref.WeakKeyDictionary[Page, CDPSession] = weakref.WeakKeyDictionary()


class World:
    """The lens's scripts in the document that a page shows now; every call raises Error once that document is gone.

    Raises TimeoutError when a page is too busy to answer.
    """

    def __init__(self, page: Page) -> None:
        if page not in _sessions:
            _sessions[page] = page.context.new_cdp_session(page)
        self._session = _sessions[page]
        self.frame: str = self.ask("Page.getFrameTree")["frameTree"]["frame"]["id"]
        made = self.ask("Page.createIsolatedWorld", frameId=self.frame, worldName="lens")
        self._context: int = made["executionContextId"]

    def ask(self, method: str, **parameters: Any) -> dict[str, Any]:
        """The browser's answer to one command of its protocol."""
        # Without a limit of its own a command waits for ever on a page in an endless loop.
        said: dict[str, Any] = self._session.send(method, parameters, timeout=ANSWER_MS)
        return said

    def call(self, name: str, argument: Any = None) -> Any:
        """What the function in scripts/NAME.js gives for the argument; a promise is waited for."""
        where = {"executionContextId": self._context, "arguments": [{"value": argument}]}
        return well_formed(self._send(script(name), returnByValue=True, **where)["value"])

    def hold(self, name: str, argument: Any = None) -> "Held":
        """The object that the function in scripts/NAME.js gives, kept in the page."""
        where = {"executionContextId": self._context, "arguments": [{"value": argument}]}
        return Held(self, self._send(script(name), **where)["objectId"])

    def _send(self, function: str, **options: Any) -> dict[str, Any]:
        answer = self.ask("Runtime.callFunctionOn", functionDeclaration=function, awaitPromise=True, **options)
        if failure := answer.get("exceptionDetails"):
            raise Error(failure.get("exception", {}).get("description") or failure["text"])
        result: dict[str, Any] = answer["result"]
        return result


class Held:
    """An object in the page whose methods can be called until the end of the block."""

    def __init__(self, world: World, object_id: str) -> None:
        self._world = world
        self._id = object_id

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(Error):  # it went with its document
            self._world.ask("Runtime.releaseObject", objectId=self._id)

    def call(self, method: str, argument: Any = None) -> Any:
        """What its method gives for the argument, as a plain value; a promise is waited for."""
        function = f"function (argument) {{ return this.{method}(argument); }}"
        where = {"objectId": self._id, "arguments": [{"value": argument}]}
        return self._world._send(function, returnByValue=True, **where).get("value")
