"""An environment folder as the runtime reads it, and the digests that prove it is whole."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from environments.runtime.failure import DAMAGED, USAGE, ServeError

FILE = "environment.json"
_NEEDED = ("id", "name", "site", "start", "content", "mirror", "seed", "clock", "hosts")


class Manifest(NamedTuple):
    """`environment.json` and where it lies."""

    folder: Path
    data: Mapping[str, Any]

    @property
    def mirror(self) -> Path:
        return self.folder / "mirror"

    @property
    def hosts(self) -> tuple[str, ...]:
        return tuple(self.data["hosts"])

    @property
    def accounts(self) -> list[dict[str, str]]:
        return list(self.data.get("accounts") or ())


def read_manifest(folder: Path) -> Manifest:
    """The manifest of an environment folder. Raises ServeError if there is none or it lacks something."""
    path = folder / FILE
    try:
        data = json.loads(path.read_bytes())
    except FileNotFoundError as error:
        raise ServeError(
            "This is no environment: it has no environment.json.",
            where=str(folder),
            remedy="Name a folder that `webanything freeze` wrote.",
            code="no_environment",
            exit_code=USAGE,
        ) from error
    except (OSError, ValueError) as error:
        raise _damaged(f"environment.json cannot be read: {error}", path) from error
    missing = [name for name in _NEEDED if not data.get(name)] if isinstance(data, dict) else list(_NEEDED)
    if missing:
        raise _damaged(f"environment.json lacks {', '.join(missing)}.", path)
    return Manifest(folder, data)


def check_seed(manifest: Manifest, seed: str) -> None:
    """Raises ServeError when the seed made from the mirror is not the one that was frozen."""
    if seed != manifest.data["seed"]:
        raise _damaged("The mirror's seed is not the one that was frozen.", manifest.mirror / "seed.sql")


def check_mirror(manifest: Manifest) -> dict[str, str]:
    """The mirror's files. Raises ServeError when any of them is not the one that was frozen."""
    mirror = tree_files(manifest.mirror)
    if digest_files(mirror) != manifest.data["mirror"]:
        raise _damaged("The mirror's files are not the ones that were frozen.", manifest.mirror)
    return mirror


def check_content(manifest: Manifest) -> None:
    """Raises ServeError when any file of the mirror, or the runtime itself, is not the one that was frozen."""
    mirror = check_mirror(manifest)
    if content_digest(mirror) != manifest.data["content"]:
        raise _damaged("The environment was frozen with another version of the runtime.", manifest.folder / FILE)


def tree_files(root: Path) -> dict[str, str]:
    """Relative path -> sha256 for every file below, byte code left out, in order."""
    found = {}
    for path in sorted(root.rglob("*")):
        if path.is_file() and "__pycache__" not in path.relative_to(root).parts:
            with path.open("rb") as file:
                found[path.relative_to(root).as_posix()] = hashlib.file_digest(file, "sha256").hexdigest()
    return found


def digest_files(files: Mapping[str, str]) -> str:
    """One digest over names and contents: sha256 of canonical JSON."""
    canonical = json.dumps(dict(files), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(canonical.encode()).hexdigest()


def runtime_files() -> dict[str, str]:
    """The runtime's own files, as `tree_files` gives them."""
    return tree_files(Path(__file__).parent)


def content_digest(mirror: Mapping[str, str]) -> str:
    """The digest of everything that decides how an environment behaves: the mirror's files and the runtime's."""
    files = {f"mirror/{path}": digest for path, digest in mirror.items()}
    files |= {f"runtime/{path}": digest for path, digest in runtime_files().items()}
    return digest_files(files)


def _damaged(what: str, path: Path) -> ServeError:
    return ServeError(
        what, where=str(path), remedy="Run `webanything freeze` again.", code="damaged", exit_code=DAMAGED
    )
