from collections.abc import Sequence
from typing import Any

from artifacts.digest import digest_bytes
from artifacts.evidence import Actionable, PageState, Skip
from artifacts.run import Account, Budget, CaptureRequest, Safety, Wanted
from explorer.crawl.frontier import Frontier
from explorer.crawl.robots import Robots
from explorer.crawl.step import Step

NONE = digest_bytes(b"")
SITE = "http://shop.example"


def state(path: str, links: Sequence[str] = (), *, status: int = 200, repeat_of: str | None = None) -> PageState:
    url = SITE + path
    return PageState(
        url=url, requested=url, template="t", status=status, title=f"Page {path}", visit="p", lens=NONE, fingerprint=NONE,
        dom=NONE, axtree=NONE, text=NONE, screenshot=NONE, full_page=NONE, page_height=720, storage=NONE, actionables=NONE,
        links=tuple(SITE + link if link.startswith("/") else link for link in links), settled_after_ms=1,
        repeat_of=repeat_of,
    )  # fmt: skip


def frontier(*, robots: str = "", pages: int = 0, actions: int = 0, allow: tuple[Safety, ...] = ()) -> Frontier:
    budget = Budget(max_pages=pages, max_actions=actions)
    request = CaptureRequest(url=SITE + "/", budget=budget, allow=allow)
    return Frontier(request, SITE + "/", Robots.parse(robots))


def carry_out(
    front: Frontier, step: Step, site: dict[str, PageState], items: dict[str, tuple[Actionable, ...]] | None = None
) -> None:
    path = step.url.removeprefix(SITE)
    if step.kind == "fetch":
        for url in step.batch:
            links = site[url.removeprefix(SITE)].links if url.removeprefix(SITE) in site else ()
            front.absorb_fetched(url, [(link, "") for link in links])
    elif step.trial:
        front.absorb_trial((step.trial.behaviour, step.trial.variant, step.trial.instance), (), actions=1, idle=False)
    elif step.kind == "file":
        front.absorb_file(step.url)
    elif path not in site:
        front.absorb_failure(step.url, Skip(what=step.url, reason="error", detail="gone"))
    elif step.kind == "repeat":
        front.absorb_page(site[path].replaced(repeat_of=site[path].digest), ())
    else:
        front.absorb_page(site[path], (items or {}).get(path, ()))


def walk(
    front: Frontier, site: dict[str, PageState], items: dict[str, tuple[Actionable, ...]] | None = None
) -> list[Step]:
    """Carry out the plan on a site that is a table."""
    steps: list[Step] = []
    while (step := front.next_step()) and len(steps) < 300:
        steps.append(step)
        carry_out(front, step, site, items)
    return steps


BOOKS = [f"/book/title-{chr(97 + n)}/" for n in range(20)]


def pages_of(steps: list[Step]) -> list[str]:
    return [step.url.removeprefix(SITE) for step in steps if step.kind == "page"]


def test_new_kinds_of_pages_come_before_more_of_the_same() -> None:
    site = {"/": state("/", [*BOOKS, "/about", "/help/"]), "/about": state("/about"), "/help/": state("/help/")}
    site |= {path: state(path) for path in BOOKS}
    order = pages_of(walk(frontier(pages=6), site))
    assert order[0] == "/"
    assert set(order[1:4]) == {BOOKS[0], "/about", "/help/"}


def test_the_same_answers_give_the_same_plan() -> None:
    site = {"/": state("/", [*BOOKS, "/about?x=1", "/about?x=2"])} | {path: state(path) for path in BOOKS}
    assert walk(frontier(pages=15), site) == walk(frontier(pages=15), site)


def test_a_plan_taken_up_again_goes_on_as_it_would_have() -> None:
    site = {"/": state("/", [*BOOKS, "/about"]), "/about": state("/about")} | {path: state(path) for path in BOOKS}
    whole = walk(frontier(pages=12), site)
    front = frontier(pages=12)
    for step in whole[:5]:
        carry_out(front, step, site)
    assert walk(front, site) == whole[5:]


def test_calendars_and_facets_are_sampled() -> None:
    days = [f"/calendar?day={n}" for n in range(60)]
    site = {"/": state("/", days)} | {path: state(path) for path in days}
    front = frontier()
    assert 2 <= len([path for path in pages_of(walk(front, site)) if path.startswith("/calendar")]) <= 6
    assert any(skip.reason == "sample" for skip in front.skips.values())


def test_what_robots_scope_and_safety_forbid_is_never_asked_for() -> None:
    links = ["/secret/x", "/ok", "/logout", "http://other.example/", "/item/1/delete"]
    front = frontier(robots="User-agent: *\nDisallow: /secret/")
    walk(front, {"/": state("/", links), "/ok": state("/ok")})
    reasons = {skip.what.removeprefix(SITE): skip.reason for skip in front.skips.values()}
    assert reasons == {
        "/secret/x": "robots", "/logout": "safety", "http://other.example/": "scope", "/item/1/delete": "safety",
    }  # fmt: skip


def test_a_page_that_cannot_be_had_is_not_asked_for_again() -> None:
    site = {"/": state("/", ["/gone"]), "/other": state("/other", ["/gone"])}
    steps = walk(frontier(), site)
    assert [step.url for step in steps].count(SITE + "/gone") == 1


def test_files_are_fetched_and_not_rendered() -> None:
    steps = walk(frontier(), {"/": state("/", ["/terms.pdf", "/ok"]), "/ok": state("/ok")})
    assert {step.kind for step in steps if step.url.endswith(".pdf")} == {"file"}


def test_first_pages_of_a_kind_are_looked_at_twice() -> None:
    site = {"/": state("/", BOOKS)} | {path: state(path) for path in BOOKS}
    repeats = [step.url.removeprefix(SITE) for step in walk(frontier(), site) if step.kind == "repeat"]
    assert repeats == ["/", BOOKS[0]]


def test_trials_stop_when_a_behaviour_is_understood_and_budgets_hold() -> None:
    common = {"form": "#s", "form_method": "get", "form_action": "/search/"}
    form = (
        Actionable(
            selector="#q", role="searchbox", name="Search", tag="input", input_type="search", field_name="q", **common
        ),
        Actionable(selector="#b", role="button", name="Go", tag="button", input_type="submit", **common),
    )
    site = {"/": state("/", ["/about"]), "/about": state("/about")}
    steps = walk(frontier(), site, {"/": form, "/about": form})
    tried = [step.trial for step in steps if step.trial]
    search = [(trial.variant, trial.instance) for trial in tried if trial.behaviour.startswith("search")]
    assert len(search) == len(set(search)) and [variant for variant, _ in search].count("failing") == 2
    assert sum(step.kind == "trial" for step in walk(frontier(actions=3), site, {"/": form, "/about": form})) == 3


def test_what_is_not_allowed_is_reported_once() -> None:
    form = (
        Actionable(selector="#t", role="textbox", name="Comment", tag="textarea", field_name="t", form="#c",
                   form_method="post", form_action="/comment"),
    )  # fmt: skip
    front = frontier()
    assert not [step for step in walk(front, {"/": state("/")}, {"/": form}) if step.kind == "trial"]
    refused = [skip for skip in front.skips.values() if skip.reason == "safety"]
    assert len(refused) == 1 and refused[0].detail.startswith("write")


def test_what_the_budget_does_not_render_is_fetched_in_batches_and_its_links_too() -> None:
    site = {"/": state("/", BOOKS[:3])} | {path: state(path) for path in BOOKS}
    site[BOOKS[2]] = state(BOOKS[2], BOOKS[3:])
    front = frontier(pages=3)
    steps = walk(front, site)
    fetched = [url.removeprefix(SITE) for step in steps if step.kind == "fetch" for url in step.batch]
    rendered = pages_of(steps)
    assert len(rendered) == 3 and set(rendered) | set(fetched) == {"/", *BOOKS} and len(fetched) == len(set(fetched))
    assert front.pages_fetched == len(fetched) and not front.left_over()


def test_fetching_ends_too_and_forbidden_links_are_not_fetched() -> None:
    days = [f"/calendar/{n}" for n in range(500)]
    site = {"/": state("/", [*days, "/logout", "/admin/x"])} | {path: state(path) for path in days}
    front = frontier(robots="User-agent: *\nDisallow: /admin/", pages=4)
    fetched = [url for step in walk(front, site) if step.kind == "fetch" for url in step.batch]
    assert len(fetched) == 40 and not [url for url in fetched if "logout" in url or "admin" in url]
    assert len(front.left_over()) == 501 - 4 - 40


def test_one_page_means_one_page() -> None:
    request = CaptureRequest(url=SITE + "/", scope="page", budget=Budget(max_pages=5))
    front = Frontier(request, SITE + "/", Robots.parse(""))
    assert {step.kind for step in walk(front, {"/": state("/", ["/a", "/b"])})} <= {"page", "repeat"}


def test_the_page_where_an_account_logs_in_is_looked_at_early_and_what_was_not_tried_is_said() -> None:
    account = Account(label="user", login_url="/enter", user="ada")
    request = CaptureRequest(url=SITE + "/", budget=Budget(max_pages=2), accounts=(account,), allow=("account",))
    front = Frontier(request, SITE + "/", Robots.parse(""))
    names = ["/a", "/b", "/enter", "/c"]
    front.add_addresses([SITE + name for name in names], "")
    steps = walk(front, {path: state(path) for path in ["/", *names]})
    assert pages_of(steps)[:2] == ["/", "/enter"]
    (skip,) = [skip for skip in front.left_over() if skip.reason == "login"]
    assert (skip.what, skip.where) == ("login as user", SITE + "/enter")
    assert "no form" in skip.detail
    closed = Frontier(request.replaced(allow=()), SITE + "/", Robots.parse(""))
    assert ["--allow account" in skip.detail for skip in closed.left_over() if skip.reason == "login"] == [True]


def test_addresses_no_browser_could_go_to_are_left_out_and_the_rest_is_escaped() -> None:
    front = frontier()
    odd = ["http://[bad/", "http://shop.example:99999/", "http://[::1]:81/", SITE + "/grüße/straße?q=a b&x=%26"]
    front.add_addresses(odd, SITE + "/")
    steps = walk(front, {"/": state("/")})
    assert pages_of(steps) == ["/", "/gr%C3%BC%C3%9Fe/stra%C3%9Fe?q=a%20b&x=%26"]
    assert {skip.what for skip in front.skips.values() if skip.reason == "scope"} == set(odd[:3])


def test_what_is_wanted_comes_first_after_the_start_and_beyond_the_budget() -> None:
    wanted = (
        Wanted(url=SITE + "/z"),
        Wanted(url=SITE + "/load.php?x=1", as_page=False),
        Wanted(url="http://b.example/"),
    )
    request = CaptureRequest(url=SITE + "/", budget=Budget(max_pages=1, max_actions=1), wanted=wanted)
    front = Frontier(request, SITE + "/", Robots.parse("User-agent: *\nDisallow: /secret"))
    steps = walk(front, {"/": state("/", ["/a"]), "/z": state("/z"), "/a": state("/a")})
    assert [(step.kind, step.url.removeprefix(SITE)) for step in steps][:3] == [
        ("page", "/"), ("page", "/z"), ("file", "/load.php?x=1")
    ]  # fmt: skip
    assert pages_of(steps) == ["/", "/z"]
    assert front.next_step(only_wanted=True) is None


def jit(task: str, pages: int = 0) -> Frontier:
    request = CaptureRequest(url=SITE + "/", budget=Budget(max_pages=pages), coverage="jit", tasks=(task,))
    return Frontier(request, SITE + "/", Robots.parse(""))


def test_just_in_time_only_what_the_tasks_speak_of_is_captured() -> None:
    site = {"/": state("/", ["/kitchen/", "/garden/", "/about"])}
    site |= {"/kitchen/": state("/kitchen/", [f"/kitchen/item-{n}x" for n in "abcdef"] + ["/kitchen/stoneware-mug"])}
    site |= {path: state(path) for path in ("/garden/", "/about", "/kitchen/stoneware-mug")}
    steps = walk(jit("How much does the Stoneware Mug from the kitchen cost?"), site)
    assert pages_of(steps) == ["/", "/kitchen/", "/kitchen/stoneware-mug"]
    assert not [step for step in steps if step.kind == "fetch"]


def test_just_in_time_what_the_start_links_to_is_tried_as_a_way_until_the_goal_was_seen() -> None:
    site = {"/": state("/", ["/a/", "/b/", "/c/"]), "/a/": state("/a/"), "/c/": state("/c/", ["/c/other"])}
    site |= {"/b/": state("/b/", ["/b/stoneware-mug", "/b/plate"]), "/b/stoneware-mug": state("/b/stoneware-mug")}
    assert pages_of(walk(jit("What is the price of the stoneware mug?"), site)) == [
        "/",
        "/a/",
        "/b/",
        "/b/stoneware-mug",
    ]


def test_a_link_that_says_delete_is_not_followed_whatever_its_address_looks_like() -> None:
    front = frontier()
    link = Actionable(selector="a", role="link", name="Delete account", tag="a", href="x/17?y=1#z")
    front.absorb_page(state("/", ["/x/17?y=1"]), (link,))
    assert [skip.reason for skip in front.skips.values()] == ["safety"]


def test_a_link_nobody_can_see_is_a_trap_wherever_else_it_is_found_unless_it_can_be_seen_there() -> None:
    front = frontier(pages=5)
    unseen = Actionable(
        selector="#a", role="link", name="Archive", tag="a", href="/trap", visible=True, attributes={"trap": "unseen"}
    )
    twice = unseen.replaced(selector="#b", href="/sale")
    shown = twice.replaced(selector="#c", attributes={})
    front.absorb_page(state("/", ["/trap", "/sale"]), (unseen, twice, shown))
    front.absorb_fetched(f"{SITE}/other", [(f"{SITE}/trap", "Archive")])
    assert {(skip.what, skip.reason) for skip in front.skips.values()} == {(f"{SITE}/trap", "trap")}
    steps = walk(front, {"/sale": state("/sale")})
    assert f"{SITE}/sale" in {step.url for step in steps}
    assert not any("trap" in f"{step.url} {step.batch} {step.trial}" for step in steps)


def test_searches_that_tell_are_fetched_before_anything_else() -> None:
    words = ["quiet", "harbour", "lights", "winter", "lantern"]
    titles = [f"{words[n % 5]} {words[n // 5]} {chr(97 + n) * 5}" for n in range(20)]
    common = {"role": "link", "tag": "a", "name": "", "selector": "a"}
    items = [
        Actionable.model_validate({**common, "name": title, "href": link})
        for title, link in zip(titles, BOOKS, strict=True)
    ]
    field = {"selector": "#q", "role": "searchbox", "name": "", "tag": "input", "input_type": "search"}
    field |= {"form": "#s", "form_method": "get", "form_action": "/search/", "field_name": "q"}
    items.append(Actionable.model_validate(field))
    site = {"/": state("/", BOOKS)} | {link: state(link) for link in BOOKS}
    front = frontier(pages=4, actions=1)
    steps = walk(front, site, {"/": tuple(items)})
    fetched = [url.removeprefix(SITE) for step in steps if step.kind == "fetch" for url in step.batch]
    searched = [url for url in fetched if url.startswith("/search/?q=")]
    assert 5 <= len(searched) == len(set(searched)) and fetched[: len(searched)] == searched
    assert len(set(BOOKS) & set(fetched)) >= 17
    forbidden = frontier(pages=4, actions=1, robots="User-agent: *\nDisallow: /search")
    assert not [step for step in walk(forbidden, site, {"/": tuple(items)}) if "/search/" in str(step.batch)]
    small = walk(frontier(pages=1, actions=1), site, {"/": tuple(items)})
    assert sum("/search/" in url for step in small if step.kind == "fetch" for url in step.batch) == 2


def signed_in(pages: int) -> Frontier:
    """A site of fifteen kinds of open pages, on which an account has just logged in and is linked to fifteen more."""
    account = Account(label="user", login_url="/enter", user="ada")
    budget = Budget(max_pages=pages, max_actions=40)
    request = CaptureRequest(url=SITE + "/", budget=budget, accounts=(account,), allow=("account",))
    front = Frontier(request, SITE + "/", Robots.parse(""))
    where: dict[str, Any] = {"form": "#f", "form_method": "post", "form_action": "/enter"}
    form = (
        Actionable(selector="#u", role="textbox", name="User", tag="input", field_name="u", **where),
        Actionable(selector="#p", role="", name="", tag="input", input_type="password", field_name="p", **where),
        Actionable(selector="#b", role="button", name="Log in", tag="button", input_type="submit", **where),
    )
    front.absorb_page(state("/", ["/enter", *(f"/open/{a}/{b}" for a in "abcde" for b in "xyz")]), ())
    front.absorb_page(state("/enter"), form)
    inside = state("/", ["/", *(f"/mine/{a}/{b}" for a in "abcde" for b in "xyz")])
    key = ("login form post /enter u,p", "ordinary", "ada {{password:user}}")
    front.absorb_trial(key, [(inside.replaced(identity="user"), ())], actions=1, idle=False)
    return front


def _look(front: Frontier, step: Step) -> None:
    path = step.url.removeprefix(SITE)
    front.absorb_page(state(path, repeat_of=NONE if step.kind == "repeat" else None), ())


def test_an_account_that_logged_in_looks_at_its_share_of_pages() -> None:
    front, toured, others = signed_in(9), 0, 0
    while (step := front.next_step()) and front.pages_done < 9:
        if step.kind == "tour":
            assert step.trial is not None and step.trial.identity == "user"
            toured += len(step.looks)
            seen = [(state(url.removeprefix(SITE)).replaced(identity="user"), ()) for url in step.looks]
            front.absorb_tour("user", [*step.looks, *step.batch], seen, (), looks=len(step.looks), actions=1)
        elif step.trial:
            front.absorb_trial((step.trial.name, step.trial.variant, step.trial.instance), (), actions=1, idle=False)
        else:
            others += step.kind == "page"
            _look(front, step)
    assert 2 <= toured <= 3 and others >= toured, "a third of the budget, and no more while there is much else"
