"""Pages of one kind, each read by the template they share. Pure."""

import html
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from urllib.parse import quote, quote_plus, urldefrag, urlencode, urljoin, urlsplit

from builder.compile import keys
from builder.induce.cluster import Sample, clusters
from builder.induce.fit import Fitter
from builder.induce.listing import Pairs
from builder.induce.parts import Data, TemplateNode
from builder.induce.refine import by_header, selectors
from builder.induce.template import induce
from builder.induce.tree import UNSEEN, Element, Node, parse, rebuilt, texts_of

_FIRST, _ROUNDS, _MORE = 40, 6, 12
"""Pages a template is induced from at first; what it does not fit is added a few at a time, so often."""
_LEAST_COPIED = 2
"""Characters of a request's value that are looked for in what it was answered."""
UNREAD = UNSEEN | {"head"}
"""Elements whose text is on no page that is looked at."""


@dataclass(frozen=True, eq=False)
class Page:
    """A page as the server sent it."""

    url: str
    family: str
    """The path with its variable segments starred; pages of one list have it in common."""
    status: int
    source: str
    """The document's text."""
    name: str = ""
    """What whoever made the page knows it by."""
    selector: Pairs = ()
    """Parameters that choose the kind of page, as the path does on other sites; the family says them too."""

    @cached_property
    def nodes(self) -> tuple[Node, ...]:
        return parse(self.source)

    @cached_property
    def rebuilt(self) -> str:
        """The page as its nodes write it."""
        return rebuilt(self.nodes)

    @cached_property
    def path(self) -> str:
        return keys.path_of(urlsplit(self.url).path)

    @cached_property
    def place(self) -> str:
        """What chooses the kind of page: the path, and the parameters that select among pages of one path."""
        return selected(self.path, self.selector)

    def selecting(self, selector: Pairs) -> "Page":
        """The same page, where parameters choose the kind."""
        found = replace(self, selector=selector, family=selected(self.family, selector))
        vars(found)["nodes"] = self.nodes  # read already
        return found

    @cached_property
    def pairs(self) -> Pairs:
        """The query in the order it was sent."""
        return keys.sent_pairs(urlsplit(self.url).query)

    @cached_property
    def host(self) -> str:
        parts = urlsplit(self.url)
        return keys.origin_of(parts.scheme, parts.hostname or "", parts.port)

    @cached_property
    def base(self) -> str:
        """What addresses on the page are relative to."""
        given = next((found for node in self.nodes if (found := _base_of(node))), "")
        return urljoin(self.url, html.unescape(given)) if given else self.url

    def target(self, href: str) -> str:
        """Where an attribute's value, as it stands in the source, leads: path and query on the page's own host.

        The whole address for another host; empty if it leads nowhere a server could answer.
        """
        return address_of(self.base, self.host, href)

    @cached_property
    def links(self) -> tuple[tuple[str, str], ...]:
        """Every link, in order: where it leads, as `target` says it, and its text."""
        found: list[tuple[str, str]] = []
        stack: list[Node] = list(reversed(self.nodes))
        while stack:
            node = stack.pop()
            if not isinstance(node, Element):
                continue
            href = node.get("href") if node.tag in ("a", "area") else None
            if href is not None and (target := self.target(href)):
                found.append((target, " ".join(texts_of(node, UNREAD))))
            stack += reversed(node.children)
        return tuple(found)


def selected(path: str, selector: Pairs) -> str:
    """A path with the parameters that choose among the kinds of pages it answers with."""
    return f"{path}?{urlencode(selector)}" if selector else path


def address_of(base: str, host: str, href: str) -> str:
    """An address by its path and query if it is on the host, else whole; empty for what is no web address."""
    try:
        parts = urlsplit(urldefrag(urljoin(base, html.unescape(href).strip())).url)
        if parts.scheme not in ("http", "https"):
            return ""
        origin = keys.origin_of(parts.scheme, parts.hostname or "", parts.port)
    except ValueError:
        return ""
    own = keys.path_of(parts.path) + (f"?{parts.query}" if parts.query else "")
    return own if origin == host else origin + own


def _base_of(node: Node) -> str:
    if not isinstance(node, Element) or node.tag not in ("html", "head", "base"):
        return ""
    if node.tag == "base":
        return node.get("href") or ""
    return next((found for child in node.children if (found := _base_of(child))), "")


@dataclass(frozen=True, eq=False)
class Kind:
    """Pages that one template gives back, each with what stands in its holes."""

    template: tuple[TemplateNode, ...]
    pages: tuple[Page, ...]
    data: tuple[Data, ...]
    kept: tuple[Page, ...] = ()
    """Pages of this kind that the template does not give back: they stay as they were captured."""


def kinds(pages: Sequence[Page]) -> tuple[Kind, ...]:
    """The pages put with their like, the largest kind first; of one page alone the template is the page."""
    grouped = clusters([Sample(str(page.status), page.family, page.nodes) for page in pages])
    chosen = selectors([(page.family, page.pairs) for page in pages], grouped)
    pages = [page.selecting(found) if found else page for page, found in zip(pages, chosen, strict=True)]
    by_family: dict[str, list[Page]] = defaultdict(list)
    for page in pages:
        by_family[page.family].append(page)
    made = []
    for members in grouped:
        some = [pages[number] for number in members]
        for same in by_header([page.place for page in some], [page.nodes for page in some]):
            alike = [some[number] for number in same]
            made.append(kind_of(alike, copied_in(alike, by_family)))
    return tuple(sorted(made, key=lambda kind: -len(kind.pages) - len(kind.kept)))


def copied_in(alike: Sequence[Page], by_family: Mapping[str, Sequence[Page]]) -> frozenset[str]:
    """What all of these pages were asked for, as it may stand in their source.

    Only what no page of the family says that was not asked for it: others say it anyway.
    """
    asked = frozenset.intersection(*(frozenset(page.pairs) for page in alike))
    found: set[str] = set()
    for name, value in asked:
        if len(value) >= _LEAST_COPIED:
            spelled = {
                value,
                html.escape(value, quote=False),
                html.escape(value),
                quote(value, safe=""),
                quote_plus(value),
            }
            others = (page for page in by_family[alike[0].family] if (name, value) not in page.pairs)
            if not any(value in page.source for page in others):
                found |= spelled
    return frozenset(found)


def kind_of(pages: Sequence[Page], copied: frozenset[str] = frozenset()) -> Kind:
    """The kind of these pages. The template is induced from few, and from more where those do not tell everything."""
    step = max(1, len(pages) // _FIRST)
    chosen = list(pages[::step][:_FIRST])
    template, read = _read(chosen, pages, copied)
    for _ in range(_ROUNDS):
        misfits = [page for page, data in read if data is None and page not in chosen]
        if not misfits:
            break
        chosen += misfits[:: max(1, len(misfits) // _MORE)][:_MORE]
        template, read = _read(chosen, pages, copied)
    good = [(page, data) for page, data in read if data is not None]
    return Kind(
        template,
        tuple(page for page, _ in good),
        tuple(data for _, data in good),
        tuple(page for page, data in read if data is None),
    )


def _read(
    chosen: Sequence[Page], pages: Sequence[Page], copied: frozenset[str]
) -> tuple[tuple[TemplateNode, ...], list[tuple[Page, Data | None]]]:
    """The template of the chosen pages, and what it says of all."""
    template = induce([page.nodes for page in chosen], copied)
    fitter = Fitter(template)
    return template, [(page, fitter.given_back(page.nodes, page.rebuilt)) for page in pages]
