"""A page in front of us as a kept state: looked at through the lens, with secrets hidden, and compared with others."""

import difflib
import functools
import json
from typing import Any, NamedTuple

from playwright.sync_api import Page

from artifacts.evidence import Actionable, Exchange, PageState, Skip
from artifacts.run import CaptureRequest, Lens
from artifacts.store import Store
from explorer.crawl.challenge import challenge_in
from explorer.crawl.change import document_of
from explorer.crawl.trial import Shown
from explorer.crawl.urls import Templates, canonical, in_scope
from explorer.lens.look import Look, look
from explorer.lens.veil import Hide
from explorer.lens.watch import Watch
from explorer.redact.redactor import SHORTEST_SECRET, Redactor
from explorer.wire.client import Wire


class Seen(NamedTuple):
    """A state and what can be acted on in it."""

    state: PageState
    items: tuple[Actionable, ...]


def load_seen(store: Store, digest: str) -> Seen:
    """A kept state again, by its record's digest."""
    state = store.get_record(PageState, digest)
    return Seen(state, tuple(Actionable.model_validate(item) for item in store.get_json(state.actionables)))


def shown(seen: Seen) -> Shown:
    """What planning needs of it."""
    return Shown(seen.state.url, seen.state.template, seen.items, identity=seen.state.identity)


class Views:
    """Keeps what pages show, as states in the store."""

    def __init__(self, wire: Wire, lens: Lens, store: Store, redactor: Redactor, request: CaptureRequest) -> None:
        self._wire = wire
        self._lens = lens
        self._store = store
        self._redactor = redactor
        self._request = request

    def see(
        self,
        page: Page,
        watch: Watch,
        requested: str,
        visit: str,
        templates: Templates,
        *,
        repeat_of: str | None = None,
        status_before: int = 200,
    ) -> Seen | Skip:
        """The page in front of us as a kept state. Raises Error if the page is gone."""
        seen = look(page, self._lens, watch=watch, hide=self._hiding())
        self._wire.drain(1.0)
        items = (Actionable.model_validate(self.clean(item.model_dump(mode="json"))) for item in seen.actionables)
        seen = seen._replace(actionables=list(items))
        exchanges = self._wire.exchanges(visit)
        document = document_of(exchanges, seen.url, requested)
        status = document.status if document and document.status else status_before
        if not in_scope(seen.url, self._request.url, self._request.scope) and self._request.scope != "page":
            return Skip(what=requested, reason="scope", detail=f"led to {canonical(seen.url)}")
        if named := challenge_in(status, dict(document.response_headers) if document else {}, seen.title, seen.text):
            return Skip(what=requested, reason="challenge", detail=named)
        cookies = [dict(cookie) for cookie in page.context.cookies()]
        state = self._keep(seen, cookies, requested, visit, templates, document, status, repeat_of)
        return Seen(state, tuple(seen.actionables))

    def _keep(
        self,
        seen: Look,
        cookies: list[dict[str, Any]],
        requested: str,
        visit: str,
        templates: Templates,
        document: Exchange | None,
        status: int,
        repeat_of: str | None,
    ) -> PageState:
        put, clean = self._store.put, self._redactor.redact_text
        storage = self._redactor.redact_storage({**seen.storage, "cookies": cookies})
        return PageState(
            url=self._redactor.redact_url(canonical(seen.url, fragment=True)),
            requested=self._redactor.redact_url(canonical(requested, fragment=True)),
            template=templates.of(requested),
            status=status,
            title=clean(seen.title),
            visit=visit,
            lens=self._lens.digest,
            fingerprint=seen.fingerprint,
            server_html=document.response_body if document else None,
            dom=put(clean(seen.dom.decode()).encode()),
            axtree=put(clean(json.dumps(seen.axtree, ensure_ascii=False)).encode("utf-8", "replace")),
            text=put(clean(seen.text).encode("utf-8", "replace")),
            screenshot=put(seen.screenshot),
            full_page=put(seen.full_page),
            page_height=seen.page_height,
            storage=self._store.put_json(storage),
            actionables=self._store.put_json([item.model_dump(mode="json") for item in seen.actionables]),
            links=tuple(self._redactor.redact_url(link) for link in seen.links),
            console_errors=tuple(clean(text) for text in seen.console_errors),
            failed_requests=tuple(clean(text) for text in seen.failed_requests),
            settled_after_ms=seen.settled_after_ms,
            settled=seen.settled,
            repeat_of=repeat_of,
            notes=seen.notes,
        )

    def is_same(self, one: PageState, other: PageState) -> bool:
        """Whether two looks saw the same, tokens in cookies aside."""
        if (one.url, one.fingerprint) != (other.url, other.fingerprint):
            return False
        kept, now = self.storage(one), self.storage(other)
        names = [{cookie["name"] for cookie in storage["cookies"]} for storage in (kept, now)]
        return names[0] == names[1] and all(kept[area] == now[area] for area in ("local", "session"))

    def storage(self, state: PageState) -> dict[str, Any]:
        storage: dict[str, Any] = self._store.get_json(state.storage)
        return storage

    def difference(self, before: PageState, after: PageState) -> str | None:
        if before.text == after.text:
            return None
        one, other = (self._store.get(state.text).decode(errors="replace").splitlines() for state in (before, after))
        lines = list(difflib.unified_diff(one[:2000], other[:2000], "before", "after", n=1, lineterm=""))
        return self._store.put("\n".join(lines[:600]).encode())

    def _hiding(self) -> Hide:
        """What texts show instead while a page is looked at: what they will show on the mirror."""
        # What was typed or filled in is known here once the answers so far are on disk.
        heard = functools.cache(lambda: self._wire.drain(0))

        def hide(text: str) -> str:
            heard()
            return self._redactor.redact_text(text)

        return hide

    def clean(self, item: Any) -> Any:
        """What can be acted on or was said, with secrets hidden as they are in the page itself."""
        if isinstance(item, str):
            return self._redactor.redact_text(item) if len(item) >= SHORTEST_SECRET else item
        if isinstance(item, dict):
            return {name: self.clean(value) for name, value in item.items()}
        return [self.clean(value) for value in item] if isinstance(item, list | tuple) else item
