"""Waiting until a page has stopped changing, and no longer."""

import time
from typing import NamedTuple

from playwright.sync_api import Error, Page, TimeoutError

from explorer.lens.traffic import traffic_of
from explorer.lens.world import World

CAP_MS = 10_000
NETWORK_QUIET_MS = 250
DOM_QUIET_MS = 200
STREAM_QUIET_MS = 800
"""How long the page must stand still while it listens to an event stream that has only begun."""
POLL_MS = 40
WAIT_MS = 500


class Settled(NamedTuple):
    """How long it took, and whether the page did stop changing before the cap."""

    after_ms: int
    settled: bool


def settle(page: Page, *, cap_ms: int = CAP_MS) -> Settled:
    """Wait for load, fonts, pictures, and a quiet network and DOM.

    What goes on for ever does not hold the page: long polls, polling, endless animations, and event streams after
    their first seconds. A page that
    navigates meanwhile is waited for anew within the same cap. Raises TimeoutError for a page too busy to answer.
    """
    began = time.monotonic()

    def passed() -> float:
        return (time.monotonic() - began) * 1000

    quiet_ms = DOM_QUIET_MS
    while passed() < cap_ms:
        try:
            with World(page).hold("quiet", {"quietMs": quiet_ms, "atMostMs": WAIT_MS}) as watcher:
                while passed() < cap_ms:
                    if not watcher.call("wait"):
                        continue
                    noisy_for = NETWORK_QUIET_MS - traffic_of(page).quiet_for_ms()
                    if noisy_for <= 0 and quiet_ms < STREAM_QUIET_MS and traffic_of(page).is_listening():
                        quiet_ms = STREAM_QUIET_MS
                        watcher.call("stop")
                        break
                    if noisy_for <= 0:
                        watcher.call("stop")
                        return Settled(round(passed()), True)
                    page.wait_for_timeout(max(POLL_MS, min(noisy_for, NETWORK_QUIET_MS)))
        except TimeoutError:
            raise
        except Error:
            if page.is_closed():
                raise
            page.wait_for_timeout(POLL_MS)  # the document was replaced under the watcher
    return Settled(round(passed()), False)
