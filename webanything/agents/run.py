"""Episodes of one policy in one environment, each with a trajectory of its own."""

import importlib.metadata
import itertools
from pathlib import Path
from typing import Any

from artifacts.digest import digest_json
from artifacts.environment import Environment
from artifacts.errors import DamagedError, UsageError
from artifacts.events import Emit, Event, Stop, ignore, never
from webanything.agents.calls import tools
from webanything.agents.loop import Episode
from webanything.agents.policies.dice import RandomPolicy
from webanything.agents.policies.null import NullPolicy
from webanything.agents.policies.scripted import ScriptedPolicy
from webanything.agents.protocol import Budget, EpisodeResult, Policy
from webanything.agents.trajectory import Writer

AGENTS = ("random", "scripted", "null")


def run_episodes(
    environment_dir: Path,
    *,
    agent: str,
    episodes: int,
    steps: int,
    seed: int,
    out: Path,
    emit: Emit = ignore,
    script: Path | None = None,
    stop: Stop = never,
) -> list[EpisodeResult]:
    """Run the agent `episodes` times, seeds counting up from `seed`; each trajectory gets a new folder below `out`.

    Raises UsageError for an unknown agent, a script that is none, or a folder without an environment.
    """
    from environments.client.gymnasium import WebAnythingEnv, axtree_text  # a browser's worth of imports

    policy = make_policy(agent, script)
    record = _environment(environment_dir)
    accounts = {account["label"]: account for account in record.accounts}
    results = []
    environment = WebAnythingEnv(environment_dir)
    try:
        for number in range(episodes):
            if stop():
                break
            folder, attempt = _new_folder(out, f"{record.name}-{policy.name}-s{seed + number}")
            writer = Writer(folder, _meta(record, policy, folder.name, seed + number, attempt, steps))
            episode = Episode(environment, policy, writer, name=record.id, tree_text=axtree_text, emit=emit, stop=stop)
            result = episode.run(seed=seed + number, budget=Budget(steps), accounts=accounts)
            emit(Event("episode", result.model_dump(mode="json")))
            results.append(result)
    finally:
        environment.close()
    return results


def make_policy(agent: str, script: Path | None = None) -> Policy:
    """The policy of this name. Raises UsageError for a name or a script that cannot be used."""
    if agent == "random":
        return RandomPolicy()
    if agent == "null":
        return NullPolicy()
    if agent != "scripted":
        remedy = f"Use one of: {', '.join(AGENTS)}."
        raise UsageError(f"There is no agent {agent!r}.", remedy=remedy, code="no_such_agent")
    if script is None:
        raise UsageError("The scripted agent has no script.", remedy="Name one with --script FILE.", code="no_script")
    return ScriptedPolicy.read(script)


def _environment(folder: Path) -> Environment:
    path = folder / "environment.json"
    try:
        return Environment.from_bytes(path.read_bytes())
    except (FileNotFoundError, NotADirectoryError) as error:
        raise UsageError(
            "This folder holds no environment.",
            where=str(folder),
            remedy="Give the environment folder that reconstruct printed.",
            code="no_environment",
        ) from error
    except DamagedError as error:
        raise DamagedError(error.what, where=str(path), remedy=error.remedy) from error


def _new_folder(out: Path, name: str) -> tuple[Path, int]:
    """A folder nobody has used yet, and which attempt it is."""
    for attempt in itertools.count(1):
        folder = out / f"{name}-{attempt}"
        try:
            folder.mkdir(parents=True)
        except FileExistsError:
            continue
        return folder, attempt
    raise AssertionError("counting never ends")


def _meta(record: Environment, policy: Policy, trajectory: str, seed: int, attempt: int, steps: int) -> dict[str, Any]:
    site = {"site_id": record.id, "artifact_digest": record.content, "reset_token": record.seed}
    return {
        "trajectory_id": trajectory,
        "task_id": None,
        "attempt": attempt,
        "env": {"sites": [site], "corpus_digest": None, "clock": record.clock},
        "harness": {
            "name": "webanything",
            "version": importlib.metadata.version("webanything"),
            "prompt_digests": {},
            "tool_schema_digest": digest_json(tools()),
        },
        "policy": {"kind": policy.kind, "name": policy.name, "model": None, "sampling": {}},
        "seed": seed,
        "budget": {"steps": steps, "tokens": None, "seconds": None},
        "segments": [],
    }
