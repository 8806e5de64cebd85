"""Content digests: one spelling (64 lower-case hex digits of sha256) for every byte string, record and folder."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import StringConstraints

Digest = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]


def digest_bytes(data: bytes) -> str:
    """The sha256 of the bytes, as hex.

    >>> digest_bytes(b"")[:12]
    'e3b0c44298fc'
    """
    return hashlib.sha256(data).hexdigest()


def canonical_json(value: Any) -> bytes:
    """JSON with sorted keys and no spaces: equal values give equal bytes, whatever order their keys came in.

    >>> canonical_json({"b": 1, "a": "é"}) == canonical_json({"a": "é", "b": 1})
    True
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def digest_json(value: Any) -> str:
    """The digest of a JSON value, independent of key order."""
    return digest_bytes(canonical_json(value))


def digest_file(path: Path) -> str:
    """The digest of a file's bytes, read in pieces."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def tree_files(root: Path, *, ignore: Iterable[str] = ("__pycache__",)) -> dict[str, str]:
    """Relative path -> digest for every regular file below `root`, sorted by path.

    Byte-code folders are left out: they appear when the code runs and change nothing it does.
    """
    ignored = set(ignore)
    return {
        path.relative_to(root).as_posix(): digest_file(path)
        for path in sorted(root.rglob("*"))
        if path.is_file() and not ignored.intersection(path.relative_to(root).parts)
    }


def digest_tree(files: Mapping[str, str]) -> str:
    """One digest for a folder, from its `tree_files`: names and contents, not times or owners."""
    return digest_json(dict(files))
