"""The build stage: one part of the evidence in, the contract and an application folder out."""

import contextlib
import errno
import secrets
import shutil
import sqlite3
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal

from artifacts.contract import Contract
from artifacts.digest import digest_tree, tree_files
from artifacts.errors import disk_full
from artifacts.events import Emit, Event
from artifacts.evidence import Evidence, Part
from artifacts.mirror import Mirror
from artifacts.store import Store
from builder.compile.inferred import is_settled
from builder.compile.site import Compiled, compile_site
from builder.emit.application import emit_application
from builder.induce.site import Induced


def build(
    part: Part,
    evidence: Evidence,
    *,
    store: Store,
    out: Path,
    parts: Literal["open", "all"],
    emit: Emit,
    sandbox_passwords: Mapping[str, str] | None = None,
) -> tuple[Contract, Mirror]:
    """Compile the evidence and write the application to `out`, replacing what was there in one step.

    The same evidence gives the same files. Raises LimitReachedError if the evidence holds no page.
    """
    emit(Event("build", {"doing": "compile", "exchanges": len(part.exchanges), "states": len(part.states)}))
    compiled = compile_site(part, evidence, store.get)
    emit(Event("build", {"doing": "write", "answers": len(compiled.answers), "routes": len(compiled.contract.routes)}))
    with _replaced(out) as folder:
        emit_application(folder, compiled, store.get, dict(sandbox_passwords or {}))
        files = tree_files(folder)
    store.put_record(compiled.contract)
    mirror = Mirror(
        evidence=evidence.digest,
        parts=parts,
        contract=compiled.contract.digest,
        tree=digest_tree(files),
        files=files,
        claims=_claims(compiled, part),
    )
    emit(Event("build", {"doing": "done", "files": len(files), **mirror.claims}))
    return compiled.contract, mirror


def _claims(compiled: Compiled, part: Part) -> dict[str, float]:
    changing = sum(answer.target is not None for answer in compiled.answers)
    return {
        "answers": len(compiled.answers),
        "behaviours": len(compiled.contract.behaviours),
        "changing": changing,
        "exchanges": len(part.exchanges),
        "routes": len(compiled.contract.routes),
        "situations": len(compiled.nodes),
        "unknown": len(compiled.contract.unknown),
        **_induced(compiled.induced),
        "endpoints": len(compiled.apis.apis),
    }


def _induced(induced: Induced) -> dict[str, float]:
    """How far pages were understood: kinds of pages and pages that templates give back, tables, lists."""
    alike = [kind for kind in induced.kinds if len(kind.pages) + len(kind.kept) > 1]
    settled = sum(is_settled(one) for one in induced.lists)
    rows = {one.family.entity.table.name: len(one.family.entity.table.rows) for one in induced.lists}
    return {
        "page_kinds": len(induced.kinds),
        "pages_compiled": sum(len(kind.pages) for kind in alike),
        "pages_kept": sum(len(kind.kept) for kind in alike) + len(induced.kinds) - len(alike),
        "tables": len(rows),
        "rows": sum(rows.values()),
        "lists_settled": settled,
        "lists_inferred": len(induced.lists) - settled,
        "lists_open": len(induced.open),
    }


@contextlib.contextmanager
def _replaced(out: Path) -> Iterator[Path]:
    """A new folder that takes the place of `out` once everything in it is written, and never before."""
    fresh = out.with_name(f".{out.name}.{secrets.token_hex(4)}")
    old = out.with_name(f".{out.name}.{secrets.token_hex(4)}.old")
    try:
        fresh.mkdir(parents=True)
        yield fresh
        if out.exists():
            out.rename(old)
        fresh.rename(out)
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise disk_full(out) from error
        raise
    except sqlite3.OperationalError as error:
        if "disk is full" in str(error):
            raise disk_full(out) from error
        raise
    finally:
        for folder in (fresh, old):
            shutil.rmtree(folder, ignore_errors=True)
