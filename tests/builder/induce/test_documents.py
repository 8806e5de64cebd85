"""Where rows stand in JSON answers, and what names them."""

from typing import Any

import pytest

from builder.induce.documents import spots
from tests.builder.induce.json_documents import document

LAMPS = [{"id": n, "price": 5, "name": f"lamp {n}"} for n in (3, 4, 5)]


@pytest.mark.parametrize(
    ("value", "way", "place", "key"),
    [
        (LAMPS, "objects", (), ("id",)),
        ({"page": 1, "data": {"items": LAMPS}}, "objects", ("data", "items"), ("id",)),
        ({"edges": [{"cursor": "x", "node": one} for one in LAMPS]}, "objects", ("edges",), ("node", "id")),
        ({str(one["id"]): one for one in LAMPS}, "by key", (), ("id",)),
        ({"columns": ["id", "name"], "rows": [[3, "a"], [4, "b"]]}, "arrays", ("rows",), ("id",)),
        ([{"slug": "a", "size": 1}, {"slug": "b", "size": 1}], "objects", (), ("slug",)),
    ],
    ids=["top", "nested", "edges", "by key", "columns", "slug"],
)  # fmt: skip
def test_rows_are_found(value: Any, way: str, place: tuple[str, ...], key: tuple[str, ...]) -> None:
    (spot,) = spots([document("/x", value)])
    assert (spot.way, spot.place, spot.key) == (way, place, key)


@pytest.mark.parametrize("value", [{"a": 1}, [1, 2], [{"size": 1}, {"size": 1}], "text", {"rows": [[1], [2]]}])
def test_what_nothing_names_is_no_row(value: Any) -> None:
    assert spots([document("/x", value)]) == ()


def test_an_object_that_the_path_names_is_one_row() -> None:
    one, other = (document(f"/x/{n}.json", {"data": {"id": n}}, path="/x/*") for n in (1, 2))
    gone = document("/x/9.json", {"data": None}, path="/x/*")
    (spot,) = spots([one, other, gone])
    assert (spot.source, spot.around, spot.place) == ("/1", ("", ".json"), ("data",))
    assert [spot.rows[each][0].key for each in (one, other)] == ["1", "2"]
    assert gone not in spot.rows


def test_an_empty_list_is_a_page_of_the_list_it_would_stand_in() -> None:
    full, empty = document("/x", {"items": LAMPS}), document("/x?q=z", {"items": []})
    (spot,) = spots([full, empty])
    assert spot.rows[empty] == ()
