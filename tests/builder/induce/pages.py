"""Small list pages of many libraries' kinds, made from what is true of them."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import quote, urlencode

import jinja2

from builder.emit.pages import jinja_of
from builder.induce import wording
from builder.induce.explain import Frame, explain_frame
from builder.induce.fit import fit
from builder.induce.listing import Facts, Pairs
from builder.induce.parts import Data, render
from builder.induce.template import induce
from builder.induce.tree import parse, rebuilt

Write = Callable[[Facts], str]


def facts(path: str = "/list", pairs: Iterable[tuple[str, str]] = (), total: int = 72, size: int = 20,
          page: int | None = None, names: Mapping[str, str] | None = None) -> Facts:  # fmt: skip
    """The facts of one page; the page is what "page" in the query says, if nothing else does."""
    sent: Pairs = tuple(pairs)
    number = page or int(dict(sent).get("page") or 1)
    pages = max(1, math.ceil(total / size))
    first = (number - 1) * size + 1 if total else 0
    last = min(number * size, total)
    return Facts(path, sent, number, pages, total, first, last, size, last - first + 1 if total else 0, names or {})


def understood(write: Write, shown: Sequence[Facts], template_of: Sequence[Facts] = ()) -> Frame:
    """The frame found from the pages shown."""
    sources = [parse(write(one)) for one in shown]
    template = induce([*sources, *(parse(write(one)) for one in template_of)])
    datas = [fit(template, source) for source in sources]
    return explain_frame(template, [(one, data) for one, data in zip(shown, datas, strict=True) if data is not None])


def predicted(frame: Frame, one: Facts) -> str:
    return render(frame.template, frame.data(one))


def rendered(
    frame: Frame, one: Facts, rows: Sequence[Mapping[str, Any]] = (), columns: Mapping[int, str] | None = None
) -> str:
    """The page that the emitted template gives."""
    source = jinja_of(frame.template, frame, columns or {})
    return jinja2.Environment(autoescape=False).from_string(source).render(view(one), rows=rows)


def view(one: Facts) -> dict[str, Any]:
    numbers = {name: getattr(one, name) for name in ("page", "pages", "total", "first", "last", "size", "shown")}
    return wording.context(one.path, one.pairs, one.names, **numbers)


def check(write: Write, shown: Sequence[Facts], hidden: Sequence[Facts], unknown: int = 0) -> Frame:
    """The frame, after seeing that shown and hidden pages come out exactly, by data and by Jinja."""
    frame = understood(write, shown)
    for one in (*shown, *hidden):
        wanted = rebuilt(parse(write(one)))
        assert predicted(frame, one) == wanted
        assert rendered(frame, one) == wanted
    assert len(frame.open) <= unknown
    return frame


def link(path: str, pairs: Iterable[tuple[str, str]]) -> str:
    query = urlencode(list(pairs))
    return (path + ("?" + query if query else "")).replace("&", "&amp;")


def with_(pairs: Pairs, **values: object) -> Pairs:
    """The pairs with some set at the end, and those set to None dropped."""
    kept = [(name, value) for name, value in pairs if name not in values]
    return (*kept, *((name, str(value)) for name, value in values.items() if value is not None))


__all__ = ["Data", "check", "facts", "link", "predicted", "quote", "rendered", "understood", "view", "with_"]
