"""Forms that nobody sees until something is opened: a menu, a dialog, a part folded away. Pure."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from artifacts.evidence import Action, Actionable
from explorer.crawl.filling import is_fillable, submits
from explorer.crawl.plan import form_trials
from explorer.crawl.trial import Shown, Trial
from explorer.crawl.urls import canonical
from explorer.crawl.words import Words


class Opened(NamedTuple):
    """A page with only the forms that an action made visible, and that action."""

    page: Shown
    actions: tuple[Action, ...]

    def trials(self, words: Words) -> Iterator[Trial]:
        """The ways to use those forms, each after the action that shows them."""
        for form in dict.fromkeys(item.form for item in self.page.items):
            items = tuple(item for item in self.page.items if item.form == form)
            for trial in form_trials(self.page, form, items, words, ()):
                yield trial._replace(actions=(*self.actions, *trial.actions))


def opened(before: Shown, after: Shown, actions: Sequence[Action]) -> Opened | None:
    """What an action that only read made visible on its page; None if no form."""
    if canonical(before.url) != canonical(after.url):
        return None
    stood = _usable(before)
    items = tuple(item for item in after.items if item.form and item.form in _usable(after) - stood)
    return Opened(after._replace(items=items), tuple(actions)) if items else None


def folded(page: Shown) -> set[str]:
    """The forms that have controls of which none can be seen."""
    seen = {item.form: False for item in page.items if item.form}
    for item in page.items:
        if item.form:
            seen[item.form] = seen[item.form] or item.visible
    return {form for form, is_seen in seen.items() if not is_seen}


def _usable(page: Shown) -> set[str]:
    """The forms that have something to fill in or to press that can be seen."""
    return {item.form for item in page.items if item.form and _is_usable(item)}


def _is_usable(item: Actionable) -> bool:
    return item.visible and (is_fillable(item) or submits(item))
