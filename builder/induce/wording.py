"""What the expressions of page templates call: addresses edited, words quoted, pages numbered.

Pages are induced and served by the same code. Standard library only: a copy of this file is part of every emitted
application.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any
from urllib.parse import quote, quote_plus, unquote

Pair = tuple[str, str]


class Arguments(dict[str, str]):
    """The first value of each parameter; empty for what the request lacks."""

    def __missing__(self, key: str) -> str:
        return ""


def context(path: str, pairs: Iterable[Pair], names: Mapping[str, str], **numbers: int) -> dict[str, Any]:
    """Every name that a page template uses but its rows: page, pages, total, first, last, size and shown are numbers.

    `names` that are `Arguments` are taken as they are, so that they may be looked up as they are asked for.

    >>> view = context("/c", [("page", "2")], {}, page=2, pages=3)
    >>> view["address"](view["path"], [("set", "page", view["page"] + 1)])
    '/c?page=3'
    """
    sent = tuple(pairs)
    return {
        **numbers,
        "path": path,
        "pairs": sent,
        "names": names if isinstance(names, Arguments) else Arguments(names),
        "args": arguments(sent),
        "address": partial(_address, sent),
        "here": lambda form="+": here(path, sent, form),
        "segment": lambda number: segment(path, number),
        "stem": lambda marker, end="": stem(path, numbers.get("page", 1), marker, end),
        "parent": parent,
        "written": written,
        "grouped": grouped,
        "joined": joined,
        "under": under,
        "pager": pager,
        "kept": lambda keys, inverse=False: kept(sent, keys, inverse),
        "trail": lambda: trail(path, names),
        "nearest": lambda seen, values, without=(): nearest(seen, values, path, sent, without),
    }


def arguments(pairs: Iterable[Pair]) -> Arguments:
    """The first value of each parameter."""
    found = Arguments()
    for name, value in pairs:
        found.setdefault(name, value)
    return found


def _escaped(double: str, single: str, text: str) -> str:
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return text.replace('"', double).replace("'", single)


SPELLINGS = {
    "html": ("&quot;", "&#39;"), "html-x27": ("&quot;", "&#x27;"), "html-039": ("&quot;", "&#039;"),
    "html-34": ("&#34;", "&#39;"), "html-attribute": ("&quot;", "'"), "html-text": ('"', "'"),
}  # fmt: skip
"""How frameworks write a double and a single quote in text."""
_WAYS: dict[str, Callable[[str], str]] = {
    **{name: partial(_escaped, *quotes) for name, quotes in SPELLINGS.items()},
    "plain": lambda text: text,
    "quote": lambda text: quote(text, safe=""),
    "quote-path": lambda text: quote(text, safe="/"),
    "quote-plus": quote_plus,
    "unquote": unquote,
    "lower": str.lower,
    "upper": str.upper,
    "capitalize": lambda text: text[:1].upper() + text[1:],
    "title": str.title,
    "words": lambda text: text.replace("-", " ").replace("_", " "),
    "slug": lambda text: text.replace(" ", "-"),
}


def written(text: object, *ways: str) -> str:
    """The text after each of the ways in turn.

    >>> written("R&B", "lower", "html"), written("a b", "quote-plus"), written("old-books", "words", "capitalize")
    ('r&amp;b', 'a+b', 'Old books')
    """
    found = str(text)
    for way in ways:
        found = _WAYS[way](found)
    return found


def grouped(number: int, mark: str) -> str:
    """The number with a mark before every three digits.

    >>> grouped(1234567, ",")
    '1,234,567'
    """
    return f"{number:,}".replace(",", mark)


def joined(tokens: Iterable[str]) -> str:
    """The tokens that are not empty, with a space between them."""
    return " ".join(filter(None, tokens))


def segment(path: str, number: int) -> str:
    """A path's part between slashes, from 0, or counted from the end if negative; empty if there is none."""
    parts = [part for part in path.split("/") if part]
    return parts[number] if -len(parts) <= number < len(parts) else ""


def parent(path: str) -> str:
    """The path one level up, ending in a slash.

    >>> parent("/a/b/"), parent("/a/b"), parent("/")
    ('/a/', '/a/', '/')
    """
    return path.rstrip("/").rpartition("/")[0] + "/"


def stem(path: str, page: int, marker: str, end: str = "") -> str:
    """The path without the part that says which page it is.

    >>> stem("/news/page/3/", 3, "page/", "/"), stem("/news/", 1, "page/", "/")
    ('/news/', '/news/')
    """
    return path.removesuffix(f"{marker}{page}{end}")


def under(path: str, prefix: str) -> bool:
    """Whether a path is the other one or below it."""
    return path == prefix or path.startswith(prefix.rstrip("/") + "/")


def encoded(pairs: Iterable[Pair], form: str = "+", bare: bool = False) -> str:
    """A query. The form is how a space is written, "+" or "%20", and then the characters that stay as they are.

    >>> encoded([("q", "a b"), ("u", "/x")]), encoded([("q", "a b"), ("u", "/x")], "%20/")
    ('q=a+b&u=%2Fx', 'q=a%20b&u=/x')
    """
    plus = form.startswith("+")
    safe = form.removeprefix("+" if plus else "%20")
    write = partial(quote_plus if plus else quote, safe=safe)
    return "&".join(write(name) if bare and not value else f"{write(name)}={write(value)}" for name, value in pairs)


def here(path: str, pairs: Sequence[Pair], form: str = "+") -> str:
    """The address of the request itself, from its path on."""
    return f"{path}?{encoded(pairs, form)}" if pairs else path


Step = Sequence[Any]
"""What to do to one parameter: a verb, its name, and a value where the verb needs one."""


def edited(
    pairs: Sequence[Pair], steps: Iterable[Step], others: bool = True, order: str | Sequence[str] = "place"
) -> list[Pair]:
    """A query's pairs, edited.

    Verbs: keep, drop, set, add, remove, toggle, default (set where absent or empty), filled (keep if not empty).
    `others` says whether parameters without a step stay. `order` is "place", "end" (what is set goes last), "front",
    "group" (what is added stands after its like), "sorted", or a list of names.

    >>> edited([("a", "1"), ("page", "3")], [("drop", "page"), ("toggle", "a", "1"), ("set", "b", "2")])
    [('b', '2')]
    """
    now: dict[str, list[str]] = {}
    for name, value in pairs:
        now.setdefault(name, []).append(value)
    wanted = {name: values for name, values in now.items() if others}
    moved = []
    for verb, name, *given in steps:
        values = now.get(name, [])
        wanted[name] = _done(verb, values, str(given[0]) if given else "")
        if verb not in ("keep", "filled"):
            moved.append(name)
    return _ordered(pairs, wanted, moved, order)


def _done(verb: str, values: list[str], value: str) -> list[str]:
    match verb:
        case "drop":
            return []
        case "set":
            return [value]
        case "add":
            return [*values, value]
        case "default":
            return values if any(values) else [value]
        case "filled":
            return [one for one in values if one]
        case _:
            pass
    if verb == "remove" or (verb == "toggle" and value in values):
        return [one for one in values if one != value]
    return [*values, value] if verb == "toggle" else values


def _ordered(
    pairs: Sequence[Pair], wanted: Mapping[str, list[str]], moved: Sequence[str], order: str | Sequence[str]
) -> list[Pair]:
    left = {name: list(values) for name, values in wanted.items()}
    ends = [(name, value) for name in dict.fromkeys(moved) for value in wanted[name]]
    if order in ("end", "front"):
        stay = [(name, value) for name, value in pairs if name not in moved and left.get(name)]
        return [*stay, *ends] if order == "end" else [*ends, *stay]
    found: list[Pair] = []
    for at, (name, value) in enumerate(pairs):
        values = left.get(name, [])
        if value in values:
            values.remove(value)
            found.append((name, value))
        elif values and not any(old in wanted[name] for key, old in pairs if key == name):
            found.append((name, values.pop(0)))
        if order == "group" and all(later != name for later, _ in pairs[at + 1 :]):
            found += [(name, one) for one in left.pop(name, [])]
    found += [(name, value) for name in dict.fromkeys((*moved, *left)) for value in left.get(name, ())]
    if order == "sorted":
        return sorted(found, key=lambda pair: pair[0])
    if not isinstance(order, str):
        rank = {name: number for number, name in enumerate(order)}
        return sorted(found, key=lambda pair: rank.get(pair[0], len(rank)))
    return found


def address(
    base: str,
    pairs: Sequence[Pair],
    steps: Iterable[Step] = (),
    others: bool = True,
    order: str | Sequence[str] = "place",
    form: str = "+",
    amp: str = "&amp;",
    end: str = "",
    bare: bool = False,
    alone: str | None = None,
) -> str:
    """An address made from the current one, as it stands in a page's source: see `edited` and `encoded`.

    `alone` is the base where no query is left, if it is another one.
    """
    query = encoded(edited(pairs, steps, others, order), form, bare)
    base = base if query or alone is None else alone
    return (base + ("?" + query if query else "")).replace("&", amp) + end


def _address(pairs: Sequence[Pair], base: str, *rest: Any, **more: Any) -> str:
    return address(base, pairs, *rest, **more)


def kept(pairs: Iterable[Pair], keys: Iterable[str], inverse: bool = False) -> list[dict[str, str]]:
    """The current parameters but those named, or those named only, as rows of a name and a value."""
    named = frozenset(keys)
    return [{"name": name, "value": value} for name, value in pairs if (name in named) == inverse]


def trail(path: str, names: Mapping[str, str]) -> list[dict[str, str]]:
    """The paths above a path, outermost first, and the path itself: those that links have a name for."""
    parts = [part for part in path.split("/") if part]
    found = []
    for depth in range(len(parts) + 1):
        above = "/" + "".join(part + "/" for part in parts[:depth])
        for one in (above, above.rstrip("/")):
            if one in names:
                found.append({"path": one, "text": names[one]})
                break
    return found


def nearest(
    seen: Sequence[tuple[str, Sequence[Pair]]], values: Sequence[tuple[Any, Sequence[int]]], path: str,
    pairs: Sequence[Pair], without: Iterable[str] = (),
) -> Any:  # fmt: skip
    """The value of the captured page that is most like the request: equal path, then most equal pairs, then names.

    `seen` are path and pairs of each captured page; `values` are values with the numbers of the pages that had them.
    Parameters in `without` do not count.
    """
    left_out = frozenset(without)
    sent = [(name, value) for name, value in pairs if name not in left_out]
    asked, names = frozenset(sent), {name for name, _ in sent}

    def likeness(number: int) -> tuple[bool, bool, int, int, int, int]:
        pairs = [(name, value) for name, value in seen[number][1] if name not in left_out]
        other = frozenset(pairs)
        alike = len(names.intersection(name for name, _ in pairs))
        return seen[number][0] == path, pairs == sent, len(asked & other), alike, -len(asked ^ other), -number

    of = {number: value for value, numbers in values for number in numbers}
    return of[max(of, key=likeness)]


def pager(page: int, pages: int, family: str, *sizes: int, only: str = "", gaps: bool = True) -> list[dict[str, int]]:
    """Rows of a number `n` each, the pages that a pager offers; n is 0 for a gap.

    Families: "all"; "window" (so many on either side); "fixed" (so many in all); "block" (so many to a block); "ends"
    (so many at either end, on either side of the page, how long a gap is filled, and up to how many pages all are
    shown); "steady" (ends and sides, with as many rows on every page); "shifted" (ends and sides, the window moved
    where it would leave the pages); "slider" (sides; longer at both ends); "first" (so many from 1). `only` is
    "before", "after" or "others" than the current page.

    >>> [row["n"] for row in pager(5, 20, "ends", 1, 1, 0)]
    [1, 0, 4, 5, 6, 0, 20]
    """
    numbers = _FAMILIES[family](page, pages, *sizes)
    if gaps:
        numbers = _with_gaps(numbers)
    if only == "before":
        numbers = numbers[: numbers.index(page)] if page in numbers else []
    elif only == "after":
        numbers = numbers[numbers.index(page) + 1 :] if page in numbers else []
    elif only == "others":
        numbers = [number for number in numbers if number != page]
    return [{"n": number} for number in numbers]


def _with_gaps(numbers: list[int]) -> list[int]:
    found: list[int] = []
    for number in numbers:
        if found and number > found[-1] + 1:
            found.append(0)
        found.append(number)
    return found


def _window(page: int, pages: int, side: int, after: int | None = None) -> list[int]:
    return list(range(max(1, page - side), min(pages, page + (side if after is None else after)) + 1))


def _fixed(page: int, pages: int, count: int, before: int | None = None) -> list[int]:
    start = max(1, min(page - (count // 2 if before is None else before), pages - count + 1))
    return list(range(start, min(pages, start + count - 1) + 1))


def _block(page: int, pages: int, count: int) -> list[int]:
    start = (page - 1) // count * count + 1
    return list(range(start, min(pages, start + count - 1) + 1))


def _ends(page: int, pages: int, end: int, side: int, fill: int, whole: int = 0) -> list[int]:
    if pages <= whole:
        return list(range(1, pages + 1))
    shown = {n for n in range(1, pages + 1) if n <= end or n > pages - end or abs(n - page) <= side}
    found: list[int] = []
    for number in sorted(shown):
        if found and number - found[-1] - 1 <= fill:
            found += range(found[-1] + 1, number)
        found.append(number)
    return found


def _shifted(page: int, pages: int, end: int, side: int) -> list[int]:
    middle = _fixed(page, pages, 2 * side + 1)
    start = end + 1 if end + 3 < middle[0] else middle[0] - 1
    stop = pages - end if pages - end - 2 > middle[-1] else middle[-1] + 1
    return [*range(1, start + 1), *middle, *range(stop, pages + 1)]


def _slider(page: int, pages: int, side: int) -> list[int]:
    if pages < 2 * side + 8:
        return list(range(1, pages + 1))
    if page <= side + 4:
        return [*range(1, 2 * side + 5), pages - 1, pages]
    if page > pages - side - 4:
        return [1, 2, *range(pages - 2 * side - 3, pages + 1)]
    return [1, 2, *range(page - side, page + side + 1), pages - 1, pages]


def _steady(page: int, pages: int, end: int, side: int) -> list[int]:
    start = max(min(page - side, pages - end - 2 * side - 1), end + 2)
    stop = min(max(page + side, end + 2 * side + 2), pages - end - 1)
    middle = set(range(start, stop + 1))
    if start <= end + 2:
        middle.add(end + 1)
    if stop >= pages - end - 1:
        middle.add(pages - end)
    ends = {*range(1, end + 1), *range(pages - end + 1, pages + 1)}
    return sorted(number for number in middle | ends if 1 <= number <= pages)


_FAMILIES: dict[str, Callable[..., list[int]]] = {
    "all": lambda page, pages: list(range(1, pages + 1)),
    "window": _window,
    "fixed": _fixed,
    "block": _block,
    "ends": _ends,
    "steady": _steady,
    "shifted": _shifted,
    "slider": _slider,
    "first": lambda page, pages, count: list(range(1, min(pages, count) + 1)),
}
