import pytest

from explorer.wire.guard import Guard

QUERY, MUTATION = b'{"query":"query Q { items { id } }"}', b'{"query":"mutation M { buy }"}'


@pytest.mark.parametrize(
    ("method", "path", "body", "refused"),
    [
        ("GET", "/delete", b"", False),
        ("HEAD", "/x", b"", False),
        ("POST", "/api/items", b'{"name":"x"}', True),
        ("DELETE", "/api/items/1", b"", True),
        ("PUT", "/api/items/1", b"{}", True),
        ("POST", "/graphql", QUERY, False),
        ("POST", "/graphql", MUTATION, True),
        ("POST", "/graphql", b"[" + QUERY + b"," + MUTATION + b"]", True),
        ("POST", "/usual?t=2", b"{}", False),
        ("POST", "/usual", MUTATION, True),
        ("DELETE", "/usual", b"", True),
    ],
)
def test_only_reading_and_what_pages_send_by_themselves(method: str, path: str, body: bytes, refused: bool) -> None:
    guard = Guard()
    assert not guard.refuses("POST", "a.example", "/usual?t=1", b"")
    guard.is_on = True
    assert guard.refuses(method, "a.example", path, body) is refused


def test_an_unguarded_visit_may_do_what_it_was_allowed_to_do() -> None:
    guard = Guard()
    assert not guard.refuses("DELETE", "a.example", "/api/items/1", b"")
