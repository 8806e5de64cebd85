"""The episode loop: observe, decide, act, write down, until something from a closed set of reasons ends it."""

import time
from collections.abc import Callable, Mapping
from typing import Any

from artifacts.digest import digest_bytes
from artifacts.errors import WebAnythingError
from artifacts.events import Emit, Event, Stop, ignore, never
from webanything.agents.calls import parse_call
from webanything.agents.protocol import (
    Action,
    AgentEnvironment,
    Answer,
    Budget,
    EndReason,
    EpisodeResult,
    GaveUp,
    Observation,
    Policy,
    Turn,
)
from webanything.agents.trajectory import Writer

_MALFORMED_IN_A_ROW = 3
_NOTHING = "noop(0)"


class _Ended(Exception):
    def __init__(self, reason: EndReason, *, answer: str | None = None, detail: str = "") -> None:
        super().__init__(reason)
        self.reason, self.answer, self.detail = reason, answer, detail


class Episode:
    """One episode of one policy in one environment, written to one trajectory."""

    def __init__(
        self,
        environment: AgentEnvironment,
        policy: Policy,
        writer: Writer,
        *,
        name: str,
        tree_text: Callable[[Observation], str],
        emit: Emit = ignore,
        stop: Stop = never,
    ) -> None:
        self._environment, self._policy, self._writer = environment, policy, writer
        self._name, self._tree_text, self._emit, self._stop = name, tree_text, emit, stop
        self._steps = self._errors = self._malformed = 0
        self._reward = 0.0
        self._url = ""
        self._began = time.monotonic()

    def run(self, *, seed: int, budget: Budget, accounts: Mapping[str, Mapping[str, str]]) -> EpisodeResult:
        """Reset, then take turns until the episode ends. Failures are in the result; only the user's Ctrl-C escapes."""
        end = _Ended("interrupted")
        try:
            self._take_turns(seed, budget, accounts)
        except _Ended as ended:
            end = ended
        except GaveUp as reason:
            end = _Ended("agent_abort", detail=str(reason))
        finally:  # also when the user interrupts: the trajectory then says so
            segments = [{"seg": 0, "mode": "operation", "first": 0, "last": self._steps, "opened_by": "start"}]
            self._writer.end(end.reason, answer=end.answer, detail=end.detail, segments=segments)
        return EpisodeResult(
            trajectory=str(self._writer.folder),
            environment=self._name,
            policy_kind=self._policy.kind,
            policy=self._policy.name,
            seed=seed,
            steps=self._steps,
            errors=self._errors,
            end=end.reason,
            detail=end.detail,
            answer=end.answer,
            reward=self._reward,
            url=self._url,
            seconds=round(time.monotonic() - self._began, 3),
        )

    def _take_turns(self, seed: int, budget: Budget, accounts: Mapping[str, Mapping[str, str]]) -> None:
        observation, info = self._asked(lambda: self._environment.reset(seed=seed))
        self._writer.note(
            reset=info.get("task_info", {}) or {key: info[key] for key in ("state", "seed") if key in info}
        )
        self._policy.begin(seed=seed, accounts=accounts)
        self._writer.step(
            _step(0, None, None, "", shown="") | {"obs": self._seen(observation), "t": {"model_ms": 0, "env_ms": 0}}
        )
        while True:
            self._check_budget(budget)
            started = time.monotonic()
            turn = self._policy.act(observation)
            observation = self._do(turn, observation, model_ms=round(1000 * (time.monotonic() - started)))

    def _check_budget(self, budget: Budget) -> None:
        if self._stop():
            raise _Ended("controller_abort", detail="asked to stop")
        if self._steps >= budget.steps:
            raise _Ended("budget", detail=f"{budget.steps} steps")
        if budget.seconds and time.monotonic() - self._began >= budget.seconds:
            raise _Ended("budget", detail=f"{budget.seconds:g} seconds")

    def _do(self, turn: Turn, before: Observation, *, model_ms: int) -> Observation:
        """Carry one turn out, write it down, and return what is seen then."""
        answering = isinstance(turn, Answer)  # and so not a step
        text = f"send_msg_to_user({turn.text!r})" if answering else turn.text
        call, mistake = _parsed(text)
        started = time.monotonic()
        after, reward, terminated, truncated, info = self._asked(
            lambda: self._environment.step(_NOTHING if mistake else text)
        )
        if mistake:  # the environment never sees what is no single call
            after = {**after, "last_action": text, "last_action_error": f"ValueError: {mistake}"}
        env_ms = round(1000 * (time.monotonic() - started))
        self._reward = float(reward)
        self._steps += not answering
        failed = bool(after.get("last_action_error"))
        self._errors += failed and not answering
        shown = digest_bytes(self._tree_text(before).encode())
        line = _step(self._steps + answering, turn, call, mistake, shown=shown)
        self._writer.step(line | {"obs": self._seen(after), "t": {"model_ms": model_ms, "env_ms": env_ms}})
        self._emit(Event("step", {"step": self._steps, "action": text, "url": self._url, "failed": failed}))
        self._finish(turn, call, mistake, terminated=terminated, truncated=truncated, info=info)
        return after

    def _finish(
        self,
        turn: Turn,
        call: dict[str, Any] | None,
        mistake: str,
        *,
        terminated: bool,
        truncated: bool,
        info: Mapping[str, Any],
    ) -> None:
        """End the episode where this turn ended it."""
        self._malformed = self._malformed + 1 if mistake else 0
        verdict = (info.get("task_info") or {}).get("verdict")
        if verdict:
            self._writer.verdict(verdict)
        if isinstance(turn, Answer):
            raise _Ended("answered", answer=turn.text)
        if self._malformed >= _MALFORMED_IN_A_ROW:
            raise _Ended("format_failure", detail=mistake)
        tool, args = (call["tool"], call["args"]) if call else ("", {})
        if terminated and tool == "send_msg_to_user":
            raise _Ended("answered", answer=str(args.get("text", "")))
        if terminated and tool == "report_infeasible":
            raise _Ended("agent_abort", detail=str(args.get("reason", "")))
        if terminated:
            raise _Ended("controller_abort", detail="the environment ended the episode")
        if truncated:
            raise _Ended("budget", detail="the environment's own limit")

    def _asked[T](self, ask: Callable[[], T]) -> T:
        """The environment's answer. Its failure ends the episode, not the run."""
        try:
            return ask()
        except WebAnythingError as error:
            raise _Ended("env_error", detail=f"{error.what} {error.where}".strip()) from error
        except Exception as error:  # the boundary to a browser and a server that may both be gone
            raise _Ended("env_error", detail=f"{type(error).__name__}: {error}"[:500]) from error

    def _seen(self, observation: Observation) -> dict[str, Any]:
        self._url = str(observation.get("url", ""))
        return self._writer.observe(observation, self._tree_text(observation))


def _parsed(text: str) -> tuple[dict[str, Any] | None, str]:
    """The call in an action string, or why there is none."""
    try:
        return parse_call(text), ""
    except ValueError as error:
        return None, str(error)


def _step(number: int, turn: Turn | None, call: dict[str, Any] | None, mistake: str, *, shown: str) -> dict[str, Any]:
    """The line of steps.jsonl for a turn; without one, the line of what was seen before the first turn."""
    answer = turn.text if isinstance(turn, Answer) else None
    return {
        "i": number,
        "seg": 0,
        "mode": "operation",
        "prompt_digest": shown,
        "raw": turn.text if turn else "",
        "think": turn.think if turn else "",
        "call": call if answer is None else None,
        "answer": answer,
        "parse": {"ok": not mistake, "dialect": "browsergym", "repair": None, "error": mistake or None},
        "counts_as_action": isinstance(turn, Action),
        "executed_switch": False,
        "usage": {"prompt": 0, "completion": 0, "image": 0, "estimated": False},
        "fold": 0,
        "cited": False,
    }
