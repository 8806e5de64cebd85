"""How much of a site exploring finds: `python -m bench.coverage RUN EXPECTED.json [--start URL]`.

EXPECTED lists what somebody who knows the site would look for, as expressions: kinds of pages by their address, forms
by method and address, doings by the request they send. With --start a plain breadth-first crawl of as many pages is
made beside it, following links as crawlers do, and counted in the same way.
"""

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urldefrag, urljoin, urlsplit

import click
from playwright.sync_api import Error, Response

from artifacts.evidence import Actionable, Evidence, load_part
from artifacts.run import Lens
from artifacts.store import Store
from bench.figures import Result
from bench.hosts import loopback
from explorer.lens.browser import new_context, open_browser
from explorer.wire.fetch import path_and_query

_FORMS = """
forms => forms.map(form => {
  const method = (form.getAttribute("method") || "get").toLowerCase();
  return method + " " + (form.getAttribute("action") || location.href);
})"""


class Found(NamedTuple):
    """What one way of exploring met, each as a text that the expressions are tried on."""

    pages: frozenset[str]
    forms: frozenset[str]
    requests: frozenset[str]
    rendered: int
    actions: int


def of_run(run: Path) -> Found:
    """What the Explorer found: states, forms on them, and requests that were answered."""
    evidence = Evidence.from_bytes((run / "evidence.json").read_bytes())
    store = Store(run / "store")
    part = load_part(store, evidence.open) + load_part(store, evidence.sealed)
    forms = set()
    for state in part.states:
        for item in (Actionable.model_validate(one) for one in store.get_json(state.actionables)):
            if item.form:
                forms.add(f"{item.form_method} {path_and_query(urljoin(state.url, item.form_action))}")
    tried = {step.visit for step in part.interactions} | {state.visit for state in part.states}
    requests = {
        f"{one.method} {path_and_query(one.url)}"
        for one in part.exchanges
        if one.visit in tried and (one.status or 500) < 400
    }
    pages = {path_and_query(url) for state in part.states for url in (state.requested, state.url)}
    return Found(frozenset(pages), frozenset(forms), frozenset(requests), len(part.states), len(part.interactions))


def breadth_first(start: str, most: int) -> Found:
    """What following links in their order finds: each page rendered in a browser, its links as they are there."""
    pages: set[str] = set()
    forms: set[str] = set()
    requests: set[str] = set()

    def answered(response: Response) -> None:
        if response.status < 400:
            requests.add(f"{response.request.method} {path_and_query(response.url)}")

    queue, shown = [start], 0
    with open_browser() as browser, new_context(browser, Lens()) as context:
        context.on("response", answered)
        page = context.new_page()
        for url in queue:
            if shown == most:
                break
            try:
                page.goto(url, wait_until="load")
                links = page.locator("a[href]").evaluate_all("links => links.map(link => link.href)")
                found = page.locator("form").evaluate_all(_FORMS)
            except Error:
                continue  # a file that the browser downloads, or a page that goes on by itself
            shown += 1
            pages |= {path_and_query(url), path_and_query(page.url)}
            forms |= {_form(page.url, one) for one in found}
            near = dict.fromkeys(link for link in map(_bare, links) if _is_near(link, start))
            queue += [link for link in near if link not in queue]
    return Found(frozenset(pages), frozenset(forms), frozenset(requests), shown, 0)


def _form(page: str, told: str) -> str:
    method, _, action = told.partition(" ")
    return f"{method} {path_and_query(urljoin(page, action))}"


def _bare(link: str) -> str:
    return urldefrag(link).url


def _is_near(link: str, start: str) -> bool:
    return urlsplit(link)[:2] == urlsplit(start)[:2]


def matched(expected: Mapping[str, str], texts: Iterable[str]) -> set[str]:
    """The names whose expression one of the texts fits.

    >>> sorted(matched({"a": "^/x", "b": "^/y"}, ["/x/1", "/z"]))
    ['a']
    """
    texts = list(texts)
    return {name for name, pattern in expected.items() if any(re.search(pattern, text) for text in texts)}


@click.command()
@click.argument("run", type=click.Path(path_type=Path, exists=True))
@click.argument("expected", type=click.Path(path_type=Path, exists=True))
@click.option("--start", help="Crawl this site breadth first beside it.")
@click.option(
    "--json", "json_file", type=click.Path(path_type=Path), help="Write the names that were found to this file."
)
def main(run: Path, expected: Path, start: str | None, json_file: Path | None) -> None:
    told = json.loads(expected.read_text())
    ours = of_run(run)
    ways = {"explore": ours}
    if start:
        ways["breadth first"] = breadth_first(loopback(start), ours.rendered)
    result = Result(f"what was found of {told['about']}", ["kind", "expected", *ways, "missed by explore"])
    for kind, field in (("templates", "pages"), ("forms", "forms"), ("behaviours", "requests")):
        hits = {name: matched(told[kind], getattr(found, field)) for name, found in ways.items()}
        missed = ", ".join(sorted(told[kind].keys() - hits["explore"])) or "-"
        result.add(kind, len(told[kind]), *(len(hit) for hit in hits.values()), missed)
        result.raw[kind] = {name: sorted(hit) for name, hit in hits.items()}
    for name, found in ways.items():
        result.notes.append(f"{name}: {found.rendered} pages rendered, {found.actions} actions")
    result.show(json_file)


if __name__ == "__main__":
    main()
