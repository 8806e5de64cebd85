"""Evidence of a site taken directly through the lens, without a crawl."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from playwright.sync_api import Browser, Page

from artifacts.evidence import Action, Evidence, Exchange, Interaction, PageState, Skip, store_part
from artifacts.run import CaptureRequest, Lens
from artifacts.store import Store, write_file
from explorer.lens.act import perform
from explorer.lens.browser import new_context, with_browser
from explorer.lens.look import look
from explorer.lens.watch import Watch

LENS = Lens(width=900, height=600, clock="2026-03-04T05:06:07+00:00")


class Captured:
    """States, interactions and exchanges of one site, collected one after the other."""

    def __init__(self, browser: Browser, site: str, folder: Path) -> None:
        self.browser = browser
        self.site = site.rstrip("/")
        self.folder = folder
        self.store = Store(folder / "store")
        self.lens = with_browser(LENS, browser)
        self.states: list[PageState] = []
        self.interactions: list[Interaction] = []
        self.exchanges: list[Exchange] = []
        self.skips: list[Skip] = []

    def look_at(self, *paths: str, repeat_of: str | None = None, identity: str = "anonymous") -> list[PageState]:
        """A state for each path, each in a context of its own."""
        made = []
        for path in paths:
            context = new_context(self.browser, self.lens)
            page = context.new_page()
            watch = self.watched(page)
            response = page.goto(self.site + path, wait_until="commit")
            assert response is not None
            made.append(self.state(page, watch, self.site + path, response.status, repeat_of, identity))
            context.close()
        self.states += made
        return made

    def watched(self, page: Page) -> Watch:
        def answered(response: object) -> None:
            request = response.request  # type: ignore[attr-defined]
            self.exchanges.append(
                Exchange(
                    order=len(self.exchanges),
                    visit="v",
                    method=request.method,
                    url=request.url,
                    status=response.status,  # type: ignore[attr-defined]
                )
            )

        page.on("response", answered)
        return Watch(page)

    def state(
        self,
        page: Page,
        watch: Watch,
        requested: str,
        status: int,
        repeat_of: str | None = None,
        identity: str = "anonymous",
    ) -> PageState:
        seen = look(page, self.lens, watch=watch)
        put = self.store.put
        return PageState(
            url=seen.url,
            requested=requested,
            template=urlsplit(requested).path,
            status=status,
            title=seen.title,
            identity=identity,
            visit=f"v{len(self.states)}",
            lens=self.lens.digest,
            fingerprint=seen.fingerprint,
            dom=put(seen.dom),
            axtree=self.store.put_json(seen.axtree),
            text=put(seen.text.encode()),
            screenshot=put(seen.screenshot),
            full_page=put(seen.full_page),
            page_height=seen.page_height,
            storage=self.store.put_json({**seen.storage, "cookies": []}),
            actionables=self.store.put_json([item.model_dump(mode="json") for item in seen.actionables]),
            links=seen.links,
            console_errors=seen.console_errors,
            failed_requests=seen.failed_requests,
            settled_after_ms=seen.settled_after_ms,
            repeat_of=repeat_of,
        )

    def try_out(
        self,
        start: str,
        *steps: tuple[str, Sequence[Action]],
        effect: Literal["none", "page", "storage", "navigation"] = "page",
        storage_change: Mapping[str, str] | None = None,
    ) -> None:
        """One episode: a page and then named steps, each a few actions."""
        context = new_context(self.browser, self.lens)
        page = context.new_page()
        watch = self.watched(page)
        page.goto(self.site + start, wait_until="commit")
        before = self.state(page, watch, self.site + start, 200)
        self.states.append(before)
        for number, (behaviour, actions) in enumerate(steps):
            watch.clear()
            for action in actions:
                perform(page, action)
            after = self.state(page, watch, page.url, 200)
            self.states.append(after.replaced(requested=after.url))
            self.interactions.append(
                Interaction(
                    episode=f"e{len(self.states)}" if number == 0 else self.interactions[-1].episode,
                    step=number,
                    behaviour=behaviour,
                    safety="session",
                    visit="e",
                    before=before.digest,
                    actions=tuple(actions),
                    after=self.states[-1].digest,
                    exchanges=(),
                    effect="navigation" if after.url != before.url else effect,
                    storage_change=dict(storage_change or {}),
                    dialogs=watch.dialogs,
                )
            )
            before = self.states[-1]
        context.close()

    def finish(self, *, sealed: Sequence[str] = (), missing: Sequence[tuple[str, str]] = ()) -> Evidence:
        """The record, written to evidence.json; states of the sealed paths go to the sealed part."""
        closed = [state for state in self.states if urlsplit(state.requested).path in sealed]
        opened = [state for state in self.states if state not in closed]
        evidence = Evidence(
            request=CaptureRequest(url=self.site + "/"),
            site=self.site,
            start=self.site + "/",
            lens=self.lens,
            outcome="complete",
            open=store_part(self.store, [*opened, *self.exchanges, *self.interactions, *self.skips]),
            sealed=store_part(self.store, closed),
            states=len(self.states),
            interactions=len(self.interactions),
            exchanges=len(self.exchanges),
            sealed_states=len(closed),
            sealed_interactions=0,
            missing=tuple(missing),
        )
        write_file(self.folder / "evidence.json", evidence.to_bytes())
        return evidence


def write_job(folder: Path, **fields: object) -> Path:
    """A job file with the evidence of this folder."""
    job = {
        "evidence": str(folder / "evidence.json"),
        "store": str(folder / "store"),
        "report": str(folder / "report.json"),
    }
    path = folder / "job.json"
    path.write_text(json.dumps(job | {"token": "secret", **fields}))
    return path
