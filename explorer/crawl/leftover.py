"""What a capture left out, for the report. Pure."""

from collections.abc import Collection, Iterable, Iterator, Sequence

from artifacts.evidence import Skip, login_of
from artifacts.run import Account, Safety
from explorer.crawl.step import Found
from explorer.crawl.urls import joined

MOST_NAMED = 500


def not_captured(pages: Sequence[Found]) -> Iterator[Skip]:
    """One skip for each page that the budgets left out, the first of them by name."""
    for found in pages[:MOST_NAMED]:
        yield Skip(what=found.url, where=found.where, reason="budget")
    if len(pages) > MOST_NAMED:
        yield Skip(what=f"{len(pages) - MOST_NAMED} further addresses", reason="budget")


def not_logged_in(
    start: str, accounts: Iterable[tuple[Account, bool, bool]], allow: Collection[Safety]
) -> Iterator[Skip]:
    """The accounts nobody logged in with: what is behind a login was not seen as them.

    For each account: whether it logged in, and whether its login page was looked at.
    """
    for account, was_used, was_seen in accounts:
        if was_used:
            continue
        if "account" not in allow:
            why = "--allow account was not given"
        elif not was_seen:
            why = "its login page could not be looked at within the budget"
        else:
            why = "no form with one password was found on its login page, or the budget of actions ended before"
        yield Skip(what=login_of(account), where=joined(start, account.login_url), reason="login", detail=why)
