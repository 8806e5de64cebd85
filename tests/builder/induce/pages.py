"""Small list pages of many libraries' kinds, and what is asked of a frame that was found from them."""

import html
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

import jinja2

from builder.emit.pages import jinja_of
from builder.induce import wording
from builder.induce.explain import Frame, explain_frame
from builder.induce.fit import fit
from builder.induce.listing import Facts, Pairs
from builder.induce.parts import render
from builder.induce.template import induce
from builder.induce.tree import parse, rebuilt

Write = Callable[[Facts], str]
SIZE = 20


def facts(
    path: str = "/list",
    pairs: Iterable[tuple[str, str]] = (),
    total: int = 72,
    page: int = 0,
    names: Mapping[str, str] | None = None,
) -> Facts:
    """The facts of one page of a list in pages of twenty; its number is "page" of the query, if not given."""
    sent: Pairs = tuple(pairs)
    number = page or int(dict(sent).get("page") or 1)
    first = (number - 1) * SIZE + 1 if total else 0
    last = min(number * SIZE, total)
    shown = last - first + 1 if total else 0
    return Facts(path, sent, number, max(1, math.ceil(total / SIZE)), total, first, last, SIZE, shown, names or {})


def paged(
    total: int, page: int, pairs: Pairs = (), path: str = "/list", names: Mapping[str, str] | None = None
) -> Facts:
    """A page whose number, if it is not the first, stands at the end of the query."""
    return facts(path, (*pairs, *((("page", str(page)),) if page > 1 else ())), total, names=names)


def understood(write: Write, shown: Sequence[Facts], copied: frozenset[str] = frozenset()) -> Frame:
    """The frame found from the pages shown; what is `copied` is a hole even where all of them say it."""
    sources = [parse(write(one)) for one in shown]
    template = induce(sources, copied)
    datas = [fit(template, source) for source in sources]
    return explain_frame(template, [(one, data) for one, data in zip(shown, datas, strict=True) if data is not None])


def rendered(frame: Frame, one: Facts) -> str:
    """The page that the emitted template gives."""
    return jinja2.Environment().from_string(jinja_of(frame.template, frame, {})).render(view(one))


def view(one: Facts) -> dict[str, Any]:
    """What a template is rendered with, but its rows."""
    numbers = {name: getattr(one, name) for name in ("page", "pages", "total", "first", "last", "size", "shown")}
    counted = one.counting.names() if one.counting else {}
    return {**wording.context(one.path, one.pairs, one.names, **numbers), **counted}


def check(write: Write, shown: Sequence[Facts], hidden: Sequence[Facts]) -> Frame:
    """The frame, after seeing that pages shown and hidden come out exactly, as data and as Jinja, with nothing open."""
    frame = understood(write, shown)
    for one in (*shown, *hidden):
        wanted = rebuilt(parse(write(one)))
        assert render(frame.template, frame.data(one)) == wanted, one
        assert rendered(frame, one) == wanted, one
    assert not frame.open
    return frame


def document(body: str, title: str = "List") -> str:
    return f"<html><head><title>{title}</title></head><body>{body}</body></html>"


def link(path: str, pairs: Iterable[tuple[str, str]]) -> str:
    query = urlencode(list(pairs))
    return html.escape(path + ("?" + query if query else ""))


def put(pairs: Pairs, **values: object) -> Pairs:
    """The pairs with some set at the end, and those set to None dropped."""
    kept = [(name, value) for name, value in pairs if name not in values]
    return (*kept, *((name, str(value)) for name, value in values.items() if value is not None))
