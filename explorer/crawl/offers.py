"""Everything that the pages seen so far offer to try, to strangers and to accounts. Pure."""

from collections.abc import Iterable, Sequence

from artifacts.run import Account
from explorer.crawl import plan
from explorer.crawl.contrast import around_login, of_a_kind
from explorer.crawl.members import Members, as_member, logins_in
from explorer.crawl.revealed import Opened
from explorer.crawl.trial import Shown, Trial
from explorer.crawl.tried import Tried
from explorer.crawl.urls import Templates
from explorer.crawl.words import Words


class Offers:
    """Pages that were looked at, and forms that came to light on them."""

    def __init__(self, accounts: Sequence[Account], tried: Tried, members: Members) -> None:
        self._accounts = accounts
        self._tried = tried
        self._members = members
        self._opened: list[Opened] = []
        self.pages: list[Shown] = []
        """As strangers saw them."""

    def opened(self, found: Opened) -> None:
        """Something was opened, and forms came to light."""
        self._opened.append(found)

    def trials(self, templates: Templates, words: Words, challenges: Iterable[Trial]) -> list[Trial]:
        """All trials there are, those that were made among them; `challenges` are answers to a site's challenge."""
        offered = [trial for page in self.pages for trial in plan.trials(page, templates, words, self._accounts)]
        found = [*challenges]
        found += [self._tried.as_it_is(trial) for trial in [*offered, *self._of_opened("anonymous", words)]]
        mine = list(self._as_members(found, templates, words))
        return [*found, *of_a_kind(found), *around_login(found), *mine]

    def _of_opened(self, identity: str, words: Words) -> Iterable[Trial]:
        return (trial for one in self._opened if one.page.identity == identity for trial in one.trials(words))

    def _as_members(self, found: Sequence[Trial], templates: Templates, words: Words) -> Iterable[Trial]:
        """What accounts may try on the pages they were shown."""
        logins = logins_in(found)
        open_to_all = {trial.behaviour for trial in found}
        for page in self._members.pages():
            if page.identity in logins:
                offered = plan.trials(page, templates, words, ())
                yield from map(self._tried.as_it_is, as_member(offered, page, logins[page.identity], open_to_all))
        for one in self._opened:
            if one.page.identity in logins:
                yield from as_member(one.trials(words), one.page, logins[one.page.identity], open_to_all)
