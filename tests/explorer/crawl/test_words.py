"""Words to type, out of what the site itself says."""

from explorer.crawl.words import site_words

MENU = ("Create account", "Account settings", "Your account", "Random page")
TITLES = ("Foobar Index", "Foobar Notes", "Old Foobar", "Garden Notes", "Winter Garden")


def test_words_of_titles_come_before_words_of_the_menu_and_such_as_begin_one_first() -> None:
    words = site_words((), [*MENU, *TITLES], TITLES)
    assert words.one == "foobar"
    assert words.other in {"garden", "winter"}
    assert words.pair in {"foobar index", "foobar notes", "old foobar", "garden notes", "winter garden"}


def test_without_titles_words_of_few_links_are_taken() -> None:
    assert site_words((), MENU).one == "account"
    assert site_words((), MENU, TITLES[:2]).one == "account"
    assert site_words((), ()).one == "test"


def test_titles_in_scripts_without_capitals_begin_with_their_first_word() -> None:
    assert site_words((), (), ("سفينة قديمة", "سفينة جديدة", "بحر هادئ", "ميناء قديم")).one == "سفينة"
