from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from webanything.agents.calls import parse_call
from webanything.agents.policies.dice import RandomPolicy
from webanything.agents.protocol import Action


def page(*nodes: tuple[str, str, str], hidden: tuple[str, ...] = (), disabled: tuple[str, ...] = ()) -> dict[str, Any]:
    """An observation of (bid, role, name) nodes."""
    tree = [
        {
            "nodeId": bid,
            "browsergym_id": bid,
            "role": {"value": role},
            "name": {"value": name},
            "properties": [{"name": "disabled", "value": {"value": bid in disabled}}],
        }
        for bid, role, name in nodes
    ]
    return {"axtree_object": {"nodes": tree}, "extra_element_properties": {bid: {"visibility": 0} for bid in hidden}}


PAGE = page(("1", "link", "Kitchen"), ("2", "searchbox", "Search the shop"), ("3", "button", "Off"), ("4", "heading", "Hi"),
            ("5", "spinbutton", "Quantity"), ("6", "button", "Below"), hidden=("6",), disabled=("3",))  # fmt: skip


def turns(seed: int, count: int) -> list[str]:
    policy = RandomPolicy()
    policy.begin(seed=seed, accounts={})
    made = [policy.act(PAGE) for _ in range(count)]
    assert all(isinstance(turn, Action) for turn in made)
    return [turn.text for turn in made]


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.integers())
def test_equal_seeds_give_equal_turns_and_only_usable_elements_are_used(seed: int) -> None:
    made = turns(seed, 30)
    assert made == turns(seed, 30)
    calls = [parse_call(text) for text in made]
    assert {call["args"]["bid"] for call in calls if "bid" in call["args"]} <= {"1", "2", "5"}
    assert all(
        call["args"]["value"].isdecimal() for call in calls if call["tool"] == "fill" and call["args"]["bid"] == "5"
    )


def test_other_seeds_give_other_turns() -> None:
    assert len({tuple(turns(seed, 10)) for seed in range(20)}) > 15


def test_a_dead_end_is_left_the_way_it_was_entered_and_never_beyond_the_first_page() -> None:
    policy = RandomPolicy()
    policy.begin(seed=1, accounts={})
    assert policy.act({"url": "http://127.0.0.1/"}).text == "goto('http://127.0.0.1/')"
    assert policy.act({"url": "http://127.0.0.1/end"}).text == "go_back()"
    assert policy.act({"url": "http://127.0.0.1/"}).text == "goto('http://127.0.0.1/')"
