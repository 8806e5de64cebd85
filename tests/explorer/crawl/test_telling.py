from artifacts.run import Budget, CaptureRequest
from explorer.crawl.assemble import is_drawn
from explorer.crawl.robots import Robots
from explorer.crawl.telling import AT_FIRST, MOST, REQUESTS_AN_ACTION, Outcome, Telling
from explorer.crawl.trial import Shown
from explorer.crawl.urls import Templates

SITE = "http://shop.example"
PRODUCTS = [(f"{SITE}/product/lamp-{letter}/", f"Lamp {letter}") for letter in "abcdefghij"]
SHELVES = [(f"{SITE}/shelf/{name}/", name) for name in ("oak", "ash", "elm", "fir", "yew", "box", "bay", "fig")]
LINKS = [
    (f"{SITE}/", "Home"), (f"{SITE}/basket/", "Basket (0)"), (f"{SITE}/logout", "Log out"), (f"{SITE}/admin/", "Staff"),
    (f"{SITE}/delete/5", "Delete"), (f"{SITE}/list.pdf", "List"), (f"{SITE}/shelf/oak/?sort=price", "By price"),
    ("http://other.example/basket/", "Basket"), *SHELVES, *PRODUCTS, (f"{SITE}/help/", "Help"),
]  # fmt: skip
TEMPLATES = Templates([url for url, _ in LINKS])
HERE = PRODUCTS[0][0]


def telling(*, actions: int = 0, robots: str = "") -> Telling:
    request = CaptureRequest(url=SITE + "/", budget=Budget(max_actions=actions))
    return Telling(request, SITE + "/", Robots.parse(robots))


def paths(urls: tuple[str, ...]) -> list[str]:
    return [url.removeprefix(SITE) for url in urls]


def test_one_page_of_each_kind_is_chosen_those_of_ones_own_first() -> None:
    chosen = telling().pages(HERE, LINKS, TEMPLATES)
    assert paths(chosen[:3]) == ["/basket/", HERE.removeprefix(SITE), "/"]
    kinds = [TEMPLATES.of(url) for url in chosen]
    assert len(kinds) == len(set(kinds)) == AT_FIRST
    assert f"{SITE.removeprefix('http://')}/shelf/{{}}/" in kinds


def test_what_ends_changes_or_is_not_allowed_is_never_asked_for() -> None:
    known = telling(robots="User-agent: *\nDisallow: /admin/")
    for url in (
        f"{SITE}/logout",
        f"{SITE}/delete/5",
        f"{SITE}/admin/",
        f"{SITE}/list.pdf",
        "http://other.example/basket/",
    ):
        assert not known.may_ask(url), url
        assert url not in known.pages(url, LINKS, TEMPLATES)
    assert not known.may_ask(f"{SITE}/x/7", "Log out") and known.may_ask(f"{SITE}/x/7", "Lamp")


def test_kinds_that_changed_before_come_first_by_an_example_at_hand() -> None:
    known = telling()
    elsewhere = f"{SITE}/help/"
    known.absorb(Outcome(4, (SHELVES[3][0], SHELVES[4][0], elsewhere)))
    first, second, *_ = known.pages(HERE, LINKS, TEMPLATES)
    assert TEMPLATES.of(first) == TEMPLATES.of(SHELVES[0][0]) and second == elsewhere
    assert elsewhere in known.pages(HERE, (), TEMPLATES)


def test_pages_that_may_be_held_back_are_left_unseen_where_another_of_their_kind_does() -> None:
    chosen = telling().pages(SITE + "/", [*PRODUCTS, *SHELVES], TEMPLATES)
    assert any(is_drawn(url) for url, _ in (*PRODUCTS, *SHELVES)) and not any(map(is_drawn, chosen[1:]))


def test_a_step_adds_the_kinds_of_pages_it_brought_to_light() -> None:
    known = telling()
    before = known.pages(HERE, LINKS, TEMPLATES)
    made = Shown(f"{SITE}/order/17", "", ())
    templates = Templates([*(url for url, _ in LINKS), made.url, f"{SITE}/me/", f"{SITE}/you/"])
    after = known.more(before, made, True, [f"{SITE}/me/", f"{SITE}/you/"], templates)
    assert after == (*before, made.url) and len(after) == MOST
    assert known.more(before[:2], made, False, [f"{SITE}/me/"], templates) == (*before[:2], f"{SITE}/me/")


def test_a_step_counts_unless_it_only_read() -> None:
    known = telling()
    assert known.may_have_changed(False, (), ("GET",)) and known.may_have_changed(True, (), ("GET", "POST"))
    assert not known.may_have_changed(True, ("local.theme",), ("GET",))
    assert known.may_have_changed(True, ("cookie.seen",), ("GET",))
    for _ in range(3):
        known.absorb_reading({"cookie.seen": "changed"})
    assert not known.may_have_changed(True, ("cookie.seen",), ("GET",))


def test_probes_have_a_budget_of_their_own() -> None:
    known = telling(actions=2)
    known.absorb(Outcome(2 * REQUESTS_AN_ACTION - 1))
    assert not known.is_spent
    known.absorb(Outcome(1))
    assert known.is_spent


def test_strangers_look_until_two_saw_nothing() -> None:
    known = telling()
    known.absorb(Outcome(own=("add",)))
    assert known.may_concern_others("add") and known.may_concern_others("reply")
    known.absorb(Outcome(own=("add by Add lamp",)))
    assert not known.may_concern_others("add by Add chair") and known.may_concern_others("reply")


def test_what_is_journalled_holds_no_secret_of_an_address() -> None:
    kept = Outcome(3, ("http://a.example/?token=1",), ("add",)).cleaned(lambda url: url.partition("?")[0])
    assert kept == (3, ("http://a.example/",), ("add",))
