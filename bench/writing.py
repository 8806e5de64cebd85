"""Finding something on a site that changes its state: the first form that writes, whatever the site is."""

import contextlib
import http.cookiejar
import json
import urllib.error
import urllib.parse
import urllib.request
from collections import Counter
from typing import Any, NamedTuple
from urllib.parse import urldefrag, urljoin, urlsplit

import lxml.html

_TRIES = 8
"""How often a form that leads to one address is tried, since a mirror may know only some of its answers."""


class Control:
    """The control plane of a served environment."""

    def __init__(self, url: str, token: str) -> None:
        self._url, self._token = url, token

    def ask(self, method: str, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        headers = {"Authorization": f"Bearer {self._token}", "Content-Type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(urljoin(self._url, path), data, headers, method=method)
        with urllib.request.urlopen(request, timeout=60) as answer:
            found: dict[str, Any] = json.loads(answer.read() or b"{}")
            return found

    def is_dirty(self) -> bool:
        """Whether a row of the default session differs from the seed."""
        return bool(self.ask("GET", "/sessions/default/diff").get("tables"))

    def reset(self) -> dict[str, Any]:
        return self.ask("POST", "/reset", {"session": None})


class Form(NamedTuple):
    """A form that posts, and the page it is on."""

    page: str
    place: int


class Visitor:
    """A visitor with cookies and without scripts."""

    def __init__(self) -> None:
        self._opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))
        self._opener.addheaders = [("Accept", "text/html,*/*;q=0.8")]

    def page(self, url: str) -> lxml.html.HtmlElement | None:
        """The page's tree; None if there is no page."""
        try:
            with self._opener.open(url, timeout=30) as answer:
                if answer.headers.get_content_type() != "text/html":
                    return None
                body, final = answer.read(), answer.url
        except OSError:
            return None
        if not body.strip():
            return None
        tree = lxml.html.fromstring(body, base_url=final)
        tree.make_links_absolute(final)
        return tree

    def submit(self, form: Form) -> None:
        """Send the form as it is filled in on its page, tokens and all."""
        tree = self.page(form.page)
        forms = [] if tree is None else tree.forms
        if form.place >= len(forms):
            return
        chosen = forms[form.place]
        data = urllib.parse.urlencode(chosen.form_values()).encode()
        with contextlib.suppress(
            urllib.error.HTTPError
        ):  # a refusal is an answer; what it wrote is asked for elsewhere
            self._opener.open(urllib.request.Request(chosen.action or form.page, data), timeout=30).close()


def find_writing_form(url: str, control: Control, *, pages: int = 40) -> Form | None:
    """The first form whose submission changes a row, looking through pages that links lead to."""
    queue = [url]
    tried: Counter[str] = Counter()
    for address in queue:
        tree = Visitor().page(address)
        if tree is None:
            continue
        for place, form in enumerate(tree.forms):
            action = urlsplit(form.action or address).path
            if form.method != "POST" or tried[action] >= _TRIES:
                continue
            tried[action] += 1
            found = Form(address, place)
            Visitor().submit(found)
            if control.is_dirty():
                control.reset()
                return found
        for link in tree.iterfind(".//a[@href]"):
            target = urldefrag(link.get("href") or "").url
            if urlsplit(target).netloc == urlsplit(url).netloc and target not in queue and len(queue) < pages:
                queue.append(target)
    return None
