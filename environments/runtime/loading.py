"""A mirror's application from its folder, without its modules getting in anybody else's way."""

import contextlib
import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from environments.runtime import sessions
from environments.runtime.failure import DAMAGED, ServeError

_PRIVATE = "_mirror_application"


@contextlib.contextmanager
def _importable(folder: Path) -> Iterator[None]:
    """The folder's modules can be imported inside the block, by their short names and before any others of that name.

    Afterwards the names are free again; the modules live on with whoever imported them.
    """
    names = {path.stem for path in folder.glob("*.py")} | {path.parent.name for path in folder.glob("*/__init__.py")}

    def mine() -> list[str]:
        return [name for name in sys.modules if name.partition(".")[0] in names]

    hidden = {name: sys.modules.pop(name) for name in mine()}
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))
        for name in mine():
            del sys.modules[name]
        sys.modules.update(hidden)
        sys.path_importer_cache.pop(str(folder), None)


def load_application(mirror: Path) -> Any:
    """The Flask application that the mirror's `create_app(connect)` makes. Raises ServeError if it makes none.

    A mirror imports its own modules while it is loaded or created, not later.
    """
    path = mirror / "app.py"
    spec = importlib.util.spec_from_file_location(_PRIVATE, path)
    if not path.exists() or spec is None or spec.loader is None:
        raise _unloadable("The mirror has no app.py.", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[_PRIVATE] = module  # Flask finds its folder through the module's name
    with _importable(mirror):
        try:
            spec.loader.exec_module(module)
            return module.create_app(sessions.connect)
        except Exception as error:  # the boundary to code that the project did not write
            raise _unloadable(f"The mirror does not load: {type(error).__name__}: {error}", path) from error


def _unloadable(what: str, path: Path) -> ServeError:
    return ServeError(
        what, where=str(path), remedy="Run `webanything build` again.", code="mirror_does_not_load", exit_code=DAMAGED
    )
