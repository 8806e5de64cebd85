"""How well lists answer for pages that were hidden from them: `python -m bench.lists RUN`.

A fifth of the list pages of a run, and a quarter of the words that were searched for with all their pages, are hidden.
From the rest the site is induced; then every hidden page is made, and compared with what the site had said. Beside it
stands the nearest recording: the page left open at the same path with most parameters equal.
"""

import json
import random
import time
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import click
from jinja2 import DictLoader, Environment

from bench.figures import Result
from bench.refused import refusal
from bench.templates import masked, pages_of
from builder.emit.pages import jinja_of
from builder.induce import wording
from builder.induce.counts import Counting
from builder.induce.cutting import Answered
from builder.induce.entities import entities
from builder.induce.families import wider
from builder.induce.fit import fit
from builder.induce.listanswer import answer
from builder.induce.listing import Facts
from builder.induce.lists import ListPage, families
from builder.induce.pages import UNREAD, Page, kinds
from builder.induce.parts import Data, render
from builder.induce.scores import quoted
from builder.induce.site import Induced, List, View, induce_site
from builder.induce.slots import Volatile
from builder.induce.tables import filled
from builder.induce.tree import parse, texts_of

_SEARCHED = frozenset("q query search s keyword keywords term text _search".split())


class Made(NamedTuple):
    """A page that was made, and by what."""

    found: Answered
    view: View | None
    source: str
    facts: Facts | None


def draw(shown: Sequence[ListPage], seed: int) -> set[str]:
    """Addresses to hide: some of the searched words with all their pages, and some of the other list pages."""
    chance = random.Random(seed)
    hidden: set[str] = set()
    by_word: dict[tuple[str, str], list[str]] = defaultdict(list)
    others = []
    for one in sorted(shown, key=lambda one: one.page.url):
        words = [(name, value) for name, value in one.page.pairs if name in _SEARCHED and value]
        if words:
            by_word[words[0]].append(one.page.url)
        elif one.page.pairs:
            others.append(one.page.url)
    words_of = sorted(by_word)
    for word in chance.sample(words_of, len(words_of) // 4):
        hidden.update(by_word[word])
    hidden.update(chance.sample(others, len(others) // 5))
    return hidden


class Maker:
    """Makes pages as the emitted application does."""

    def __init__(self, induced: Induced) -> None:
        self._induced = induced
        self._lists = {one.family.name: one for one in induced.lists if one.family.pages}
        self.databases = {
            one.family.name: filled(one.family.entity.table, [other.query for other in induced.lists])
            for one in self._lists.values()
        }
        self._views = {
            (name, number): view for name, one in self._lists.items() for number, view in enumerate(one.views)
        }
        sources = {
            f"{name}#{number}": jinja_of(view.kind.template, view.frame, view.columns, view.fields)
            for (name, number), view in self._views.items()
        }
        self._jinja = Environment(loader=DictLoader(sources))

    def make(self, page: Page) -> Made | None:
        family = (self._induced.part_of or {}).get(page.family, page.family)
        one = self._lists.get(family)
        if one is None:
            return None
        database = self.databases[family]
        found = answer(database, one.query, page.path, page.pairs)
        if found is None:
            return None
        number = self._view(one, found, page.path)
        if number is None:
            return Made(found, None, "", None)
        view = one.views[number]
        names = dict(self._induced.names or {})
        counting = Counting(database, one.query, page.path, page.pairs)
        facts = Facts(page.path, page.pairs, found.page, found.pages, found.total, found.first, found.last, found.size,
                      len(found.rows), names, counting)  # fmt: skip
        rows = [self._row(family, one, view, key) for key in found.rows]
        numbers = {name: getattr(facts, name) for name in ("page", "pages", "total", "first", "last", "size", "shown")}
        context = wording.context(page.path, page.pairs, names, **numbers) | counting.names()
        return Made(found, view, self._jinja.get_template(f"{family}#{number}").render(rows=rows, **context), facts)

    def _view(self, one: List, found: Answered, path: str) -> int | None:
        fitting = [n for n, view in enumerate(one.views) if view.has_rows == bool(found.rows)]
        anywhere = (n for n in fitting if not one.views[n].is_bound)
        return next((n for n in fitting if path in one.views[n].paths), next(anywhere, None))

    def _row(self, family: str, one: List, view: View, key: str) -> Mapping[str, Any]:
        cursor = self.databases[family].execute(f"SELECT * FROM {quoted(one.query.table)} WHERE key = ?", (key,))
        values = dict(zip([column[0] for column in cursor.description], cursor.fetchone() or (), strict=False))
        return values | {name: json.loads(values[name]) for name in view.json_columns if values.get(name)}


def nearest(page: Page, open_pages: Sequence[ListPage]) -> ListPage | None:
    """The page left open at the same path with most parameters equal."""
    same = [one for one in open_pages if one.page.path == page.path]
    asked = Counter(page.pairs)

    def likeness(one: ListPage) -> tuple[int, int]:
        other = Counter(one.page.pairs)
        return ((asked & other).total(), -((asked - other) + (other - asked)).total())

    return max(same, key=likeness, default=None)


def words_of(source: str) -> Counter[str]:
    """The words that markup shows."""
    return Counter(" ".join(text for node in parse(source) for text in texts_of(node, UNREAD)).split())


def f1(one: Counter[str], other: Counter[str]) -> float:
    return 2 * (one & other).total() / max(one.total() + other.total(), 1)


def slots_right(made: Made, page: Page) -> tuple[int, int]:
    """How many holes of the frame have the page's own value, of those it has; tokens are left out."""
    if made.view is None or made.facts is None:
        return 0, 0
    truth = fit(made.view.kind.template, page.nodes)
    if truth is None:
        return 0, 0
    return _alike(made.view.frame.data(made.facts), truth, made.view.frame.skip | by_chance(made.view))


def by_chance(view: View) -> frozenset[int]:
    """Holes that chance or the clock fills."""
    return frozenset(number for number, program in view.frame.programs.items() if isinstance(program, Volatile))


def as_made(made: Made, page: Page) -> str:
    """The page as the site had it, but for what chance or the clock made: that stands there as in the page made."""
    if made.view is None or made.facts is None or (truth := fit(made.view.kind.template, page.nodes)) is None:
        return rebuilt_of(page)
    return render(made.view.kind.template, _with(truth, made.view.frame.data(made.facts), by_chance(made.view)))


def _with(truth: Data, mine: Data, numbers: frozenset[int]) -> Data:
    found: Data = {}
    for number, value in truth.items():
        if isinstance(value, dict) and isinstance(mine.get(number), dict):
            found[number] = _with(value, mine[number], numbers)
        else:
            found[number] = mine[number] if number in numbers and number in mine else value
    return found


def _alike(mine: Data, truth: Data, skip: frozenset[int]) -> tuple[int, int]:
    right = total = 0
    for number, value in truth.items():
        if number in skip or (isinstance(value, str) and masked(value) != value):
            continue
        if isinstance(value, dict):
            inner = mine.get(number)
            good, many = _alike(inner if isinstance(inner, dict) else {}, value, skip)
            right, total = right + good, total + many
        else:
            right, total = right + (mine.get(number) == value), total + 1
    return right, total


@click.command()
@click.argument("run", type=click.Path(path_type=Path, exists=True))
@click.option("--seed", default=1, help="Draws which pages are hidden.")
@click.option("--json", "json_file", type=click.Path(path_type=Path), help="Write the raw figures to this file.")
@click.option("--wrong", is_flag=True, help="Name the pages that come out wrong.")
def main(run: Path, seed: int, json_file: Path | None, wrong: bool) -> None:
    pages = pages_of(run)
    everything = kinds(pages)
    told = families(everything, entities(everything), wider(everything))
    shown = [one for family in told for one in family.pages]
    hidden = draw(shown, seed)
    began = time.process_time()
    induced = induce_site([page for page in pages if page.url not in hidden])
    spent = time.process_time() - began
    known = {key for entity in induced.entities for key in entity.table.rows}
    open_pages = [one for one in shown if one.page.url not in hidden]
    maker = Maker(induced)
    figures: dict[str, Counter[str]] = defaultdict(Counter)
    refused: Counter[str] = Counter()
    for one in shown:
        if one.page.url in hidden and set(one.listing.rows) <= known:
            is_search = any(name in _SEARCHED and value for name, value in one.page.pairs)
            count = figures[("search " if is_search else "list ") + one.page.family]
            made = maker.make(one.page)
            if made is None:
                refused[refusal(induced, maker.databases, one.page)] += 1
            _judge(one, made, nearest(one.page, open_pages), count, tell=wrong)
    columns = [
        "pages",
        "hidden",
        "not answered",
        "set",
        "order",
        "nearest: order",
        "slots right",
        "text F1",
        "every node",
    ]
    result = Result(f"lists of {len(pages)} pages", columns)
    total: Counter[str] = Counter()
    for name, count in sorted(figures.items()):
        result.add(name, *_row(count))
        total += count
    result.add("all", *_row(total))
    result.raw = dict(total)
    result.notes.append(
        f"induced in {spent:.1f} s of CPU; {len(hidden)} pages hidden, those with unknown rows left out"
    )
    result.notes += [f"not answered, {count}: {reason}" for reason, count in refused.most_common()]
    result.show(json_file)


def _judge(one: ListPage, made: Made | None, near: ListPage | None, count: Counter[str], *, tell: bool) -> None:
    count["hidden"] += 1
    count["nearest order"] += near is not None and near.listing.rows == one.listing.rows
    if made is None:
        count["unanswered"] += 1
        if tell:
            click.echo(f"not answered: {one.page.url}")
        return
    truth = words_of(one.page.source)
    count["set"] += set(made.found.rows) == set(one.listing.rows)
    count["order"] += made.found.rows == one.listing.rows
    right, of = slots_right(made, one.page)
    count["slots"] += of
    count["slots right"] += right
    count["f1"] += round(1000 * f1(words_of(made.source), truth))
    equal = masked(made.source) == masked(as_made(made, one.page))
    count["nodes"] += equal
    if tell and not equal:
        click.echo(f"{'rows' if made.found.rows != one.listing.rows else 'frame'}: {one.page.url} {right}/{of}")


def rebuilt_of(page: Page) -> str:
    return "".join(node.written for node in page.nodes)


def _row(count: Counter[str]) -> list[str]:
    many = max(count["hidden"], 1)
    answered = max(count["hidden"] - count["unanswered"], 1)
    return [
        str(count["hidden"]), str(count["unanswered"]), f"{count['set'] / many:.0%}", f"{count['order'] / many:.0%}",
        f"{count['nearest order'] / many:.0%}", f"{count['slots right'] / max(count['slots'], 1):.1%}",
        f"{count['f1'] / 1000 / answered:.3f}", f"{count['nodes'] / many:.0%}",
    ]  # fmt: skip


if __name__ == "__main__":
    main()
