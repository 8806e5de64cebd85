"""Small evidence written by hand: a site that was looked at and tried, without a browser."""

import importlib
import json
import sqlite3
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any, Literal
from urllib.parse import urlencode, urlsplit

from flask import Flask
from flask.testing import FlaskClient

from artifacts.contract import Contract
from artifacts.digest import digest_bytes
from artifacts.events import ignore
from artifacts.evidence import Action, Evidence, Exchange, Interaction, PageState, Part, Skip
from artifacts.mirror import Mirror
from artifacts.run import Account, CaptureRequest, Lens, Safety
from artifacts.store import Store
from builder.build import build

SITE = "https://shop.test"
CLOCK = "2024-06-10T08:00:00+00:00"
Body = str | bytes
Pairs = Sequence[tuple[str, str]]


class World:
    """Evidence under construction. Every call adds to it and returns what it added."""

    def __init__(self, folder: Path, *, site: str = SITE, accounts: Iterable[Account] = ()) -> None:
        self.folder = folder
        self.store = Store(folder / "store")
        self.site = site
        self.accounts = tuple(accounts)
        self.exchanges: list[Exchange] = []
        self.states: list[PageState] = []
        self.interactions: list[Interaction] = []
        self.skips: list[Skip] = []
        self.not_found = ""

    def exchange(
        self,
        method: str,
        url: str,
        body: Body = "",
        *,
        visit: str,
        media: str = "text/html; charset=utf-8",
        status: int = 200,
        headers: Pairs = (),
        sent: Pairs = (),
        sending: Body | None = None,
        destination: str | None = None,
        identity: str = "anonymous",
        messages: Sequence[Mapping[str, Any]] | None = None,
        **others: Any,
    ) -> Exchange:
        """One request and its answer. A document unless the content type says otherwise."""
        data = body.encode() if isinstance(body, str) else body
        asked = sending.encode() if isinstance(sending, str) else sending
        if destination is None:
            destination = "document" if media.startswith("text/html") else "empty"
        given = [*headers, *([("Content-Type", media)] if media else [])]
        values: dict[str, Any] = {
            "order": len(self.exchanges) + 1,
            "visit": visit,
            "identity": identity,
            "method": method,
            "url": url if "://" in url else self.site + url,
            "request_headers": tuple(sent),
            "request_body": self.store.put(asked) if asked is not None else None,
            "destination": destination,
            "status": status,
            "response_headers": tuple(given),
            "response_body": self.store.put(data) if data else None,
            "response_bytes": len(data),
            "messages": self.store.put("".join(json.dumps(m) + "\n" for m in messages).encode()) if messages else None,
        }
        made = Exchange(**{**values, **others})
        self.exchanges.append(made)
        return made

    def get(self, url: str, body: Body = "", *, visit: str, **others: Any) -> Exchange:
        return self.exchange("GET", url, body, visit=visit, **others)

    def post(
        self, url: str, form: Mapping[str, str] | None = None, body: Body = "", *, visit: str, **others: Any
    ) -> Exchange:
        """A form sent; `sending` and `sent` in `others` send something else."""
        if form is not None:
            others = {
                "sending": urlencode(form),
                "sent": (("Content-Type", "application/x-www-form-urlencoded"), *others.pop("sent", ())),
                **others,
            }
        return self.exchange("POST", url, body, visit=visit, **others)

    def state(self, url: str, *, visit: str, repeat_of: PageState | None = None, **others: Any) -> PageState:
        """A kept look at an address."""
        nothing = self.store.put(b"")
        values: dict[str, Any] = {
            "url": url if "://" in url else self.site + url,
            "requested": url if "://" in url else self.site + url,
            "template": url.partition("?")[0] if "://" not in url else url,
            "status": 200,
            "title": "",
            "visit": visit,
            "lens": self.lens.digest,
            "fingerprint": digest_bytes(url.encode()),
            "page_height": 720,
            "settled_after_ms": 1,
            "repeat_of": repeat_of.digest if repeat_of else None,
            **dict.fromkeys(("dom", "text", "screenshot", "full_page"), nothing),
            **dict.fromkeys(("axtree", "actionables"), self.store.put(b"[]")),
            "storage": self.store.put(b"{}"),
        }
        made = PageState(**{**values, **others})
        self.states.append(made)
        return made

    def page(self, url: str, body: Body, *, visit: str = "", repeat_of: PageState | None = None) -> PageState:
        """A look at a page that is one document."""
        visit = visit or f"p{len(self.states) + 1:04}.1"
        self.get(url, body, visit=visit)
        return self.state(url, visit=visit, repeat_of=repeat_of)

    def step(
        self,
        episode: str,
        step: int,
        url: str,
        *,
        behaviour: str = "do it",
        safety: Safety = "session",
        variant: Literal["ordinary", "other", "failing"] = "ordinary",
        fill: Iterable[str] = (),
    ) -> Interaction:
        """An interaction of the visit EPISODE/STEP, whose exchanges are added before or after."""
        visit = f"{episode}/{step}"
        after = self.state(url, visit=visit)
        actions = [Action(act="fill", selector=f"#f{n}", value=value) for n, value in enumerate(fill)]
        made = Interaction(
            episode=episode,
            step=step,
            behaviour=behaviour,
            variant=variant,
            safety=safety,
            visit=visit,
            before=after.digest,
            actions=(*actions, Action(act="click", selector="button", name="Go")),
            after=after.digest,
            exchanges=tuple(e.order for e in self.exchanges if e.visit == visit),
            effect="navigation",
        )
        self.interactions.append(made)
        return made

    @property
    def lens(self) -> Lens:
        return Lens(clock=CLOCK)

    def part(self) -> Part:
        return Part(tuple(self.states), tuple(self.exchanges), tuple(self.interactions), tuple(self.skips))

    def evidence(self) -> Evidence:
        nothing = self.store.put(b"")
        return Evidence(
            request=CaptureRequest(url=self.site, accounts=self.accounts),
            site=self.site,
            start=self.site + "/",
            lens=self.lens,
            outcome="complete",
            open=nothing,
            sealed=nothing,
            states=len(self.states),
            interactions=len(self.interactions),
            exchanges=len(self.exchanges),
            sealed_states=0,
            sealed_interactions=0,
            not_found=self.not_found,
        )

    def build(self, name: str = "mirror", **others: Any) -> tuple[Contract, Mirror]:
        return build(
            self.part(),
            self.evidence(),
            store=self.store,
            out=self.folder / name,
            parts="open",
            emit=ignore,
            **others,
        )

    def visitor(self, name: str = "mirror") -> "Visitor":
        """A browser-like client of the built application, built now if it is not there."""
        if not (self.folder / name).exists():
            self.build(name)
        return Visitor(application(self.folder / name), self.site)


class Visitor:
    """A client that keeps cookies and asks by the site's own names."""

    def __init__(self, app: Flask, site: str) -> None:
        self.app = app
        self.site = site
        self.client: FlaskClient = app.test_client()

    def open(self, url: str, method: str = "GET", **others: Any) -> Any:
        headers = {"Accept": "text/html", **others.pop("headers", {})}
        parts = urlsplit(url)
        return self.client.open(
            parts.path + (f"?{parts.query}" if "?" in url else ""),
            base_url=f"{parts.scheme}://{parts.netloc}" if parts.netloc else self.site,
            method=method,
            headers=headers,
            **others,
        )

    def text(self, url: str, **others: Any) -> str:
        found: str = self.open(url, **others).get_data(as_text=True)
        return found

    def post(self, url: str, data: Any = None, **others: Any) -> Any:
        return self.open(url, "POST", data=data, **others)

    def again(self) -> "Visitor":
        """Somebody else, without cookies, in the same session."""
        return Visitor(self.app, self.site)


@contextmanager
def _importable(folder: Path) -> Iterator[None]:
    modules = [path.stem for path in folder.glob("*.py")]
    kept = {name: sys.modules.pop(name) for name in modules if name in sys.modules}
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))
        for name in modules:
            sys.modules.pop(name, None)
        sys.modules.update(kept)


def application(folder: Path, connect: Callable[[], sqlite3.Connection] | None = None) -> Flask:
    """The application in a folder, with a private copy of its seed unless it is told where to find a database."""
    with _importable(folder):
        module: ModuleType = importlib.import_module("app")
        app: Flask = module.create_app(connect)
        return app
