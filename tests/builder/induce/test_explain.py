"""Frames of list pages: what was induced from some pages is right on others."""

import html
import math
from urllib.parse import quote, quote_plus, urlencode

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builder.induce.listing import Facts, Pairs
from builder.induce.parts import render
from builder.induce.tree import parse, rebuilt
from tests.builder.induce.pages import Write, check, document, facts, link, paged, put, rendered, understood

NAMES = {"/": "Home", "/c/": "All", "/c/shoes/": "Shoes", "/c/hats/": "Hats & Caps", "/c/bags/": "Bags"}
COLOURS = ("red", "blue", "green", "black")
SORTS = {"name": "Name", "price": "Price", "date": "Newest", "rating": "Best"}


def _all_pages(path: str, total: int, pairs: Pairs) -> list[Facts]:
    return [paged(total, page, pairs, path, NAMES) for page in range(1, math.ceil(total / 20) + 1)]


CATALOGUE = [
    *_all_pages("/c/shoes/", 72, ()),
    *_all_pages("/c/shoes/", 72, (("sort", "price"),)),
    *_all_pages("/c/hats/", 30, (("color", "red"),)),
    *_all_pages("/c/hats/", 30, (("color", "red"), ("sort", "name"))),
    *_all_pages("/c/hats/", 25, (("color", "red"), ("color", "blue"))),
    *_all_pages("/c/shoes/", 21, (("color", "blue"), ("sort", "price"))),
]
PLAIN = [*_all_pages("/c/hats/", 30, ()), *_all_pages("/c/shoes/", 72, (("color", "red"),))]
UNSEEN = [
    paged(100, 4, (("color", "blue"), ("sort", "name")), "/c/bags/", NAMES),
    paged(100, 1, (("color", "green"), ("color", "blue"), ("sort", "date")), "/c/hats/", NAMES),
    paged(64, 2, (("sort", "rating"),), "/c/bags/", NAMES),
]


def sort_links(one: Facts) -> str:
    now = dict(one.pairs).get("sort", "name")
    items = [
        f'<li><a class="{"on" if key == now else "off"}" href="{link(one.path, put(one.pairs, page=None, sort=key))}">{name}</a></li>'
        for key, name in SORTS.items()
    ]
    return document(f"<ul>{''.join(items)}</ul>")


def sort_choice_keeps_the_rest(one: Facts) -> str:
    hidden = "".join(
        f'<input type="hidden" name="{name}" value="{html.escape(value)}">'
        for name, value in one.pairs
        if name not in ("sort", "page")
    )
    now = dict(one.pairs).get("sort", "name")
    options = "".join(
        f'<option value="{key}"{" selected" if key == now else ""}>{name}</option>' for key, name in SORTS.items()
    )
    return document(f'<form>{hidden}<select name="sort">{options}</select></form>')


def toggled_facets(one: Facts) -> str:
    def item(colour: str) -> str:
        rest = [pair for pair in one.pairs if pair[0] != "page"]
        pair = ("color", colour)
        query = urlencode([one for one in rest if one != pair] if pair in rest else [*rest, pair])
        state = ' class="active"' if pair in rest else ""
        return f'<li{state}><a href="{html.escape("?" + query if query else one.path)}">{colour.title()}</a></li>'

    return document(f"<ul>{''.join(map(item, COLOURS))}</ul>")


def checked_boxes(one: Facts) -> str:
    chosen = [value for name, value in one.pairs if name == "color"]
    boxes = "".join(
        f'<label><input type="checkbox" name="color" value="{c}"{" checked" if c in chosen else ""}> {c}</label>'
        for c in COLOURS
    )
    return document(f'<form>{boxes}<a href="{one.path}">clear</a></form>')


def breadcrumbs(one: Facts) -> str:
    name = html.escape(NAMES[one.path])
    title = f"{name} | Shop" if one.page == 1 else f"{name} – Page {one.page} | Shop"
    return document(
        f'<ol><li><a href="/">Home</a></li><li><a href="/c/">All</a></li><li class="here">{name}</li></ol><h1>{name}</h1>',
        title,
    )


def menu_marks_where_it_is(one: Facts) -> str:
    items = [
        f'<li class="cat-item cat-{n}{" current" if path == one.path else ""}"><a href="{path}">{html.escape(name)}</a></li>'
        for n, (path, name) in enumerate(NAMES.items())
    ]
    return document(f"<ul>{''.join(items)}</ul>")


def head_and_body_class(one: Facts) -> str:
    canonical = link("https://shop.test" + one.path, put(one.pairs, page=None))
    tokens = (
        ["archive"]
        + (["paged", f"paged-{one.page}"] if one.page > 1 else [])
        + (["filtered"] if "color" in dict(one.pairs) else [])
        + ["list"]
    )
    return f'<html><head><link rel="canonical" href="{canonical}"></head><body class="{" ".join(tokens)}"><p>x</p></body></html>'


def return_addresses(one: Facts) -> str:
    here = one.path + ("?" + urlencode(one.pairs) if one.pairs else "")
    return document(
        f'<a href="/login?next={quote(here, safe="")}">in</a> <a href="/out?next={quote(here)}">out</a> <a href="/mark?u={quote(quote(here, safe=""), safe="")}">mark</a>'
    )


@pytest.mark.parametrize("write", [
    sort_links, sort_choice_keeps_the_rest, toggled_facets, checked_boxes, breadcrumbs, menu_marks_where_it_is,
    head_and_body_class, return_addresses,
])  # fmt: skip
def test_a_frame_is_right_for_requests_nobody_captured(write: Write) -> None:
    assert check(write, CATALOGUE, UNSEEN).looked_up == 0


def test_counts_are_written_out_of_the_facts() -> None:
    def write(one: Facts) -> str:
        if one.total < 2:
            return document(f"<p>{'1 result' if one.total else 'No results'}</p>")
        return document(f"<p>Showing <b>{one.first}</b> to <b>{one.last}</b> of {one.total:,} results</p>")

    shown = [paged(*one) for one in ((0, 1), (1, 1), (5, 1), (72, 1), (72, 2), (72, 4), (1250, 3))]
    check(write, shown, [paged(95, 3), paged(12345, 600), paged(2, 1)])


def _search(one: Facts) -> str:
    word = dict(one.pairs)["q"]
    shown = html.escape(word).replace("&#x27;", "&#39;")
    count = (
        f"{one.total} result{'' if one.total == 1 else 's'} for “{shown}”"
        if one.total
        else f"Nothing found for “{shown}”."
    )
    title = f"{shown} - Search" + (f" (page {one.page})" if one.page > 1 else "")
    links = f'<a href="/feed?q={quote_plus(word)}">feed</a><a href="/tag/{quote(word, safe="")}">tag</a>'
    return document(f'{links}<input name="q" value="{shown}"><p>{count}</p>', title)


def test_what_was_searched_for_is_copied_raw_and_quoted() -> None:
    words = (("lamp", 72), ("red chair", 1), ("R&B", 0), ("l'été", 45))
    shown = [
        one
        for word, total in words
        for one in (_all_pages("/search", total, (("q", word),)) or [paged(0, 1, (("q", word),), "/search")])
    ]
    hidden = [
        paged(90, 2, (("q", 'a "b" <c> & d'),), "/search"),
        paged(1, 1, (("q", "other"),), "/search"),
        paged(0, 1, (("q", "o-p"),), "/search"),
    ]
    check(_search, shown, hidden)


def test_one_word_is_enough_where_the_template_leaves_holes_for_it() -> None:
    def write(one: Facts) -> str:
        word = dict(one.pairs)["q"]
        on = (
            f'<p><a href="{link(one.path, put(one.pairs, page=one.page + 1))}">on</a></p>'
            if one.page < one.pages
            else ""
        )
        return document(f'<h1>Found for <em>"{word}"</em></h1><input name="q" value="{word}">{on}', f"{word} | Shop")

    shown = _all_pages("/search", 72, (("q", "lamp"),))
    frame = understood(write, shown, frozenset(("lamp",)))
    assert not frame.open
    for one in (*shown, paged(95, 3, (("q", "chair"),), "/search")):
        assert render(frame.template, frame.data(one)) == rebuilt(parse(write(one))) == rendered(frame, one)


def test_tokens_and_times_are_any_captured_value() -> None:
    tokens = [
        "9z8jEjnB3uwK4BNAK6JIXBNyEDpp",
        "ZMKsUDAdFB2tmq2qvjb3LOuZHiOl",
        "YnVXlmyUok04XlQT8DOJ2MSyO4Nd",
        "wUdArGjjUZyAsYmVoYFR2mCyLq9c",
    ]

    def write(one: Facts) -> str:
        return document(f'<input name="csrf" value="{tokens[one.page - 1]}"><i>at 10:0{one.page * 7 % 10}</i>')

    frame = understood(write, _all_pages("/list", 72, ()))
    assert not frame.open
    assert set(frame.data(paged(72, 9)).values()) <= {*tokens, "at 10:07", "at 10:04"}


def test_what_only_a_path_tells_is_looked_up_and_what_nothing_tells_is_open() -> None:
    notes = {"/c/shoes/": "Worn by all", "/c/hats/": "Mind the wind"}
    odd = iter(("mild", "warm", "cold", "odd", "even", "wet", "dry", "far", "near", "low", "high", "last"))

    def write(one: Facts) -> str:
        return document(f"<p>{notes[one.path]}</p><i>{next(odd)}</i>")

    shown = [one for one in (*CATALOGUE, *PLAIN) if one.page < 3 and len(one.pairs) < 3][:12]
    frame = understood(write, shown)
    assert (frame.looked_up, len(frame.open)) == (1, 1)
    page = render(frame.template, frame.data(paged(9, 1, (("color", "red"), ("sort", "x")), "/c/hats/")))
    assert "Mind the wind" in page
    assert page == rendered(frame, paged(9, 1, (("color", "red"), ("sort", "x")), "/c/hats/"))


def test_rows_that_are_looked_up_still_have_computed_links() -> None:
    """Which facets there are depends on rows; where they lead follows from the request."""
    there = {"/c/shoes/": ("blue", "red", "tan"), "/c/hats/": ("red", "black")}

    def write(one: Facts) -> str:
        items = [
            f'<li><a href="{link(one.path, put(one.pairs, page=None, color=c))}">{c} ({len(c)})</a></li>'
            for c in there[one.path]
        ]
        return document(f"<ul>{''.join(items)}</ul>")

    frame = understood(write, [*CATALOGUE, *PLAIN])
    one = paged(64, 2, (("sort", "rating"),), "/c/hats/", NAMES)
    assert render(frame.template, frame.data(one)) == rebuilt(parse(write(one))) == rendered(frame, one)


def test_the_list_itself_is_left_out() -> None:
    from builder.induce.explain import explain_frame
    from builder.induce.fit import fit
    from builder.induce.parts import Loop
    from builder.induce.template import induce
    from builder.induce.tree import Node

    def page(one: Facts) -> tuple[Node, ...]:
        rows = "".join(f"<li><a href='/i/{one.page}{n}'>Thing {one.page}{n}</a></li>" for n in range(one.shown))
        return parse(f"<ul>{rows}</ul><p>Page {one.page}</p>")

    shown = _all_pages("/list", 72, ())
    template = induce([page(one) for one in shown])
    (rows,) = [node.number for node in getattr(template[0], "children") if isinstance(node, Loop)]  # noqa: B009
    datas = [fit(template, page(one)) for one in shown]
    frame = explain_frame(
        template, [(one, data) for one, data in zip(shown, datas, strict=True) if data], frozenset((rows,))
    )
    found = frame.data(paged(72, 9))
    assert found.pop(rows) == []
    assert list(found.values()) == ["Page 9"]


CONSTRUCTS: dict[str, Write] = {
    "count": lambda one: f"<p>{one.first}-{one.last} of {one.total}</p>",
    "pages": lambda one: f"<p>Page {one.page} of {one.pages}</p>",
    "word": lambda one: f"<h1>About {html.escape(dict(one.pairs).get('q', ''))}</h1>",
    "next": lambda one: (
        f'<b><a href="{link(one.path, put(one.pairs, page=one.page + 1))}">on</a></b>' if one.page < one.pages else ""
    ),
    "sort": lambda one: f'<em><a href="{link(one.path, put(one.pairs, page=None, sort="price"))}">price</a></em>',
    "first": lambda one: "<address>Welcome</address>" if one.page == 1 else "",
    "state": lambda one: f'<section class="list{" sorted" if "sort" in dict(one.pairs) else ""} end"></section>',
    "numbers": lambda one: (
        "<ul>"
        + "".join(
            f'<li class="{"on" if n == one.page else "n"}"><a href="{link(one.path, put(one.pairs, page=n))}">{n}</a></li>'
            for n in range(1, one.pages + 1)
        )
        + "</ul>"
    ),
}


@settings(max_examples=12, deadline=None)
@given(
    st.lists(st.sampled_from(sorted(CONSTRUCTS)), min_size=1, max_size=5, unique=True),
    st.integers(0, 3),
    st.sampled_from(("new", "a b", "x&y")),
)
def test_frames_made_of_any_constructs_are_explained(names: list[str], more: int, word: str) -> None:
    def write(one: Facts) -> str:
        return document("".join(f"<div id='{name}'>{CONSTRUCTS[name](one)}</div>" for name in names))

    shown = [paged(total, page, pairs) for q, total in (("lamp", 72), ("tin", 130)) for page in (1, 2, 4)
             for pairs in ((("q", q),), (("q", q), ("sort", "name")))]  # fmt: skip
    check(
        write,
        shown,
        [paged(100 + 20 * more, 3 + more, (("q", word),)), facts("/list", (("q", word), ("sort", "date")), 60)],
    )
