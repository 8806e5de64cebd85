"""Pages are understood when a template and what was read of them give them back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from artifacts.run import Lens
from builder.induce.cluster import Sample, clusters
from builder.induce.fit import fit
from builder.induce.parts import Loop, Option, Raw, render
from builder.induce.template import induce
from builder.induce.tree import Element, Text, parse, rebuilt
from explorer.lens.browser import new_context, open_browser

ODD = [
    "<!doctype html><title>a < b</title><p class=x id='y'>one<p>two",
    "<ul><li>a<li>b<ul><li>c</ul></ul><dl><dt>t<dd>d<dt>u<dd>e</dl>",
    "<table><tr><td>1<td>2<tr><th>3</table>",
    "<select><option>a<option selected>b<optgroup label=g><option>c</select>",
    "<pre>\n  kept   as\n it is </pre><textarea> a\n b </textarea>",
    "<script>if (a < b && '</div>') x()</script><style>p > a { color: red }</style>",
    "<a href='x\"y' HREF=z data-Empty disabled/>link</a><br/><img src=i.png alt>",
    "<b>never <i>closed <p>across</b> </i></span> & &amp; &lt; &nosuch;",
    "<svg viewBox='0 0 1 1'><path d='M0 0'/><foreignObject><div>x</div></foreignObject></svg>",
    "<p>a <b>b</b> <i>c</i>d<!-- note --> <em> e </em></p>",
    "text <",
]


@pytest.mark.browser
def test_a_page_written_out_again_is_the_same_page_to_a_browser() -> None:
    with open_browser() as browser, new_context(browser, Lens()) as context:
        page = context.new_page()
        collapsed = """() => {
          const walk = node => node.nodeType === 3
            ? (node.parentElement.closest("pre,textarea,script,style") ? node.data : node.data.replace(/\\s+/g, " "))
            : node.nodeType === 8 ? "<!--" + node.data + "-->"
            : node.nodeType === 10 ? "" : "<" + node.nodeName + [...node.attributes].map(a => a.name + "=" + a.value).sort() + ">"
              + [...node.childNodes].map(walk).join("") + "</>";
          return walk(document.documentElement).replace(/ +(?=<\\/>$)/, "");
        }"""
        for html in ODD:
            page.set_content(html)
            wanted = page.evaluate(collapsed)
            page.set_content(rebuilt(parse(html)))
            assert page.evaluate(collapsed) == wanted, html


@given(st.text(alphabet="<>/=\"' abpli!-\n&", max_size=60))
def test_anything_can_be_parsed_and_what_is_written_out_is_read_the_same_way_again(html: str) -> None:
    once = rebuilt(parse(html))
    assert rebuilt(parse(once)) == once


def goods(rows: list[tuple[str, str]], note: str = "", active: int = 0) -> str:
    cards = "".join(
        f'<li class="{"odd" if n % 2 else "even"}"><a href="/p/{name}">{name}</a>{f"<s>{was}</s>" if was else ""} <b>€{n}</b></li>'
        for n, (name, was) in enumerate(rows)
    )
    about = f"<p class=note>{note}</p>" if note else ""
    tabs = "".join(f"<a{' class=active' if n == active else ''} href=/t{n}>t{n}</a>" for n in range(3))
    return f"<html><head><title>{len(rows)} things</title></head><body><nav>{tabs}</nav>{about}<ol>{cards}</ol><hr></body></html>"


word = st.text(alphabet="abcdefgh {}%'", min_size=1, max_size=8).map(str.strip).filter(bool)
listing = st.lists(st.tuples(word, st.one_of(st.just(""), word)), max_size=6)
page = st.tuples(listing, st.one_of(st.just(""), word), st.integers(0, 2)).map(lambda told: goods(*told))


@given(st.lists(page, min_size=1, max_size=6))
def test_every_page_a_template_was_made_of_comes_back(pages: list[str]) -> None:
    trees = [parse(html) for html in pages]
    template = induce(trees)
    for tree in trees:
        data = fit(template, tree)
        assert data is not None
        assert render(template, data) == rebuilt(tree)


def test_a_page_nobody_saw_is_read_and_written_too() -> None:
    seen = [
        goods([("a", ""), ("b", "9")], "hello"),
        goods([("c", "")], "good day", active=1),
        goods([("d", "3"), ("e", ""), ("f", "")], active=2),
    ]
    template = induce([parse(html) for html in seen])
    hidden = parse(goods([(name, "") for name in "uvwxyz"], "another note", 1))
    data = fit(template, hidden)
    assert data is not None and render(template, data) == rebuilt(hidden)
    other = parse("<html><head><title>x</title></head><body><table></table></body></html>")
    assert fit(template, other) is None


def test_what_repeats_is_a_loop_and_what_some_have_is_optional() -> None:
    template = induce(
        [parse("<ul><li>a<li>b</ul>"), parse("<ul><li>c</ul><p>more</p>"), parse("<ul><li>d<li>e<li>f</ul>")]
    )
    (first, second) = template
    assert isinstance(second, Option)
    assert [type(child) for child in first.children] == [Loop]  # type: ignore[union-attr]


@pytest.mark.parametrize("head", ["<dt>{}</dt>", "<h4>{}</h4>"])
def test_a_heading_repeats_together_with_what_stands_under_it(head: str) -> None:
    def page(*names: str) -> str:
        return "<div>" + "".join(head.format(name) + f"<dd>about {name}</dd>" for name in names) + "</div>"

    template = induce([parse(page("a")), parse(page("b", "c")), parse(page("d", "e", "f"))])
    assert [type(child) for child in template[0].children] == [Loop]  # type: ignore[union-attr]
    hidden = parse(page("g", "h", "i", "j"))
    assert render(template, fit(template, hidden) or {}) == rebuilt(hidden) == page("g", "h", "i", "j")


def test_prose_is_kept_as_it_is_written() -> None:
    def article(n: int) -> str:
        return (
            "<article>"
            + "".join(f"<{tag}>{tag}{n}</{tag}>" for tag in ("hr", "pre", "p", "ul", "blockquote")[n % 3 :])
            + (f"<v{n}>only here {n}</v{n}><w{n}></w{n}><x{n}></x{n}><y{n}></y{n}><z{n}></z{n}></article>")
        )

    trees = [parse(article(n)) for n in range(4)]
    template = induce(trees)
    assert [type(part) for part in template[0].children] == [Raw]  # type: ignore[union-attr]
    assert all(render(template, fit(template, tree) or {}) == rebuilt(tree) for tree in trees)


def test_pages_built_alike_lie_together_whatever_their_addresses() -> None:
    lists = [Sample("200", f"/l{n}", parse(goods([("a", "")] * n))) for n in range(1, 5)]
    texts = [
        Sample("200", "/l", parse(f"<body><h1>{n}</h1><table><tr><td>{n}</table><form><input name=q></form>"))
        for n in range(3)
    ]
    failed = [Sample("404", "/l1", lists[0].nodes)]
    assert clusters([*lists, *texts, *failed]) == [[0, 1, 2, 3], [4, 5, 6], [7]]


def test_a_node_knows_its_role_and_its_attributes() -> None:
    (element,) = parse('<div class="is-open card wide-3" ID=b3>x</div>')
    assert isinstance(element, Element)
    assert (element.label, element.get("id"), element.get("no")) == ("div#b0", "b3", None)
    assert isinstance(element.children[0], Text)
