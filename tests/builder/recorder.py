"""A Flask site looked at and acted on, and written down as evidence: no browser, no network."""

import re
from collections.abc import Mapping
from urllib.parse import urlencode, urljoin, urlsplit

from flask import Flask
from flask.testing import FlaskClient

from artifacts.run import Safety
from builder.behave.spans import normal
from builder.induce.tree import parse, rebuilt
from tests.builder.world import World

_FORM = {"Content-Type": "application/x-www-form-urlencoded"}


class Recorder:
    """Visits one site and adds what it sees to a world."""

    def __init__(self, world: World, app: Flask, passwords: Mapping[str, str] | None = None) -> None:
        """`passwords` are of the accounts by their label; others are written down as secrets."""
        self.world = world
        self.app = app
        self.passwords = dict(passwords or {})
        self._episodes = 0

    def look(self, *urls: str) -> None:
        """What a fresh visitor sees."""
        for url in urls:
            visit = f"p{len(self.world.states) + 1:04}.1"
            self._request(self.app.test_client(), visit, "GET", url)
            self.world.state(url, visit=visit)

    def episode(self) -> "Actor":
        self._episodes += 1
        return Actor(self, f"e{self._episodes:04}.1")

    def _request(
        self,
        client: FlaskClient,
        visit: str,
        method: str,
        url: str,
        form: Mapping[str, str] | None = None,
        referer: str = "",
    ) -> str:
        """One request and those it is redirected to; the address of the last one's answer."""
        while True:
            sent = dict.fromkeys(re.findall(r"(\w+)=", _cookies(client, self.world.site)), "redacted-1111111111111111")
            headers = {"Referer": referer, "Accept": "text/html"}
            answer = client.open(url, base_url=self.world.site, method=method, data=form, headers=headers)
            hidden = None if form is None else {name: self._hidden(name, value) for name, value in form.items()}
            given = [(name, _redacted(name, value)) for name, value in answer.headers if name != "Content-Length"]
            media = next((value for name, value in given if name == "Content-Type"), "")
            self.world.exchange(
                method, url, answer.get_data(), visit=visit, status=answer.status_code, media=media, destination="document",
                headers=[pair for pair in given if pair[0] != "Content-Type"],
                sent=[*((("Referer", urljoin(self.world.site, referer)),) if referer else ()),
                      *((("Cookie", "; ".join(f"{k}={v}" for k, v in sent.items())),) if sent else ()),
                      *(_FORM.items() if form is not None else ())],
                sending=urlencode(hidden) if hidden is not None else None,
            )  # fmt: skip
            if answer.status_code not in (301, 302, 303):
                return url
            target = urlsplit(urljoin(urljoin(self.world.site, url), answer.headers["Location"]))
            method, form, url = "GET", None, target.path + (f"?{target.query}" if target.query else "")

    def _hidden(self, name: str, value: str) -> str:
        if "password" not in name and name != "repeat":
            return value
        label = next((label for label, password in self.passwords.items() if password == value), None)
        return f"{{{{password:{label}}}}}" if label else f"{{{{secret:{abs(hash(value)) % 10**8}}}}}"


class Actor:
    """One visitor of the site, step after step."""

    def __init__(self, recorder: Recorder, episode: str) -> None:
        self._recorder = recorder
        self._client = recorder.app.test_client()
        self._name = episode
        self._step = 0
        self._at = "/"

    def get(self, url: str) -> "Actor":
        return self._do("GET", url, None, "read")

    def post(self, url: str, safety: Safety = "session", *, on: str = "", **form: str) -> "Actor":
        """Send a form from the page `on`, or from the page the visitor is at, with the token that it holds."""
        page = self._client.get(on or self._at, base_url=self._recorder.world.site).get_data(as_text=True)
        if token := re.search(r'name="csrf_token" value="([^"]+)"', page):
            form = {"csrf_token": token[1], **form}
        self._at = on or self._at
        return self._do("POST", url, form, safety)

    def _do(self, method: str, url: str, form: Mapping[str, str] | None, safety: Safety) -> "Actor":
        recorder, visit = self._recorder, f"{self._name}/{self._step}"
        self._at = recorder._request(self._client, visit, method, url, form, self._at)
        recorder.world.step(self._name, self._step, self._at, behaviour=f"{method} {url}", safety=safety)
        self._step += 1
        return self


def _cookies(client: FlaskClient, site: str) -> str:
    host = urlsplit(site).hostname or ""
    return "; ".join(f"{cookie.key}={cookie.value}" for cookie in client._cookies.values() if cookie.domain == host)


def _redacted(name: str, value: str) -> str:
    if name != "Set-Cookie":
        return value
    return re.sub(r"^([^=]+)=([^;]+)", lambda found: f"{found[1]}=redacted-{abs(hash(found[2])) % 10**16:016}", value)


def plain(page: str) -> str:
    """What no browser tells apart, tokens left out, as equal text."""
    return re.sub(r"\s*(<[^>]*>)\s*", r"\1", normal(rebuilt(parse(page))).replace('=""', ""))
