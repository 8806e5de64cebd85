"""Modules of ours that are part of every emitted application: what was checked while building is what answers there."""

import re
from pathlib import Path
from types import ModuleType

from artifacts.errors import DamagedError
from builder.behave import acting, formulas, patches, spans
from builder.compile import keys
from builder.induce import (
    counts,
    cutting,
    documentanswer,
    jsontext,
    listanswer,
    listparts,
    listquery,
    scores,
    wording,
    words,
)

MODULES = (
    acting, counts, cutting, documentanswer, formulas, jsontext, keys, listanswer, listparts, listquery, patches,
    scores, spans, wording, words,
)  # fmt: skip
_IMPORT = re.compile(r"^from builder\.\w+(?:\.(\w+))? import ", re.M)


def shipped() -> dict[str, str]:
    """File name -> source, as the modules find each other where they lie side by side."""
    return {f"{module.__name__.rpartition('.')[2]}.py": _IMPORT.sub(_beside, _source(module)) for module in MODULES}


def _source(module: ModuleType) -> str:
    if module.__file__ is None:
        raise DamagedError("A module of the application has no source.", remedy="Install webanything again.")
    return Path(module.__file__).read_text(encoding="utf-8")


def _beside(found: re.Match[str]) -> str:
    return f"from {found[1]} import " if found[1] else "import "
