"""Which display fits this process."""

import os
import sys
from collections.abc import Mapping

from webanything.display.jsonl import JsonLines
from webanything.display.plain import Plain
from webanything.display.protocol import Display
from webanything.display.quiet import Quiet


def style_for(wanted: str, environ: Mapping[str, str], *, terminal: bool) -> str:
    """rich, plain or none: what was asked for, or what the terminal can show.

    >>> style_for("auto", {"TERM": "dumb"}, terminal=True), style_for("auto", {}, terminal=True)
    ('plain', 'rich')
    """
    if wanted != "auto":
        return wanted
    # a terminal that wants no colour can still redraw lines; a dumb one cannot
    return "rich" if terminal and environ.get("TERM") != "dumb" and not environ.get("CI") else "plain"


def choose(wanted: str, *, json_lines: bool) -> Display:
    """The display to use; JSON lines leave no place for another."""
    if json_lines:
        return JsonLines()
    style = style_for(wanted, os.environ, terminal=sys.stderr.isatty())
    if style == "rich":
        from webanything.display.live import Live

        return Live()
    return Quiet() if style == "none" else Plain()
