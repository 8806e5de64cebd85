"""Conditions that explain which rows a list has."""

from collections.abc import Iterator
from contextlib import closing

import pytest

from builder.induce.listing import Listing, Table
from builder.induce.listquery import Condition, Pages
from builder.induce.members import (
    Choice,
    Judge,
    conditions,
    described,
    filter_test,
    place_test,
    telling_value,
    with_default,
)
from builder.induce.paging import Lists, Seen
from builder.induce.rowsets import Keys, RowSets

ROWS = {
    f"/i/{n}": {"price": f"£{n}.50", "kind": ["Old Books", "Art", "Maps"][n % 3], "tags": ["a, b", "b", "c"][n % 3]}
    for n in range(30)
}


@pytest.fixture
def rows() -> Iterator[RowSets]:
    with closing(
        RowSets(Table("t", ROWS, {key: frozenset({f"/k/{ROWS[key]['tags'][0]}/"}) for key in ROWS}), ())
    ) as found:
        yield found


def keys(**wanted: str) -> Keys:
    return frozenset(key for key, row in ROWS.items() if all(row[name] == text for name, text in wanted.items()))


def above(price: float) -> Keys:
    return frozenset(key for key in ROWS if float(ROWS[key]["price"][1:]) >= price)


@pytest.mark.parametrize(
    ("name", "shown", "test"),
    [
        ("kind", [("Art", keys(kind="Art"))], ("=", "kind", "text")),
        ("kind", [("old books", keys(kind="Old Books"))], ("=", "kind", "folded")),
        ("kind", [("old-books", keys(kind="Old Books"))], ("=", "kind", "slug")),
        ("x", [("b", keys(tags="b") | keys(tags="a, b"))], ("has", "tags", "items")),
        ("min_price", [("20", above(20)), ("25", above(25))], ("min", "price", "number")),
    ],
)
def test_the_best_condition(
    rows: RowSets, name: str, shown: list[tuple[str, Keys]], test: tuple[str, str, str]
) -> None:
    bits, found = conditions(name, shown, rows)[0]
    assert (found.does, found.column, found.kind) == test and bits > 5


def test_values_that_are_no_texts_are_learned_as_labels(rows: RowSets) -> None:
    _, found = conditions("cat", [("7", keys(kind="Art")), ("9", keys(kind="Maps"))], rows)[0]
    assert found.labels == (("7", "Art"), ("9", "Maps"))
    assert rows.having(found, "7") == keys(kind="Art")
    assert rows.having(found, "8") is None


def seen(path: str, given: tuple[tuple[str, str], ...], shown: Keys, whole: bool = True) -> Seen:
    listing = Listing(path, path, given, tuple(sorted(shown)), frozenset({len(shown)}))
    return Seen(path, given, [((), "", 0, listing)], whole)


def judge(rows: RowSets, *lists: Seen, totals: bool = False) -> Judge:
    pieces = {one.path: tuple(one.path.strip("/").split("/")[1:]) for one in lists}
    return Judge(Lists(lists, Pages(), totals), rows, pieces)


def test_the_path_decides_by_links_or_a_column_or_not_at_all(rows: RowSets) -> None:
    assert place_test(judge(rows, seen("/l/", (), rows.keys)), "/l/") == ()
    linked = judge(rows, seen("/k/a/", (), keys(tags="a, b")), seen("/k/b/", (), keys(tags="b")))
    assert [test.does for test in place_test(linked, "/k/*/")] == ["links"]
    named = judge(rows, seen("/k/art/", (), keys(kind="Art")), seen("/k/old-books/", (), keys(kind="Old Books")))
    assert [(test.does, test.column, test.kind) for test in place_test(named, "/k/*/")] == [("=", "kind", "slug")]
    odd = judge(rows, seen("/k/z/", (), frozenset({"/i/3", "/i/8"})))
    assert [(test.does, test.why.status) for test in place_test(odd, "/k/*/")] == [("seen", "looked up")]


def test_a_filter_is_exact_on_every_whole_list_or_dropped(rows: RowSets) -> None:
    fits = judge(rows, seen("/l/", (("k", "Art"),), keys(kind="Art")), seen("/l/", (("k", "Maps"),), keys(kind="Maps")))
    found, _ = filter_test(fits, Choice(), "k", "/l/")
    assert found is not None and (found.does, found.column) == ("=", "kind")
    one_missing = keys(kind="Maps") - {"/i/2"}
    broken = judge(rows, seen("/l/", (("k", "Art"),), keys(kind="Art")), seen("/l/", (("k", "Maps"),), one_missing))
    latent, _ = filter_test(broken, Choice(), "k", "/l/")
    assert latent is not None and (latent.does, latent.why.status) == ("seen", "looked up")
    assert rows.having(latent, "Maps") == one_missing


def test_totals_refute_what_the_rows_shown_do_not(rows: RowSets) -> None:
    part = seen("/l/", (("k", "Art"),), frozenset(sorted(keys(kind="Art"))[:4]), whole=False)
    assert judge(rows, part).verdict(Choice((Condition("k", "=", "kind"),)), part) == "fits"
    assert judge(rows, part, totals=True).verdict(Choice((Condition("k", "=", "kind"),)), part) == "wrong"


def test_repeated_values_ask_for_any_or_for_all(rows: RowSets) -> None:
    both = (("k", "b"), ("k", "a"))
    either = keys(tags="a, b") | keys(tags="b")
    single = seen("/l/", (("k", "b"),), either), seen("/l/", (("k", "c"),), keys(tags="c"))
    any_of, _ = filter_test(judge(rows, *single, seen("/l/", both, either)), Choice(), "k", "/l/")
    all_of, _ = filter_test(judge(rows, *single, seen("/l/", both, keys(tags="a, b"))), Choice(), "k", "/l/")
    assert any_of is not None and any_of.several == "any"
    assert all_of is not None and all_of.several == "all"


def test_a_value_counts_where_the_parameter_is_absent(rows: RowSets) -> None:
    lists = judge(
        rows,
        seen("/l/", (), keys(kind="Art")),
        seen("/l/", (("k", "Maps"),), keys(kind="Maps")),
        seen("/l/", (("k", "all"),), rows.keys),
    )
    found = with_default(lists, (), "k")
    assert found is not None and (found.default, found.idle) == ("Art", ("all",))


def test_rivals_have_a_value_that_tells_them_apart(rows: RowSets) -> None:
    one, other = Condition("k", "=", "kind", "text"), Condition("k", "contains", "kind", "folded")
    value = telling_value(one, other, rows)
    assert rows.having(one, value) != rows.having(other, value)
    assert telling_value(one, one, rows) == ""
    assert described([one]) == "kind = k, compared as text" and described([]) == "all rows"
