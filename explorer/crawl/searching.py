"""Searches that tell how a site searches: its main form asked for words out of titles, by plain requests. Pure.

One word with many results says little. A word of one title, the same in large letters, its beginning, its inside, two
words the other way round: each tells ways to search apart that the others do not.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple
from urllib.parse import parse_qsl, urlencode, urlsplit

from artifacts.evidence import Actionable
from explorer.crawl import safety
from explorer.crawl.filling import TEXT_TYPES
from explorer.crawl.trial import Shown
from explorer.crawl.urls import Templates, joined
from explorer.crawl.words import LEAST_TITLES

MOST_SEARCHES = 12
"""Different texts that are searched for, those included that were typed into the form."""
_WORD = re.compile(r"[^\W\d_]{4,20}")


class SearchForm(NamedTuple):
    """A form that asks for a text and sends it in the address."""

    action: str
    """The address without a query."""
    field: str
    others: tuple[tuple[str, str], ...]
    """What else it sends as it stands."""

    def address(self, text: str) -> str:
        """Where the form leads when a text is typed and sent."""
        return f"{self.action}?{urlencode([(self.field, text), *self.others])}"

    def asked(self, urls: Iterable[str]) -> set[str]:
        """The texts that these addresses ask the form for."""
        found = set()
        for url in urls:
            if url.partition("?")[0] == self.action:
                found |= {value for name, value in parse_qsl(urlsplit(url).query) if name == self.field}
        return found


def main_search(pages: Sequence[Shown]) -> SearchForm | None:
    """The form for searching that most pages have; None if there is none."""
    found: dict[tuple[str, str], SearchForm] = {}
    counts: Counter[tuple[str, str]] = Counter()
    for page in pages:
        for form in dict.fromkeys(_forms(page)):
            key = (form.action, form.field)
            counts[key] += 1
            found.setdefault(key, form)
    return found[max(counts, key=lambda key: counts[key])] if counts else None


def titles_of(links: Iterable[tuple[str, str]], templates: Templates) -> list[str]:
    """Texts of links (address, text) to the kind of page that most of them lead to; rather of paths than of queries."""
    by_template: dict[bool, dict[str, list[str]]] = {True: defaultdict(list), False: defaultdict(list)}
    for url, text in links:
        if text:
            by_template["?" not in url][templates.of(url)].append(text)
    paths, queries = (max(by_template[kind].values(), key=len, default=[]) for kind in (True, False))
    return paths if len(paths) >= LEAST_TITLES or len(paths) >= len(queries) else queries


def _forms(page: Shown) -> Iterator[SearchForm]:
    forms: dict[str, list[Actionable]] = {}
    for item in page.items:
        if item.form:
            forms.setdefault(item.form, []).append(item)
    for items in forms.values():
        texts = [item for item in items if item.visible and item.tag == "input" and item.input_type in TEXT_TYPES]
        is_get = (items[0].form_method or "get").lower() == "get"
        if not is_get or len(texts) != 1 or not texts[0].field_name or texts[0].input_type in ("email", "url", "tel"):
            continue
        target = joined(page.landed or page.url, items[0].form_action or page.url)
        labels = " ".join(item.name for item in items)
        if target and safety.of_form("get", urlsplit(target).path, labels, tuple(texts)).safety == "read":
            yield SearchForm(target.partition("?")[0].partition("#")[0], texts[0].field_name, tuple(_sent(items)))


def _sent(items: Iterable[Actionable]) -> Iterator[tuple[str, str]]:
    """The hidden fields and choices of a form as they stand."""
    for item in items:
        if item.field_name and (item.tag == "select" or item.input_type == "hidden"):
            yield item.field_name, item.value


def telling_texts(titles: Iterable[str]) -> tuple[str, ...]:
    """Texts to search for, most telling first, made of the words of titles; none if there are few titles.

    >>> telling_texts(["The Old Harbour", "Harbour Lights", "Winter Lights", "A Lantern", "Quiet Winter"])[:4]
    ('lantern', 'harbour', 'lights harbour', 'lante')
    """
    words = [list(dict.fromkeys(word.casefold() for word in _WORD.findall(title))) for title in dict.fromkeys(titles)]
    words = [one for one in words if one]
    if len(words) < LEAST_TITLES:
        return ()
    counts = Counter(word for one in words for word in one)
    alone = sorted((word for word in counts if counts[word] == 1), key=lambda word: (len(word) < 6, word))
    most = max(2, len(words) // 3)
    shared = sorted((word for word in counts if 1 < counts[word] <= most), key=lambda word: (-counts[word], word))
    own, common = (alone or shared)[0], (shared or alone)[0]
    pair = next((one for one in words if len(one) > 1 and common in one), next((one for one in words if one[1:]), []))
    turned = own[:-1] if own.endswith("s") else own + "s"
    found = (own, common, " ".join(pair[:2][::-1]), own[:-2], turned, own[1:-1], common.upper(), *alone[1:3])
    return tuple(text for text in dict.fromkeys(found) if len(text) > 2)
