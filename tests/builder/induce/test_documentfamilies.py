"""Which segments of an address vary."""

from builder.induce.documentfamilies import generalized
from tests.builder.induce.json_documents import document


def paths(*documents: object) -> list[str]:
    return [one.endpoint.path for one in generalized(documents)]  # type: ignore[arg-type]


def test_numbers_and_names_of_what_is_there_are_variable() -> None:
    items = [document(f"/api/items/{slug}", {"slug": slug, "size": 1}) for slug in ("red", "blue")]
    assert paths(*items, document("/api/items/gone", {"error": "no"}, status=404)) == ["/api/items/*"] * 3
    assert paths(document("/api/users/7/posts", [{"id": 1}])) == ["/api/users/*/posts"]


def test_lists_of_one_kind_at_sibling_addresses_are_one_family() -> None:
    red, blue = (document(f"/api/{name}/items", [{"id": n, "size": n}]) for n, name in ((1, "red"), (2, "blue")))
    assert paths(red, blue) == ["/api/*/items"] * 2


def test_lists_that_contradict_each_other_are_not() -> None:
    users, groups = (document(f"/api/{name}", [{"id": 1, "size": n}]) for n, name in ((1, "users"), (2, "groups")))
    assert paths(users, groups) == ["/api/users", "/api/groups"]


def test_lists_of_other_members_are_not() -> None:
    users, goods = document("/api/users", [{"id": 1, "mail": "x"}]), document("/api/goods", [{"id": 1, "price": 2}])
    assert paths(users, goods) == ["/api/users", "/api/goods"]
