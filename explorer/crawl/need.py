"""What tasks need of a site, told by their words alone. Pure.

Without a model a task is a set of words. An address is needed as far as its words, those of the links that lead to it,
and those of the page they stand on are words of a task.
"""

import re
from collections.abc import Iterable, Sequence
from urllib.parse import unquote, urlsplit

from explorer.crawl.trial import Trial
from explorer.crawl.words import NOWHERE, Words

NOT_THERE = f"/{NOWHERE}-not-there"
"""Asked for to see how the site says "not found"."""
_ENOUGH = 2
"""A page that speaks of so many words of the tasks is what they are about."""

_WORD = re.compile(r"[^\W_]+")
_QUOTED = re.compile(r"[\"'“”„«»‘’]([^\"'“”„«»‘’]{2,60})[\"'“”„«»‘’]")
_NAMED = re.compile(r"(?<![.!?:]\s)(?<!^)\b[^\W\d_a-z]\w+(?:\s+[^\W\d_a-z]\w+)*")
_COMMON = frozenset(
    """
    the and for from with into that this what which who whose when where how many much cost does have has its are was
    were your you their there them then than all any each first last find tell show get give put make use open look page
    site website click please name list number der die das und mit von aus den dem ein eine wie was les des une est
    dans pour avec quel quelle los las una con para que cual del
    """.split()
)


class Need:
    """The words of one or more tasks. False when there are none: then everything is needed."""

    def __init__(self, tasks: Iterable[str]) -> None:
        self.tasks = tuple(tasks)
        self._best = 0.0
        self._words = {
            stem(word)
            for task in self.tasks
            for word in _WORD.findall(task.casefold())
            if len(word) > 2 and word not in _COMMON
        }

    def __bool__(self) -> bool:
        return bool(self._words)

    def of(self, *texts: str) -> float:
        """How much of the tasks these texts speak of: their different words, each counted once.

        >>> need = Need(["How much is the Stoneware Mug in the kitchen shop?"])
        >>> need.of("Stoneware mugs"), need.of("Kitchen", "/kitchen/"), need.of("About us")
        (2.0, 1.0, 0.0)
        """
        found = {stem(word) for text in texts for word in _WORD.findall(text.casefold())}
        return float(len(found & self._words))

    def of_address(self, url: str, *texts: str) -> float:
        """The same for an address and the texts of links to it; not its folders, which others share with it."""
        parts = urlsplit(url)
        name = parts.path.rstrip("/").rpartition("/")[2]
        return self.of(unquote(name), unquote(parts.query), unquote(parts.fragment), *texts)

    def saw(self, url: str, title: str) -> None:
        """Take note of a page that was looked at."""
        self._best = max(self._best, self.of_address(url, title))

    def page_value(self, url: str, text: str, depth: int, value: float) -> float:
        """What looking at a page is worth whose value would be `value` otherwise; 0 for what no task needs.

        The start counts always; what it links to is tried, as it may be on the way, until a page was found that speaks
        of what a task is about.
        """
        if not self or depth == 0 or url.endswith(NOT_THERE):
            return value
        if words := self.of_address(url, text):
            return min(95.0, 55 + 12 * words) - min(depth, 9)
        is_found = self._best >= min(_ENOUGH, len(self._words))
        return 15.0 - min(depth, 9) if depth == 1 and not is_found else 0.0

    def wants(self, trial: Trial, text: str) -> bool:
        """Whether a trial is of use: its own words are a task's, or those of its page are, whose links say `text`."""
        if not self or trial.behaviour.startswith(("login", "search")):
            return True
        if self.of(trial.behaviour, *(action.name for action in trial.actions)):
            return True
        return not trial.behaviour.startswith("follow") and self.of_address(trial.page, text) > 0

    def words(self, site: Words) -> Words:
        """What to type: names and quotations out of the tasks, and the site's own words for the rest."""
        found = list(dict.fromkeys(term for task in self.tasks for term in terms(task)))
        one, other = (*found, site.one, site.other)[:2]
        return Words(one, other if other != one else site.other, site.pair, bool(found) or site.name_things)


def stem(word: str) -> str:
    """A word without the ending of an English plural; both sides are cut alike.

    >>> stem("mugs"), stem("berries"), stem("boxes"), stem("prices"), stem("glass")
    ('mug', 'berry', 'box', 'price', 'glass')
    """
    if len(word) < 4 or not word.endswith("s") or word.endswith("ss"):
        return word
    if word.endswith("ies"):
        return word[:-3] + "y"
    return word[:-2] if re.search(r"(x|z|ch|sh|ss)es$", word) else word[:-1]


def terms(task: str) -> Sequence[str]:
    """What a task names: its quotations, then what it writes with capital letters inside a sentence.

    >>> terms('Search for "oak chair" and compare it with the Stoneware Mug')
    ['oak chair', 'Stoneware Mug']
    """
    return [*_QUOTED.findall(task), *_NAMED.findall(_QUOTED.sub(" ", task))]
