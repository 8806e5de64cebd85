"""JSON with all that a plain reader loses: how numbers are spelt, the order of keys, white space and escapes.

Standard library only: a copy of this file is part of every emitted application, so that what was checked when the
answers were induced is what serves.
"""

import json
import re
from dataclasses import dataclass
from itertools import product
from typing import Any


class Number(str):
    """A number as it was spelt."""

    __slots__ = ()


@dataclass(frozen=True)
class Style:
    """How a site writes JSON."""

    comma: str = ","
    colon: str = ":"
    indent: str = ""
    """What a level is indented by; empty for everything on one line."""
    is_ascii: bool = False
    escaped: str = ""
    """Characters that are written as escapes though they need not be."""
    end: str = ""
    """What follows the value."""


def parsed(text: str) -> Any:
    """The value: objects as dicts in order, numbers as `Number`. Raises ValueError for what is no plain JSON.

    >>> parsed('{"b": 1.50, "a": [true, null, "x"]}')
    {'b': '1.50', 'a': [True, None, 'x']}
    """
    try:
        return json.loads(
            text, parse_int=Number, parse_float=Number, parse_constant=_refused, object_pairs_hook=_distinct
        )
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _refused(name: str) -> Any:
    raise ValueError(f"{name} is no JSON number")


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("an object has one key twice")
    return found


def written(value: Any, style: Style = Style()) -> str:
    """The value as the site would write it.

    >>> written({"b": Number("1.50"), "a": ["é"]}, Style(comma=", ", colon=": ", is_ascii=True))
    '{"b": 1.50, "a": ["\\\\u00e9"]}'
    """
    return _written(value, style, "\n") + style.end


def _written(value: Any, style: Style, line: str) -> str:
    match value:
        case Number():
            return str(value)
        case str():
            return _quoted(value, style)
        case None | bool():
            return {None: "null", True: "true", False: "false"}[value]
        case dict():
            inner = line + style.indent
            parts = [_quoted(key, style) + style.colon + _written(one, style, inner) for key, one in value.items()]
            return _enclosed("{}", parts, style, line)
        case _:
            inner = line + style.indent
            return _enclosed("[]", [_written(one, style, inner) for one in value], style, line)


def _enclosed(ends: str, parts: list[str], style: Style, line: str) -> str:
    if not parts or not style.indent:
        return ends[0] + style.comma.join(parts) + ends[1]
    return ends[0] + line + style.indent + (style.comma + line + style.indent).join(parts) + line + ends[1]


def _quoted(text: str, style: Style) -> str:
    found = json.dumps(text, ensure_ascii=style.is_ascii)
    for character in style.escaped:
        found = found.replace(character, "\\/" if character == "/" else f"\\u{ord(character):04x}")
    return found


def style_of(text: str) -> Style | None:
    """The style that gives a text back byte for byte, None if none does."""
    value = parsed(text)
    body = text.rstrip()
    step = re.match(r"[\[{]\n([ \t]+)", body)
    indents = (step[1],) if step else ("",)
    commas = (",",) if step else (",", ", ")
    escapes = ("", "/", "<>&", "<>&'", "/<>&", "<>&+'", "/<>&'", "<>&\u2028\u2029")
    for comma, colon, indent, is_ascii, escaped in product(commas, (":", ": "), indents, (False, True), escapes):
        style = Style(comma, colon, indent, is_ascii, escaped, text[len(body) :])
        if (not escaped or any(f"u{ord(c):04x}" in body or (c == "/" and "\\/" in body) for c in escaped)) and (
            written(value, style) == text
        ):
            return style
    return None
