"""How well pages of single things are made of their cards: `python -m bench.details RUN`.

A quarter of the pages that are about rows of a table are hidden, those whose row some list shows. From the rest the
site is induced; then every hidden page is made, and compared with what the site had said.
"""

import random
from collections import Counter, defaultdict
from pathlib import Path

import click
from jinja2 import DictLoader, Environment

from bench.figures import Result
from bench.lists import f1, words_of
from bench.templates import masked, pages_of
from builder.emit.pages import jinja_of
from builder.induce import wording
from builder.induce.entities import entities
from builder.induce.families import fits
from builder.induce.fit import fit
from builder.induce.listanswer import answer
from builder.induce.pages import Page, kinds
from builder.induce.scores import quoted
from builder.induce.site import Induced, List, induce_site
from builder.induce.tables import filled


def made(induced: Induced, one: List, page: Page) -> str | None:
    """The page as the emitted application makes it; None if it does not."""
    database = filled(one.family.entity.table, [other.query for other in induced.lists])
    found = answer(database, one.query, page.path, page.pairs)
    if found is None:
        return None
    view = one.views[0]
    source = jinja_of(view.kind.template, view.frame, view.columns, view.fields)
    cursor = database.execute(f"SELECT * FROM {quoted(one.query.table)} WHERE key = ?", found.rows)
    row = dict(zip([column[0] for column in cursor.description], cursor.fetchone(), strict=True))
    context = wording.context(page.path, page.pairs, dict(induced.names or {}), page=1, pages=1, total=1)
    return Environment(loader=DictLoader({"page": source})).get_template("page").render(rows=[row], **context)


@click.command()
@click.argument("run", type=click.Path(path_type=Path, exists=True))
@click.option("--seed", default=1, help="Draws which pages are hidden.")
@click.option("--json", "json_file", type=click.Path(path_type=Path), help="Write the raw figures to this file.")
def main(run: Path, seed: int, json_file: Path | None) -> None:
    pages = pages_of(run)
    known = {key for entity in entities(kinds(pages)) for key in entity.table.rows}
    about = sorted(page.url for page in pages if page.path in known and not page.pairs)
    hidden = set(random.Random(seed).sample(about, len(about) // 4))
    induced = induce_site([page for page in pages if page.url not in hidden])
    shown = {key for entity in induced.entities for key in entity.table.rows}
    abouts = [one for one in induced.lists if not one.family.pages]
    figures: dict[str, Counter[str]] = defaultdict(Counter)
    for page in pages:
        if page.url in hidden and page.path in shown:
            one = next((one for one in abouts if fits(one.family.name, page.path)), None)
            count = figures[page.family]
            count["hidden"] += 1
            source = made(induced, one, page) if one else None
            if one is None or source is None:
                continue
            count["made"] += 1
            count["read"] += fit(one.views[0].kind.template, page.nodes) is not None
            count["f1"] += round(1000 * f1(words_of(source), words_of(page.source)))
            wrong = words_of(source) - words_of(page.source)
            count["wrong"] += round(1000 * wrong.total() / max(words_of(source).total(), 1))
            count["equal"] += masked(source) == masked("".join(node.written for node in page.nodes))
    columns = ["pages", "hidden", "made", "template fits", "text F1", "words not there", "every node"]
    result = Result(f"single things of {len(pages)} pages", columns)
    for name, count in sorted(figures.items()):
        many = max(count["made"], 1)
        result.add(name, count["hidden"], count["made"], count["read"], f"{count['f1'] / 1000 / many:.3f}",
                   f"{count['wrong'] / 1000 / many:.1%}", f"{count['equal'] / many:.0%}")  # fmt: skip
    result.raw = {f"{name} {what}": number for name, count in figures.items() for what, number in count.items()}
    result.notes += [f"{one.family.name}: {one.query.members.because}" for one in abouts]
    result.show(json_file)


if __name__ == "__main__":
    main()
