"""JSON answers written by hand."""

import json
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from builder.induce.documents import Document, Endpoint


def document(
    address: str, value: Any, *, status: int = 200, headers: tuple[tuple[str, str], ...] = (), path: str = ""
) -> Document:
    """An answer at an address; its endpoint is the path as it is, unless another is given."""
    parts = urlsplit(address)
    endpoint = Endpoint(0, "GET", path or parts.path)
    return Document(address, endpoint, parts.path, tuple(parse_qsl(parts.query)), status, json.dumps(value), headers)
