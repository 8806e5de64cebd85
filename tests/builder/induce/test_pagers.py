"""Pagers of several libraries, each with pages that induction did not see."""

import math
from collections.abc import Sequence

import pytest

from builder.induce.listing import Facts
from builder.induce.pagers import pages_of
from builder.induce.repeats import Pages
from tests.builder.induce.pages import Write, check, document, facts, link, paged, put

SHOWN = [
    paged(total, page)
    for total in (15, 72, 130, 250, 600)
    for page in sorted({1, 2, 3, math.ceil(total / 20) // 2, math.ceil(total / 20)})
    if 1 <= page <= math.ceil(total / 20)
]
HIDDEN = [
    paged(total, page) for total, page in ((100, 3), (330, 9), (460, 12), (600, 20), (200, 7), (480, 24), (161, 1))
]


def _a(one: Facts, number: int, text: object = "", more: str = "") -> str:
    return f'<a{more} href="{link(one.path, put(one.pairs, page=number))}">{text or number}</a>'


def all_numbers_with_disabled_ends(one: Facts) -> str:
    def item(number: int, text: object, state: str) -> str:
        inner = (
            '<a class="page-link" href="#">' + str(text) + "</a>"
            if state == " disabled"
            else _a(one, number, text, ' class="page-link"')
        )
        return f'<li class="page-item{state}">{inner}</li>'

    numbers = [item(n, n, " active" if n == one.page else "") for n in range(1, one.pages + 1)]
    before = item(one.page - 1, "Previous", " disabled" if one.page == 1 else "")
    after = item(one.page + 1, "Next", " disabled" if one.page == one.pages else "")
    return document(f'<ul class="pagination">{before}{"".join(numbers)}{after}</ul>')


def current_is_a_span(one: Facts) -> str:
    items = [
        f'<li class="on"><span>{n}</span></li>' if n == one.page else f"<li>{_a(one, n)}</li>"
        for n in range(1, one.pages + 1)
    ]
    return document(f"<ul>{''.join(items)}</ul>")


def window_of_two(one: Facts) -> str:
    numbers = range(max(1, one.page - 2), min(one.pages, one.page + 2) + 1)
    items = [f'<li class="{"page active" if n == one.page else "page"}">{_a(one, n)}</li>' for n in numbers]
    return document(f"<ul>{''.join(items)}</ul>")


def ten_at_a_time(one: Facts) -> str:
    start = (one.page - 1) // 10 * 10 + 1
    numbers = range(start, min(start + 9, one.pages) + 1)
    items = "".join(f"<li>{_a(one, n)}</li>" for n in numbers)
    return document(f"<ul>{items}</ul>")


def elided_range(one: Facts) -> str:
    side, end, page, pages = 3, 2, one.page, one.pages
    if pages <= (side + end) * 2:
        numbers = list(range(1, pages + 1))
    else:
        numbers = (
            [*range(1, end + 1), 0, *range(page - side, page + 1)]
            if page > side + end + 2
            else list(range(1, page + 1))
        )
        numbers += (
            [*range(page + 1, page + side + 1), 0, *range(pages - end + 1, pages + 1)]
            if page < pages - side - end - 1
            else range(page + 1, pages + 1)
        )
    items = [
        '<li class="page disabled"><span>…</span></li>'
        if not n
        else f'<li class="page{" active" if n == page else ""}">{_a(one, n)}</li>'
        for n in numbers
    ]
    return document(f"<ul>{''.join(items)}</ul>")


def links_span_and_dots(one: Facts) -> str:
    """Siblings of different tags; nothing at all for a single page."""
    if one.pages < 2:
        return document("<nav></nav>")
    out, dots = [], False
    if one.page > 1:
        out.append(_a(one, one.page - 1, "&laquo; Previous", ' class="prev page-numbers"'))
    for n in range(1, one.pages + 1):
        if n == one.page:
            out.append(f'<span aria-current="page" class="page-numbers current">{n}</span>')
            dots = True
        elif n in (1, one.pages) or abs(n - one.page) <= 2:
            out.append(_a(one, n, n, ' class="page-numbers"'))
            dots = True
        elif dots:
            out.append('<span class="page-numbers dots">&hellip;</span>')
            dots = False
    if one.page < one.pages:
        out.append(_a(one, one.page + 1, "Next &raquo;", ' class="next page-numbers"'))
    return document('<nav class="pagination"><div class="nav-links">' + "\n".join(out) + "</div></nav>")


def seven_buttons(one: Facts) -> str:
    page, pages = one.page - 1, one.pages
    if pages <= 7:
        numbers = list(range(pages))
    elif page <= 3:
        numbers = [0, 1, 2, 3, 4, -1, pages - 1]
    elif page >= pages - 4:
        numbers = [0, -1, *range(pages - 5, pages)]
    else:
        numbers = [0, -1, page - 1, page, page + 1, -1, pages - 1]
    inner = "".join(
        '<span class="ellipsis">…</span>'
        if n < 0
        else f'<a class="paginate_button{" current" if n == page else ""}" data-idx="{n}">{n + 1}</a>'
        for n in numbers
    )
    back = f'<a class="paginate_button previous{" disabled" if not page else ""}">Previous</a>'
    on = f'<a class="paginate_button next{" disabled" if page == pages - 1 else ""}">Next</a>'
    return document(f'<div class="paginate">{back}<span>{inner}</span>{on}</div>')


def plain_line(one: Facts) -> str:
    """prev 1 … 4 5 6 … 20 next, without classes."""
    out = [_a(one, one.page - 1, "prev")] if one.page > 1 else []
    last = 0
    for n in range(1, one.pages + 1):
        if n in (1, one.pages) or abs(n - one.page) <= 1:
            out += ["<i>…</i>"] if n > last + 1 else []
            out.append(f"<b>{n}</b>" if n == one.page else _a(one, n))
            last = n
    out += [_a(one, one.page + 1, "next")] if one.page < one.pages else []
    return document(f"<p>{' '.join(out)}</p>")


def page_of_pages(one: Facts) -> str:
    back = f'<li class="previous">{_a(one, one.page - 1, "previous")}</li>' if one.page > 1 else ""
    on = f'<li class="next">{_a(one, one.page + 1, "next")}</li>' if one.page < one.pages else ""
    return document(f'<ul class="pager">{back}<li class="current">Page {one.page} of {one.pages}</li>{on}</ul>')


def first_drops_the_parameter(one: Facts) -> str:
    def address(n: int) -> str:
        return link("https://site.test" + one.path, put(one.pairs, page=n if n > 1 else None))

    head = f'<link rel="prev" href="{address(one.page - 1)}">' if one.page > 1 else ""
    head += f'<link rel="next" href="{address(one.page + 1)}">' if one.page < one.pages else ""
    items = "".join(f'<li><a href="{address(n)}">{n}</a></li>' for n in range(1, one.pages + 1))
    return f"<html><head><title>x</title>{head}</head><body><ul>{items}</ul></body></html>"


@pytest.mark.parametrize("write", [
    all_numbers_with_disabled_ends, current_is_a_span, window_of_two, ten_at_a_time, elided_range, links_span_and_dots,
    seven_buttons, plain_line, page_of_pages, first_drops_the_parameter,
])  # fmt: skip
def test_a_pager_is_right_on_pages_nobody_captured(write: Write) -> None:
    assert check(write, SHOWN, HIDDEN).looked_up == 0


def test_pages_in_the_path_keep_what_stands_before_them() -> None:
    def at(stem: str, total: int, page: int) -> Facts:
        return facts(stem + (f"page/{page}/" if page > 1 else ""), (), total, page)

    def write(one: Facts) -> str:
        stem = one.path.removesuffix(f"page/{one.page}/") if one.page > 1 else one.path
        to = [f"https://site.test{stem}" + (f"page/{n}/" if n > 1 else "") for n in range(one.pages + 2)]
        numbers = "".join(
            f"<span>{n}</span>" if n == one.page else f'<a href="{to[n]}">{n}</a>' for n in range(1, one.pages + 1)
        )
        older = f'<p class="older"><a href="{to[one.page + 1]}">Older posts</a></p>' if one.page < one.pages else ""
        newer = f'<p class="newer"><a href="{to[one.page - 1]}">Newer posts</a></p>' if one.page > 1 else ""
        return document(f"<div>{numbers}</div><footer>{older}{newer}</footer>")

    shown = [
        at(stem, total, page)
        for stem, total in (("/blog/", 130), ("/tag/a/", 72))
        for page in range(1, math.ceil(total / 20) + 1)
    ]
    check(write, shown, [at("/tag/other/", 330, 6), at("/blog/", 330, 1), at("/tag/other/", 330, 17)])


@pytest.mark.parametrize(
    "family, sizes",
    [
        ("all", ()),
        ("window", (3,)),
        ("ends", (2, 1, 1)),
        ("fixed", (5,)),
        ("block", (10,)),
        ("shifted", (1, 4)),
        ("slider", (3,)),
        ("steady", (1, 2)),
    ],
)
def test_the_family_is_known_by_its_numbers(family: str, sizes: Sequence[int]) -> None:
    places = [(one, [row["n"] for row in Pages(family, tuple(sizes)).value(one)]) for one in SHOWN]
    found = pages_of(places)
    assert found is not None
    for one in HIDDEN:
        assert found.value(one) == Pages(family, tuple(sizes)).value(one)


def test_numbers_of_no_family_are_not_believed() -> None:
    assert pages_of([(one, [1, 3, 4, 11]) for one in SHOWN]) is None
