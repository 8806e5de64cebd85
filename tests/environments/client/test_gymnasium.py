"""A real browser on a real environment."""

import urllib.parse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env, data_equivalence

from artifacts.errors import UsageError
from environments.client.gymnasium import WebAnythingEnv, axtree_text, register
from environments.client.plane import ControlPlane
from environments.serving import serving
from tests.environments import tinymirror

pytestmark = pytest.mark.browser

KEYS = {
    "chat_messages", "goal", "goal_object", "open_pages_urls", "open_pages_titles", "active_page_index", "url", "screenshot",
    "dom_object", "axtree_object", "extra_element_properties", "focused_element_bid", "last_action", "last_action_error",
    "elapsed_time",
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("gym") / "env"
    tinymirror.write_environment(place)
    return place


@pytest.fixture(scope="module")
def opened(folder: Path) -> Iterator[WebAnythingEnv]:
    env = WebAnythingEnv(folder)
    yield env
    env.close()


@pytest.fixture
def env(opened: WebAnythingEnv) -> WebAnythingEnv:
    opened.reset(seed=1)
    return opened


def bid(observation: dict[str, Any], role: str, name: str) -> str:
    for node in observation["axtree_object"]["nodes"]:
        if (node["role"]["value"], node.get("name", {}).get("value")) == (role, name):
            return str(node["browsergym_id"])
    raise AssertionError(f"no {role} {name!r} in\n{axtree_text(observation)}")


def do(env: WebAnythingEnv, action: str, *, error: str = "") -> dict[str, Any]:
    observation = env.step(action)[0]
    if error:
        assert error in observation["last_action_error"]
    else:
        assert observation["last_action_error"] == ""
    assert observation["last_action"] == action
    return observation


def test_a_reset_shows_the_start_page_with_proof(opened: WebAnythingEnv) -> None:
    observation, info = opened.reset(seed=5)
    assert set(observation) == KEYS
    assert observation in opened.observation_space
    assert info["state"] == info["seed"]
    assert observation["open_pages_titles"] == ("Shop https://shop.example",)
    assert observation["screenshot"].shape == (720, 1280, 3) and observation["screenshot"].std() > 0
    assert "textbox 'Item'" in axtree_text(observation)
    link = observation["extra_element_properties"][bid(observation, "link", "Cart")]
    assert link["visibility"] == 1 and link["set_of_marks"] and link["bbox"][2] > 0


def test_two_resets_are_equal_but_for_nothing(opened: WebAnythingEnv) -> None:
    first, _ = opened.reset(seed=7)
    do(opened, f"fill('{bid(first, 'textbox', 'Item')}', 'tea')")
    second, _ = opened.reset(seed=7)
    for key in KEYS:
        assert data_equivalence(first[key], second[key], exact=True), key


def test_filling_in_a_form_changes_the_site_until_the_reset(env: WebAnythingEnv) -> None:
    observation = env.step("noop(0)")[0]
    observation = do(env, f"fill('{bid(observation, 'textbox', 'Item')}', 'green tea')")
    do(env, f"select_option('{bid(observation, 'combobox', '')}', 'Large')")
    observation = do(env, f"check('{bid(observation, 'checkbox', 'Gift')}')")
    assert "checked" in axtree_text(observation)
    observation = do(env, f"click('{bid(observation, 'button', 'Add')}')")
    assert "/cart?" in observation["url"]
    assert "green tea" in axtree_text(observation)
    env.reset()
    assert "0 items" in axtree_text(do(env, "goto('/cart')"))


@pytest.mark.parametrize("action", [None, 5])
def test_an_action_that_is_no_string_is_told_and_not_raised(env: WebAnythingEnv, action: Any) -> None:
    observation = env.step(action)[0]
    assert "an action is a string" in observation["last_action_error"]
    assert observation in env.observation_space


def test_history_and_tabs(env: WebAnythingEnv) -> None:
    observation = do(env, "goto('https://shop.example/cart')")
    assert urllib.parse.urlsplit(observation["url"]).path == "/cart"
    assert do(env, "go_back()")["open_pages_titles"] == ("Shop https://shop.example",)
    assert do(env, "go_forward()")["open_pages_titles"] == ("Cart",)
    observation = do(env, "new_tab()")
    assert (observation["active_page_index"].tolist(), observation["url"]) == ([1], "about:blank")
    assert do(env, "tab_focus(0)")["open_pages_titles"] == ("Cart", "")
    do(env, "tab_focus(7)", error="no tab 7")
    assert do(env, "tab_close()")["open_pages_urls"] == ("about:blank",)
    assert do(env, "tab_close()")["open_pages_urls"] == ("about:blank",)


def test_mouse_and_keyboard(env: WebAnythingEnv) -> None:
    observation = env.step("noop(0)")[0]
    x, y, width, height = observation["extra_element_properties"][bid(observation, "textbox", "Item")]["bbox"]
    observation = do(env, f"mouse_click({x + width / 2}, {y + height / 2})")
    assert observation["focused_element_bid"] == bid(observation, "textbox", "Item")
    do(env, "keyboard_type('oolong')")
    assert "value='oolong'" in axtree_text(do(env, "noop(0)"))
    assert "/cart?" in do(env, "keyboard_press('Enter')")["url"]
    do(env, "goto('/')")
    scrolled = do(env, "scroll(0, 500)")
    assert not np.array_equal(scrolled["screenshot"], observation["screenshot"])


def test_actions_that_cannot_be_done_say_so_and_change_nothing(env: WebAnythingEnv) -> None:
    for action, error in (
        ("click('999')", "ValueError: could not find element with bid '999'"),
        ("click('not a bid')", "is no bid"),
        ("fly()", "there is no action 'fly'"),
        ("import os", "ValueError"),
        ("click('1', button='third')", "a button is one of"),
        ("press('1', 'NoSuchKey')", "Unknown key"),
    ):
        do(env, action, error=error)
    observation = env.step("noop(0)")[0]
    do(env, f"fill('{bid(observation, 'button', 'Add')}', 'x')", error="Error")


def test_nothing_outside_the_sandbox_can_be_reached(env: WebAnythingEnv) -> None:
    assert env._served is not None
    for url in ("https://elsewhere.example/", "http://127.0.0.1:1/", env._served.control_url, "file:///etc/passwd",
                "javascript:1", "chrome://version"):  # fmt: skip
        do(env, f"goto({url!r})", error="outside the sandbox")
    page = env._opened().page
    for url in (env._served.control_url + "/health", "http://example.com/", "http://10.0.0.1/"):
        reached = page.evaluate("url => fetch(url, {mode: 'no-cors'}).then(() => true, () => false)", url)
        assert reached is False, url
    assert page.evaluate("fetch('/cart').then(answer => answer.status)") == 200
    observation = do(env, f"click('{bid(env.step('noop(0)')[0], 'link', 'Out')}')")
    assert observation["url"].startswith(env._served.url + "/~https~elsewhere.example/")


def test_frames_have_bids_of_their_own(env: WebAnythingEnv) -> None:
    page = env._opened().page
    page.evaluate("""() => {
        document.body.innerHTML = '<p>outer</p><iframe style="width:600px;height:400px" src="/cart"></iframe>';
        const host = document.createElement('div');
        host.attachShadow({mode: 'open'}).innerHTML = '<button onclick="this.textContent = 2">1</button>';
        document.body.append(host);
    }""")
    observation = do(env, "noop(200)")
    text = axtree_text(observation)
    frame = next(node for node in observation["axtree_object"]["nodes"] if node["role"]["value"] == "Iframe")
    assert frame["browsergym_id"] == "a"
    assert "0 items" in text
    inside = next(key for key in observation["extra_element_properties"] if key.startswith("a") and key[1:].isdigit())
    do(env, f"hover('{inside}')")
    observation = do(env, f"click('{bid(observation, 'button', '1')}')")
    assert "button '2'" in axtree_text(observation)


def test_chat_goal_and_giving_up(folder: Path) -> None:
    env = WebAnythingEnv(folder, task="Buy tea.")
    try:
        observation, _ = env.reset()
        assert observation["goal"] == "Buy tea." and observation["goal_object"][0]["text"] == "Buy tea."
        observation, reward, terminated, truncated, _ = env.step("send_msg_to_user('done')")
        assert [message["role"] for message in observation["chat_messages"]] == ["user", "assistant"]
        assert (reward, terminated, truncated) == (0.0, False, False)
        assert env.step("report_infeasible('there is no tea')")[2] is True
    finally:
        env.close()
        env.close()


class BuyTea:
    """A task that is done when the cart says so."""

    def __init__(self) -> None:
        self.ended = 0

    def setup(self, page: Any) -> tuple[str, dict[str, Any]]:
        return "Put something into the cart.", {"task": "tea"}

    def validate(self, page: Any, chat_messages: list[dict[str, Any]]) -> tuple[float, bool, str, dict[str, Any]]:
        done = "1 items" in page.content()
        return float(done), done, "well done" if done else "", {"verdict": done}

    def teardown(self) -> None:
        self.ended += 1


def test_a_task_judges_and_is_torn_down(folder: Path) -> None:
    task = BuyTea()
    env = WebAnythingEnv(folder, task=task)
    try:
        observation, info = env.reset()
        assert info["task_info"] == {"task": "tea"}
        assert env.step("noop(0)")[1:3] == (0.0, False)
        observation = env.step(f"fill('{bid(observation, 'textbox', 'Item')}', 'x')")[0]
        observation, reward, terminated, _, info = env.step(f"click('{bid(observation, 'button', 'Add')}')")
        assert (reward, terminated, info["task_info"]) == (1.0, True, {"verdict": True})
        assert observation["chat_messages"][-1]["message"] == "well done"
    finally:
        env.close()
    assert task.ended == 1


def test_joining_a_served_environment_takes_a_session_and_gives_it_back(folder: Path) -> None:
    with serving(folder) as served:
        plane = ControlPlane(served.control_url, served.token)
        env = WebAnythingEnv(url=served.url, control_url=served.control_url, token=served.token)
        observation, info = env.reset()
        assert info["session"] == "s1" and "//s1.tiny.localhost:" in observation["url"]
        assert "0 items" in axtree_text(do(env, "goto('/cart')"))
        env.close()
        assert [each["session"] for each in plane.ask("GET", "/sessions")["sessions"]] == ["default"]


def test_gymnasium_makes_it_and_finds_nothing_wrong(folder: Path) -> None:
    name = register(folder)
    assert name == "webanything/tiny-v1"
    env = gymnasium.make(name).unwrapped
    check_env(env)
    env.close()


def test_gymnasium_may_be_given_another_folder_a_task_and_a_session(folder: Path) -> None:
    name = register(folder)
    env = gymnasium.make(name, environment=None, task="Look around.", session="mine")
    observation, info = env.reset()
    assert (observation["goal"], info["session"]) == ("Look around.", "mine")
    env.close()
    with pytest.raises(UsageError):
        gymnasium.make(name, environment="/no/such/folder")


def test_inline_scripts_run_under_the_sites_own_policy(env: WebAnythingEnv) -> None:
    do(env, "goto('/policy')")
    assert env._served is not None
    page = env._opened().page
    assert page.evaluate("window.ran") == env._served.url + "/x"
    assert page.evaluate("window.unlisted") is None
    assert page.evaluate("getComputedStyle(document.body).backgroundImage").startswith(
        f'url("{env._served.url}/~https~cdn.shop.example/bg.png'
    )


def test_what_is_missing_is_said(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        WebAnythingEnv()
    with pytest.raises(UsageError):
        WebAnythingEnv(tmp_path / "nowhere")
    with pytest.raises(UsageError, match="not open"):
        WebAnythingEnv(url="http://127.0.0.1:1", control_url="http://127.0.0.1:2").step("noop()")
