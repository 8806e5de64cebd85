"""The folder of the emitted application, written whole."""

import json
from pathlib import Path

from artifacts.contract import Contract
from builder.compile.recordings import Read
from builder.compile.site import Compiled
from builder.emit.apis import api_files, api_schema
from builder.emit.behaviour import behaviour_files, tables_of
from builder.emit.database import write_database
from builder.emit.lists import list_files, schema_of
from builder.emit.readme import readme
from builder.emit.seed import passwords, seed_sql
from builder.emit.shipped import shipped
from builder.emit.views import filled, site_routes

TEMPLATES = Path(__file__).with_name("templates")
REQUIREMENTS = "flask>=3.1,<4\nsimple-websocket>=1.1,<2\n"


def emit_application(folder: Path, compiled: Compiled, read: Read, given: dict[str, str] | None) -> None:
    """Write every file of the application into an empty folder."""
    secrets = passwords(compiled.contract, given)
    values = {
        "TITLE": compiled.contract.site,
        "VISITOR_COOKIE": compiled.cookie.name,
        "VISITOR_DOMAIN": compiled.cookie.domain,
    }
    modules = {path.name: filled(path.read_text(encoding="utf-8"), values) for path in sorted(TEMPLATES.glob("*.py"))}
    modules |= shipped()
    lists = list_files(compiled) | api_files(compiled) | behaviour_files(compiled)
    modules["site_routes.py"] = site_routes(compiled)
    modules |= {name: text for name, text in lists.items() if name.endswith(".py")}
    for name, source in modules.items():
        _check(name, source)
    texts = (
        modules
        | lists
        | {
            "schema.sql": schema_of(compiled.induced) + api_schema(compiled.apis),
            "seed.sql": seed_sql(compiled.contract, secrets) + tables_of(compiled),
            "contract.json": contract_text(compiled.contract),
            "README.md": readme(compiled, secrets),
            "requirements.txt": REQUIREMENTS,
        }
    )
    for name, text in texts.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(text.encode("utf-8", "backslashreplace"))
    write_database(folder, compiled, read)


def contract_text(contract: Contract) -> str:
    """The contract as a person reads it."""
    return json.dumps(contract.model_dump(mode="json"), indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def _check(name: str, source: str) -> None:
    """Refuse to write a module that Python could not read."""
    compile(source, name, "exec", dont_inherit=True)
