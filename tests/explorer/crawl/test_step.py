from explorer.crawl.step import first_of_kinds
from explorer.crawl.urls import Templates
from tests.explorer.crawl.test_members import SITE, state


def test_one_page_of_each_of_the_first_kinds_that_could_be_shown() -> None:
    states = [state("/gone/1", status=404), state("/item/1"), state("/item/2"), state("/about"), state("/help")]
    looked = {one.requested: one for one in states}
    assert list(first_of_kinds(looked, Templates(looked), 2)) == [SITE + "/item/1", SITE + "/about"]
