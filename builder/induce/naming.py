"""What the holes of a template are called, from what its authors called things. Pure."""

import re
from collections.abc import Iterator

from builder.induce.parts import ElementPart, Loop, Option, Part, Raw, Same, Slot, TemplateNode, TextPart
from builder.induce.tree import Element

_BY_TAG = {"time": "date", "h1": "title", "h2": "title", "h3": "title", "h4": "title", "h5": "title", "h6": "title",
           "img": "image", "a": "link", "p": "text", "span": "text", "strong": "text", "em": "text", "b": "text",
           "td": "cell", "th": "cell", "li": "item", "div": "text", "small": "note", "input": "field"}  # fmt: skip
_BY_ATTRIBUTE = {
    ("img", "src"): "image", ("img", "alt"): "image_alt", ("a", "href"): "link", ("time", "datetime"): "date",
}  # fmt: skip
_PLAIN = frozenset("col row container item card wrapper inner content body main left right text clearfix media".split())
_WORD = re.compile(r"[a-z][a-z0-9]*")
_UTILITY = re.compile(r"-\d|[:/]|^(m|p|d|w|h|text|font|bg|flex|align|justify|float|border|btn)-", re.I)
"""Classes that say how something looks."""


def named(body: TemplateNode, key: int | None = None) -> dict[int, str]:
    """Number of each hole in an item -> a name that is no other hole's; the hole `key` is called "url".

    Loops in the item have one name; what their own items are called is asked apart.
    """
    found: dict[int, str] = {}
    used: set[str] = {"key"}
    for number, name in _holes(body, ("", "")):
        found[number] = unique("url" if number == key else name or "value", used)
    return found


def unique(name: str, used: set[str]) -> str:
    """The name, numbered if it is in use, which it is from now on.

    >>> used = {"a"}
    >>> unique("a", used), unique("a", used), unique("b", used)
    ('a_2', 'a_3', 'b')
    """
    found, number = name, 1
    while found in used:
        number += 1
        found = f"{name}_{number}"
    used.add(found)
    return found


def _holes(node: TemplateNode, around: tuple[str, str]) -> Iterator[tuple[int, str]]:
    """Numbers and proposed names; `around` is what the element around is called, and its tag."""
    called, tag = around
    match node:
        case TextPart(text, space, _):
            yield text.number, called or _BY_TAG.get(tag, "text")
            yield from _flag(space, f"{called or tag or 'text'}_space")
        case Raw(number):
            yield number, called or "content"
        case Option(number, body):
            yield number, f"has_{_called(body) or called or _tag(body) or 'text'}"
            yield from _holes(body, around)
        case Loop(number, body):
            yield number, f"{_called(body) or called or getattr(body, 'tag', '') or 'item'}_list"
        case ElementPart():
            yield from _element(node, called)
        case _:
            pass


def _element(node: ElementPart, around: str) -> Iterator[tuple[int, str]]:
    called = _called(node) or (around if node.tag in _BY_TAG and node.tag not in ("img", "a", "time", "input") else "")
    for attribute in node.attributes:
        short = re.sub(r"\W+", "_", attribute.name).strip("_")
        name = _BY_ATTRIBUTE.get((node.tag, attribute.name)) or f"{called or around or node.tag}_{short}"
        yield from _part(attribute.value, name)
        if attribute.present is not None:
            yield attribute.present.number, f"has_{name}"
    for number, flag in enumerate((node.space, node.end_space)):
        yield from _flag(flag, f"{called or node.tag}_{('space', 'end_space')[number]}")
    yield from _part(node.close, f"{called or node.tag}_end")
    for child in node.children:
        yield from _holes(child, (called or (around if node.tag in ("a", "span", "b", "i", "em") else ""), node.tag))


def _tag(body: TemplateNode) -> str:
    return str(getattr(body.node if isinstance(body, Same) else body, "tag", ""))


def _part(part: Part, name: str) -> Iterator[tuple[int, str]]:
    if isinstance(part, Slot):
        yield part.number, name


def _flag(flag: bool | Slot, name: str) -> Iterator[tuple[int, str]]:
    if isinstance(flag, Slot):
        yield flag.number, name


def _called(node: TemplateNode) -> str:
    """What an element says it is: by microdata, by its class, by the name of its field."""
    if isinstance(node, Same) and isinstance(node.node, Element):
        given = {one.name: one.value for one in node.node.attributes}
    elif isinstance(node, ElementPart):
        given = {one.name: one.value for one in node.attributes if isinstance(one.value, str)}
    else:
        return ""
    for name in ("itemprop", "class", "name", "data-label"):
        for token in given.get(name, "").split():
            if name == "class" and _UTILITY.search(token):
                continue
            words = [word for word in _WORD.findall(token.lower().rpartition("__")[2]) if word not in _PLAIN]
            if words and len("_".join(words)) < 24:
                return "_".join(words)
    return ""


def called(body: TemplateNode, depth: int = 2) -> str:
    """What the items of a loop are called: by the item itself, or by the only thing in it; empty if nobody says."""
    if name := _called(body):
        return name
    if isinstance(body, ElementPart) and depth:
        inner = [child for child in body.children if isinstance(child, ElementPart)]
        return called(inner[0], depth - 1) if len(inner) == 1 else ""
    return ""
