"""One answer of a mirror on stdout."""

import base64
import sys
from typing import Any

from webanything.cli.console import Console
from webanything.display.jsonl import value_line


def print_answer(console: Console, answer: Any) -> None:
    """The body as it is; with --json one line with status, headers, and the body as text or in base64."""
    data: bytes = answer.read()
    if not console.json:
        sys.stdout.buffer.write(data)
        sys.stdout.flush()
        return
    try:
        body = {"body": data.decode()}
    except UnicodeDecodeError:
        body = {"body_base64": base64.b64encode(data).decode()}
    console.line(value_line({"status": answer.status, "headers": answer.headers.items(), **body}))
