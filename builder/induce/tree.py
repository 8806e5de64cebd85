"""A page as a tree that can be written out again as the same page. Pure.

What no browser tells apart is written one way: letters of names, quotes, order of attributes, and how much white space
there is outside `pre` and its like. Every other character is kept.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from artifacts.digest import digest_bytes

VOID = frozenset("area base br col embed hr img input link meta param source track wbr".split())
RAW = frozenset(("script", "style", "textarea", "title", "xmp", "noembed", "iframe", "noframes", "plaintext"))
"""Elements whose content is text up to their own end tag."""
KEEPS_SPACE = frozenset(("pre", "textarea", "script", "style", "xmp", "plaintext"))
_BLOCKS = """
address article aside blockquote div dl fieldset footer form h1 h2 h3 h4 h5 h6 header hr main nav ol pre
section table ul
"""
_ENDS: dict[str, set[str]] = {
    "li": {"li"}, "dt": {"dt", "dd"}, "dd": {"dt", "dd"}, "option": {"option"}, "optgroup": {"option", "optgroup"},
    "tr": {"tr", "td", "th"}, "td": {"td", "th"}, "th": {"td", "th"}, "tbody": {"thead", "tbody", "tr", "td", "th"},
    "tfoot": {"tbody", "tr", "td", "th"}, "p": {"p"}, **{tag: {"p"} for tag in _BLOCKS.split()},
}  # fmt: skip
"""An opening tag -> open elements that it ends without being asked."""
_HEADS = ("dt", "h2", "h3", "h4", "h5", "h6")
"""What begins a part of its parent; the first of these that a parent has does."""
_BARRIERS = frozenset("ul ol dl table select div section article td th body html form nav main template".split())
_TAG = re.compile(r"<(/?)([a-zA-Z][^\s/>]*)((?:\"[^\"]*\"|'[^']*'|[^'\">])*)>|<!--.*?-->|<[!?][^>]*>", re.DOTALL)
_ATTRIBUTE = re.compile(r"(\s*)([^\s=/>\"']+|/)(?:(\s*=\s*)(\"[^\"]*\"|'[^']*'|[^\s>]*))?", re.DOTALL)
_SPACE = re.compile(r"\s+")


GROUP = "group:"
"""The tag of what is no element: a term with what is said of it, a heading with what stands under it."""


def _digest(text: str) -> str:
    return digest_bytes(text.encode("utf-8", "surrogatepass"))[:24]


@dataclass(frozen=True, eq=False)
class Text:
    """Characters between tags, or a comment or declaration; `space` says whether white space stands before it."""

    raw: str
    space: bool = False
    kind: str = "#text"

    @cached_property
    def written(self) -> str:
        return (" " if self.space else "") + self.raw

    @cached_property
    def digest(self) -> str:
        return _digest(self.written)

    label = property(lambda self: self.kind)


@dataclass(frozen=True)
class Attribute:
    """One attribute: what is written before its value, such as ` href="`, the value as it stood, and what follows."""

    name: str
    before: str
    value: str
    after: str

    @property
    def written(self) -> str:
        return self.before + self.value + self.after


@dataclass(frozen=True, eq=False)
class Element:
    """A tag, what is in it, and its end tag; empty where it had none."""

    tag: str
    opening: str
    """What is written before the attributes, such as `<div`."""
    attributes: tuple[Attribute, ...]
    children: tuple["Node", ...]
    close: str
    space: bool = False
    end_space: bool = False
    """White space before the end tag."""
    slash: str = ""
    """Closes the tag itself, where that has a meaning: in drawings and formulas."""

    @cached_property
    def written(self) -> str:
        """Its source; kept here only, and not for what is in it."""
        pieces: list[str] = []
        self._write(pieces)
        return "".join(pieces)

    def _write(self, pieces: list[str]) -> None:
        if self.tag != GROUP:
            pieces.append(f"{' ' if self.space else ''}{self.opening}")
            pieces += [attribute.written for attribute in self.attributes]
            pieces.append(f"{self.slash}>")
        for child in self.children:
            if isinstance(child, Element):
                child._write(pieces)
            else:
                pieces.append(child.written)
        if self.tag != GROUP:
            pieces.append(f"{' ' if self.end_space else ''}{self.close}")

    @cached_property
    def digest(self) -> str:
        """Of its tag and of what is in it, so that the source of large pages is not put together for every level."""
        tag = self.opening + "".join(attribute.written for attribute in self.attributes)
        own = f"{tag}{self.slash}>{self.close}{self.space:d}{self.end_space:d}"
        return _digest("\0".join([own, *(child.digest for child in self.children)]))

    @cached_property
    def label(self) -> str:
        """What tells elements of one parent apart by their role: tag with id, name, relation or first class."""
        return f"{GROUP}{self.children[0].label}" if self.tag == GROUP else label_of(self)

    def get(self, name: str) -> str | None:
        return next((one.value for one in self.attributes if one.name == name), None)


Node = Text | Element
_STATE = re.compile(
    r"^(odd|even|first|last|alt|active|selected|current|open|closed|disabled|is-.*|has-.*|js-.*)$", re.I
)
_BARE = frozenset("tr li option dt dd a p em b i strong span td th br".split())


def label_of(element: Element) -> str:
    tag = element.tag
    if tag in ("input", "button"):
        return f"{tag}:{element.get('type') or ''}:{element.get('name') or ''}"
    if tag == "meta":
        return f"meta:{element.get('name') or element.get('property') or ''}"
    if tag == "link":
        return f"link:{element.get('rel') or ''}:{element.get('type') or ''}"
    if tag == "script":
        return f"script:{'src' if element.get('src') is not None else ''}:{element.get('type') or ''}"
    identity = element.get("id")
    if identity and tag not in ("tr", "li", "option"):
        return f"{tag}#{re.sub('[0-9]+', '0', identity)}"
    if tag in ("li", "tr", "option", "dt", "dd"):
        return tag
    tokens = [token for token in (element.get("class") or "").split() if not _STATE.match(token)]
    return f"{tag}.{re.sub('[0-9]+', '0', tokens[0])}" if tokens and tag not in _BARE else tag


class _Open:
    def __init__(
        self, tag: str, opening: str, attributes: tuple[Attribute, ...], space: bool, keeps: bool = False
    ) -> None:
        self.tag, self.opening, self.attributes, self.space = tag, opening, attributes, space
        self.keeps = keeps or tag in KEEPS_SPACE
        """Whether white space in it counts."""
        self.children: list[Node] = []
        self.pending = False
        """White space that was read and belongs to whatever comes next."""

    def closed(self, close: str, slash: str = "") -> Element:
        children = _gathered(self.children)
        return Element(self.tag, self.opening, self.attributes, children, close, self.space, self.pending, slash)


def parse(html: str) -> tuple[Node, ...]:
    """The nodes of a page. Anything can be parsed; what makes no sense is text.

    >>> rebuilt(parse("<p class=a>x <b>y</b>\\n</p>"))
    '<p class="a">x <b>y</b> </p>'
    """
    stack = [_Open("", "", (), False)]
    at = 0
    while at < len(html):
        found = _TAG.search(html, at)
        _add_text(stack[-1], html[at : found.start() if found else len(html)], stack[-1].keeps)
        if not found:
            break
        at = found.end()
        if found[2] is None:
            _add_markup(stack[-1], found[0])
        elif found[1]:
            _close(stack, found[2].lower(), f"</{found[2].lower()}>")
        else:
            at = _enter(stack, found, html, at)
    while len(stack) > 1:
        _pop(stack, "")
    root = stack[0]
    tail: tuple[Node, ...] = (Text("", True),) if root.pending else ()
    return (*root.children, *tail)


def _gathered(children: Sequence["Node"]) -> tuple["Node", ...]:
    """The children, what belongs to one term or one heading put together, so that it repeats as one thing."""
    tags = {child.tag for child in children if isinstance(child, Element)}
    if tags.isdisjoint(_HEADS):
        return tuple(children)
    head = next(tag for tag in _HEADS if tag in tags)
    found: list[Node] = []
    part: list[Node] = []
    for child in children:
        if getattr(child, "tag", "") == head and not (head == "dt" and part and getattr(part[-1], "tag", "") == "dt"):
            _gather(found, part)
            part = [child]
        elif part:
            part.append(child)
        else:
            found.append(child)
    _gather(found, part)
    return tuple(found)


def _gather(found: list["Node"], part: Sequence["Node"]) -> None:
    if part:
        found.append(Element(GROUP, "", (), tuple(part), ""))


UNSEEN = frozenset(("script", "style"))
"""Elements whose text nobody reads."""


def texts_of(node: Node, unseen: frozenset[str] = UNSEEN) -> Iterator[str]:
    """The text in a node, piece by piece, what stands in elements of these tags left out."""
    if isinstance(node, Text):
        if node.kind == "#text":
            yield node.raw
    elif node.tag not in unseen:
        for child in node.children:
            yield from texts_of(child, unseen)


def rebuilt(nodes: Sequence[Node]) -> str:
    """The page again, white space outside `pre` and its like as single spaces."""
    return Element(GROUP, "", (), tuple(nodes), "").written


def _add_text(parent: _Open, raw: str, keeps: bool) -> None:
    if not raw:
        return
    if keeps:
        _add(parent, lambda space: Text(raw, space))
        return
    if raw[0].isspace():
        parent.pending = True
    if text := raw.strip():
        _add(parent, lambda space: Text(_SPACE.sub(" ", text), space))
        parent.pending = raw[-1].isspace()


def _add_markup(parent: _Open, raw: str) -> None:
    kind = "#comment" if raw.startswith("<!--") else "#declaration"
    _add(parent, lambda space: Text(raw, space, kind))


def _add(parent: _Open, make: Callable[[bool], Node]) -> None:
    parent.children.append(make(parent.pending))
    parent.pending = False


def _enter(stack: list[_Open], found: re.Match[str], html: str, at: int) -> int:
    """Open an element; where its content is text, read that too. Where to go on."""
    tag = found[2].lower()
    while len(stack) > 1 and stack[-1].tag in _ENDS.get(tag, ()) and stack[-1].tag not in _BARRIERS - {"td", "th"}:
        _pop(stack, "")
    parent = stack[-1]
    opened = _Open(tag, f"<{tag}", _attributes(found[3]), parent.pending, parent.keeps)
    parent.pending = False
    is_closed = found[3].rstrip().endswith("/") and any(one.tag in ("svg", "math") for one in stack)
    if tag in VOID or is_closed:
        parent.children.append(opened.closed("", "/" if is_closed else ""))
        return at
    stack.append(opened)
    if tag in RAW:
        end = re.compile(rf"</{re.escape(tag)}\s*>", re.IGNORECASE).search(html, at)
        _add_text(opened, html[at : end.start() if end else len(html)], tag in KEEPS_SPACE)
        _pop(stack, f"</{tag}>" if end else "")
        return end.end() if end else len(html)
    return at


def _close(stack: list[_Open], tag: str, written: str) -> None:
    depth = next((n for n in range(len(stack) - 1, 0, -1) if stack[n].tag == tag), 0)
    if not depth:
        _add(stack[-1], lambda space: Text(written, space, "#stray"))
        return
    while len(stack) > depth + 1:
        _pop(stack, "")
    _pop(stack, written)


def _pop(stack: list[_Open], close: str) -> None:
    done = stack.pop()
    stack[-1].children.append(done.closed(close))


def _attributes(text: str) -> tuple[Attribute, ...]:
    """The attributes as every browser understands them: the first of each name, in one order and one way of quoting."""
    found: dict[str, Attribute] = {}
    for match in _ATTRIBUTE.finditer(text):
        name, value = match[2].lower(), match[4] or ""
        quote = value[0] if value[:1] in ("'", '"') else ""
        value = value[1:-1] if quote else value
        written = "'" if '"' in value else '"'
        attribute = (
            Attribute(name, f" {name}={written}", value, written) if match[3] else Attribute(name, f" {name}", "", "")
        )
        if name != "/":
            found.setdefault(name, attribute)
    return tuple(found[name] for name in sorted(found))
