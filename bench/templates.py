"""How much of a site templates explain: `python -m bench.templates RUN`.

Pages of a run are put with their like; of each kind a template is induced, and every page is read and written again by
it. Then a quarter of each kind of five pages and more is hidden, and read by a template that it did not help to make.
"""

import random
import re
import statistics
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from artifacts.evidence import Evidence, load_part
from artifacts.store import Store
from bench.figures import Result
from builder.compile import keys
from builder.induce.fit import Fitter
from builder.induce.pages import Page, kinds
from builder.induce.parts import ElementPart, Loop, Option, Raw, Same, TemplateNode, TextPart
from builder.induce.template import induce
from explorer.crawl.urls import Templates
from explorer.wire.charset import text_of

_TOKEN = re.compile(r"[A-Za-z0-9_+-]{16,}")
_VARIABLE = re.compile(r"[^/]*\{[^/]*")


def pages_of(run: Path) -> list[Page]:
    """Each address once, as a visitor without cookies got it."""
    evidence = Evidence.from_bytes((run / "evidence.json").read_bytes())
    store = Store(run / "store")
    part = load_part(store, evidence.open) + load_part(store, evidence.sealed)
    found: dict[str, str] = {}
    for one in part.exchanges:
        kind = one.said("content-type")
        is_plain = one.method == "GET" and one.identity == "anonymous" and not one.visit.startswith("e")
        is_page = one.status == 200 and "html" in kind and one.url.startswith(evidence.site)
        if is_plain and is_page and one.response_body and one.url not in found:
            found[one.url] = text_of(store.get(one.response_body), kind)
    templates = Templates(found)
    return [Page(url, _family(templates.of(url)), 200, html) for url, html in found.items()]


def _family(template: str) -> str:
    """The path of an address with its variable segments starred."""
    return "/" + _VARIABLE.sub("*", template.partition("?")[0].partition("/")[2])


def masked(text: str) -> str:
    """Text without the tokens in it."""
    return _TOKEN.sub(lambda found: "~" if keys.looks_random(found[0]) else found[0], text)


def constant(nodes: Sequence[TemplateNode]) -> int:
    """Characters of a template that are the same on every page."""
    return sum(map(_constant, nodes))


def _constant(node: TemplateNode) -> int:
    match node:
        case Same(same):
            return len(same.written)
        case ElementPart():
            own = sum(len(one.before) + len(one.after) + (len(one.value) if isinstance(one.value, str) else 0)
                      for one in node.attributes)  # fmt: skip
            return len(node.opening) + own + 1 + constant(node.children) + len(node.opening) + 2
        case Option(_, body) | Loop(_, body):
            return _constant(body)
        case _:
            return 0


def slots(nodes: Sequence[TemplateNode]) -> int:
    """Holes for text, options, loops and raw parts, each counted once."""
    return sum(map(_slots, nodes))


def _slots(node: TemplateNode) -> int:
    match node:
        case TextPart() | Raw():
            return 1
        case ElementPart():
            own = sum((one.present is not None) + (not isinstance(one.value, str)) for one in node.attributes)
            return own + slots(node.children)
        case Option(_, body) | Loop(_, body):
            return 1 + _slots(body)
        case _:
            return 0


def raw_of(nodes: Sequence[TemplateNode], data: dict[int, object]) -> int:
    """Characters of a page that no structure was found in."""
    return sum(_raw_of(node, data) for node in nodes)


def _raw_of(node: TemplateNode, data: dict[int, object]) -> int:
    match node:
        case Raw(number):
            return len(str(data[number]))
        case ElementPart():
            return raw_of(node.children, data)
        case Option(number, body):
            inner = data[number]
            return _raw_of(body, inner) if isinstance(inner, dict) else 0
        case Loop(number, body):
            rows = data[number]
            return sum(_raw_of(body, row) for row in rows) if isinstance(rows, list) else 0
        case _:
            return 0


def accepted(template: Sequence[TemplateNode], pages: Sequence[Page]) -> Iterator[tuple[Page, int]]:
    """The pages that a template gives back, with how much of each is raw."""
    fitter = Fitter(template)
    for page in pages:
        data = fitter.given_back(page.nodes, page.rebuilt)
        if data is not None:
            yield page, raw_of(template, data)


@click.command()
@click.argument("run", type=click.Path(path_type=Path, exists=True))
@click.option("--json", "json_file", type=click.Path(path_type=Path), help="Write the raw figures to this file.")
def main(run: Path, json_file: Path | None) -> None:
    pages = pages_of(run)
    began = time.process_time()
    grouped = kinds(pages)
    columns = ["first page", "pages", "given back", "hidden accepted", "page / template", "slots", "raw %"]
    result = Result(f"templates of {len(pages)} pages in {len(grouped)} kinds", columns)
    totals = [0, 0, 0, 0, 0]
    for one in grouped:
        kind, template = [*one.pages, *one.kept], one.template
        good = list(accepted(template, kind))
        raw = sum(size for _, size in good) / max(sum(len(page.source) for page, _ in good), 1)
        hidden, tried = _hidden(kind) if len(kind) >= 5 else (0, 0)
        mean = statistics.fmean(len(page.source) for page in kind)
        result.add(kind[0].url.partition("//")[2].partition("/")[2][:48] or "/", len(kind), len(good),
                   f"{hidden}/{tried}" if tried else "-", f"{mean / 1000:.1f}k / {constant(template) / 1000:.1f}k",
                   slots(template), f"{raw:.1%}")  # fmt: skip
        for place, value in enumerate((len(kind), len(good), hidden, tried)):
            totals[place] += value
    result.add("all", totals[0], totals[1], f"{totals[2]}/{totals[3]}", "-", "-", "-")
    result.raw = dict(zip(("pages", "given_back", "hidden_accepted", "hidden"), totals, strict=False))
    result.notes.append(f"{time.process_time() - began:.1f} s of CPU, hiding included")
    result.show(json_file)


def _hidden(kind: Sequence[Page]) -> tuple[int, int]:
    """How many of a hidden quarter are given back, and how many were hidden. The draw is always the same."""
    order = list(kind)
    random.Random(1).shuffle(order)
    few = max(1, len(order) // 4)
    template = induce([page.nodes for page in order[few:]])
    return sum(1 for _ in accepted(template, order[:few])), few


if __name__ == "__main__":
    main()
