"""Addresses in HTML and SVG: a scan over the tags as a browser's tokenizer sees them, every other byte untouched."""

import base64
import hashlib
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from environments.runtime.places import Front, Origin
from environments.runtime.policy import policy_to_local
from environments.runtime.styles import css_to_local, load_to_local
from environments.runtime.text import names_to_local, text_to_local

_NEXT = re.compile(
    rb"<!--(?:>|->|.*?(?:--!?>|\Z))|<(?P<name>[A-Za-z][^\s/>]*+)"
    rb"(?P<attributes>(?:[\s/]++|[^\s/>][^\s/>=]*+(?:\s*+=\s*+(?:\"[^\"]*+\"|'[^']*+'|[^\s>\"'][^\s>]*+)?)?+)*+)",
    re.DOTALL,
)
_ATTRIBUTE = re.compile(
    rb"(?P<name>[^\s/>][^\s/>=]*+)(?P<equals>\s*+=\s*+(?P<value>\"[^\"]*+\"|'[^']*+'|[^\s>\"'][^\s>]*+)?)?+", re.DOTALL
)
_RAW = {b"script", b"style", b"textarea", b"title", b"xmp", b"iframe", b"noembed", b"noframes"}
_READ_BY_PEOPLE = {b"alt", b"title", b"placeholder", b"label", b"summary", b"abbr", b"class", b"id"}
_LOADS = {
    b"src", b"href", b"xlink:href", b"action", b"formaction", b"poster", b"data", b"background", b"longdesc",
    b"manifest", b"codebase", b"archive", b"ping", b"cite", b"classid", b"dynsrc", b"lowsrc", b"icon",
}  # fmt: skip
_TYPED = {b"", b"text", b"search", b"url", b"email", b"tel", b"number", b"password"}
_MARKUP_IN_SCRIPT = re.compile(rb"html|template|handlebars|mustache", re.IGNORECASE)
_CODE = re.compile(rb"(?:module|(?:text|application)/(?:x-)?(?:java|ecma)script[\d.]*)?", re.IGNORECASE)
_REFRESH = re.compile(rb"(?P<lead>\A\s*[\d.]*\s*[;,]?\s*(?:url\s*=\s*)?[\"']?)(?P<target>[^\"'\s]*)", re.IGNORECASE)
_CANDIDATE = re.compile(rb"([\s,]*+)(\S++)")

# what the attributes of a tag must hold for anything in them to change; most tags of a page hold none of it
_MAY_CHANGE = re.compile(rb"//|\\|%2f|%252f|&\#|&sol;|integrity|http-equiv|https?:|https?&", re.IGNORECASE)
_ANY_SLASH = re.compile(rb"/|" + _MAY_CHANGE.pattern, re.IGNORECASE)


Vouch = Callable[[str, str], str]
"""From a resource's address as it stands in the page and its `integrity`, what to vouch for in its place."""


class _Tag(NamedTuple):
    name: bytes
    attributes: dict[bytes, bytes]
    """First of each name, lower case, without quotes, entities as they are."""


def html_to_local(data: bytes, front: Front, hashes: dict[str, str] | None = None, vouch: Vouch | None = None) -> bytes:
    """The document with every address in its tags, scripts and styles kept in the sandbox.

    `integrity` attributes are what `vouch` makes of them, and are left out without it: what they vouch for is itself
    mapped. Policies in `meta` tags come last, because they may name hashes of scripts that stand after them.
    """
    changed_hashes: dict[str, str] = {} if hashes is None else hashes
    front = front._replace(here=_base_origin(data, front))
    pieces: list[bytes] = []
    policies: list[tuple[int, _Tag, bytes]] = []
    done = 0
    may_change = _ANY_SLASH if front.base else _MAY_CHANGE
    for start, end, name, attributes in _tags(data):
        if name not in (b"script", b"style") and not may_change.search(attributes):
            continue
        tag = _Tag(name, _values(attributes))
        begin = start + 1 + len(name)
        pieces.append(data[done:begin])
        done = begin + len(attributes)
        if name == b"meta" and tag.attributes.get(b"http-equiv", b"").lower().startswith(b"content-security-policy"):
            policies.append((len(pieces), tag, attributes))
            pieces.append(b"")
        else:
            pieces.append(_attributes(tag, attributes, front, vouch=vouch))
        if end > done + 1 and name in (b"script", b"style"):
            content = data[done + 1 : end]
            new = _content(tag, content, front)
            if new != content:
                changed_hashes.update(_hash_sources(content, new))
            pieces += (b">", new)
            done = end
    for place, tag, attributes in policies:
        pieces[place] = _attributes(tag, attributes, front, changed_hashes)
    pieces.append(data[done:])
    return b"".join(pieces)


def _tags(data: bytes) -> Iterator[tuple[int, int, bytes, bytes]]:
    """Start of each tag, end of its raw content (or of the tag), lower-case name, attribute bytes."""
    at = 0
    never_closed: set[bytes] = set()
    while found := _NEXT.search(data, at):
        at = found.end()
        if found["name"] is None:
            continue
        if not data.startswith(b">", at):  # a tag that does not end is no tag, and nothing comes after it
            return
        at += 1
        name = found["name"].lower()
        if name in _RAW and name not in never_closed:
            closing = re.compile(rb"</" + name + rb"(?=[\s/>])", re.IGNORECASE).search(data, at)
            if closing:
                at = closing.start()
            elif found["attributes"].endswith(b"/"):  # as it may be in SVG
                never_closed.add(name)
            else:
                at = len(data)
        yield found.start(), at, name, found["attributes"]


def _values(attributes: bytes) -> dict[bytes, bytes]:
    values: dict[bytes, bytes] = {}
    for found in _ATTRIBUTE.finditer(attributes):
        values.setdefault(found["name"].lower(), _bare(found["value"] or b""))
    return values


def _bare(value: bytes) -> bytes:
    return value[1:-1] if value[:1] in (b'"', b"'") else value


def _base_origin(data: bytes, front: Front) -> Origin:
    """The captured host that root-relative addresses here belong to: that of `<base href>`, if there is one."""
    if b"<base" not in data and b"<BASE" not in data:
        return front.here
    for _, _, name, attributes in _tags(data):
        if name == b"base" and (href := _values(attributes).get(b"href", b"").strip()):
            if href.startswith(b"//"):
                href = f"{front.here.scheme}:".encode() + href
            if re.match(rb"https?://", href, re.IGNORECASE):
                origin = Origin.of(href.decode("utf-8", "replace"))
                return front.hosts.known(origin) or origin
            return front.here
    return front.here


def _attributes(
    tag: _Tag,
    attributes: bytes,
    front: Front,
    hashes: dict[str, str] | None = None,
    *,
    vouch: Vouch | None = None,
) -> bytes:
    if not attributes or (b"=" not in attributes):
        return attributes

    def change(found: re.Match[bytes]) -> bytes:
        name, value = found["name"].lower(), found["value"]
        if name == b"integrity" and tag.name in (b"script", b"link"):
            source = tag.attributes.get(b"src" if tag.name == b"script" else b"href", b"")
            kept = vouch(source.decode("utf-8", "replace"), _bare(value or b"").decode("latin-1")) if vouch else ""
            return b'integrity="' + kept.encode("latin-1") + b'"' if kept else b""
        if not value:
            return found[0]
        bare = _bare(value)
        new = _value(tag, name, bare, front, hashes)
        if new == bare:
            return found[0]
        quote = value[:1] if value[:1] in (b'"', b"'") else b""
        lead = found[0][: len(found[0]) - len(value)]
        return lead + quote + new + quote

    return _ATTRIBUTE.sub(change, attributes)


def _value(tag: _Tag, name: bytes, value: bytes, front: Front, hashes: dict[str, str] | None) -> bytes:
    if name in _READ_BY_PEOPLE or name.startswith((b"xmlns", b"aria-")):
        return value
    if name == b"value" and tag.name == b"input" and tag.attributes.get(b"type", b"").strip().lower() in _TYPED:
        return value
    if tag.name == b"meta" and name == b"content":
        return _meta(tag, value, front, hashes)
    if name == b"style":
        return css_to_local(value, front)
    if name in (b"srcset", b"imagesrcset", b"data-srcset"):
        return _srcset(value, front)
    if name == b"data" and tag.name != b"object":
        return text_to_local(value, front)
    if name in _LOADS:
        return load_to_local(text_to_local(value, front), front)
    return text_to_local(value, front)


def _meta(tag: _Tag, value: bytes, front: Front, hashes: dict[str, str] | None) -> bytes:
    directive = tag.attributes.get(b"http-equiv", b"").strip().lower()
    if directive == b"refresh":
        found = _REFRESH.match(text_to_local(value, front))
        if found and found["target"]:
            return found["lead"] + load_to_local(found["target"], front) + found.string[found.end() :]
    if directive.startswith(b"content-security-policy"):
        text = value.decode("latin-1").replace("&#39;", "'").replace("&#x27;", "'").replace("&apos;", "'")
        # latin-1 keeps every byte; a policy's own grammar is ASCII
        return policy_to_local(text, front, hashes or {}).encode("latin-1")
    return text_to_local(value, front)


def _srcset(value: bytes, front: Front) -> bytes:
    """Each candidate's address mapped; descriptors stay. A data: address may hold commas."""
    mapped = text_to_local(value, front)
    pieces: list[bytes] = []
    at = 0
    while found := _CANDIDATE.match(mapped, at):
        address = found[2].rstrip(b",")
        commas = found[2][len(address) :]
        pieces += (found[1], load_to_local(address, front), commas)
        at = found.end()
        if not commas:
            comma = mapped.find(b",", at)
            stop = len(mapped) if comma < 0 else comma + 1
            pieces.append(mapped[at:stop])
            at = stop
    pieces.append(mapped[at:])
    return b"".join(pieces)


def _content(tag: _Tag, content: bytes, front: Front) -> bytes:
    if tag.name == b"style":
        return css_to_local(content, front)
    if _MARKUP_IN_SCRIPT.search(tag.attributes.get(b"type", b"")):
        return html_to_local(content, front)
    mapped = text_to_local(content, front)
    return names_to_local(mapped, front) if _CODE.fullmatch(tag.attributes.get(b"type", b"").strip()) else mapped


def digests(body: bytes) -> list[str]:
    """What `integrity` may say of these bytes."""
    names = ("sha384", "sha256", "sha512")
    return [f"{name}-{base64.b64encode(hashlib.new(name, body).digest()).decode()}" for name in names]


def _hash_sources(old: bytes, new: bytes) -> Iterator[tuple[str, str]]:
    for name in ("sha256", "sha384", "sha512"):
        before, after = (
            f"'{name}-{base64.b64encode(hashlib.new(name, content).digest()).decode()}'" for content in (old, new)
        )
        yield before, after
