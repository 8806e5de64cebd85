"""`webanything schema RECORD`."""

import json

import click

from webanything.cli.console import Console
from webanything.cli.options import common


@click.command("schema")
@click.argument("record", required=False)
@common
@click.pass_obj
def command(console: Console, /, record: str | None) -> None:
    """Print the JSON Schema of a record; without a name, list the records."""
    from webanything.schema import records, schema

    if record is None:
        console.result("\n".join(records()), {"records": list(records())})
    else:
        found = schema(record)
        console.result(json.dumps(found, indent=2, ensure_ascii=False), {"schema": found})
