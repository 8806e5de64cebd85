"""Templates of pages as Jinja: the same page, hostile text included, and nothing executed."""

from typing import Any

import jinja2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builder.emit.pages import jinja_of
from builder.induce.explain import Frame, explain_frame
from builder.induce.fit import fit
from builder.induce.listing import Facts
from builder.induce.parts import Loop, TemplateNode, render
from builder.induce.repeats import fields_of, slots_of
from builder.induce.template import induce
from builder.induce.tree import parse, rebuilt
from tests.builder.induce.pages import facts, view


def _frame(
    sources: list[str], seen: list[Facts], skip: frozenset[int] = frozenset()
) -> tuple[Frame, list[dict[int, Any]]]:
    template = induce([parse(source) for source in sources])
    datas = [fit(template, parse(source)) for source in sources]
    good = [data for data in datas if data is not None]
    assert len(good) == len(sources)
    return explain_frame(template, list(zip(seen, good, strict=True)), skip), good


def _written(frame: Frame, one: Facts, rows: Any = (), columns: dict[int, str] | None = None) -> str:
    source = jinja_of(frame.template, frame, columns or {})
    return jinja2.Environment(undefined=jinja2.StrictUndefined).from_string(source).render(view(one), rows=rows)


HOSTILE = (
    "{{ 1/0 }}",
    "{% for %}",
    "{# x",
    "{{{",
    "a{",
    "{",
    "}}",
    "%}",
    "{{ '",
    "{%- raw -%}",
    "{% endautoescape %}",
    "a\r\nb\r",
    "\\{{ x }}",
    "'\"{{",
    "é\U0001f600 {%",
)


@pytest.mark.parametrize("text", HOSTILE)
def test_captured_text_is_never_executed(text: str) -> None:
    """As constant text, in a slot that is looked up, in an attribute, and as the value of a choice."""
    sources = [
        f"<pre>{text}</pre><b title='{text.replace(chr(39), '')}{n}'>{text}{'abc'[n]}</b>{text}\n" for n in range(3)
    ]
    seen = [facts(f"/{n}", (("q", "x"),), 72) for n in range(3)]
    frame, datas = _frame(sources, seen)
    for source, one, data in zip(sources, seen, datas, strict=True):
        assert _written(frame, one) == rebuilt(parse(source)) == render(frame.template, data)


def test_what_somebody_asks_for_is_escaped_and_never_executed() -> None:
    def source(word: str) -> str:
        return f"<h1>About {word}</h1><p>x</p>"

    seen = [facts("/s", (("q", word),)) for word in ("lamp", "chair", "tin")]
    frame, _ = _frame([source(dict(one.pairs)["q"]) for one in seen], seen)
    asked = facts("/s", (("q", "{{ 7*7 }}<script>"),))
    assert _written(frame, asked) == source("{{ 7*7 }}&lt;script&gt;")


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.text(st.sampled_from("{}%#'\"\\ a\n-é"), min_size=1, max_size=8), min_size=2, max_size=4, unique=True)
)
def test_any_captured_text_comes_out_as_it_was(texts: list[str]) -> None:
    sources = [f"<pre>{texts[0]}</pre><script>{text}</script>" for text in texts]
    seen = [facts(f"/{n}") for n in range(len(texts))]
    frame, _ = _frame(sources, seen)
    for source, one in zip(sources, seen, strict=True):
        assert _written(frame, one) == rebuilt(parse(source))


def _columns(body: TemplateNode) -> dict[int, str]:
    """A column for every number in a row, those in loops within it too."""
    found = {number: f"s{number}" for number, _ in slots_of(body)}
    for inner in _loops(body):
        found |= _columns(inner.body)
    return found


def _loops(node: Any) -> list[Loop]:
    if isinstance(node, Loop):
        return [node]
    inner = getattr(node, "children", None) or ((node.body,) if hasattr(node, "body") else ())
    return [loop for child in inner for loop in _loops(child)]


CARDS = [
    [("A &amp; B", "£1", True, ["x"]), ("C", "", False, [])],
    [("D", "£2", False, ["y", "z", "x"]), ("E", "£3", True, ["w", "x"]), ("items", "", False, ["k"])],
]


def test_rows_are_written_from_their_columns() -> None:
    def source(cards: list[tuple[str, str, bool, list[str]]]) -> str:
        rows = "".join(
            f"<li><h3>{name}</h3>{f'<b>{price}</b>' if price else ''}<input{' checked' if new else ''} name='n'>"
            f"<div>{''.join(f'<i>{tag}</i>' for tag in tags)}</div></li>"
            for name, price, new, tags in cards
        )
        return f"<ul>{rows}</ul>"

    sources = [source(cards) for cards in CARDS]
    template = induce([parse(one) for one in sources])
    (rows,) = _loops(template[0])
    seen = [facts(f"/{n}") for n in range(2)]
    frame, datas = _frame(sources, seen, frozenset((rows.number,)))
    columns = _columns(rows.body)
    for one, wanted, data in zip(seen, sources, datas, strict=True):
        given = [fields_of(rows.body, row) for row in data[rows.number]]
        assert _written(frame, one, given, columns) == rebuilt(parse(wanted))
        bare = [{name: value for name, value in row.items() if value not in (None, False)} for row in given]
        source_of = jinja_of(frame.template, frame, columns)
        assert jinja2.Environment().from_string(source_of).render(view(one), rows=bare) == rebuilt(parse(wanted))


def test_a_slot_without_a_column_is_refused() -> None:
    sources = ["<ul><li>a</li><li>b</li></ul>", "<ul><li>c</li></ul>"]
    template = induce([parse(one) for one in sources])
    (rows,) = _loops(template[0])
    frame, _ = _frame(sources, [facts("/a"), facts("/b")], frozenset((rows.number,)))
    with pytest.raises(ValueError, match="nothing says what stands in slot"):
        jinja_of(frame.template, frame, {})


def test_a_template_reads_like_the_page() -> None:
    sources = [f"<title>Page {n}</title><p>Hello</p>{'<p id=w>Welcome</p>' if n == 1 else ''}" for n in (1, 2, 3)]
    frame, _ = _frame(sources, [facts("/", (("page", str(n)),), 72) for n in (1, 2, 3)])
    assert jinja_of(frame.template, frame, {}).replace("\n%}", " %}") == (
        "{% autoescape false %}<title>Page {{ page }}</title><p>Hello</p>"
        '{% if page <= 1 %}<p id="w">Welcome</p>{% endif %}{% endautoescape %}'
    )
