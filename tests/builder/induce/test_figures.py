"""Numbers of a frame that follow from the rows of the list: counts outside loops, price ranges."""

from builder.induce.figures import Counted, Figure, figures
from builder.induce.listing import Facts
from builder.induce.words import number_of
from tests.builder.induce.film_lists import chosen, listed
from tests.builder.induce.pages import check, facts
from tests.builder.induce.test_facets import HIDDEN, SHOWN


def _prices(one: Facts) -> list[str]:
    return sorted((row["price"] for row in chosen(one.pairs)), key=lambda text: number_of(text) or 0.0)


def test_a_count_beside_a_fixed_link_is_counted() -> None:
    def write(one: Facts) -> str:
        noir = sum(row.get("genre") == "noir" for row in chosen(one.pairs, ("genre",)))
        return f'<p><a href="/films?genre=noir">Noir</a> <span>({noir})</span></p>'

    frame = check(write, SHOWN, HIDDEN)
    assert any("count('genre', 'noir', 'others')" in one.jinja() for one in frame.programs.values())


def test_a_price_range_is_that_of_all_rows() -> None:
    def write(one: Facts) -> str:
        prices = _prices(one) or [""]
        return f"<p>from {prices[0]} to {prices[-1]}</p>"

    check(write, SHOWN, HIDDEN)


def test_rows_with_a_mark_are_counted_without_a_filter() -> None:
    def write(one: Facts) -> str:
        return f"<p>{sum(row['title'] == 'a winter' for row in chosen(one.pairs))} in winter</p>"

    frame = check(write, SHOWN, HIDDEN)
    assert any("figure('having', 'title', 'a winter')" in one.jinja() for one in frame.programs.values())


def test_different_texts_are_counted() -> None:
    pages = [listed(), listed(("genre", "noir")), listed(("country", "fr")), listed(("q", "nothing"))]
    numbers, texts = figures(pages, "html")
    given = dict(numbers)
    counts = [len({row["country"] for row in chosen(one.pairs)}) for one in pages]
    assert len(set(counts)) > 2 and given[Figure("different", "country")] == [str(one) for one in counts]
    assert [hole.jinja() for hole, _ in texts] == [
        "written(figure('least', 'price'), 'html')", "written(figure('most', 'price'), 'html')",
    ]  # fmt: skip


def test_pages_of_no_known_list_have_none() -> None:
    assert figures([facts()], "html") == ([], [])
    assert (Counted("genre", "noir").value(facts()), Figure("least", "price").value(facts())) == (0, "")
