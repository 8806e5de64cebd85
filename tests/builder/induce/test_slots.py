"""Programs: each gives the same as a value and as Jinja."""

from typing import Any

import jinja2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from builder.induce.addresses import Edit, Step
from builder.induce.conditions import AtPath, Below, Both, Compare, Equal, Has, Not, Paired, Truth
from builder.induce.repeats import Kept, Pages, Trail
from builder.induce.slots import (
    Argument,
    Constant,
    Field,
    Grouped,
    Here,
    Hole,
    LookUp,
    Named,
    Nearest,
    Number,
    Place,
    Program,
    Segment,
    Split,
    Stem,
    Tokens,
    Words,
    literal,
)
from tests.builder.induce.pages import facts, view

NAMES = {"/": "Home", "/c/": "All", "/c/x/": "X & Y"}
PLACES = [
    facts("/c/x/", (("q", "R&B \"x\""), ("f", "a"), ("f", "b"), ("page", "2")), 12345, names=NAMES),
    facts("/c/page/3/", (), 72, 3, NAMES),
    facts("/", (("q", ""),), 0, names=NAMES),
]  # fmt: skip
ITEM = {"n": 2, "s1": "a", "s2": True, "value": "v"}
TEST = Compare(Number("page"), ">", Number("1"))
PROGRAMS: list[Program] = [
    Constant("x{{"), Number("page + 1"), Number("(page - 1) * size"), Number("item.n"), Number("[last + size, total] | min"),
    Grouped(Number("total"), "’"), Argument("q"), Argument("s", "name"), Place(), Place(1), Place(2), Stem("page/", "/"), Segment(-1), Segment(4),
    Named(Place()), Named(Stem("page/", "/")), Here(), Here("%20"), Field("s1"), Hole(Argument("q"), ("lower", "html")), Hole(Here(), ("quote", "quote")),
    Words(("a", Number("page"), "b")), Words((Number("page"),)), Words(()), Split(TEST, Constant("y"), Number("pages")),
    Tokens(((Constant(True), Constant("a")), (TEST, Words(("p-", Number("page")))), (Has("zz"), Constant("z")))),
    LookUp(Place(), (("/", "home"), ("/c/x/", "'x'")), "other"), LookUp(Number("page"), ((1, True), (2, False)), True),
    Nearest((("/", ()), ("/c/x/", (("q", "1"), ("f", "a")))), (("one", (0,)), ("two", (1,))), ("q",)),
    TEST, Has("q"), Has("q", filled=True), Paired("f", Constant("b")), Paired("f", Field("s1")), Equal(Argument("f"), Field("s1")),
    AtPath("/"), Below(Constant("/c/")), Truth(Field("s2")), Not(TEST), Both(TEST, Has("f")), Both(TEST, Has("q"), either=True),
    Edit(Place(), (Step("set", "page", Number("page + 1")), Step("toggle", "f", Field("s1")))),
    Edit(Constant(""), (Step("drop", "q", None, TEST, "keep"),), False, ("f", "q"), "%20/", "&", "#x", True, Place()),
    Pages("ends", (1, 1, 0)), Pages("all", (), "before", False), Kept(("q",)), Kept(("f",), inverse=True), Trail(), Trail(1, 1),
]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.jinja()[:60])
def test_value_and_jinja_agree(program: Program) -> None:
    for one in PLACES:
        wanted = program.value(one, ITEM)
        given: list[Any] = []
        source = f"{{% set _ = keep({program.jinja()}) %}}"
        seen = program.seen if isinstance(program, Nearest) else ()
        jinja2.Environment().from_string(source).render(view(one), item=ITEM, seen=seen, keep=given.append)
        assert (str(given[0]), bool(given[0])) == (str(wanted), bool(wanted))


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers(0, 99) | st.text(max_size=9),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
        max_leaves=8,
    )
)
def test_a_literal_is_read_by_jinja_as_it_was(value: Any) -> None:
    given: list[Any] = []
    jinja2.Environment().from_string(f"{{% set _ = keep({literal(value)}) %}}").render(keep=given.append)
    assert given == [value]


def test_what_rests_on_a_look_up_is_looked_up() -> None:
    lookup = LookUp(Place(), (("/", "a"),), "a")
    assert [
        Words(("x", lookup)).learned,
        Split(AtPath("/"), Constant("a"), Constant("b")).learned,
        Words(("x", Number("page"))).learned,
    ] == ["looked up", "looked up", "computed"]


def test_a_number_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="is no number"):
        Number("pages of").value(PLACES[0])
