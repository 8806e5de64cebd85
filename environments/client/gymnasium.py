"""Environments for Gymnasium, with BrowserGym's observations and actions: `gymnasium.make("webanything/NAME-v1")`.

Importing this module registers every environment that is found; `register` adds others.
"""

import contextlib
import functools
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import gymnasium
import numpy as np
from numpy.typing import NDArray
from playwright.sync_api import Error, Page

from artifacts.environment import Environment
from artifacts.errors import UnavailableError, UsageError
from artifacts.run import Lens
from environments import registry
from environments.client import actions
from environments.client.axtree import axtree_text
from environments.client.calls import parse_calls
from environments.client.desk import TabDesk, dead_end
from environments.client.observe import Seen, picture, see
from environments.client.plane import ControlPlane
from environments.client.spaces import Unicode, observation_space
from environments.runtime.clock import parse_instant
from environments.runtime.places import Hosts
from environments.serving import Served, serving
from explorer.lens.browser import new_context, open_browser
from explorer.lens.settle import settle

__all__ = ["Task", "WebAnythingEnv", "axtree_text", "register", "register_found"]

SETTLE_MS = 5_000
LOOKS = 3

Observation = dict[str, Any]


@runtime_checkable
class Task(Protocol):
    """What is to be done and whether it was, the way BrowserGym's tasks say it."""

    def setup(self, page: Page) -> tuple[str, dict[str, Any]]:
        """The goal, after whatever has to be prepared."""

    def validate(self, page: Page, chat_messages: list[dict[str, Any]]) -> tuple[float, bool, str, dict[str, Any]]:
        """Reward, whether it is over, a message to the agent (or none), and more."""

    def teardown(self) -> None: ...


class WebAnythingEnv(gymnasium.Env[Observation, str]):
    """One browser on one session of an environment.

    With a folder it serves the environment itself. With `url`, `control_url` and `token` it joins one that is running
    and takes a session of its own there, unless one is named. `registered` is the folder that an id stands for.
    `task` is a goal in words, or a Task that can judge.
    Whatever the agent does, its browser reaches nothing but this session: no other host, no control plane.
    """

    metadata = {"render_modes": ["rgb_array"], "render_fps": 2}

    def __init__(
        self,
        environment: Path | str | None = None,
        *,
        task: Task | str | None = None,
        session: str | None = None,
        url: str | None = None,
        control_url: str | None = None,
        token: str = "",
        width: int = 1280,
        height: int = 720,
        render_mode: str | None = None,
        terminate_on_infeasible: bool = True,
        registered: Path | str | None = None,
    ) -> None:
        environment = environment or (None if url else registered)
        if environment is None and not (url and control_url):
            raise UsageError(
                "There is no environment to open.",
                remedy="Name an environment's folder, or the url, control_url and token of one that is served.",
                code="no_environment",
            )
        self.render_mode = render_mode
        self.action_space = Unicode()
        self.observation_space = observation_space(width, height)
        self._folder = None if environment is None else registry.environment_folder(environment)
        self._served = Served(url or "", control_url or "", token, 0, []) if self._folder is None else None
        self._size = (width, height)
        self._task = task
        self._session_name = session
        self._terminate_on_infeasible = terminate_on_infeasible
        self._closing = contextlib.ExitStack()
        self._episode = contextlib.ExitStack()
        self._desk: TabDesk | None = None
        self._goal = ""
        self._last = ("", "")
        self._began = 0.0

    @functools.cached_property
    def _plane(self) -> ControlPlane:
        """The control plane; the environment is started first if it is this one's to start."""
        if self._served is None:
            assert self._folder is not None
            self._served = self._closing.enter_context(serving(self._folder))
        return ControlPlane(self._served.control_url, self._served.token)

    @functools.cached_property
    def _manifest(self) -> dict[str, Any]:
        return self._plane.manifest()

    @functools.cached_property
    def _session(self) -> dict[str, Any]:
        """Name and address of this environment's session."""
        if self._session_name is None and self._folder is None:
            made = self._plane.create_session()
            self._closing.callback(self._give_back, made["session"])
            return made
        if self._session_name not in (None, "default") and self._folder is not None:
            return self._plane.create_session(self._session_name)
        return self._plane.session(self._session_name or "default")

    def _give_back(self, session: str) -> None:
        with contextlib.suppress(UnavailableError):  # it may have been ended, and its sessions with it
            self._plane.delete_session(session)

    @functools.cached_property
    def _browser(self) -> Any:
        proxy = self._closing.enter_context(dead_end())
        return self._closing.enter_context(open_browser(proxy, bypass=[self._authority]))

    @property
    def _authority(self) -> str:
        return str(self._session["url"]).partition("://")[2]

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """The session back at its seed, a browser without history at the site's first page.

        `seed` decides what Math.random gives in pages. The proof of the reset is in the info: seed, state, ms.
        """
        super().reset(seed=seed)
        self._episode.close()
        proof = self._plane.reset(self._session["session"])
        lens = Lens(width=self._size[0], height=self._size[1], clock=self._manifest["clock"], seed=seed or 1)
        context = new_context(self._browser, lens)
        self._episode.callback(_close_quietly, context)
        self._began = time.monotonic()
        self._desk = TabDesk(context, authority=self._authority, hosts=Hosts(self._manifest["hosts"]), now=self._now)
        self._desk.page.goto(self._start(), wait_until="domcontentloaded")
        settle(self._desk.page, cap_ms=SETTLE_MS)
        self._goal, task_info = self._begin_task(self._desk)
        if self._goal:
            self._desk.say("user", self._goal)
        self._last = ("", "")
        self._began = time.monotonic()  # the agent's time starts when it can see something
        for message in self._desk.chat:
            message["timestamp"] = self._now(elapsed=0.0)
        return self._observe(elapsed=0.0), {**proof, "task_info": task_info}

    def _start(self) -> str:
        start = str(self._manifest["start_url"]).removeprefix(str(self._manifest["url"]))
        return f"{self._session['url']}{start}"

    def _begin_task(self, desk: TabDesk) -> tuple[str, dict[str, Any]]:
        if self._task is None or isinstance(self._task, str):
            return self._task or "", {}
        goal, info = self._task.setup(desk.page)
        self._episode.callback(self._task.teardown)
        settle(desk.page, cap_ms=SETTLE_MS)
        return goal, info

    def step(self, action: str) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """The action carried out as far as it can be. What goes wrong is in the observation's `last_action_error`."""
        desk = self._opened()
        started = time.time()
        self._last = (str(action), self._perform(desk, action))
        stopped = time.time()
        settle(desk.page, cap_ms=SETTLE_MS)
        reward, done, task_info = self._judge(desk)
        if self._terminate_on_infeasible and desk.infeasible:
            done = True
        info = {"task_info": task_info, "action_exec_start": started, "action_exec_stop": stopped}
        return self._observe(), reward, done, False, info

    def _perform(self, desk: TabDesk, action: str) -> str:
        """Empty when all went well, else what a person would want to know, as "Type: message"."""
        try:
            for call in parse_calls(action):
                actions.perform(desk, call)
        except (ValueError, Error) as error:
            said = str(error).split("\nCall log:")[0].strip()
            return f"{type(error).__name__}: {said}"
        return ""

    def _judge(self, desk: TabDesk) -> tuple[float, bool, dict[str, Any]]:
        if self._task is None or isinstance(self._task, str):
            return 0.0, False, {}
        reward, done, message, info = self._task.validate(desk.page, desk.chat)
        if message:
            desk.say("user", message)
        return float(reward), bool(done), info

    def _observe(self, *, elapsed: float | None = None) -> Observation:
        desk = self._opened()
        seen = self._see(desk)
        return {
            "chat_messages": tuple(dict(message) for message in desk.chat),
            "goal": self._goal,
            "goal_object": ({"type": "text", "text": self._goal},),
            "open_pages_urls": tuple(page.url for page in desk.pages),
            "open_pages_titles": desk.titles(),
            "active_page_index": np.array([desk.active], dtype=np.int64),
            "url": desk.page.url,
            "screenshot": seen.screenshot,
            "dom_object": seen.dom,
            "axtree_object": seen.axtree,
            "extra_element_properties": seen.extra,
            "focused_element_bid": seen.focused,
            "last_action": self._last[0],
            "last_action_error": self._last[1],
            "elapsed_time": np.array([time.monotonic() - self._began if elapsed is None else elapsed]),
        }

    def _see(self, desk: TabDesk) -> Seen:
        """The page in front; looked at again when it is replaced under the look."""
        for attempt in range(LOOKS):
            try:
                return see(desk.session(), *self._size)
            except Error:
                if attempt == LOOKS - 1:
                    raise
                settle(desk.page, cap_ms=SETTLE_MS)
        raise AssertionError("the last attempt returns or raises")

    def render(self) -> NDArray[np.uint8]:
        """The viewport as it is now."""
        return picture(self._opened().session())

    def close(self) -> None:
        """Ends the browser, and the environment if this one started it. Closing twice does nothing."""
        self._episode.close()
        self._desk = None
        self._closing.close()

    def _opened(self) -> TabDesk:
        if self._desk is None:
            raise UsageError("The environment is not open.", remedy="Call reset() first.", code="not_reset")
        return self._desk

    def _now(self, *, elapsed: float | None = None) -> float:
        """The instant in the sandbox: the contract's clock and the time since the episode began."""
        passed = time.monotonic() - self._began if elapsed is None else elapsed
        return parse_instant(str(self._manifest["clock"])) + passed


def _close_quietly(context: Any) -> None:
    with contextlib.suppress(Error):
        context.close()


def register(folder: Path | str) -> str:
    """Make an environment's folder known to `gymnasium.make`; the id it has there. Again changes the folder."""
    place = registry.environment_folder(folder)
    record = Environment.from_bytes((place / "environment.json").read_bytes())
    gymnasium.envs.registration.registry.pop(record.id, None)
    gymnasium.register(
        record.id,
        entry_point="environments.client.gymnasium:WebAnythingEnv",
        kwargs={"registered": place},
        nondeterministic=True,  # elapsed_time is part of every observation; all else is equal from reset to reset
    )
    return record.id


def register_found(folders: Iterable[Path] | None = None) -> list[str]:
    """Register every environment in the folders (by default where environments are looked for), newest runs last."""
    return [register(found.folder) for found in registry.find_environments(folders)]


register_found()
