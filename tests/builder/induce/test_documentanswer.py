"""What is understood of a request, and what is refused."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builder.compile import keys
from builder.induce.documentanswer import Pairs, plain_name, taken_apart, with_name
from builder.induce.jsontext import Number

QUERY = "query Q($n: Int) { a(n: $n) { id } }"


def posted(body: str) -> dict[str, str]:
    return keys.leaves_of("application/json", body.encode())


def test_an_address_has_its_parameters_and_nothing_fixed() -> None:
    assert taken_apart((("a", "1"), ("a", "2")), {}) == ((), (("a", "1"), ("a", "2")))


def test_a_query_document_is_fixed_and_its_variables_are_parameters() -> None:
    variables = {"n": 3, "f": {"kind": "x", "ids": [1, 2]}, "z": None}
    body = json.dumps({"query": QUERY, "variables": variables})
    fixed, pairs = taken_apart((), posted(body)) or ((), ())
    assert fixed == (("/query", QUERY),)
    assert sorted(pairs) == [("f.ids", "1"), ("f.ids", "2"), ("f.kind", "x"), ("n", "3")]


def test_a_query_document_in_the_address_is_read_alike() -> None:
    asked: Pairs = (("query", QUERY), ("variables", '{"n": 3}'))
    assert taken_apart(asked, {}) == ((("query", QUERY),), (("n", "3"),))
    assert taken_apart((("query", QUERY), ("variables", "{")), {}) is None


@pytest.mark.parametrize(
    "body", ['{"query": "mutation M { a }"}', '{"query": "  # x\\n subscription { a }"}', '{"name": "x"}', "[1]"]
)
def test_what_may_change_something_is_no_question(body: str) -> None:
    assert taken_apart((), posted(body)) is None


@given(st.sampled_from(["page", "paging", "pager"]), st.from_regex(r"\A[a-z]{1,8}\Z"))
def test_parameters_of_pages_are_called_by_what_they_say(group: str, name: str) -> None:
    assert plain_name(f"{group}[{name}]") == plain_name(f"{group}.{name}") == name
    assert plain_name(f"filter[{name}]") == f"filter[{name}]"


def test_a_name_is_put_into_texts_only() -> None:
    value = {"e": ["no MARK here", Number("1"), None, True]}
    assert with_name(value, "MARK", "9") == {"e": ["no 9 here", "1", None, True]}
