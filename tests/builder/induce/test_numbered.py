"""Page numbers among elements of several kinds, and what only looks like them."""

import pytest

from builder.induce.fit import fit
from builder.induce.numbered import Run, runs
from builder.induce.parts import Choice, ElementPart, Loop, render
from builder.induce.template import induce
from builder.induce.tree import parse, rebuilt


@pytest.mark.parametrize("source, expected", [
    ("<h2>x</h2><a>1</a><b>2</b><a>3</a><div>y</div>", Run(1, 4)),
    ("<a>prev</a><a>1</a><b>2</b><i>…</i><a>9</a>", Run(0, 5)),
    ("<a>1</a> | <b>2</b>", Run(0, 3)),
])  # fmt: skip
def test_a_run_is_found(source: str, expected: Run) -> None:
    assert runs([parse(source)]) == [expected]


@pytest.mark.parametrize("source", [
    "<a>1</a><a>2</a><a>3</a>", "Showing <b>1</b> to <i>20</i>", "<b>1</b><i>2</i>", "<a>2</a><b>1</b>", "<a>1</a><div>2</div>",
])  # fmt: skip
def test_numbers_that_are_no_mixed_pager(source: str) -> None:
    assert runs([parse(source)]) is None


def test_a_page_without_numbers_has_an_empty_run() -> None:
    assert runs([parse("<a>1</a><b>2</b>"), parse("<div>x</div>")]) == [Run(0, 2), Run(1, 1)]


def test_a_mixed_run_is_one_loop_that_gives_every_page_back() -> None:
    sources = [
        parse(f"<p>{one}</p>")
        for one in ("<b>1</b> <a>2</a> <i>…</i> <a>9</a>", "<a>1</a> <b>2</b> <a>3</a>", "<a>1</a><b>2</b>", "")
    ]
    template = induce(sources)
    (outer,) = template
    assert isinstance(outer, ElementPart)
    (loop,) = outer.children
    assert isinstance(loop, Loop) and isinstance(loop.body, Choice)
    for source in (*sources, parse("<p><a>1</a> <i>…</i> <b>4</b></p>")):
        data = fit(template, source)
        assert data is not None and render(template, data) == rebuilt(source)
