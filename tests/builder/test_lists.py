"""A catalogue of which some pages were captured: the application answers for the others as the site would have."""

import html
import random
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from itertools import product
from pathlib import Path
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest

from builder.induce.tree import parse, rebuilt
from tests.builder.world import World

SIZE = 8
SORTS = ("", "price", "-price", "year")
GENRES = ("", "drama", "comedy", "noir")
HOSTILE = (
    "{{ 7 * 7 }} ways",
    "{% raw %} nerves",
    "Robert'); DROP TABLE film;--",
    'The "<b>" & others',
    "{# hidden #} door",
)


def _films() -> list[dict[str, str]]:
    chance = random.Random(7)
    nouns = ["river", "winter", "letter", "stranger", "garden", "harbour", "lantern", "orchard"]
    names = [*HOSTILE, *(f"{a.title()} of the {b}" for a, b in product(nouns, nouns) if a != b)][:45]
    return [
        {
            "slug": f"film-{number}",
            "title": name,
            "genre": chance.choice(GENRES[1:]),
            "year": str(1930 + chance.randrange(80)),
            "price": f"{chance.randrange(300, 4000) / 100:.2f}",
        }
        for number, name in enumerate(names)
    ]


FILMS = _films()


def site(address: str) -> str:
    """What the site says at an address of its catalogue."""
    asked = dict(parse_qsl(urlsplit(address).query))
    words = asked.get("q", "").lower().split()
    rows = [film for film in FILMS if asked.get("genre", "") in ("", film["genre"])]
    rows = [film for film in rows if all(word in film["title"].lower().split() for word in words)]
    sort = asked.get("sort", "")
    if sort:
        name = sort.removeprefix("-")
        rows.sort(key=lambda film: float(film[name]), reverse=sort.startswith("-"))
    page, pages = int(asked.get("page", "1")), max(1, -(-len(rows) // SIZE))
    shown = rows[(page - 1) * SIZE : page * SIZE]

    def to(**changed: str) -> str:
        pairs = {**asked, **changed}
        return html.escape("/films/?" + urlencode(pairs))

    cards = "".join(
        f'<article class="film"><h3><a href="/film/{one["slug"]}/">{html.escape(one["title"])}</a></h3>'
        f'<p class="year">{one["year"]}</p><p class="price">£{one["price"]}</p>'
        + (f'<span class="tag">{one["genre"]}</span>' if one["genre"] != "noir" else "")
        + "</article>"
        for one in shown
    )
    pager = "".join(
        f'<li class="current">{n}</li>' if n == page else f'<li><a href="{to(page=str(n))}">{n}</a></li>'
        for n in range(1, pages + 1)
    )
    options = "".join(
        f'<option value="{name}"{" selected" if name == sort else ""}>{name or "newest"}</option>' for name in SORTS
    )
    others = [film for film in FILMS if all(word in film["title"].lower().split() for word in words)]
    genres = ""
    for genre in sorted(sorted(GENRES[1:]), key=lambda genre: -sum(film["genre"] == genre for film in others)):
        count = sum(film["genre"] == genre for film in others)
        if genre == asked.get("genre"):
            genres += f"<li><b>{genre}</b></li>"
        elif count:
            pairs = {name: value for name, value in asked.items() if name != "page"} | {"genre": genre}
            genres += f'<li><a href="{html.escape("/films/?" + urlencode(pairs))}">{genre}</a> ({count})</li>'
    noun = "film" if len(rows) == 1 else "films"
    said = f'<p class="count">{len(rows)} {noun}</p>' if shown else '<p class="none">Nothing found.</p>'
    return (
        f"<!doctype html><html><head><title>Films{f' - page {page}' if page > 1 else ''}</title></head><body>"
        f'<nav><a href="/">Home</a> <a href="/films/">Films</a></nav>'
        f'<form action="/films/"><input name="q" value="{html.escape(asked.get("q", ""))}"><select name="sort">{options}'
        f"</select></form>{said}<ul class='genres'>{genres}</ul><section>{cards}</section>"
        + (f'<ul class="pager">{pager}</ul>' if pages > 1 else "")
        + "</body></html>"
    )


def detail(film: dict[str, str]) -> str:
    return (
        f"<!doctype html><html><head><title>{html.escape(film['title'])}</title></head><body><nav><a href=/>Home</a></nav>"
        f"<h1>{html.escape(film['title'])}</h1><p>{film['year']}</p><p>£{film['price']}</p></body></html>"
    )


def addresses() -> Iterator[str]:
    for sort, genre in product(SORTS, GENRES):
        pairs = {name: value for name, value in (("genre", genre), ("sort", sort)) if value}
        rows = sum(genre in ("", film["genre"]) for film in FILMS)
        for page in range(1, -(-rows // SIZE) + 1):
            query = urlencode({**pairs, **({"page": str(page)} if page > 1 else {})})
            yield "/films/" + (f"?{query}" if query else "")


HIDDEN = (
    "/films/?sort=-price&page=4", "/films/?sort=price&page=3", "/films/?genre=comedy&sort=-price",
    "/films/?genre=drama&sort=price&page=2", "/films/?q=of&genre=noir", "/films/?genre=drama&q=letter",
)  # fmt: skip
SEARCHED = ("river", "winter", "garden", "lantern", "zzz", "of", "harbour letter", "the")
UNASKED = ("orchard", "stranger river", "qqq")


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    """All but the hidden pages captured."""
    world = World(tmp_path_factory.mktemp("lists"))
    world.page("/", "<html><body><nav><a href='/'>Home</a> <a href='/films/'>Films</a></nav>Welcome</body></html>")
    for address in addresses():
        if address not in HIDDEN:
            world.page(address, site(address))
    for word in SEARCHED:
        for address in searches(word):
            world.page(address, site(address))
    for film in FILMS:
        world.page(f"/film/{film['slug']}/", detail(film))
    world.build()
    return world


def searches(word: str) -> Iterator[str]:
    rows = sum(all(one in film["title"].lower().split() for one in word.split()) for film in FILMS)
    for page in range(1, max(1, -(-rows // SIZE)) + 1):
        yield "/films/?" + urlencode({"q": word, **({"page": str(page)} if page > 1 else {})})


def plain(text: str) -> str:
    """The page as the compiler's parser sees it: attributes in any order, one space for many."""
    return rebuilt(parse(text))


@pytest.mark.parametrize("address", HIDDEN)
def test_a_page_of_a_list_nobody_captured_is_the_sites(world: World, address: str) -> None:
    answer = world.visitor().open(address)
    assert answer.status_code == 200 and answer.content_type == "text/html; charset=utf-8"
    assert plain(answer.get_data(as_text=True)) == plain(site(address))


@pytest.mark.parametrize("word", UNASKED)
def test_a_search_nobody_made_finds_what_the_site_would(world: World, word: str) -> None:
    for address in searches(word):
        assert plain(world.visitor().text(address)) == plain(site(address))


def test_what_was_captured_is_given_as_it_was(world: World) -> None:
    for address in ("/films/", "/films/?genre=noir", "/films/?sort=-price&page=2", "/films/?q=zzz"):
        assert world.visitor().text(address) == site(address)


def test_an_address_that_says_what_nobody_understood_is_not_made_up(world: World) -> None:
    unseen: list[dict[str, str]] = []
    visitor = world.visitor()
    visitor.app.extensions["unseen"] = unseen.append
    for query in ("sort=colour", "director=welles", "page=99", "page=two"):
        assert visitor.open(f"/films/?{query}").status_code == 404
    assert [one["path"] for one in unseen] == ["/films/"] * 4


def test_the_contract_tells_the_table_and_the_list(world: World) -> None:
    contract, mirror = world.build("again")
    (table,) = contract.entities
    assert (table.rows, "price" in table.columns) == (len(FILMS), True)
    (listed,) = [one for one in contract.behaviours if one.name.startswith("list ")]
    assert listed.trigger == "GET /films/, genre (filter), page (page), q (search), sort (order)"
    assert (mirror.claims["lists_inferred"], mirror.claims["rows"]) == (1, len(FILMS))  # no card names every genre


def test_the_tables_are_ones_a_person_can_read(world: World, tmp_path: Path) -> None:
    with closing(sqlite3.connect(world.folder / "mirror" / "site.db")) as database:
        (count, cheapest) = database.execute("SELECT count(*), min(price) FROM film").fetchone()
        assert (count, cheapest[0]) == (len(FILMS), "£")
        assert "/films/" in {row[0] for row in database.execute("SELECT path FROM name")}
    with closing(sqlite3.connect(tmp_path / "empty.db")) as empty:
        empty.executescript((world.folder / "mirror" / "schema.sql").read_text())
        assert empty.execute("SELECT count(*) FROM film").fetchone() == (0,)
