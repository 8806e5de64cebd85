from artifacts.evidence import Exchange
from explorer.crawl.change import document_of, storage_change


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


def test_what_changed_in_the_browser_is_told_by_name() -> None:
    before = {"local": {"a": "1", "b": "1"}, "cookies": [{"name": "sid", "value": "1"}]}
    after = {"local": {"a": "2", "c": "1"}, "cookies": [{"name": "sid", "value": "1"}, {"name": "new"}]}
    assert storage_change(before, after) == {
        "local.a": "changed", "local.b": "removed", "local.c": "added", "cookie.new": "added",
    }  # fmt: skip
