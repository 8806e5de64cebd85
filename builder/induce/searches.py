"""What a search finds: in which columns, by words, stems or letters, all of them or any. Pure."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Literal, NamedTuple

from builder.induce import words
from builder.induce.listquery import Search, Why
from builder.induce.rowsets import Keys, RowSets
from builder.induce.scores import needles

MATCHES: tuple[Literal["word", "stem", "prefix", "substring", "phrase", "literal"], ...] = (
    "word", "stem", "prefix", "substring", "phrase", "literal",
)  # fmt: skip
"""Ways to match, in the order in which rivals are preferred."""
_MOST_COLUMNS = 5
_TITLE = 12
"""Words that a title has at most, on the average."""
_ENOUGH = 0.8
"""Share of whole results that a search gets right to be worth serving, where none gets all; said to be approximate."""


_LEAST_TOLD = 2
"""Different results, neither of no rows nor of all, without which a search is not known for sure."""


class Result(NamedTuple):
    """What a search for a text was seen to find."""

    text: str
    base: Keys
    """The rows that were searched: those that the path and the filters leave."""
    rows: Keys
    whole: bool


class _Score(NamedTuple):
    """Ordered: the greater the better."""

    exact: int
    not_wrong: int
    close: int
    """Rows too many or too few, below zero."""


def search_of(name: str, results: Sequence[Result], rows: RowSets) -> tuple[Search | None, Search | None]:
    """The search that explains what was found, and the nearest rival that does so as well; None if nothing does."""
    results = [result for result in results if result.text.strip()]
    whole = sum(result.whole for result in results)
    tried: list[tuple[_Score, Search]] = []
    holding = _Holding(rows)
    for form in _forms(name, results):
        tried += _with_columns(form, results, holding)
    if not tried or not whole:
        return None, None
    # of equals the first counts: fewer columns, then the simpler match
    ranked = sorted(tried, key=lambda pair: pair[0], reverse=True)
    score, best = ranked[0]
    complete = score.exact == whole and not score.not_wrong
    if not complete and (score.exact < _ENOUGH * whole or whole < 5):
        return None, None
    rivals = [other for also, other in ranked[1:] if also == score and _differs(best, other, rows, holding)]
    because = f"{score.exact} of {whole} whole results come out exactly"
    told = {result.rows for result in results if result.whole and result.rows and result.rows != result.base}
    is_sure = complete and len(told) >= _LEAST_TOLD
    why = Why("computed" if is_sure else "approximate", score.exact, described(rivals[0]) if rivals else "", because)
    return replace(best, why=why), rivals[0] if rivals else None


def _forms(name: str, results: Sequence[Result]) -> Iterator[Search]:
    """Ways to match that these texts can tell apart, without columns."""
    several = any(len(words.words(result.text)) > 1 for result in results)
    stops = any(words.STOP_WORDS.intersection(words.words(result.text)) for result in results)
    for skips in (False, True) if stops else (False,):
        for every in (True, False) if several else (True,):
            for match in MATCHES:
                if every or match not in ("phrase", "literal"):
                    yield Search(name, (), match, every, skips)


class _Holding:
    """Which rows hold a needle in a column, each looked for once."""

    def __init__(self, rows: RowSets) -> None:
        self.rows = rows
        self._found: dict[tuple[str, str, str], Keys] = {}

    def of(self, column: str, kind: str, needle: str) -> Keys:
        found = self._found.get((column, kind, needle))
        if found is None:
            worth = self.rows.worth(column, kind)
            found = frozenset(key for key, text in worth.items() if isinstance(text, str) and needle in text)
            self._found[column, kind, needle] = found
        return found

    def searched(self, search: Search, text: str) -> Keys:
        """The rows that a search finds, as `listanswer.found_by` would."""
        kind, wanted = needles(search, text)
        sets = [frozenset().union(*(self.of(c, kind, needle) for c in search.columns)) for needle in wanted]
        if not sets:
            return frozenset()
        return frozenset.intersection(*sets) if search.every else frozenset().union(*sets)


def _with_columns(form: Search, results: Sequence[Result], holding: _Holding) -> list[tuple[_Score, Search]]:
    """The form with the columns that explain most, added one by one, and with all of them."""
    columns = [column for column in holding.rows.columns if _has_words(column, holding.rows)]
    found: list[tuple[_Score, Search]] = []
    chosen: tuple[str, ...] = ()
    best: _Score | None = None
    while len(chosen) < _MOST_COLUMNS:
        options = [replace(form, columns=(*chosen, column)) for column in columns if column not in chosen]
        scored = [(_score(one, results, holding), one) for one in options]
        if not scored:
            break
        top = max(scored, key=lambda pair: pair[0])
        if best is not None and top[0] <= best:
            break
        best, chosen = top[0], top[1].columns
        found += [pair for pair in scored if pair[0] == best]
    if len(columns) > _MOST_COLUMNS:
        every = replace(form, columns=tuple(columns))
        found.append((_score(every, results, holding), every))
    return found


def _has_words(column: str, rows: RowSets) -> bool:
    return any(worth for worth in rows.worth(column, "words").values())


def _score(search: Search, results: Sequence[Result], holding: _Holding) -> _Score:
    exact = wrong = far = 0
    for result in results:
        kept = holding.searched(search, result.text) & result.base
        if result.whole:
            exact += kept == result.rows
            far += len(kept ^ result.rows)
        elif not result.rows <= kept:
            wrong += 1
            far += len(result.rows - kept)
    return _Score(exact, -wrong, -far)


def _differs(one: Search, other: Search, rows: RowSets, holding: _Holding) -> bool:
    return bool(telling_text(one, other, rows, holding))


def telling_text(one: Search, other: Search, rows: RowSets, holding: "_Holding | None" = None) -> str:
    """A text for which two searches find different rows; empty if none was come across."""
    holding = holding or _Holding(rows)
    columns = dict.fromkeys((*one.columns, *other.columns))
    pool = dict.fromkeys(
        word
        for column in columns
        for text in list(rows.worth(column, "words").values())[:40]
        for word in str(text).split()
    )
    for word in list(pool)[:150]:
        for text in (word, word[: max(3, len(word) - 2)], word[1:] if len(word) > 4 else word):
            if holding.searched(one, text) != holding.searched(other, text):
                return text
    some = [word for word in pool if len(word) > 2][:12]
    for place, word in enumerate(some):
        for other_word in some[place + 1 :]:
            text = f"{other_word} {word}"
            if holding.searched(one, text) != holding.searched(other, text):
                return text
    return ""


def telling_words(rows: RowSets, asked: Collection[str]) -> Iterator[tuple[str, str]]:
    """Texts that tell ways to search apart, the cheapest first, each with what it tells; none that was asked before."""
    titles, bodies = _spoken(rows)
    if not titles:
        return
    every = [word for words_of in titles.values() for word in dict.fromkeys(words_of) if len(word) > 3]
    counts = Counter(every)
    own = min((word for word in counts if len(word) > 5), key=lambda word: (counts[word], word), default="")
    shared = next((word for word, count in counts.most_common() if 1 < count <= max(2, len(titles) // 3)), "")
    pair = next((found for found in titles.values() if len([one for one in found if len(one) > 3]) > 1), [])
    stem = next((word for word in counts if words.stem(word) != word and len(word) > 4), "")
    body = next((word for word in bodies if word not in counts), "")
    found = (
        (own, "a word of few titles"),
        (" ".join([one for one in pair if len(one) > 3][:2][::-1]), "two words, the other way round"),
        (shared, "a word of several titles"),
        (body, "a word that no title has"),
        (words.stem(stem), "the stem of a word"),
        (own[: len(own) - 2], "the beginning of a word"),
        (own[1:-1], "letters inside a word"),
        (shared.upper(), "large letters"),
    )
    yield from ((text, why) for text, why in found if len(text) > 2 and text not in asked)


def _spoken(rows: RowSets) -> tuple[dict[str, list[str]], list[str]]:
    """The words of each row's title, and of the longest texts: those of few rows first."""
    told: list[tuple[int, float, str]] = []
    for column in rows.columns:
        texts = [row[column] for row in rows.rows.values() if column in row and not row[column].startswith(("/", "["))]
        lengths = [len(_names(text)) for text in texts]
        if lengths and sum(lengths) > len(lengths):
            told.append((len(set(texts)), sum(lengths) / len(lengths), column))
    short = [one for one in told if one[1] <= _TITLE]
    if not short:
        return {}, []
    title = max(short, key=lambda one: (one[0], -one[1], one[2]))[2]
    titles = {key: words.words(row[title]) for key, row in sorted(rows.rows.items()) if title in row}
    longest = max(told, key=lambda one: one[1])[2]
    bodies = Counter(
        word for row in rows.rows.values() for word in dict.fromkeys(words.words(row.get(longest, ""))) if len(word) > 4
    )
    return titles, sorted(bodies, key=lambda word: (bodies[word], word))


def _names(text: str) -> list[str]:
    """The words of a text that are no numbers and no marks."""
    return [word for word in words.words(text) if word.isalpha() and len(word) > 2]


def blank_of(results: Sequence[Result], everything: bool) -> Literal["all", "none", "unknown"]:
    """What a search for nothing finds; `everything` says that lists without the parameter were seen."""
    for result in results:
        if not result.text.strip() and result.whole:
            if result.rows == result.base:
                return "all"
            if not result.rows:
                return "none"
    return "all" if everything else "unknown"


def described(search: Search) -> str:
    """A search in words.

    >>> described(Search("q", ("title", "body"), "stem", every=False))
    'any stem in title or body'
    """
    stops = ", stop words left out" if search.skips else ""
    return f"{'every' if search.every else 'any'} {search.match} in {' or '.join(search.columns)}{stops}"
