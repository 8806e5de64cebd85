"""Doing one action to a page as a visitor would."""

import io
import mimetypes
import re
from collections.abc import Iterable, Mapping
from urllib.parse import quote

from PIL import Image
from playwright.sync_api import Error, FilePayload, Locator, Page

from artifacts.evidence import Action
from explorer.lens.settle import settle

TIMEOUT_MS = 5_000
GOTO_MS = 30_000
BETWEEN_MS = 3_000
"""The longest pause between two actions of one step."""

_SECRET = re.compile(r"\{\{password:([^{}]+)\}\}")


class ActionFailed(Exception):
    """The action could not be done; `what` says why in one line."""

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.what = what


def filled(value: str, secrets: Mapping[str, str]) -> str:
    """The value with every {{password:LABEL}} replaced. Raises ActionFailed for a label without a secret.

    >>> filled("{{password:user}}!", {"user": "pw"})
    'pw!'
    >>> filled("plain", {})
    'plain'
    """

    def secret(match: re.Match[str]) -> str:
        if match[1] not in secrets:
            raise ActionFailed(f"no password for the account {match[1]!r} was given")
        return secrets[match[1]]

    return _SECRET.sub(secret, value)


def with_credentials(url: str, said: str) -> str:
    """The address with USER:PASSWORD in it.

    >>> with_credentials("http://a.example/x", "ada:p@ss")
    'http://ada:p%40ss@a.example/x'
    """
    scheme, _, rest = url.partition("://")
    user, _, password = said.partition(":")
    return f"{scheme}://{quote(user, safe='')}:{quote(password, safe='')}@{rest}"


def carry_out(page: Page, actions: Iterable[Action], *, secrets: Mapping[str, str] | None = None) -> None:
    """Do the actions of one step in turn, as unhurried as a person: what one of them causes is over before the next.

    Without that, whether a suggestion list opens before Enter is pressed would be a race, lost now by the site and now
    by the mirror. Waits for what the last action causes no more than `perform` does. Raises ActionFailed.
    """
    for number, action in enumerate(actions):
        if number:
            settle(page, cap_ms=BETWEEN_MS)
        perform(page, action, secrets=secrets)


def perform(page: Page, action: Action, *, secrets: Mapping[str, str] | None = None) -> None:
    """Do one action, with Playwright's own checks that the element is there, visible, still and not covered.

    Waits for the action, not for what it causes. Raises ActionFailed.
    """
    try:
        _perform(page, action, secrets or {})
    except Error as error:
        raise ActionFailed(_reason(action, error)) from error


def _perform(page: Page, action: Action, secrets: Mapping[str, str]) -> None:
    if action.act == "goto":
        if action.value:
            # The browser takes them from the address once, and keeps them: they must not stay in the address bar.
            page.goto(with_credentials(action.url, filled(action.value, secrets)), wait_until="load", timeout=GOTO_MS)
        page.goto(action.url, wait_until="commit", timeout=GOTO_MS)
        return
    if action.act == "press" and not action.selector:
        page.keyboard.press(action.value)
        return
    target = page.locator(action.selector).first
    named = _named(page, action)
    try:
        _do(named if named and not target.count() else target, action, secrets)
    except Error:
        # The page may have put another element in its place meanwhile, as scripts do that take over a plain field.
        named = _named(page, action)
        if target.count() or named is None:
            raise
        _do(named, action, secrets)


def _do(target: Locator, action: Action, secrets: Mapping[str, str]) -> None:
    match action.act:
        case "click":
            target.click(timeout=TIMEOUT_MS)
        case "fill":
            target.fill(filled(action.value, secrets), timeout=TIMEOUT_MS)
        case "select":
            target.select_option(action.value, timeout=TIMEOUT_MS)
        case "check" | "uncheck":
            _tick(target, wanted=action.act == "check")
        case "press":
            target.press(action.value, timeout=TIMEOUT_MS)
        case "hover":
            target.hover(timeout=TIMEOUT_MS)
        case "upload":
            target.set_input_files(sample_file(action.value), timeout=TIMEOUT_MS)
        case "drag":
            target.drag_to(target.page.locator(action.value).first, timeout=TIMEOUT_MS)
        case "submit":
            target.evaluate("element => (element.form ?? element.closest('form') ?? element).requestSubmit()")
        case "goto":
            target.page.goto(action.url, wait_until="commit", timeout=GOTO_MS)


def sample_file(name: str) -> FilePayload:
    """A small file, always the same for the same name: a picture, a page of a document, or text.

    >>> sample_file("notes.txt")["mimeType"], sample_file("photo.png")["buffer"][:4]
    ('text/plain', b'\x89PNG')
    """
    kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
    content = f"A sample file called {name}.\n".encode()
    if kind.startswith("image/"):
        out = io.BytesIO()
        Image.new("RGB", (32, 32), "#3a7").save(out, "PNG")
        content = out.getvalue()
    return {"name": name, "mimeType": kind, "buffer": content}


def _named(page: Page, action: Action) -> Locator | None:
    """The one element of the action's role and name, if there is just one."""
    if not (action.role and action.name):
        return None
    named = page.get_by_role(action.role, name=action.name, exact=True)  # type: ignore[arg-type]
    return named if named.count() == 1 else None


def _tick(target: Locator, *, wanted: bool) -> None:
    """Set a box. One hidden behind a drawn label is set by clicking the label, as people do."""
    target.wait_for(state="attached", timeout=TIMEOUT_MS)
    if target.is_checked() == wanted:
        return
    label = target.locator("xpath=ancestor::label[1]")
    if target.is_visible():
        target.set_checked(wanted, timeout=TIMEOUT_MS)
        return
    if not label.count() and (own := target.get_attribute("id")):
        label = target.page.locator(f'label[for="{own}"]')
    label.first.click(timeout=TIMEOUT_MS)


def _reason(action: Action, error: Error) -> str:
    """One line from Playwright's many: what was waited for and what stood in the way."""
    lines = [line.strip(" -") for line in str(error).splitlines() if line.strip(" -")]
    obstacle = next(
        (line for line in reversed(lines) if "intercepts pointer events" in line or "element is not" in line), ""
    )
    first = lines[0].partition(": ")[2] or lines[0] if lines else "failed"
    told = re.sub(r"(://)[^/@\s]*@", r"\1", obstacle or first)  # an address may hold a password
    return f"{action.act} {action.name or action.selector or action.url}: {told}"
