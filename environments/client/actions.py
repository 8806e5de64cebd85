"""What an agent can do: BrowserGym's actions by name, each on the page in front."""

import re
from collections.abc import Callable
from typing import Any, Literal, Protocol

from playwright.sync_api import Frame, Locator, Page

from environments.client.calls import Call, bound

ELEMENT_MS = 2_000
LONGEST_WAIT_MS = 30_000

Button = Literal["left", "middle", "right"]
_BUTTONS = ("left", "middle", "right")
_MODIFIERS = ("Alt", "Control", "ControlOrMeta", "Meta", "Shift")
_BID = re.compile(r"(?P<frames>(?:[a-z][A-Z]*)*)(?P<number>\d*)")


class Desk(Protocol):
    """What actions reach beyond the page in front: its tabs, the chat, and which addresses are allowed."""

    @property
    def page(self) -> Page: ...

    def say(self, role: str, text: str) -> None: ...

    def allowed(self, url: str) -> str:
        """The address to open for what the agent asked for. Raises ValueError if it is outside the sandbox."""

    def open_tab(self) -> None: ...

    def close_tab(self) -> None: ...

    def focus_tab(self, index: int) -> None: ...


def perform(desk: Desk, call: Call) -> None:
    """Carry out one call. Raises ValueError when it cannot mean anything, Playwright's Error when the page refuses."""
    action = ACTIONS.get(call.name)
    if action is None:
        raise ValueError(f"there is no action {call.name!r}; there are {', '.join(ACTIONS)}")
    action(desk, **bound(call, action))


def _element(desk: Desk, bid: str) -> Locator:
    """The element that carries a bid, in whatever frame it is."""
    parts = _BID.fullmatch(bid)
    if not parts or not bid:
        raise ValueError(f"{bid!r} is no bid")
    frame: Frame = desk.page.main_frame
    path = re.findall(r"[a-z][A-Z]*", parts["frames"])
    if not parts["number"]:
        path.pop()  # the frame's own element is meant
    prefix = ""
    for letter in path:
        prefix += letter
        owner = frame.query_selector(f'[bid="{prefix}"]')
        inner = owner.content_frame() if owner else None
        if inner is None:
            raise ValueError(f"could not find element with bid {bid!r}")
        frame = inner
    found = frame.locator(f'[bid="{bid}"]').first
    if not found.count():
        raise ValueError(f"could not find element with bid {bid!r}")
    return found


def _button(name: str) -> Button:
    if name not in _BUTTONS:
        raise ValueError(f"a button is one of {', '.join(_BUTTONS)}")
    return name  # type: ignore[return-value]  # the check is the line above


def _modifiers(names: list[str]) -> Any:
    if not set(names) <= set(_MODIFIERS):
        raise ValueError(f"modifiers are {', '.join(_MODIFIERS)}")
    return names


def noop(desk: Desk, wait_ms: float = 1000) -> None:
    desk.page.wait_for_timeout(max(0.0, min(wait_ms, LONGEST_WAIT_MS)))


def send_msg_to_user(desk: Desk, text: str) -> None:
    desk.say("assistant", text)


def report_infeasible(desk: Desk, reason: str) -> None:
    desk.say("infeasible", reason)


def fill(desk: Desk, bid: str, value: str, enable_autocomplete_menu: bool = False) -> None:
    element = _element(desk, bid)
    if enable_autocomplete_menu:
        element.clear(timeout=ELEMENT_MS)
        element.press_sequentially(value, timeout=ELEMENT_MS + 50 * len(value))
    else:
        element.fill(value, timeout=ELEMENT_MS)


def select_option(desk: Desk, bid: str, options: str | list[str]) -> None:
    _element(desk, bid).select_option(options, timeout=ELEMENT_MS)


def click(desk: Desk, bid: str, button: str = "left", modifiers: list[str] = []) -> None:  # noqa: B006 - never changed
    element = _element(desk, bid)
    if element.evaluate("element => element.tagName") == "OPTION":  # drawn by the system, nothing to point at
        choice = element.evaluate("option => option.index")
        element.locator("xpath=ancestor::select[1]").select_option(index=choice, timeout=ELEMENT_MS)
        return
    element.click(button=_button(button), modifiers=_modifiers(modifiers), timeout=ELEMENT_MS)


def dblclick(desk: Desk, bid: str, button: str = "left", modifiers: list[str] = []) -> None:  # noqa: B006
    _element(desk, bid).dblclick(button=_button(button), modifiers=_modifiers(modifiers), timeout=ELEMENT_MS)


def hover(desk: Desk, bid: str) -> None:
    _element(desk, bid).hover(timeout=ELEMENT_MS)


def press(desk: Desk, bid: str, key_comb: str) -> None:
    _element(desk, bid).press(key_comb, timeout=ELEMENT_MS)


def focus(desk: Desk, bid: str) -> None:
    _element(desk, bid).focus(timeout=ELEMENT_MS)


def clear(desk: Desk, bid: str) -> None:
    _element(desk, bid).clear(timeout=ELEMENT_MS)


def check(desk: Desk, bid: str) -> None:
    _element(desk, bid).check(timeout=ELEMENT_MS)


def uncheck(desk: Desk, bid: str) -> None:
    _element(desk, bid).uncheck(timeout=ELEMENT_MS)


def drag_and_drop(desk: Desk, from_bid: str, to_bid: str) -> None:
    _element(desk, from_bid).hover(timeout=ELEMENT_MS)
    desk.page.mouse.down()
    _element(desk, to_bid).hover(timeout=ELEMENT_MS)
    desk.page.mouse.up()


def scroll(desk: Desk, delta_x: float, delta_y: float) -> None:
    desk.page.mouse.wheel(delta_x, delta_y)


def scroll_at(desk: Desk, x: float, y: float, dx: float, dy: float) -> None:
    desk.page.mouse.move(x, y)
    desk.page.mouse.wheel(dx, dy)


def mouse_move(desk: Desk, x: float, y: float) -> None:
    desk.page.mouse.move(x, y)


def mouse_up(desk: Desk, x: float, y: float, button: str = "left") -> None:
    desk.page.mouse.move(x, y)
    desk.page.mouse.up(button=_button(button))


def mouse_down(desk: Desk, x: float, y: float, button: str = "left") -> None:
    desk.page.mouse.move(x, y)
    desk.page.mouse.down(button=_button(button))


def mouse_click(desk: Desk, x: float, y: float, button: str = "left") -> None:
    desk.page.mouse.click(x, y, button=_button(button))


def mouse_dblclick(desk: Desk, x: float, y: float, button: str = "left") -> None:
    desk.page.mouse.dblclick(x, y, button=_button(button))


def mouse_drag_and_drop(desk: Desk, from_x: float, from_y: float, to_x: float, to_y: float) -> None:
    desk.page.mouse.move(from_x, from_y)
    desk.page.mouse.down()
    desk.page.mouse.move(to_x, to_y)
    desk.page.mouse.up()


def keyboard_press(desk: Desk, key: str) -> None:
    desk.page.keyboard.press(key)


def keyboard_up(desk: Desk, key: str) -> None:
    desk.page.keyboard.up(key)


def keyboard_down(desk: Desk, key: str) -> None:
    desk.page.keyboard.down(key)


def keyboard_type(desk: Desk, text: str) -> None:
    desk.page.keyboard.type(text)


def keyboard_insert_text(desk: Desk, text: str) -> None:
    desk.page.keyboard.insert_text(text)


def goto(desk: Desk, url: str) -> None:
    desk.page.goto(desk.allowed(url), wait_until="domcontentloaded")


def go_back(desk: Desk) -> None:
    desk.page.go_back(wait_until="domcontentloaded")


def go_forward(desk: Desk) -> None:
    desk.page.go_forward(wait_until="domcontentloaded")


def new_tab(desk: Desk) -> None:
    desk.open_tab()


def tab_close(desk: Desk) -> None:
    desk.close_tab()


def tab_focus(desk: Desk, index: int) -> None:
    desk.focus_tab(index)


ACTIONS: dict[str, Callable[..., None]] = {
    action.__name__: action
    for action in (
        noop, send_msg_to_user, report_infeasible, fill, select_option, click, dblclick, hover, press, focus, clear,
        check, uncheck, drag_and_drop, scroll, scroll_at, mouse_move, mouse_up, mouse_down, mouse_click, mouse_dblclick,
        mouse_drag_and_drop, keyboard_press, keyboard_up, keyboard_down, keyboard_type, keyboard_insert_text, goto,
        go_back, go_forward, new_tab, tab_close, tab_focus,
    )
}  # fmt: skip
