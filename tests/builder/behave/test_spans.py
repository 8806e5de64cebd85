"""Parts of a page by where they stand in its source."""

from hypothesis import given
from hypothesis import strategies as st

from builder.behave.spans import Page, concrete, normal, parse

PIECES = ["<p>", "</p>", "<div id='a'>", "</div>", "<ul><li>", "<li class=x>", "</ul>", "<br>", "text", " ", "<", "&amp;",
          "<!-- c -->", "<script>if (a<b) '</p>'</script>", "<svg><path/></svg>", "<td>", "</td>", "=\"", "\ue000"]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=30))
def test_whatever_a_page_is_made_of_parts_lie_within_their_parents_and_do_not_overlap(pieces: list[str]) -> None:
    source = "".join(pieces)

    def check(span: object) -> None:
        at = span.inner  # type: ignore[attr-defined]
        for child in span.children:  # type: ignore[attr-defined]
            assert at <= child.start <= child.inner <= child.close <= child.end <= span.end  # type: ignore[attr-defined]
            at = child.end
            check(child)

    check(parse(source))


def test_elements_end_where_browsers_end_them() -> None:
    page = parse("<ul><li>one<li>two</ul><p>a<div>b</div>")
    assert [child.source for child in page.children] == ["<ul><li>one<li>two</ul>", "<p>a", "<div>b</div>"]
    assert [child.source for child in page.children[0].children] == ["<li>one", "<li>two"]


def test_an_element_is_found_by_id_or_by_what_leads_to_it() -> None:
    page = Page('<body><nav><a>1</a><a>2</a></nav><div id="x"><b>3</b></div></body>', "/")
    for place, source in ((("body:0", "nav:0", "a:1"), "<a>2</a>"), (("#x", "b:0"), "<b>3</b>")):
        found = page.find(place)
        assert found is not None and found.source == source
    assert page.find(("body:0", "nav:0", "a:2")) is None
    assert page.find(("#y",)) is None


def test_the_pages_own_address_is_a_hole_where_it_is_handed_on() -> None:
    text = '<a href="/login?next=/a/">in</a><input value="/a/"><a href="/a/">here</a>'
    abstract = Page(text, "/a/").abstract(text)
    assert concrete(abstract, "/b/") == text.replace("next=/a/", "next=/b/").replace('value="/a/"', 'value="/b/"')
    assert Page(text, "").abstract(text) == text


def test_tokens_times_and_white_space_make_no_difference() -> None:
    one, other = (
        "<i>9f86d081884c7d659a2feaa0c55ad015</i>\n <b>10:00</b>",
        "<i>3b4a1c0de5f60718293a4b5c6d7e8f90</i> <b>9:59</b>",
    )
    assert normal(one) == normal(other)
    assert normal("<b>10</b>") != normal("<b>11</b>")
