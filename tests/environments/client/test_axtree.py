from typing import Any

from environments.client.axtree import axtree_text


def node(number: str, role: str, name: str = "", **more: Any) -> dict[str, Any]:
    return {"nodeId": number, "role": {"value": role}, "name": {"value": name}, **more}


def test_one_line_a_node_with_what_matters() -> None:
    nodes = [
        node("1", "RootWebArea", "Shop", childIds=["2", "3"]),
        node("2", "generic", childIds=["4"]),
        node("3", "link", "Cart 2", childIds=["5"], browsergym_id="7",
             properties=[{"name": "focusable", "value": {"value": True}}, {"name": "expanded", "value": {"value": True}}]),
        node("4", "textbox", "Item", value={"value": "tea"}, browsergym_id="a3",
             properties=[{"name": "required", "value": {"value": False}}, {"name": "hasPopup", "value": {"value": "menu"}}]),
        node("5", "StaticText", "Cart"),
    ]  # fmt: skip
    assert axtree_text({"axtree_object": {"nodes": nodes}}).split("\n") == [
        "RootWebArea 'Shop'",
        "\t[a3] textbox 'Item' value='tea', hasPopup='menu'",
        "\t[7] link 'Cart 2', expanded",
    ]


def test_text_that_the_parent_does_not_repeat_stays() -> None:
    nodes = [node("1", "paragraph", childIds=["2"]), node("2", "StaticText", "hello"), node("3", "x", ignored=True)]
    assert axtree_text({"axtree_object": {"nodes": nodes}}) == "paragraph ''\n\tStaticText 'hello'"


def test_a_tree_that_bites_its_tail_ends() -> None:
    nodes = [node("1", "a", childIds=["2"]), node("2", "b", childIds=["2", "9"])]
    assert axtree_text({"axtree_object": {"nodes": nodes}}) == "a ''\n\tb ''"
    assert axtree_text({"axtree_object": {}}) == ""
