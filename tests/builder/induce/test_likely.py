"""A text that no rule gives is that of the nearest page, and yet says this page's numbers and words."""

import jinja2

from builder.induce import wording
from builder.induce.likely import Likely, likely
from builder.induce.listing import Facts, Pairs
from builder.induce.sight import Sight
from builder.induce.slots import Nearest


def songs(total: int, *pairs: tuple[str, str]) -> Facts:
    return Facts("/songs", pairs, total=total)


SEEN = [
    (songs(1204), "1,204 songs of ours"),
    (songs(17, ("by", "Ada")), "17 songs whose singer is Ada"),
    (songs(3, ("by", "Bo & Co")), "3 songs whose singer is Bo &amp; Co"),
    (songs(1204, ("sort", "year")), "1,204 songs of ours, and by year then"),
    (songs(1204, ("sort", "name")), "1,204 songs of ours, and by name then"),
]


def test_numbers_and_words_are_the_pages_own() -> None:
    sight = Sight([facts for facts, _ in SEEN], "html")
    found = likely(sight, range(len(SEEN)), [text for _, text in SEEN])
    assert isinstance(found, Likely) and len(found.forms) < len(SEEN)
    assert [found.value(facts) for facts, _ in SEEN] == [text for _, text in SEEN]
    pairs: Pairs = (("by", "Cy"),)
    assert found.value(songs(2, *pairs)) == "2 songs whose singer is Cy"
    assert found.value(songs(2400, ("sort", "size"))) == "2,400 songs of ours, and by size then"
    context = wording.context("/songs", pairs, {}, total=2) | {"seen": sight.seen}
    assert jinja2.Environment().from_string("{{ " + found.jinja() + " }}").render(**context) == found.value(
        songs(2, *pairs)
    )


def test_what_pages_do_not_copy_stays_as_it_was() -> None:
    sight = Sight([songs(5, ("by", "Ada")), songs(9, ("by", "Bo"))], "html")
    assert isinstance(likely(sight, (0, 1), ["a b", "c d"]), Nearest)
    assert isinstance(likely(sight, (0, 1), ["/a?x", "/b?y"]), Nearest)


def test_a_value_that_is_also_a_name_is_looked_for_behind_the_name() -> None:
    seen = [
        (songs(4, ("by", "Ada"), ("sort", "by")), "4 songs, by Ada in order of by"),
        (songs(6, ("by", "Bo"), ("sort", "by")), "6 songs, by Bo in order of by"),
    ]
    found = likely(Sight([facts for facts, _ in seen], "html"), (0, 1), [text for _, text in seen])
    assert found.value(songs(8, ("by", "Cy"), ("sort", "year"))) == "8 songs, by Cy in order of year"
