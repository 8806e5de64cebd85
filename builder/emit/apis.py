"""The endpoints of an emitted application that answer in JSON from tables: apis/, and the tables."""

import json
import sqlite3
from collections.abc import Mapping

from builder.compile.apis import names_of
from builder.compile.site import Compiled
from builder.induce.apis import Api, Apis
from builder.induce.listquery import text_of
from builder.induce.tables import write


def api_files(compiled: Compiled) -> dict[str, str]:
    """File name in the application's folder -> text, for each endpoint that is known."""
    files = {}
    for api, name in names_of(compiled.apis).items():
        files[f"apis/{name}.json"] = json.dumps(_plain(api), indent=1, ensure_ascii=False) + "\n"
        if api.query is not None:
            files[f"apis/{name}.query.json"] = text_of(api.query) + "\n"
    return files


def _plain(api: Api) -> Mapping[str, object]:
    """What `documents` reads: the endpoint, and for each view a recorded answer and how JSON is written there."""
    spec = api.spec()
    views = list(zip(spec["views"], api.views, strict=True))
    if api.missing is not None:
        views.append((spec["missing"], api.missing))
    for plain, view in views:
        style = {name: getattr(view.style, name) for name in view.style.__dataclass_fields__}
        plain |= {"like": int(view.like.name), "style": style, "left_out": list(view.left_out)}
    return spec


def fill_api_tables(database: sqlite3.Connection, apis: Apis) -> None:
    """Write the tables of every endpoint."""
    for kind in apis.kinds:
        write(database, *apis.statements(kind))


def api_schema(apis: Apis) -> str:
    """The tables as SQL that makes them empty."""
    return "".join(f"{apis.statements(kind)[0]}\n" for kind in apis.kinds)
