import doctest

from webanything.agents import elements as module
from webanything.agents.elements import elements


def test_a_select_lists_its_options_and_a_disabled_or_hidden_element_says_so() -> None:
    nodes = [
        {
            "nodeId": "1",
            "role": {"value": "combobox"},
            "name": {"value": "Sort by"},
            "browsergym_id": "4",
            "childIds": ["2"],
        },
        {"nodeId": "2", "role": {"value": "MenuListPopup"}, "childIds": ["3", "5"]},
        {"nodeId": "3", "role": {"value": "option"}, "name": {"value": "Name"}},
        {"nodeId": "5", "role": {"value": "option"}, "name": {"value": "Price"}},
        {
            "nodeId": "6",
            "role": {"value": "button"},
            "name": {"value": "Send"},
            "browsergym_id": "9",
            "properties": [{"name": "disabled", "value": {"type": "boolean", "value": True}}],
        },
        {"nodeId": "7", "role": {"value": "StaticText"}, "name": {"value": "no bid"}},
    ]
    sort, send = elements({"axtree_object": {"nodes": nodes}, "extra_element_properties": {"9": {"visibility": 0}}})
    assert (sort.options, sort.disabled, sort.visible) == (("Name", "Price"), False, True)
    assert (send.bid, send.disabled, send.visible) == ("9", True, False)


def test_elements_come_in_the_order_of_the_page_and_not_of_the_list() -> None:
    def node(number: str, *children: str) -> dict[str, object]:
        return {"nodeId": number, "browsergym_id": number, "role": {"value": "group"}, "childIds": list(children)}

    nodes = [node("1", "2", "3"), node("2", "4"), node("3"), node("4"), node("9")]
    assert [element.bid for element in elements({"axtree_object": {"nodes": nodes}})] == ["1", "2", "4", "3", "9"]


def test_doctests() -> None:
    assert doctest.testmod(module).failed == 0
