"""What fixed rows say of themselves."""

from builder.induce.fixed import role_fields


def test_what_a_link_changes_in_the_address_is_a_field() -> None:
    named = [["red", "blue"], ["red", "blue"]]
    rows = [
        [{"s1": "?c=red"}, {"s1": "?c=blue"}],
        [{"s1": "/l"}, {"s1": "?c=red&amp;c=blue"}],
    ]
    found = role_fields(["red", "blue"], named, rows, [(), (("c", "red"),)])
    assert [list(item.values()) for item in found.values()] == [["red"], ["blue"]]


def test_what_is_the_same_everywhere_is_a_field_as_it_stands_and_without_escapes() -> None:
    rows = [
        [{"s1": "R &amp; B", "s2": "1"}, {"s1": "Pop", "s2": "2"}],
        [{"s1": "R &amp; B", "s2": "3"}, {"s1": "Pop", "s2": "2"}],
    ]
    found = role_fields(["a", "b"], [["a", "b"]] * 2, rows, [(), ()])
    assert set(found["a"].values()) >= {"R &amp; B", "R & B"}
    assert "s2" not in found["a"]


def test_own_words_of_a_class_are_a_field() -> None:
    rows = [[{"s1": "item item-1 on"}, {"s1": "item item-2"}], [{"s1": "item item-1"}, {"s1": "item item-2 on"}]]
    found = role_fields(["a", "b"], [["a", "b"]] * 2, rows, [(), ()])
    assert [item["k1"] for item in found.values()] == ["item item-1", "item item-2"]
