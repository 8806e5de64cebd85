"""Queries are plain data: what was written is read again."""

from hypothesis import given
from hypothesis import strategies as st

from builder.induce import listquery as lq

NAMES = st.text(max_size=6)
WHY = st.builds(lq.Why, evidence=st.integers(0, 99).map(float), rival=NAMES, because=NAMES)
PAIRS = st.lists(st.tuples(NAMES, NAMES), max_size=2).map(tuple)
NAME_LISTS = st.lists(NAMES, max_size=2).map(tuple)
BY = st.builds(lq.By, NAMES, NAMES, st.booleans(), st.booleans())
QUERIES = st.builds(
    lq.ListQuery,
    NAMES,
    NAMES,
    parameters=st.lists(st.builds(lq.Parameter, NAMES, st.just("filter"), WHY), max_size=2).map(tuple),
    tests=st.lists(
        st.builds(lq.Condition, NAMES, st.sampled_from(["=", "links"]), NAMES, idle=NAME_LISTS, labels=PAIRS, why=WHY), max_size=2
    ).map(tuple),
    searches=st.lists(st.builds(lq.Search, NAMES, NAME_LISTS, why=WHY), max_size=2).map(tuple),
    orders=st.lists(
        st.builds(
            lq.Order, PAIRS, st.lists(BY, max_size=2).map(tuple), searching=st.sampled_from([None, True]),
            filters=st.none() | NAME_LISTS, why=WHY,
        ),
        max_size=2,
    ).map(tuple),
    pages=st.builds(lq.Pages, st.sampled_from(["none", "path"]), NAMES, why=WHY),
    members=WHY,
    experiments=st.lists(st.builds(lq.Experiment, NAMES, NAMES), max_size=2).map(tuple),
)  # fmt: skip


@given(QUERIES)
def test_a_query_is_read_as_it_was_written(query: lq.ListQuery) -> None:
    assert lq.query_of(lq.text_of(query)) == query


def test_what_was_merely_seen_stays_in_its_tables() -> None:
    query = lq.ListQuery("/", "t", seen=(("a", ("/1",)),), ranks=(("r", (("/1", 0),)),))
    assert lq.query_of(lq.text_of(query)) == lq.ListQuery("/", "t")
