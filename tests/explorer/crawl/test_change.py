import pytest

from artifacts.evidence import Exchange, PageState
from explorer.crawl.change import document_of, effect_of, storage_change

ZERO, ONE = "0" * 64, "1" * 64


def exchange(order: int, path: str, destination: str = "document", status: int = 200) -> Exchange:
    return Exchange(
        order=order, visit="v", method="GET", url=f"http://a.example{path}", destination=destination, status=status
    )


def test_the_document_is_the_last_answer_for_the_pages_own_address() -> None:
    sent = [
        exchange(1, "/x", status=302),
        exchange(2, "/y"),
        exchange(3, "/y"),
        exchange(4, "/z"),
        exchange(5, "/i", "image"),
    ]
    assert document_of(sent, "http://a.example/y") == sent[2]
    assert document_of(sent, "http://a.example/made-by-script") == sent[3]
    assert document_of(sent[:1], "http://a.example/x") is None


def state(**more: object) -> PageState:
    blobs = dict.fromkeys(
        ("lens", "fingerprint", "dom", "axtree", "text", "screenshot", "full_page", "storage", "actionables"), ZERO
    )
    fields = {"url": "http://a.test/", "requested": "http://a.test/", "template": "/", "status": 200, "title": "", "visit": "p1",
              "page_height": 720, "settled_after_ms": 1, **blobs, **more}  # fmt: skip
    return PageState.model_validate(fields)


def test_what_storage_gained_lost_and_changed_is_named_without_values() -> None:
    before = {"local": {"a": "1", "b": "2"}, "session": {"a": "1"}, "cookies": [{"name": "sid", "value": "x"}]}
    after = {"local": {"a": "9", "c": "3"}, "session": {"a": "1"}, "cookies": [{"name": "lang", "value": "de"}]}
    assert storage_change(before, after) == {
        "cookie.lang": "added", "cookie.sid": "removed", "local.a": "changed", "local.b": "removed", "local.c": "added"
    }  # fmt: skip
    assert storage_change({}, {}) == {}


@pytest.mark.parametrize(
    ("after", "changes", "effect"),
    [
        ({}, {}, "none"),
        ({"screenshot": ONE}, {}, "page"),
        ({"fingerprint": ONE}, {}, "page"),
        ({"text": ONE}, {"local.a": "added"}, "storage"),
        ({"url": "http://a.test/b"}, {"local.a": "added"}, "navigation"),
    ],
)
def test_the_strongest_effect_counts(after: dict[str, str], changes: dict[str, str], effect: str) -> None:
    assert effect_of(state(), state(**after), changes) == effect
