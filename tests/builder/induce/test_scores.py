"""What a search looks for, and where."""

import pytest

from builder.induce.listquery import Search
from builder.induce.scores import companion, needles, quoted


@pytest.mark.parametrize(
    ("search", "kind", "wanted"),
    [
        (Search("q", ()), "words", [" old ", " lamps "]),
        (Search("q", (), "stem"), "stems", [" old ", " lamp "]),
        (Search("q", (), "prefix"), "words", [" old", " lamps"]),
        (Search("q", (), "substring"), "folded", ["old", "lamps"]),
        (Search("q", (), "phrase"), "words", [" old  lamps "]),
        (Search("q", (), "literal"), "folded", ["old lamps"]),
    ],
)
def test_a_text_is_looked_for_as_the_search_does(search: Search, kind: str, wanted: list[str]) -> None:
    assert needles(search, "Old Lamps") == (kind, wanted)


def test_stop_words_are_left_out_unless_they_are_all_there_is() -> None:
    search = Search("q", (), skips=True)
    assert needles(search, "the lamp")[1] == [" lamp "]
    assert needles(search, "the")[1] == [" the "]


def test_names_cannot_end_what_they_stand_in() -> None:
    assert (quoted('a"b'), companion("price", "number"), companion("price", "text")) == (
        '"a""b"', "price:number", "price",
    )  # fmt: skip
