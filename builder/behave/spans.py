"""A page as elements that know where they stand in its source, so that a part can be exchanged.

Nothing outside that part changes by a byte. Standard library only: a copy of this file is part of
every emitted application, so that parts are found there as they were found when they were learned.
"""

import html
import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from urllib.parse import quote

from builder.compile import keys

VOID = frozenset("area base br col embed hr img input link meta param source track wbr".split())
RAW = frozenset("script style textarea title xmp noembed iframe noframes plaintext".split())
_ENDS = {
    "li": ("li",),
    "dt": ("dt", "dd"),
    "dd": ("dt", "dd"),
    "option": ("option",),
    "optgroup": ("option", "optgroup"),
    "tr": ("tr", "td", "th"),
    "td": ("td", "th"),
    "th": ("td", "th"),
    "tbody": ("thead", "tbody", "tr", "td", "th"),
    "p": ("p",),
}
"""An opening tag -> open elements that it ends without being asked."""
_BLOCKS = frozenset(
    "address article aside blockquote div dl fieldset footer form h1 h2 h3 h4 h5 h6 header hr main"
    " nav ol pre section table ul".split()
)
_TAG = re.compile(r"<!--.*?-->|<[!?][^>]*>|<(/?)([a-zA-Z][^\s/>]*)((?:\"[^\"]*\"|'[^']*'|[^'\">])*)>", re.S)
_ATTRIBUTE = re.compile(r"\s*([^\s=/>\"']+)(?:\s*=\s*(\"[^\"]*\"|'[^']*'|[^\s>]*))?")
_SPACE = re.compile(r"\s+")
_DIGITS = re.compile(r"[0-9]+")
_LONG = re.compile(r"[A-Za-z0-9+/]{40,}={1,2}|[A-Za-z0-9_+-]{16,}|\b0?\.\d{8,}|\d{10,}")
_TOKEN = re.compile(
    r"<(?:input|meta)\b(?=[^>]*\bname=[\"']?([^\"'\s>]*(?:csrf|xsrf|token|nonce)[^\"'\s>]*))"
    r"[^>]*?\b(?:value|content)=[\"']([^\"'>]{8,})[\"']",
    re.I,
)
_CLOCK = re.compile(r"\b\d{1,2}:\d\d(?::\d\d(?:\.\d+)?)?\b")
_BARE = frozenset("tr li option dt dd a p em b i strong span td th br html head body main".split())
HERE = ("\ue000", "\ue001", "\ue002")
"""Stand for the page's own address: as HTML writes it, and quoted with and without its slashes."""

Place = tuple[str, ...]
"""Where an element stands: "#id" or nothing, then "label:n" from element to child."""


class Span:
    """An element with what is in it, or text between tags; `tag` is empty for text."""

    def __init__(self, page: str, tag: str, start: int, inner: int) -> None:
        self._page = page
        self.tag = tag
        self.start = start
        self.inner = inner
        """Where the opening tag ends."""
        self.close = inner
        """Where the end tag begins."""
        self.end = inner
        self.children: list[Span] = []

    @property
    def source(self) -> str:
        return self._page[self.start : self.end]

    @cached_property
    def attributes(self) -> dict[str, str]:
        """Names in lower case and values as they stand in the source, the first of each name."""
        found: dict[str, str] = {}
        is_element = self.tag not in ("", "#page")
        head = self._page[self.start + 1 + len(self.tag) : self.inner - 1] if is_element else ""
        for match in _ATTRIBUTE.finditer(head):
            value = match[2] or ""
            value = value[1:-1] if value[:1] in ("'", '"') and len(value) > 1 else value
            found.setdefault(match[1].lower(), value)
        return found

    @cached_property
    def label(self) -> str:
        """What tells elements of one parent apart by their role: tag with id, name or class."""
        if not self.tag:
            return "#text"
        given = self.attributes
        if self.tag in ("input", "button", "select", "textarea"):
            return f"{self.tag}={given.get('type', '')}={given.get('name', '')}"
        if self.tag in ("meta", "link"):
            return f"{self.tag}={given.get('name') or given.get('property') or given.get('rel', '')}"
        if self.tag in _BARE and self.tag != "a":
            return self.tag
        if "id" in given:
            return f"{self.tag}#" + _DIGITS.sub("0", given["id"])
        first = given.get("class", "").split()[:1]
        return f"{self.tag}." + _DIGITS.sub("0", first[0]) if first and self.tag != "a" else self.tag

    def walk(self) -> Iterator["Span"]:
        """The element and every element in it."""
        yield self
        for child in self.children:
            if child.tag:
                yield from child.walk()


def parse(page: str) -> Span:
    """The whole page as one element without a tag of its own. Anything can be parsed."""
    root = Span(page, "#page", 0, 0)
    stack = [root]
    at = 0
    for found in _TAG.finditer(page):
        if found.start() < at:
            continue
        _text(page, stack[-1], at, found.start())
        at = found.end()
        if found[2] is None:
            continue
        tag = found[2].lower()
        if found[1]:
            _close(stack, tag, found.start(), found.end())
            continue
        _end_implied(stack, tag, found.start())
        opened = Span(page, tag, found.start(), found.end())
        opened.close = opened.end = found.end()
        stack[-1].children.append(opened)
        if tag in VOID or (found[3].rstrip().endswith("/") and _is_drawing(stack)):
            continue
        if tag in RAW:
            at = _raw(page, opened, at)
        else:
            stack.append(opened)
    _text(page, stack[-1], at, len(page))
    for one in stack:
        one.close = one.end = len(page)
    return root


def _is_drawing(stack: Sequence[Span]) -> bool:
    return any(one.tag in ("svg", "math") for one in stack)


def _raw(page: str, opened: Span, at: int) -> int:
    end = re.compile(rf"</{re.escape(opened.tag)}\s*>", re.I).search(page, at)
    opened.close = end.start() if end else len(page)
    opened.end = end.end() if end else len(page)
    _text(page, opened, at, opened.close)
    return opened.end


def _text(page: str, parent: Span, start: int, end: int) -> None:
    piece = page[start:end]
    if text := piece.strip():
        begin = start + piece.index(text[0]) if len(text) == 1 else start + piece.find(text)
        made = Span(page, "", begin, begin)
        made.close = made.end = begin + len(text)
        parent.children.append(made)


def _end_implied(stack: list[Span], tag: str, at: int) -> None:
    ends = _ENDS.get(tag) or (("p",) if tag in _BLOCKS else ())
    while len(stack) > 1 and stack[-1].tag in ends:
        done = stack.pop()
        done.close = done.end = at


def _close(stack: list[Span], tag: str, start: int, end: int) -> None:
    depth = next((n for n in range(len(stack) - 1, 0, -1) if stack[n].tag == tag), 0)
    while depth and len(stack) > depth:
        done = stack.pop()
        done.close, done.end = start, end if len(stack) == depth else start


class Page:
    """A page taken apart, with what its own address is written like in it."""

    def __init__(self, source: str, address: str) -> None:
        """`address` is the path and query that the page was asked for by."""
        self.source = source
        self.address = address
        self.root = parse(source)
        self._norms: dict[int, str] = {}
        self._named: dict[str, Span | None] = {}
        forms = dict(zip(_forms(address), HERE, strict=True))
        longest = sorted(forms, key=len, reverse=True)
        known = "|".join(map(re.escape, longest))
        self._forms, self._plain = forms, _forms(address)[0]
        self._own = re.compile(rf"(?<==)({known})(?=[\"'&<\s])|(?<=value=\")({known})(?=\")")

    def abstract(self, text: str) -> str:
        """Source text with the page's own address in it marked, where it is handed on."""
        if not self.address:
            return text
        return self._own.sub(lambda found: HERE[0] if found[2] == self._plain else self._forms[found[0]], text)

    def norm(self, span: Span) -> str:
        """Equal for parts that say the same but for tokens, white space and the page's address."""
        key = id(span)
        if key not in self._norms:
            self._norms[key] = normal(self.abstract(span.source))
        return self._norms[key]

    def named(self, name: str) -> Span | None:
        """The element with this id; None if there is none, or several."""
        if name not in self._named:
            given = re.compile(rf"\sid\s*=\s*[\"']?{re.escape(name)}(?=[\"'\s/>])", re.I)
            found = [span for match in given.finditer(self.source) if (span := self._opened_at(match.start()))]
            mine = [span for span in found if span.attributes.get("id") == name]
            self._named[name] = mine[0] if len(mine) == 1 else None
        return self._named[name]

    def _opened_at(self, at: int) -> Span | None:
        """The element whose opening tag this character stands in."""
        span: Span | None = self.root
        while span is not None and not (span.tag != "#page" and span.start < at < span.inner):
            span = next((child for child in span.children if child.tag and child.start < at < child.end), None)
        return span

    def find(self, place: Place) -> Span | None:
        """The element at a place; None if the page has none there."""
        span: Span | None = self.root
        for step in place:
            if step.startswith("#"):
                span = self.named(step[1:])
            elif span is not None:
                label, _, number = step.rpartition(":")
                same = [child for child in span.children if child.tag and child.label == label]
                span = same[int(number)] if int(number) < len(same) else None
            if span is None:
                return None
        return span


def concrete(text: str, address: str) -> str:
    """Abstract source text for a page with this address."""
    for mark, form in zip(HERE, _forms(address), strict=True):
        text = text.replace(mark, form)
    return text


def _forms(address: str) -> tuple[str, str, str]:
    return (html.escape(address), quote(address), quote(address, safe=""))


def calm(text: str, tokens: dict[str, str] | None) -> str:
    """Source text with the tokens of its forms as they were first seen under their names, or masked."""
    out, at = [], 0
    for found in _TOKEN.finditer(text):
        out += [text[at : found.start(2)], "~" if tokens is None else tokens.setdefault(found[1], found[2])]
        at = found.end(2)
    return "".join([*out, text[at:]])


def normal(text: str) -> str:
    """Source text with white space as single spaces, tokens and times of day masked."""
    plain = _CLOCK.sub("~", _SPACE.sub(" ", calm(text, None)))
    return _LONG.sub(lambda found: "~" if keys.is_restless(found[0].rstrip("=")) else found[0], plain)
