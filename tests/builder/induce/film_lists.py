"""A table of films, lists of it, and pages that offer filters with counts: what facets are found from."""

import random
from collections.abc import Iterable, Sequence
from dataclasses import replace

from builder.induce.counts import Counting
from builder.induce.listing import Facts, Pairs, Table
from builder.induce.listquery import Condition, ListQuery, Pages, Parameter, Search
from builder.induce.tables import filled
from tests.builder.induce.pages import facts

GENRES = ("comedy", "drama", "noir", "western")
COUNTRIES = ("fr", "it", "jp")


def films() -> dict[str, dict[str, str]]:
    """Films, of which some have no genre; westerns are few and have one title."""
    chance = random.Random(5)
    found = {}
    for number in range(61):
        film = {"title": chance.choice(("the river", "a winter", "the door")), "country": chance.choice(COUNTRIES)}
        film["price"] = f"£{chance.randrange(300, 4000) / 100:.2f}"
        genre = chance.choice(("drama", "drama", "drama", "noir", "noir", "comedy", ""))
        if number < 6:
            film["title"], genre = "the door", "western"
        found[f"/film/{number}/"] = film | ({"genre": genre} if genre else {})
    return found


FILMS = films()
QUERY = ListQuery(
    "/films", "film", (Parameter("genre", "filter"), Parameter("country", "filter"), Parameter("q", "search"), Parameter("page", "page")),
    (Condition("genre", "=", "genre"), Condition("country", "=", "country", several="any")),
    (Search("q", ("title",), blank="all"),), pages=Pages("number", "page", size=20),
)  # fmt: skip
DATABASE = filled(Table("film", FILMS), [QUERY])


def chosen(pairs: Iterable[tuple[str, str]], without: Sequence[str] = ()) -> list[dict[str, str]]:
    """The films of a list, filters of these names left out: worked out from the films, not by the query."""
    asked: dict[str, set[str]] = {}
    for name, value in pairs:
        if name not in without and value:
            asked.setdefault(name, set()).add(value)
    words = " ".join(asked.get("q", ())).split()
    return [
        film for film in FILMS.values()
        if all(film.get(name) in asked[name] for name in ("genre", "country") if name in asked)
        and all(word in film["title"].split() for word in words)
    ]  # fmt: skip


def listed(*pairs: tuple[str, str], page: int = 1) -> Facts:
    """What a page of the list may say of itself."""
    sent: Pairs = (*pairs, *((("page", str(page)),) if page > 1 else ()))
    counting = Counting(DATABASE, QUERY, "/films", sent)
    return replace(facts("/films", sent, len(chosen(sent))), counting=counting)
