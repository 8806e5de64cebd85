"""One folder a trajectory: meta.json, steps.jsonl, media/, obs/ and verdicts.jsonl.

Each step is on disk before the next begins, so a killed run leaves a readable beginning.
"""

import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from PIL import Image

from artifacts.digest import digest_bytes
from artifacts.errors import DamagedError
from artifacts.store import Journal, write_file
from webanything.agents.protocol import Observation

SCHEMA = "trace/1"


class Trajectory(NamedTuple):
    """A trajectory read back. One that was never finished ends with "interrupted"."""

    meta: dict[str, Any]
    steps: tuple[dict[str, Any], ...]
    verdicts: tuple[dict[str, Any], ...]


class Writer:
    """Writes one trajectory, step by step. The policy's kind is part of it from the first byte."""

    def __init__(self, folder: Path, meta: Mapping[str, Any]) -> None:
        if not meta.get("policy", {}).get("kind"):
            raise ValueError("a trajectory names the kind of policy that made it")
        self.folder = folder
        self._meta = {"schema": SCHEMA, **meta}
        self._steps = Journal(folder / "steps.jsonl")
        self._verdicts = Journal(folder / "verdicts.jsonl")
        for name in ("media", "obs"):
            (folder / name).mkdir(parents=True, exist_ok=True)
        for name in ("steps.jsonl", "verdicts.jsonl"):
            (folder / name).touch()
        self._save()

    def step(self, step: Mapping[str, Any]) -> None:
        """Append one step and wait until it is on disk."""
        self._steps.append(dict(step))

    def verdict(self, verdict: Mapping[str, Any]) -> None:
        self._verdicts.append({"schema": "verdict/1", **verdict})

    def observe(self, observation: Observation, tree_text: str) -> dict[str, Any]:
        """Keep what was seen and return it as the step's `obs`; equal pictures and trees are kept once."""
        error = str(observation.get("last_action_error", "") or "")
        titles = observation.get("open_pages_titles") or ("",)
        active = int(np.asarray(observation.get("active_page_index", 0)).reshape(-1)[0])
        shot = observation.get("screenshot")
        kind, _, message = error.partition(": ")
        return {
            "text": error or "ok",
            "image": None if shot is None else self._keep_picture(np.asarray(shot)),
            "url": str(observation.get("url", "")) or None,
            "title": str(titles[active]) if active < len(titles) else None,
            "axtree": self._keep(tree_text.encode(), "obs", "txt"),
            "viewport": None if shot is None else [int(np.asarray(shot).shape[1]), int(np.asarray(shot).shape[0])],
            "state_ref": None,
            "status": "error" if error else "ok",
            "error": {"kind": kind, "message": message} if error else None,
        }

    def end(self, reason: str, *, answer: str | None, detail: str, segments: list[dict[str, Any]]) -> None:
        """Close the trajectory: meta.json then says how it ended."""
        self._meta |= {
            "segments": segments,
            "end": {"reason": reason, "answer": answer, "forced": False, "detail": detail},
        }
        self._save()

    def note(self, **facts: Any) -> None:
        """Add facts that are known only once the environment is up."""
        self._meta |= facts
        self._save()

    def _save(self) -> None:
        write_file(self.folder / "meta.json", json.dumps(self._meta, indent=1, ensure_ascii=False).encode() + b"\n")

    def _keep_picture(self, pixels: np.ndarray[Any, Any]) -> str:
        out = io.BytesIO()
        Image.fromarray(pixels).save(out, "PNG", compress_level=1)
        return self._keep(out.getvalue(), "media", "png")

    def _keep(self, data: bytes, folder: str, ending: str) -> str:
        name = f"{folder}/{digest_bytes(data)}.{ending}"
        if not (self.folder / name).exists():
            write_file(self.folder / name, data)
        return name


def read_trajectory(folder: Path) -> Trajectory:
    """The trajectory in this folder, up to its last whole step. Raises DamagedError if there is none."""
    try:
        meta = json.loads((folder / "meta.json").read_bytes())
    except (OSError, ValueError) as error:
        raise DamagedError(
            f"This is no trajectory: {error}", where=str(folder), remedy="Give a folder that a run of an agent wrote."
        ) from error
    meta.setdefault("end", {"reason": "interrupted", "answer": None, "forced": False, "detail": "never finished"})
    steps = tuple(Journal(folder / "steps.jsonl").read())
    return Trajectory(meta, steps, tuple(Journal(folder / "verdicts.jsonl").read()))
