"""Facets of several conventions: found from some pages of a list, right on others."""

from collections import Counter
from collections.abc import Callable
from itertools import product
from urllib.parse import urlencode

import pytest

from builder.induce.facets import last_number, told
from builder.induce.listing import Facts
from builder.induce.repeats import Facet, Many, Repeat
from tests.builder.induce.film_lists import COUNTRIES, GENRES, chosen, listed
from tests.builder.induce.pages import check, understood

Offered = list[tuple[str, int]]
SHOWN = [
    listed(), listed(page=2), listed(("genre", "drama")), listed(("genre", "noir")), listed(("country", "fr")),
    listed(("country", "it")), listed(("genre", "drama"), ("country", "jp")), listed(("q", "the")),
    listed(("q", "door")), listed(("q", "the"), ("genre", "noir")), listed(("country", "fr"), ("q", "river")),
    listed(("genre", "western")), listed(("genre", "western"), ("country", "it")), listed(("genre", "comedy")),
    listed(("q", "winter"), ("genre", "western"), ("country", "it")),
]  # fmt: skip
HIDDEN = [
    listed(*((name, value) for name, value in (("q", q), ("genre", genre), ("country", country)) if value))
    for q, genre, country in product(("", "winter", "the river"), ("", "noir", "comedy"), ("", "jp", "it"))
]  # fmt: skip


def _counted(one: Facts, without: tuple[str, ...]) -> Counter[str]:
    return Counter(row.get("genre", "") for row in chosen(one.pairs, without))


def _of_list(one: Facts) -> Offered:
    """Those with rows in the list as it is, by name."""
    counts = _counted(one, ())
    return [(name, counts[name]) for name in GENRES if counts[name]]


def _of_others(one: Facts) -> Offered:
    """All values, whatever is left of them without the filter itself."""
    counts = _counted(one, ("genre",))
    return [(name, counts[name]) for name in GENRES]


def _by_count(one: Facts) -> Offered:
    counts = _counted(one, ("genre",))
    return sorted(((name, counts[name]) for name in GENRES if counts[name]), key=lambda pair: -pair[1])


def _chosen_first(one: Facts) -> Offered:
    given = dict(one.pairs).get("genre")
    return sorted(_by_count(one), key=lambda pair: pair[0] != given)


def _most(one: Facts) -> Offered:
    return _by_count(one)[:3]


def _only_chosen(one: Facts) -> Offered:
    given = dict(one.pairs).get("genre")
    found = _of_others(one)
    return [pair for pair in found if pair[0] == given] if given else [pair for pair in found if pair[1]]


def _of_all(one: Facts) -> Offered:
    """Values with rows in the list, chosen ones even without, counted without any filter."""
    counts = _counted(one, ("genre", "country"))
    return [(name, counts[name]) for name in GENRES if counts[name]]


def _with_none(one: Facts) -> Offered:
    counts = _counted(one, ())
    named = [*_of_list(one), ("none", counts[""])]
    return [pair for pair in named if pair[1]]


CONVENTIONS = (_of_list, _of_others, _by_count, _chosen_first, _most, _only_chosen, _of_all, _with_none)


def _address(one: Facts, **changed: str) -> str:
    pairs = {**{name: value for name, value in one.pairs if name != "page"}, **changed}
    kept = {name: value for name, value in pairs.items() if value}
    return "/films" + ("?" + urlencode(kept).replace("&", "&amp;") if kept else "")


def _links(offered: Callable[[Facts], Offered]) -> Callable[[Facts], str]:
    """Links with a count; what is chosen has a link that takes it away."""

    def write(one: Facts) -> str:
        given = dict(one.pairs).get("genre")
        rows = "".join(
            f'<li class="on"><b>{name}</b> <a href="{_address(one, genre="")}">remove</a></li>' if name == given else
            f'<li><a href="{_address(one, genre=name)}">{name}</a> <span>({count})</span></li>'
            for name, count in offered(one)
        )  # fmt: skip
        return f"<div><ul>{rows}</ul></div>"

    return write


def _boxes(offered: Callable[[Facts], Offered]) -> Callable[[Facts], str]:
    """Boxes of a form, a label with its count beside each."""

    def write(one: Facts) -> str:
        given = dict(one.pairs).get("genre")
        return "<form>" + "".join(
            f'<label><input type="checkbox" name="genre" value="{name}"{" checked" if name == given else ""}>'
            f"{name.title()} {count}</label>" for name, count in offered(one)
        ) + "</form>"  # fmt: skip

    return write


def _options(offered: Callable[[Facts], Offered]) -> Callable[[Facts], str]:
    """Options of a form, one of them for any value."""

    def write(one: Facts) -> str:
        given = dict(one.pairs).get("genre", "")
        rows = [("", sum(_counted(one, ("genre",)).values())), *offered(one)]
        return "<form><select name=genre>" + "".join(
            f'<option value="{name}"{" selected" if name == given else ""}>{name or "any"} ({count:,})</option>'
            for name, count in rows
        ) + "</select></form>"  # fmt: skip

    return write


def _facets(write: Callable[[Facts], str]) -> list[Facet]:
    frame = check(write, SHOWN, HIDDEN)
    found = [one for one in frame.programs.values() if isinstance(one, Repeat)]
    return [part.rows for one in found for part in one.parts if isinstance(part, Many) and isinstance(part.rows, Facet)]


@pytest.mark.parametrize("offered", CONVENTIONS)
def test_links_with_counts_are_a_group_by(offered: Callable[[Facts], Offered]) -> None:
    (found,) = _facets(_links(offered))
    assert found.name == "genre"


@pytest.mark.parametrize("offered", [_of_list, _of_others, _by_count, _only_chosen, _of_all])
def test_boxes_with_counts_are_a_group_by(offered: Callable[[Facts], Offered]) -> None:
    (found,) = _facets(_boxes(offered))
    assert found.name == "genre"


def test_an_option_for_any_value_counts_them_all() -> None:
    (found,) = _facets(_options(_of_others))
    assert found.items[0]["value"] == "" and found.among == "others"


def test_the_program_says_how_rows_are_counted() -> None:
    (found,) = _facets(_links(_with_none))
    assert (found.among, found.rest, found.zeros) == ("list", "none", "hidden")
    (found,) = _facets(_links(_chosen_first))
    assert (found.among, found.order, found.first) == ("others", "count", True)
    (most,) = _facets(_links(_most))
    assert (len(most.items), most.order, most.limit) == (4, "count", 3)
    assert found.jinja().startswith("facet('genre', [{'value': 'comedy'}, {")
    assert found.jinja().endswith("among='others', order='count', first=true)")


def test_two_facets_beside_each_other_are_told_apart() -> None:
    def write(one: Facts) -> str:
        blocks = ""
        for name, values in (("genre", GENRES), ("country", COUNTRIES)):
            counts = Counter(row.get(name, "") for row in chosen(one.pairs, ()))
            rows = "".join(
                f'<dd><a href="{_address(one, **{name: value})}">{value}</a> ({counts[value]})</dd>'
                for value in values if counts[value]
            )  # fmt: skip
            blocks += f"<dl><dt>{name.title()}</dt>{rows}</dl>" if rows else ""
        return f"<div>{blocks}</div>"

    check(write, SHOWN, HIDDEN)


def test_numbers_that_are_no_counts_are_not_taken_for_such() -> None:
    def write(one: Facts) -> str:
        rows = "".join(f'<li><a href="{_address(one, genre=name)}">{name}</a> ({len(name)})</li>' for name in GENRES)
        return f"<div><ul>{rows}</ul></div>"

    frame = understood(write, SHOWN)
    parts = [part for one in frame.programs.values() if isinstance(one, Repeat) for part in one.parts]
    assert parts and not any(isinstance(part, Many) and isinstance(part.rows, Facet) for part in parts)


def test_a_value_is_what_an_address_changes() -> None:
    pairs = (("genre", "noir"), ("only", "year:1940"))
    assert told("?genre=drama&amp;only=year:1940", "genre", pairs) == "drama"
    assert told("/films?only=year:1940", "genre", pairs) == "noir"
    assert told("/films?genre=noir&amp;only=year%3A1940&amp;only=year%3A1940", "only:year", pairs) == "1940"
    assert told("noir", "genre", pairs) == told("http://[", "genre", pairs) == ""
    assert last_number("2 of 1,204 left") == 1204
