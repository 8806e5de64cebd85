"""What was asked for is a slot, even if only one thing was asked for."""

from builder.induce.explain import explain_frame
from builder.induce.fit import fit
from builder.induce.listing import Facts
from builder.induce.parts import Same, render
from builder.induce.taint import tainted
from builder.induce.template import induce
from builder.induce.tree import parse, rebuilt
from tests.builder.induce.pages import document, link, paged, put


def _page(one: Facts) -> str:
    word = dict(one.pairs)["q"]
    on = f'<p><a href="{link(one.path, put(one.pairs, page=one.page + 1))}">on</a></p>' if one.page < one.pages else ""
    return document(
        f'<h1>Found for <em>"{word}"</em></h1><input name="q" value="{word}">{on}<div>books</div>',
        f"{word} | Shop",
    )


def test_one_word_is_enough_to_see_where_it_is_repeated() -> None:
    shown = [paged(72, page, (("q", "lamp"),), "/search") for page in (1, 2, 4)]
    sources = [parse(_page(one)) for one in shown]
    template = tainted(induce(sources), [one.pairs for one in shown])
    datas = [fit(template, source) for source in sources]
    frame = explain_frame(template, [(one, data) for one, data in zip(shown, datas, strict=True) if data is not None])
    assert not frame.open
    for one in (*shown, paged(95, 3, (("q", "chair"),), "/search")):
        assert render(template, frame.data(one)) == rebuilt(parse(_page(one)))


def test_values_that_could_stand_there_by_chance_are_left_alone() -> None:
    template = induce([parse("<p>12 of ab</p><p>lamps and clamp</p>")])
    assert tainted(template, [(("q", "ab"), ("n", "12"), ("w", "lamp"))]) == template


def test_a_word_that_only_some_pages_asked_for_is_no_slot() -> None:
    template = induce([parse("<p>lamp</p>"), parse("<p>lamp</p>")])
    assert tainted(template, [(("q", "lamp"),), (("q", "chair"),)]) == template
    (changed,) = tainted(template, [(("q", "lamp"),), (("q", "lamp"), ("page", "2"))])
    assert not isinstance(changed, Same)
