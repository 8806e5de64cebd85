import doctest
import json
from pathlib import Path
from typing import Any

import pytest

from artifacts.errors import UsageError
from webanything.agents.policies import scripted
from webanything.agents.policies.scripted import ScriptedPolicy
from webanything.agents.protocol import Action, Answer, GaveUp

PAGE: dict[str, Any] = {
    "url": "http://127.0.0.1:9/login",
    "axtree_object": {
        "nodes": [
            {"nodeId": "1", "browsergym_id": "3", "role": {"value": "textbox"}, "name": {"value": "Password"}},
            {"nodeId": "2", "browsergym_id": "5", "role": {"value": "combobox"}, "name": {"value": "Sort by"}},
        ]
    },
}
ACCOUNTS = {"user": {"user": "ada", "password": "it's"}}


def policy(*steps: Any) -> ScriptedPolicy:
    made = ScriptedPolicy(steps)
    made.begin(seed=1, accounts=ACCOUNTS)
    return made


def test_steps_become_action_strings_with_bids_and_accounts() -> None:
    script = policy(
        {"fill": {"role": "textbox", "name": "password"}, "with": "{user.password}"},
        {"press": {"role": "textbox"}, "key": "Enter"},
        {"select": {"name": "Sort by"}, "options": ["Name", "Price"]},
        {"goto": "/cart?a=1"},
        "scroll(0, 200)",
        {"answer": "as {user.user}"},
    )
    made = [script.act(PAGE) for _ in range(6)]
    assert [turn.text for turn in made] == [
        "fill('3', \"it's\")",
        "press('3', 'Enter')",
        "select_option('5', ['Name', 'Price'])",
        "goto('http://127.0.0.1:9/cart?a=1')",
        "scroll(0, 200)",
        "as ada",
    ]
    assert isinstance(made[-1], Answer)


def test_the_end_of_the_script_is_an_empty_answer() -> None:
    assert policy().act(PAGE) == Answer("")


def test_a_missing_target_is_waited_for_and_then_given_up() -> None:
    script = policy({"click": {"role": "button", "name": "Gone"}})
    assert [script.act(PAGE).text for _ in range(3)] == ["noop(500)"] * 3
    with pytest.raises(GaveUp, match=r"step 1: no .*Gone.* on http://127\.0\.0\.1:9/login"):
        script.act(PAGE)


def test_a_target_that_comes_late_is_used() -> None:
    script = policy({"click": {"name": "Password"}})
    assert script.act({"url": "about:blank"}).text == "noop(500)"
    assert script.act(PAGE) == Action("click('3')", think="Password")


def test_an_account_the_environment_lacks_is_named() -> None:
    with pytest.raises(GaveUp, match="no account 'admin'"):
        policy({"answer": "{admin.user}"}).act(PAGE)


@pytest.mark.parametrize(
    "step",
    [
        7,
        {},
        {"click": "Cart"},
        {"jump": {}},
        {"click": {}, "hover": {}},
        {"fill": {"name": "q"}},
        {"goto": {"name": "q"}},
    ],
)
def test_a_step_nobody_could_follow_is_refused_before_anything_runs(step: Any) -> None:
    with pytest.raises(UsageError) as caught:
        ScriptedPolicy(["noop()", step])
    assert "Step 2" in caught.value.what and caught.value.remedy


def test_a_script_is_read_from_its_file(tmp_path: Path) -> None:
    path = tmp_path / "buy.json"
    path.write_text(json.dumps({"steps": [{"answer": "done"}]}))
    assert ScriptedPolicy.read(path).name == "buy"
    for text in ("[]", "{", '{"steps": 3}'):
        path.write_text(text)
        with pytest.raises(UsageError, match="script"):
            ScriptedPolicy.read(path)
    with pytest.raises(UsageError):
        ScriptedPolicy.read(tmp_path / "none.json")


def test_doctests() -> None:
    assert doctest.testmod(scripted).failed == 0
