from hypothesis import given
from hypothesis import strategies as st

from explorer.crawl.values import page_value


@given(taken=st.integers(0, 50), depth=st.integers(0, 20))
def test_more_of_a_kind_deeper_and_with_a_query_is_never_worth_more(taken: int, depth: int) -> None:
    value = page_value(taken, depth, False)
    assert page_value(taken + 1, depth, False) <= value >= page_value(taken, depth + 1, False)
    assert page_value(taken, depth, True) < value
