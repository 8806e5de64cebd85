"""What is said of one thing in several places is one row; what contradicts has a column of its own."""

from typing import Any

from builder.induce.documentrows import Kind, kinds_of
from builder.induce.documents import spots
from tests.builder.induce.json_documents import document


def kinds(*values: tuple[str, str, Any]) -> tuple[Kind, ...]:
    found = [spot for address, path, value in values for spot in spots([document(address, value, path=path)])]
    return kinds_of(found, frozenset({"taken"}))


def test_a_list_and_a_single_answer_share_their_rows() -> None:
    listed = [{"id": n, "name": f"thing {n}"} for n in (1, 2, 3)]
    (kind,) = kinds(("/things", "/things", listed), ("/things/2", "/things/*", {"id": 2, "name": "thing 2", "size": 9}))
    assert kind.table.name == "things"
    assert dict(kind.table.rows["id=2"]) == {"id": "2", "name": "thing 2", "size": "9"}
    assert "size" not in kind.table.rows["id=1"]


def test_equal_numbers_of_unlike_things_are_not_one_row() -> None:
    users = [{"id": n, "name": f"user {n}"} for n in (1, 2, 3)]
    posts = [{"id": n, "name": f"post {n}"} for n in (1, 2, 3)]
    assert len(kinds(("/users", "/users", users), ("/posts", "/posts", posts))) == 2


def test_a_value_written_in_two_ways_has_two_columns() -> None:
    listed = [{"id": n, "name": f"thing {n}", "maker": n} for n in (1, 2)]
    one = {"id": 2, "name": "thing 2", "maker": {"id": 2, "name": "M"}}
    (kind,) = kinds(("/things", "/things", listed), ("/things/2", "/things/*", one))
    assert kind.sources["id=2"] == {"id": "2", "name": '"thing 2"', "maker": "2", "maker.id": "2", "maker.name": '"M"'}


def test_members_that_some_rows_lack_are_known_to_be_absent() -> None:
    (kind,) = kinds(("/x", "/x", [{"id": 1, "note": None, "tags": ["a", "b"]}, {"id": 2, "tags": []}]))
    assert kind.sources["id=2"]["note"] == ""
    assert kind.sources["id=1"]["note"] == "null"
    assert kind.table.rows["id=1"]["tags"] == "a\nb"


def test_mixed_values_end_in_one_column() -> None:
    (kind,) = kinds(("/x", "/x", [{"id": 1, "v": True, "w": 1}, {"id": 2, "v": False, "w": "a"}]))
    assert set(kind.table.rows["id=1"]) == {"id", "v", "w"}


def test_reserved_names_are_left_alone() -> None:
    (kind,) = kinds(("/taken", "/taken", [{"id": 1}, {"id": 2}]))
    assert kind.table.name == "taken_2"
